/*
 * The parts of the ledger; for lib/ledger*.c.
 *
 * ledger.c	threads, violations
 * ledger_sole.c	who needs no locks
 * ledger_text.c	what is said of them, and logs
 * ledger_key.c	keys: which there are and what is done with them
 * ledger_use.c	keystream and reads
 * ledger_ring.c	the last records of each thread
 * ledger_range.c	the counters used under one
 * ledger_dead.c	keys that are gone
 * ledger_core.c	cores: pools, reseeds, events
 */
#ifndef LIB_LEDGER_IMPL_H
#define LIB_LEDGER_IMPL_H

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/cipher.h"
#include "lib/ledger_data.h"
#include "lib/machine.h"
#include "lib/tick.h"
#include "lib/vm.h"

static inline void
ledger_lock(_Atomic uint32_t *lock)
{
	unsigned tries;

	for (tries = 1; atomic_exchange_explicit(lock, 1,
	    memory_order_acquire) != 0; tries++)
		if (tries % 64 == 0)
			sched_yield();
		else
			machine_pause(1);
}

static inline void
ledger_unlock(_Atomic uint32_t *lock)
{

	atomic_store_explicit(lock, 0, memory_order_release);
}

/* Adds to what one thread writes and others read. */
static inline void
ledger_add(_Atomic uint64_t *count, uint64_t n)
{

	atomic_store_explicit(count, atomic_load_explicit(count,
	    memory_order_relaxed) + n, memory_order_relaxed);
}

/* The events that a thread's generators were given. */
static inline uint64_t
ledger_given(const struct ledger_counts *lo)
{

	return (atomic_load_explicit(&lo->lo_events, memory_order_relaxed) +
	    atomic_load_explicit(&lo->lo_refused, memory_order_relaxed));
}

static inline bool
ledger_print_equals(const struct ledger_print *a, const struct ledger_print *b)
{

	return (a->lf_a == b->lf_a && a->lf_b == b->lf_b);
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
 * A keyed hash of the four words of a key: of two words' product and the other
 * two's, one exclusive or the other.  Who has the secret and the fingerprint
 * knows 96 bits about 256.
 *
 * Returns: whether there is a key at all.
 */
static inline bool
ledger_fingerprint(const struct ledger *lg, const uint8_t *key,
    struct ledger_print *lf)
{
	const uint64_t *secret = lg->lg_secret;
	const uint64_t w0 = masked_word(key, secret[0]);
	const uint64_t w1 = masked_word(key + 8, secret[1]);
	const uint64_t w2 = masked_word(key + 16, secret[2]);
	const uint64_t w3 = masked_word(key + 24, secret[3]);
	uint64_t high;

	if (((w0 ^ secret[0]) | (w1 ^ secret[1]) | (w2 ^ secret[2]) |
	    (w3 ^ secret[3])) == 0)
		return (false);
	high = mul_high(w0, w1) ^ mul_high(w2, w3);
	lf->lf_a = w0 * w1 ^ w2 * w3 ^ high;
	lf->lf_b = (uint32_t)high;
	return (true);
}

static inline struct ledger_key *
ledger_bucket(struct ledger *lg, const struct ledger_print *lf)
{

	return (&lg->lg_bucket[lf->lf_a % LEDGER_BUCKETS]);
}

/* The key in its bucket, alive or gone; NULL: it is not there. */
static inline struct ledger_key *
ledger_find(const struct ledger *lg, struct ledger_key *bucket,
    const struct ledger_print *lf)
{
	struct ledger_key *lk;

	for (lk = bucket; lk != NULL; lk = lk->lk_next)
		if (lk->lk_a == lf->lf_a && lk->lk_b == lf->lf_b &&
		    lk->lk_epoch == lg->lg_epoch)
			return (lk);
	return (NULL);
}

/*
 * An operation: who does it and what it is.  Between enter and leave a log is
 * locked, so that it has operations in the order in which they were checked.
 */
struct ledger_at {
	struct ledger	*la_lg;
	struct ledger_thread *la_thread;
	uint64_t	 la_time;	/* ns if simulated, else cycles */
	uint16_t	 la_index;
	bool		 la_recorded;	/* it has a record */
	bool		 la_alone;	/* no other is with the keys */
	/* What is wrong; told at the end. */
	bool		 la_wrong;
	enum ledger_property la_property;
	struct ledger_record la_first, la_second;
	char		 la_note[128];	/* "" or in place of operations */
};

/* What a host thread keeps; a simulated one has the same with its machine. */
enum { PRIVATE_LEDGER, PRIVATE_NOTES, PRIVATE_THREAD };

extern _Thread_local uint64_t ledger_host_private[VM_PRIVATE_WORDS];

/* The caller's, who was with another ledger, or with none. */
struct ledger_thread *ledger_thread_find(struct ledger *lg, uint64_t *private,
    bool simulated);

/* When an operation takes the time that the last one had. */
enum ledger_again { AGAIN_NEVER, AGAIN_IN_READ, AGAIN_ALWAYS };

static inline void
ledger_enter_at(struct ledger *lg, struct ledger_at *la,
    enum ledger_again again)
{
	uint64_t *private = ledger_host_private;
	struct ledger_thread *lt;
	struct vm_who who;
	const bool simulated = vm_who(&who);

	if (simulated) {
		private = who.vk_private;
		la->la_index = (uint16_t)who.vk_index;
	} else {
		la->la_index = machine_self == NULL ? 0 :
		    (uint16_t)machine_self->mt_index;
	}
	lt = (struct ledger_thread *)(uintptr_t)private[PRIVATE_NOTES];
	if (__builtin_expect(private[PRIVATE_LEDGER] != lg->lg_id, 0)) {
		lt = ledger_thread_find(lg, private, simulated);
		again = AGAIN_NEVER;
	}
	if (again == AGAIN_IN_READ && (!lt->lt_reading || lt->lt_ordered ||
	    atomic_load_explicit(&lt->lt_counts.lo_blocks,
	    memory_order_relaxed) - lt->lt_timed >= LEDGER_TIMED_BLOCKS))
		again = AGAIN_NEVER;
	if (simulated) {
		lt->lt_time = who.vk_time_ps / 1000;
	} else if (again == AGAIN_NEVER) {
		lt->lt_time = tick_cycles();
		lt->lt_timed = atomic_load_explicit(&lt->lt_counts.lo_blocks,
		    memory_order_relaxed);
	}
	la->la_lg = lg;
	la->la_thread = lt;
	la->la_time = lt->lt_time;
	la->la_wrong = false;
	la->la_recorded = false;
	la->la_alone = false;
	if (__builtin_expect(lg->lg_config.lc_log != NULL, 0))
		ledger_lock(&lg->lg_log_lock);
}

static inline void
ledger_enter(struct ledger *lg, struct ledger_at *la)
{

	ledger_enter_at(lg, la, AGAIN_NEVER);
}

/* The same for what follows the thread's last operation at once. */
static inline void
ledger_enter_again(struct ledger *lg, struct ledger_at *la)
{

	ledger_enter_at(lg, la, AGAIN_ALWAYS);
}

/* The same for what may be part of a read. */
static inline void
ledger_enter_in_read(struct ledger *lg, struct ledger_at *la)
{

	ledger_enter_at(lg, la, AGAIN_IN_READ);
}

/* Tells what is wrong, if it is the first; need not return. */
void ledger_tell(struct ledger_at *la);

/* Need not return, if something was wrong. */
static inline void
ledger_leave(struct ledger_at *la)
{

	if (la->la_alone)
		atomic_store_explicit(&la->la_thread->lt_alone, false,
		    memory_order_release);
	if (__builtin_expect(la->la_lg->lg_config.lc_log != NULL, 0))
		ledger_unlock(&la->la_lg->lg_log_lock);
	if (__builtin_expect(la->la_wrong, 0))
		ledger_tell(la);
}

/*
 * Keys are guarded by locks that are taken only once there are several threads:
 * one that was the only one so far just says when it is with the keys, and who
 * comes as the second waits for the end of that.
 */
#define	LEDGER_SOLE_NOBODY	((uintptr_t)0)
#define	LEDGER_SOLE_NEVER	((uintptr_t)1)	/* all take locks */

/* What a ledger begins with. */
uintptr_t ledger_sole_first(void);

/* Makes the caller the only one, or has all take locks from now on. */
void ledger_sole_claim(struct ledger *lg, struct ledger_thread *lt);

/* The operation is with the keys until it leaves. */
static inline void
ledger_with_keys(struct ledger_at *la)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger *lg = la->la_lg;
	uintptr_t sole;

	for (;;) {
		atomic_store_explicit(&lt->lt_alone, true,
		    memory_order_relaxed);
		/* Who claims sees to it that the CPU keeps this order. */
		atomic_signal_fence(memory_order_seq_cst);
		sole = atomic_load_explicit(&lg->lg_sole, memory_order_acquire);
		/* A simulated machine is one host thread: it always is. */
		if (sole == (uintptr_t)lt || lt->lt_simulated) {
			la->la_alone = true;
			return;
		}
		atomic_store_explicit(&lt->lt_alone, false,
		    memory_order_release);
		if (sole == LEDGER_SOLE_NEVER)
			return;
		ledger_sole_claim(lg, lt);
	}
}

static inline void
ledger_lock_keys(const struct ledger_at *la, _Atomic uint32_t *lock)
{

	if (!la->la_alone)
		ledger_lock(lock);
}

static inline void
ledger_unlock_keys(const struct ledger_at *la, _Atomic uint32_t *lock)
{

	if (!la->la_alone)
		ledger_unlock(lock);
}

/* A record as others are to see it, its time told. */
struct ledger_record ledger_settled(const struct ledger_at *la,
    const struct ledger_record *lr);

/* Numbers the record in a ring, and writes it to the log if there is one. */
void ledger_number(struct ledger *lg, const struct ledger_thread *lt,
    _Atomic uint64_t ring[LEDGER_WORDS]);

/*
 * Keeps the record, which it completes.  In words and by value, so that it goes
 * from registers to the ring.
 */
static inline void
ledger_record(struct ledger_at *la, struct ledger_record lr)
{
	struct ledger_thread *lt = la->la_thread;
	const uint64_t at = atomic_load_explicit(&lt->lt_counts.lo_records,
	    memory_order_relaxed);
	_Atomic uint64_t *ring = lt->lt_ring[at % LEDGER_RING];

#define	PUT(i, word)							\
	atomic_store_explicit(&ring[i], (word), memory_order_relaxed)
	PUT(0, 0);
	PUT(1, la->la_time);
	PUT(2, uint128_lo(lr.lr_lo));
	PUT(3, uint128_hi(lr.lr_lo));
	PUT(4, uint128_lo(lr.lr_hi));
	PUT(5, uint128_hi(lr.lr_hi));
	PUT(6, (uint64_t)lr.lr_generation << 32 | lr.lr_key);
	PUT(7, (uint64_t)lr.lr_wiped << 24 | (uint64_t)lr.lr_op << 16 |
	    la->la_index);
#undef PUT
	if (__builtin_expect(lt->lt_ordered, 0))
		ledger_number(la->la_lg, lt, ring);
	atomic_store_explicit(&lt->lt_counts.lo_records, at + 1,
	    memory_order_release);
	la->la_recorded = true;
}

/* The record that the operation has kept last. */
struct ledger_record ledger_recorded(const struct ledger_at *la);

/*
 * Notes that something is wrong, unless something else was.
 *
 *   first   in  or NULL
 *   second  in
 */
void ledger_wrong(struct ledger_at *la, enum ledger_property property,
    const struct ledger_record *first, const struct ledger_record *second);

/* The same of what is no operation: numbers that do not agree. */
void ledger_wrong_note(struct ledger_at *la, enum ledger_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * The newest record that is wanted, of all that threads still have, the
 * operation's own left out; none when a violation has been found before, as
 * only the first is told.
 *
 *   lr  in   what wanted() is given beside each
 *       out  the record, if there is one
 */
bool ledger_search(const struct ledger_at *la, bool (*wanted)(const struct
    ledger_record *lr, const struct ledger_record *like),
    struct ledger_record *lr);

/* A search for the same operation on the same key. */
bool ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like);

/* ledger_text.c: le_text of the rest of le, or with a note instead. */
void ledger_text(struct ledger_result *le, const char *note);

/* ledger_use.c: wrong is a key that nobody has set, to all appearances. */
void ledger_unknown_key(struct ledger_at *la);

/* ledger_range.c */

/*
 * Adds blocks from a counter on, modulo 2^128, to those used under a key.
 *
 * Returns: whether it is disjoint from all of them.
 */
bool ledger_add_ranges(struct ledger *lg, struct ledger_key *lk, uint128_t ctr,
    uint64_t blocks);

/* The same; most go on where the only range ends, and do not go round. */
static inline bool
ledger_add_blocks(struct ledger *lg, struct ledger_key *lk, uint128_t ctr,
    uint64_t blocks)
{
	uint128_t next = lk->lk_range.lx_last;

	uint128_increment(&next);
	if (lk->lk_ranges != 1 || !uint128_equals(next, ctr) ||
	    uint128_lo(ctr) == 0 || uint128_lo(ctr) > UINT64_MAX - blocks)
		return (ledger_add_ranges(lg, lk, ctr, blocks));
	uint128_add64(&lk->lk_range.lx_last, blocks);
	return (true);
}

/* Whether its ranges are still where it had room for them at first. */
bool ledger_first_room(const struct ledger *lg, const struct ledger_key *lk);

/* ledger_dead.c */

/* A key is gone. */
void ledger_bury(struct ledger_at *la, const struct ledger_print *lf,
    uint32_t number);

/*
 * Whether a key is among those that are gone more than once: each is looked for
 * in an index, which is as large as it must be.
 */
void ledger_dead_check(struct ledger_at *la);

/* ledger_key.c */

int ledger_keys_init(struct ledger *lg);
void ledger_keys_reset(struct ledger *lg);
void ledger_keys_fini(struct ledger *lg);

/* At rest: all keys are gone, and none twice. */
void ledger_keys_finish(struct ledger_at *la);

/* Its read returns: what it used is gone. */
void ledger_keys_returned(struct ledger_at *la);

/* ledger_core.c */

/*
 * The reseed that a key of that core must go back to, in a read that began when
 * so many had ended; 0: to none.
 */
uint32_t ledger_core_needs(const struct ledger *lg, unsigned core,
    uint32_t ended);

void ledger_cores_reset(struct ledger *lg);

/* At rest: what was taken from pools was used. */
void ledger_cores_finish(struct ledger_at *la);

#endif
