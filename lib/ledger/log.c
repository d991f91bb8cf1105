/*
 * Threads log operations, which are checked under one lock.
 *
 * For an operation that other threads may depend on, a thread takes the lock
 * and checks its log.  Operations on a key that it has just made only go to the
 * log.  A thread that uses a key that is not set, or sets one that is, checks
 * all logs first.
 */
#include <sched.h>
#include <stdlib.h>

#include "lib/ledger/impl.h"
#include "lib/machine/machine.h"
#include "lib/machine/tick.h"
#include "lib/vm/vm.h"

CTASSERT(LOG_RECORDS % (2 * LOG_UNCHECKED) == 0);
CTASSERT(sizeof(struct ledger_record) == LINE);
CTASSERT(CIPHER_KEY_BYTES == 4 * sizeof(uint64_t));

/* A thread's own words; a simulated thread has them in its machine. */
enum { PRIVATE_LEDGER, PRIVATE_NOTES, PRIVATE_THREAD };

CTASSERT((int)PRIVATE_THREAD < (int)VM_PRIVATE_WORDS);

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

/* One more thread; its memory outlives a reset. */
static struct ledger_thread *
thread_new(struct ledger *lg)
{
	struct ledger_thread **more, *lt;

	if (lg->lg_threads < lg->lg_threads_made)
		return (lg->lg_thread[lg->lg_threads]);
	more = realloc(lg->lg_thread, (lg->lg_threads + 1) * sizeof(*more));
	if (more == NULL)
		return (NULL);
	lg->lg_thread = more;
	lt = aligned_alloc(_Alignof(struct ledger_thread), sizeof(*lt));
	if (lt != NULL) {
		memset(lt, 0, sizeof(*lt));
		lg->lg_thread[lg->lg_threads_made++] = lt;
	}
	return (lt);
}

static void
thread_reset(const struct ledger *lg, struct ledger_thread *lt, uint64_t owner,
    bool simulated)
{
	memset(lt, 0, offsetof(struct ledger_thread, lt_key));
	lt->lt_full = LOG_UNCHECKED;
	lt->lt_owner = owner;
	lt->lt_simulated = simulated;
	lt->lt_ordered = simulated || lg->lg_config.lc_record != NULL;
	lt->lt_last.l_core = NO_CORE;
	lt->lt_reseeding = NO_CORE;
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
		if (lg->lg_thread[i]->lt_owner == private[PRIVATE_THREAD])
			lt = lg->lg_thread[i];
	if (lt == NULL) {
		lt = thread_new(lg);
		if (lt != NULL) {
			thread_reset(lg, lt, private[PRIVATE_THREAD],
			    simulated);
			lg->lg_threads++;
		}
	}
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

/* Checks what the thread has logged; under the lock. */
static void
drain(struct ledger *lg, struct ledger_thread *lt)
{
	const uint64_t head = atomic_load_explicit(&lt->lt_head,
	    memory_order_acquire);

	lt->lt_draining = true;
	for (; lt->lt_tail != head; lt->lt_tail++)
		ledger_check(lg, lt, &lt->lt_log[lt->lt_tail % LOG_RECORDS]);
	lt->lt_draining = false;
}

void
ledger_drain_others(struct ledger *lg)
{
	/*
	 * An operation of another log may lead here again, and need a third
	 * log.  What leads here is the last operation of its log: its thread
	 * waits for the lock.
	 */
	for (unsigned i = 0; i < lg->lg_threads; i++)
		if (!lg->lg_thread[i]->lt_draining)
			drain(lg, lg->lg_thread[i]);
}

void
ledger_flush(struct ledger *lg)
{
	ledger_lock(lg);
	for (unsigned i = 0; i < lg->lg_threads; i++)
		drain(lg, lg->lg_thread[i]);
	ledger_unlock(lg);
	ledger_tell(lg);
}

/* The calling thread's notes; timed: with the time now, not an older one. */
static inline struct ledger_thread *
self(struct ledger *lg, uint16_t *index, bool timed)
{
	uint64_t *private = host_private;
	struct ledger_thread *lt;
	struct vm_who who;
	const bool simulated = vm_who(&who);

	if (simulated) {
		private = who.vk_private;
		*index = (uint16_t)who.vk_index;
	} else {
		*index = machine_self == NULL ? 0 :
		    (uint16_t)machine_self->mt_index;
	}
	lt = (struct ledger_thread *)(uintptr_t)private[PRIVATE_NOTES];
	if (__builtin_expect(private[PRIVATE_LEDGER] != lg->lg_id, 0))
		lt = thread_find(lg, private, simulated);
	if (simulated)
		lt->lt_time = who.vk_time_ps / 1000;
	else if (timed || lt->lt_ordered)
		lt->lt_time = tick_cycles();
	return (lt);
}

/* The place of the thread's next operation. */
static inline struct ledger_record *
enter(struct ledger_thread *lt, uint16_t index, unsigned op, struct print p)
{
	struct ledger_record *lr;

	lr = &lt->lt_log[atomic_load_explicit(&lt->lt_head,
	    memory_order_relaxed) % LOG_RECORDS];
	lr->lr_word = p.p_a;
	lr->lr_print = p.p_b;
	lr->lr_time_ns = (int64_t)lt->lt_time;
	lr->lr_op = (uint8_t)op;
	lr->lr_thread = index;
	lr->lr_wiped = lr->lr_flag = false;
	lr->lr_in_cycles = !lt->lt_simulated;
	lr->lr_lo = lr->lr_hi = uint128_make(0, 0);
	lr->lr_generation = 0;
	return (lr);
}

/*
 * The operation is logged.  Need not return.
 *
 *   own  in  no other thread depends on it
 */
static inline void
leave(struct ledger *lg, struct ledger_thread *lt, bool own)
{
	const uint64_t head = atomic_load_explicit(&lt->lt_head,
	    memory_order_relaxed) + 1;

	atomic_store_explicit(&lt->lt_head, head, memory_order_release);
	if (own && !lt->lt_ordered && head != lt->lt_full)
		return;
	/* A simulated machine is one host thread. */
	if (!lt->lt_simulated)
		ledger_lock(lg);
	drain(lg, lt);
	if (!lt->lt_simulated)
		ledger_unlock(lg);
	lt->lt_full = head + LOG_UNCHECKED;
	ledger_tell(lg);
}

/* The upper half of the product of two words. */
static inline uint64_t
mul_high(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return ((uint64_t)(product >> 64));
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), more = al * bh +
	    (uint32_t)mid;

	return (ah * bh + (mid >> 32) + (more >> 32));
#endif
}

/* A keyed hash of what a seed is made of; not 0. */
static uint64_t
seed_hash(const struct ledger *lg, const void *seed, size_t n)
{
	const uint64_t odd = lg->lg_secret[1] | 1;
	uint64_t hash = n, word;
	const uint8_t *p = seed;
	size_t part;

	for (; n > 0; n -= part, p += part) {
		part = n < sizeof(word) ? n : sizeof(word);
		word = 0;
		memcpy(&word, p, part);
		hash ^= word ^ lg->lg_secret[0];
		hash = (hash * odd ^ mul_high(hash, odd)) + lg->lg_secret[2];
	}
	return (hash == 0 ? 1 : hash);
}

static void
log_op(struct ledger *lg, unsigned op, unsigned core, unsigned pool, bool flag,
    uint64_t word, uint64_t hi)
{
	struct ledger_thread *lt;
	struct ledger_record *lr;
	uint16_t index;

	lt = self(lg, &index, op != LEDGER_END);
	lt->lt_drew = false;
	lr = enter(lt, index, op, (struct print){ word, 0 });
	lr->lr_generation = core;
	lr->lr_flag = flag;
	lr->lr_lo = uint128_make(0, pool);
	lr->lr_hi = uint128_make(0, hi);
	leave(lg, lt, op == LEDGER_BEGIN);
}

/* A function that logs: its name, parameters, and arguments of log_op(). */
#define	LOGS(name, parameters, ...)					\
	void								\
	ledger_##name parameters					\
	{								\
									\
		if (lg != NULL)						\
			log_op(lg, __VA_ARGS__);			\
	}

LOGS(begin, (struct ledger *lg, uint64_t bytes), LEDGER_BEGIN, 0,
    atomic_load_explicit(&lg->lg_ended, memory_order_acquire), false, 0, bytes)
LOGS(end, (struct ledger *lg, uint64_t bytes), LEDGER_END, 0, 0, false, 0,
    bytes)
LOGS(event, (struct ledger *lg, unsigned core, unsigned pool, uint64_t bytes,
    uint64_t held, bool counted), LEDGER_EVENT, core, pool, counted, held,
    bytes)
LOGS(pool, (struct ledger *lg, unsigned core, unsigned pool, uint64_t held),
    LOGGED_POOL, core, pool, false, held, 0)
LOGS(drain, (struct ledger *lg, unsigned core, int64_t now_ns, bool paced),
    LEDGER_DRAIN, core, 0, paced, (uint64_t)now_ns, 0)
LOGS(seed_taken, (struct ledger *lg, unsigned core, const void *seed, size_t n),
    LOGGED_SEED_TAKEN, core, 0, false, seed_hash(lg, seed, n), 0)
LOGS(seed_used, (struct ledger *lg, unsigned core, const void *seed, size_t n),
    LOGGED_SEED_USED, core, 0, false, seed_hash(lg, seed, n), 0)
LOGS(reseed_begin, (struct ledger *lg, unsigned core), LOGGED_RESEED, core, 0,
    false, 0, 0)
LOGS(reseed_end, (struct ledger *lg, unsigned core), LEDGER_RESEED, core, 0,
    false, 0, 0)
LOGS(set_lineage, (struct ledger *lg, uint64_t lineage), LOGGED_LINEAGE, 0,
    0, false, lineage, 0)
LOGS(deliver_begin, (struct ledger *lg), LOGGED_DELIVER, 0, 0, false, 0, 0)
LOGS(deliver_end, (struct ledger *lg, unsigned n, bool counted),
    LOGGED_DELIVERED, 0, 0, counted, n, 0)
LOGS(refused, (struct ledger *lg), LOGGED_REFUSED, 0, 0, false, 0, 0)

uint64_t
ledger_lineage(struct ledger *lg)
{
	struct ledger_thread *lt;
	uint64_t lineage;
	uint16_t index;

	if (lg == NULL)
		return (0);
	lt = self(lg, &index, true);
	lt->lt_drew = false;
	ledger_lock(lg);
	drain(lg, lt);
	lineage = (uint64_t)(lt->lt_last.l_core + 1) << 32 |
	    lt->lt_last.l_generation;
	ledger_unlock(lg);
	ledger_tell(lg);
	return (lineage);
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
	high = mul_high(w0, w1) ^ mul_high(w2, w3);
	p->p_a = w0 * w1 ^ w2 * w3 ^ high;
	p->p_b = (uint32_t)high;
	return (true);
}

static inline bool
owns(const struct ledger_thread *lt, struct print p)
{
	return (lt->lt_owns && print_equals(lt->lt_own, p));
}

void
ledger_key_set(struct ledger *lg, const uint8_t *had, const uint8_t *key)
{
	struct ledger_thread *lt;
	struct print new, old;
	bool gains, loses;
	uint16_t index;

	loses = fingerprint(lg, had, &old);
	gains = fingerprint(lg, key, &new);
	if (!gains && !loses)
		return;
	lt = self(lg, &index, false);
	if (loses) {
		(void)enter(lt, index, LEDGER_WIPE, old);
		leave(lg, lt, gains || owns(lt, old));
		lt->lt_owns = false;
	}
	if (gains) {
		/* A key that it has just made is in no other object. */
		lt->lt_owns = lt->lt_drew && !loses;
		lt->lt_own = new;
		(void)enter(lt, index, LEDGER_SET, new);
		leave(lg, lt, lt->lt_owns);
	}
	lt->lt_drew = gains && loses;
}

void
ledger_use(struct ledger *lg, const uint8_t *key, uint128_t ctr,
    uint64_t blocks)
{
	struct ledger_thread *lt;
	struct ledger_record *lr;
	struct print p;
	uint16_t index;

	if (blocks == 0)
		return;
	fingerprint(lg, key, &p);
	lt = self(lg, &index, false);
	lr = enter(lt, index, LEDGER_USE, p);
	lr->lr_lo = lr->lr_hi = ctr;
	uint128_add64(&lr->lr_hi, blocks);
	lt->lt_drew = true;
	leave(lg, lt, owns(lt, p));
}

void
ledger_install(struct ledger *lg, unsigned core, const uint8_t *key,
    uint128_t ctr)
{
	struct ledger_thread *lt;
	struct ledger_record *lr;
	struct print p;
	uint16_t index;

	if (!fingerprint(lg, key, &p))
		return;
	lt = self(lg, &index, false);
	lr = enter(lt, index, LEDGER_INSTALL, p);
	lr->lr_lo = ctr;
	lr->lr_hi = uint128_make(0, core);
	/* Other threads may use it from now on. */
	lt->lt_owns = lt->lt_drew = false;
	leave(lg, lt, false);
}
