/*
 * Threads log operations and check them under one lock.
 */
#include <sched.h>
#include <stdlib.h>

#include "lib/ledger/impl.h"
#include "lib/machine/machine.h"
#include "lib/machine/tick.h"
#include "lib/vm/vm.h"

CTASSERT(sizeof(struct ledger_record) == LINE);
CTASSERT(CIPHER_KEY_BYTES == 4 * sizeof(uint64_t));

/* A thread's own words; a simulated thread has them in its machine. */
enum { PRIVATE_LEDGER, PRIVATE_NOTES, PRIVATE_THREAD };

CTASSERT((int)PRIVATE_THREAD < (int)VM_PRIVATE_WORDS);
CTASSERT((int)THREADS_MAX >= (int)VM_THREADS_MAX);

static _Thread_local uint64_t host_private[VM_PRIVATE_WORDS];

/* Numbers of ledgers, one for each reset, and of threads. */
static _Atomic uint64_t identities;

uint64_t
ledger_identity(void)
{
	return (atomic_fetch_add_explicit(&identities, 1,
	    memory_order_relaxed) + 1);
}

void
ledger_lock(struct ledger *lg)
{
	for (unsigned tries = 1; atomic_exchange_explicit(&lg->lg_lock, true,
	    memory_order_acquire); tries++)
		if (tries % 64 == 0)
			sched_yield();
		else
			machine_pause(1);
}

void
ledger_unlock(struct ledger *lg)
{
	atomic_store_explicit(&lg->lg_lock, false, memory_order_release);
}

/* One more thread; NULL: there is no memory. */
static struct ledger_thread *
thread_new(struct ledger *lg, uint64_t owner, bool simulated)
{
	struct ledger_thread **place = &lg->lg_thread[lg->lg_threads], *lt;

	if (lg->lg_threads == THREADS_MAX)
		return (NULL);
	if (*place == NULL)
		*place = aligned_alloc(_Alignof(struct ledger_thread),
		    sizeof(*lt));
	lt = *place;
	if (lt == NULL)
		return (NULL);
	lg->lg_threads++;
	memset(lt, 0, offsetof(struct ledger_thread, lgt_key));
	lt->lgt_owner = owner;
	lt->lgt_simulated = simulated;
	lt->lgt_last.l_core = NO_CORE;
	lt->lgt_reseeding = NO_CORE;
	return (lt);
}

/* The caller's notes, when it used another ledger last, or none. */
static struct ledger_thread * __attribute__((cold, noinline))
thread_find(struct ledger *lg, uint64_t *private, bool simulated)
{
	struct ledger_thread *lt = NULL;

	if (private[PRIVATE_THREAD] == 0)
		private[PRIVATE_THREAD] = ledger_identity();
	ledger_lock(lg);
	for (unsigned i = 0; i < lg->lg_threads; i++)
		if (lg->lg_thread[i]->lgt_owner == private[PRIVATE_THREAD])
			lt = lg->lg_thread[i];
	if (lt == NULL)
		lt = thread_new(lg, private[PRIVATE_THREAD], simulated);
	ledger_unlock(lg);
	/*
	 * Without its operations no check would be valid.  explore catches
	 * assertions: the lock must be free.
	 */
	KASSERT(lt != NULL, ("ledger: no memory for a thread"));
	private[PRIVATE_LEDGER] = lg->lg_id;
	private[PRIVATE_NOTES] = (uint64_t)(uintptr_t)lt;
	return (lt);
}

/* The calling thread's notes, with the time now. */
static inline struct ledger_thread *
self(struct ledger *lg)
{
	struct vm_who who = { .wh_private = host_private,
	    .wh_index = machine_self == NULL ? 0 : machine_self->mt_index };
	const bool simulated = vm_who(&who);
	uint64_t *private = who.wh_private;
	struct ledger_thread *lt;

	lt = (struct ledger_thread *)(uintptr_t)private[PRIVATE_NOTES];
	if (__builtin_expect(private[PRIVATE_LEDGER] != lg->lg_id, 0))
		lt = thread_find(lg, private, simulated);
	lt->lgt_index = (uint16_t)who.wh_index;
	lt->lgt_time = simulated ? who.wh_time_ps / 1000 : tick_cycles();
	return (lt);
}

/*
 * Logs an operation and checks it.  Need not return.  Inlined, as a use of a
 * key costs little more than that.
 */
static inline void __attribute__((always_inline))
log_op(struct ledger *lg, struct ledger_thread *lt, unsigned op,
    struct print p, unsigned core, bool flag, uint128_t lo, uint128_t hi)
{
	struct ledger_record *lr = &lt->lgt_log[lt->lgt_ops % LOG_RECORDS];

	*lr = (struct ledger_record){ .lgr_word = p.pt_a, .lgr_print = p.pt_b,
	    .lgr_time_ns = (int64_t)lt->lgt_time, .lgr_lo = lo, .lgr_hi = hi,
	    .lgr_thread = lt->lgt_index, .lgr_op = (uint8_t)op,
	    .lgr_in_cycles = !lt->lgt_simulated, .lgr_flag = flag,
	    .lgr_generation = core };
	/* A simulated machine is one host thread. */
	if (!lt->lgt_simulated)
		ledger_lock(lg);
	lt->lgt_ops++;
	ledger_check(lg, lt, lr);
	if (!lt->lgt_simulated)
		ledger_unlock(lg);
	ledger_tell(lg);
}

/* A function that logs: its name and parameters, and what it logs. */
#define	LOGS(name, parameters, op, core, lo, flag, word, hi)		\
	void								\
	ledger_##name parameters					\
	{								\
									\
		if (lg != NULL)						\
			log_op(lg, self(lg), op, (struct print){ word, 0 }, \
			    core, flag, lo, hi);			\
	}

LOGS(begin, (struct ledger *lg, uint64_t bytes), LEDGER_BEGIN, 0,
    atomic_load_explicit(&lg->lg_ended, memory_order_acquire), false, 0, bytes)
LOGS(end, (struct ledger *lg, uint64_t bytes), LEDGER_END, 0, 0, false, 0,
    bytes)
LOGS(event, (struct ledger *lg, unsigned core, unsigned pool, uint64_t bytes),
    LEDGER_EVENT, core, pool, false, 0, bytes)
LOGS(pool, (struct ledger *lg, unsigned core, unsigned pool), LOGGED_POOL,
    core, pool, false, 0, 0)
LOGS(drain, (struct ledger *lg, unsigned core, int64_t now_ns, bool paced),
    LEDGER_DRAIN, core, 0, paced, (uint64_t)now_ns, 0)
LOGS(seed_unused, (struct ledger *lg, unsigned core), LOGGED_SEED_UNUSED, core,
    0, false, 0, 0)
LOGS(reseed_begin, (struct ledger *lg, unsigned core), LOGGED_RESEED, core, 0,
    false, 0, 0)
LOGS(reseed_end, (struct ledger *lg, unsigned core), LEDGER_RESEED, core, 0,
    false, 0, 0)
LOGS(set_lineage, (struct ledger *lg, uint64_t lineage), LOGGED_LINEAGE, 0,
    0, false, lineage, 0)
LOGS(deliver_begin, (struct ledger *lg), LOGGED_DELIVER, 0, 0, false, 0, 0)
LOGS(deliver_end, (struct ledger *lg, unsigned n), LOGGED_DELIVERED, 0, 0,
    false, n, 0)
LOGS(refused, (struct ledger *lg), LOGGED_REFUSED, 0, 0, false, 0, 0)

uint64_t
ledger_lineage(struct ledger *lg)
{
	const struct ledger_thread *lt = lg == NULL ? NULL : self(lg);

	return (lt == NULL ? 0 : (uint64_t)(lt->lgt_last.l_core + 1) << 32 |
	    lt->lgt_last.l_generation);
}

/*
 * Words are masked before a compiler may put them on the stack, where a key of
 * a read would stay.
 */
static inline uint64_t
masked_word(const uint8_t *p, uint64_t mask)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	word ^= mask;
	__asm__("" : "+r"(word));
	return (word);
}

/*
 * A keyed hash of the four words of a key: the products of two and of the other
 * two, combined.  With the secret, 96 of a key's 256 bits follow from it.
 *
 * Returns: whether there is a key at all; the print of none is 0.
 */
static inline bool
fingerprint(const struct ledger *lg, const uint8_t *key, struct print *p)
{
	const uint64_t *secret = lg->lg_secret;
	const uint64_t w0 = masked_word(key, secret[0]);
	const uint64_t w1 = masked_word(key + 8, secret[1]);
	const uint64_t w2 = masked_word(key + 16, secret[2]);
	const uint64_t w3 = masked_word(key + 24, secret[3]);
	uint64_t high;

	*p = (struct print){ 0, 0 };
	if (((w0 ^ secret[0]) | (w1 ^ secret[1]) | (w2 ^ secret[2]) |
	    (w3 ^ secret[3])) == 0)
		return (false);
	high = uint128_hi((uint128_t)w0 * w1) ^
	    uint128_hi((uint128_t)w2 * w3);
	p->pt_a = w0 * w1 ^ w2 * w3 ^ high;
	p->pt_b = (uint32_t)high;
	return (true);
}

void
ledger_key_set(struct ledger *lg, const uint8_t *had, const uint8_t *key)
{
	struct ledger_thread *lt;
	struct print new, old;
	const bool loses = fingerprint(lg, had, &old);
	const bool gains = fingerprint(lg, key, &new);

	if (!gains && !loses)
		return;
	lt = self(lg);
	if (loses)
		log_op(lg, lt, LEDGER_WIPE, old, 0, false, 0, 0);
	if (gains)
		log_op(lg, lt, LEDGER_SET, new, 0, false, 0, 0);
}

void
ledger_use(struct ledger *lg, const uint8_t *key, uint128_t ctr,
    uint64_t blocks)
{
	struct print p;

	if (blocks == 0)
		return;
	fingerprint(lg, key, &p);
	log_op(lg, self(lg), LEDGER_USE, p, 0, false, ctr, ctr + blocks);
}

void
ledger_install(struct ledger *lg, unsigned core, const uint8_t *key,
    uint128_t ctr)
{
	struct print p;

	if (fingerprint(lg, key, &p))
		log_op(lg, self(lg), LEDGER_INSTALL, p, 0, false, ctr, core);
}
