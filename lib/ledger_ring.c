/*
 * The last records of each thread, for those who look for an earlier operation.
 */
#include <string.h>

#include "lib/ledger_impl.h"
#include "lib/tick.h"

/* From a thread's notes to what others are told. */
static void
settle_time(const struct ledger *lg, bool simulated, struct ledger_record *lr)
{

	if (!simulated)
		lr->lr_time_ns = lg->lg_start_ns + tick_cycles_to_ns(
		    (uint64_t)lr->lr_time_ns - lg->lg_start_cycles);
}

struct ledger_record
ledger_settled(const struct ledger_at *la, const struct ledger_record *lr)
{
	struct ledger_record settled = *lr;

	settle_time(la->la_lg, la->la_thread->lt_simulated, &settled);
	return (settled);
}

/* A record of the words that ledger_record() made of it. */
static void
words_get(const uint64_t words[LEDGER_WORDS], struct ledger_record *lr)
{

	CTASSERT(LEDGER_WORDS == 8);
	memset(lr, 0, sizeof(*lr));
	lr->lr_seq = words[0];
	lr->lr_time_ns = (int64_t)words[1];
	lr->lr_lo = uint128_make(words[3], words[2]);
	lr->lr_hi = uint128_make(words[5], words[4]);
	lr->lr_key = (uint32_t)words[6];
	lr->lr_generation = (uint32_t)(words[6] >> 32);
	lr->lr_thread = (uint16_t)words[7];
	lr->lr_op = (uint8_t)(words[7] >> 16);
	lr->lr_wiped = (words[7] >> 24 & 1) != 0;
}

static inline void
ring_words(const _Atomic uint64_t ring[LEDGER_WORDS],
    uint64_t words[LEDGER_WORDS])
{
	unsigned i;

	for (i = 0; i < LEDGER_WORDS; i++)
		words[i] = atomic_load_explicit(&ring[i], memory_order_relaxed);
}

void
ledger_number(struct ledger *lg, const struct ledger_thread *lt,
    _Atomic uint64_t ring[LEDGER_WORDS])
{
	uint64_t words[LEDGER_WORDS];
	struct ledger_record lr;

	ledger_add(&lg->lg_seq, 1);
	atomic_store_explicit(&ring[0], atomic_load_explicit(&lg->lg_seq,
	    memory_order_relaxed), memory_order_relaxed);
	if (lg->lg_config.lc_log == NULL)
		return;
	ring_words(ring, words);
	words_get(words, &lr);
	settle_time(lg, lt->lt_simulated, &lr);
	ledger_log_line(lg->lg_config.lc_log, &lr);
}

struct ledger_record
ledger_recorded(const struct ledger_at *la)
{
	const struct ledger_thread *lt = la->la_thread;
	uint64_t words[LEDGER_WORDS];
	struct ledger_record lr;

	MPASS(la->la_recorded);
	ring_words(lt->lt_ring[(atomic_load_explicit(&lt->lt_counts.lo_records,
	    memory_order_relaxed) - 1) % LEDGER_RING], words);
	words_get(words, &lr);
	return (lr);
}

/* One of a thread's last records; whether it could be had. */
static bool
ring_get(const struct ledger *lg, struct ledger_thread *lt, uint64_t at,
    struct ledger_record *lr)
{
	uint64_t words[LEDGER_WORDS];

	ring_words(lt->lt_ring[at % LEDGER_RING], words);
	atomic_thread_fence(memory_order_acquire);
	/* It may be writing the one behind the last. */
	if (atomic_load_explicit(&lt->lt_counts.lo_records,
	    memory_order_relaxed) >= at + LEDGER_RING)
		return (false);
	words_get(words, lr);
	settle_time(lg, lt->lt_simulated, lr);
	return (true);
}

bool
ledger_search(const struct ledger_at *la, bool (*wanted)(const struct
    ledger_record *lr, const struct ledger_record *like),
    struct ledger_record *lr)
{
	struct ledger *lg = la->la_lg;
	const struct ledger_record like = *lr;
	struct ledger_record one;
	bool found = false;
	uint64_t at, end;
	unsigned i;

	/* Only the first is told: a search for any later one is for nobody. */
	if (ledger_violated(lg))
		return (false);
	ledger_lock(&lg->lg_threads_lock);
	for (i = 0; i < lg->lg_threads; i++) {
		struct ledger_thread *lt = lg->lg_thread[i];

		end = atomic_load_explicit(&lt->lt_counts.lo_records,
		    memory_order_acquire);
		at = end < LEDGER_RING ? 0 : end - LEDGER_RING;
		if (la->la_recorded && lt == la->la_thread)
			end--;
		for (; at < end; at++) {
			if (!ring_get(lg, lt, at, &one) ||
			    !wanted(&one, &like))
				continue;
			if (found && (one.lr_time_ns < lr->lr_time_ns ||
			    (one.lr_time_ns == lr->lr_time_ns &&
			    one.lr_seq < lr->lr_seq)))
				continue;
			*lr = one;
			found = true;
		}
	}
	ledger_unlock(&lg->lg_threads_lock);
	return (found);
}
