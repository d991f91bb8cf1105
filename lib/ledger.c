#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ledger_impl.h"
#include "lib/tick.h"
#include "lib/wipe.h"

CTASSERT(sizeof(struct ledger_record) == LINE);
CTASSERT(sizeof(struct ledger_record) % sizeof(uint64_t) == 0);
CTASSERT(offsetof(struct ledger_key, lk_installed) == LINE);

_Thread_local uint64_t ledger_host_private[VM_PRIVATE_WORDS];

/* Ledgers, with each of their lives, and threads: none is like another. */
static _Atomic uint64_t identities;

CTASSERT((int)PRIVATE_THREAD < (int)VM_PRIVATE_WORDS);

static uint64_t
identity(void)
{

	return (atomic_fetch_add_explicit(&identities, 1,
	    memory_order_relaxed) + 1);
}

static void
thread_reset(const struct ledger *lg, struct ledger_thread *lt, uint64_t owner,
    bool simulated)
{

	memset(&lt->lt_counts, 0, sizeof(lt->lt_counts));
	lt->lt_owner = owner;
	lt->lt_simulated = simulated;
	lt->lt_ordered = simulated || lg->lg_config.lc_log != NULL;
	lt->lt_reading = false;
	lt->lt_core = LEDGER_NO_CORE;
	lt->lt_generation = 0;
	lt->lt_reseeding = LEDGER_NO_CORE;
	lt->lt_dead_left = 0;
	lt->lt_used = 0;
	lt->lt_numbers = 0;
}

/* One more thread; threads' notes outlive a reset. */
static struct ledger_thread *
thread_new(struct ledger *lg)
{
	struct ledger_thread **more;
	unsigned room;

	if (lg->lg_threads < lg->lg_threads_made)
		return (lg->lg_thread[lg->lg_threads]);
	if (lg->lg_threads == lg->lg_thread_room) {
		room = lg->lg_thread_room == 0 ? 16 : 2 * lg->lg_thread_room;
		more = realloc(lg->lg_thread, room * sizeof(*more));
		if (more == NULL)
			return (NULL);
		lg->lg_thread = more;
		lg->lg_thread_room = room;
	}
	more = &lg->lg_thread[lg->lg_threads];
	*more = aligned_alloc(_Alignof(struct ledger_thread), sizeof(**more));
	if (*more != NULL) {
		memset(*more, 0, sizeof(**more));
		lg->lg_threads_made++;
	}
	return (*more);
}

struct ledger_thread * __attribute__((cold))
ledger_thread_find(struct ledger *lg, uint64_t *private, bool simulated)
{
	struct ledger_thread *lt = NULL;
	unsigned i;

	if (private[PRIVATE_THREAD] == 0)
		private[PRIVATE_THREAD] = identity();
	ledger_lock(&lg->lg_threads_lock);
	for (i = 0; i < lg->lg_threads; i++)
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
	ledger_unlock(&lg->lg_threads_lock);
	/* Who cannot be watched cannot go on being trusted. */
	KASSERT(lt != NULL, ("ledger: no memory for a thread"));
	private[PRIVATE_LEDGER] = lg->lg_id;
	private[PRIVATE_NOTES] = (uint64_t)(uintptr_t)lt;
	return (lt);
}

void
ledger_wrong(struct ledger_at *la, enum ledger_property property,
    const struct ledger_record *first, const struct ledger_record *second)
{

	if (la->la_wrong)
		return;
	la->la_wrong = true;
	la->la_property = property;
	la->la_second = *second;
	if (first != NULL)
		la->la_first = *first;
	else
		la->la_first = (struct ledger_record){ .lr_op = LEDGER_OPS };
	la->la_note[0] = '\0';
}

void
ledger_wrong_note(struct ledger_at *la, enum ledger_property property,
    const char *fmt, ...)
{
	const struct ledger_record nothing = { .lr_op = LEDGER_OPS };
	va_list ap;

	if (la->la_wrong)
		return;
	ledger_wrong(la, property, NULL, &nothing);
	va_start(ap, fmt);
	vsnprintf(la->la_note, sizeof(la->la_note), fmt, ap);
	va_end(ap);
}

void __attribute__((cold))
ledger_tell(struct ledger_at *la)
{
	struct ledger *lg = la->la_lg;
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&lg->lg_violated, &none, 1))
		return;
	lg->lg_wrong.le_property = la->la_property;
	lg->lg_wrong.le_first = la->la_first;
	lg->lg_wrong.le_second = la->la_second;
	/*
	 * Searched ones have their time; what was just done has not, or that of
	 * an earlier one.
	 */
	if (la->la_second.lr_time_ns == (int64_t)la->la_time) {
		if (!la->la_thread->lt_ordered)
			la->la_second.lr_time_ns = (int64_t)tick_cycles();
		lg->lg_wrong.le_second = ledger_settled(la, &la->la_second);
	}
	ledger_text(&lg->lg_wrong, la->la_note);
	atomic_store_explicit(&lg->lg_violated, 2, memory_order_release);
	if (lg->lg_config.lc_violated != NULL)
		lg->lg_config.lc_violated(lg->lg_config.lc_context);
}

static void
start(struct ledger *lg)
{

	lg->lg_id = identity();
	lg->lg_epoch++;
	lg->lg_claims = 0;
	atomic_store(&lg->lg_sole, lg->lg_sole_first);
	lg->lg_start_ns = tick_ns();
	lg->lg_start_cycles = tick_cycles();
	if (lg->lg_config.lc_log != NULL)
		fprintf(lg->lg_config.lc_log, "%s\n", LEDGER_LOG_HEAD);
}

int
ledger_new(struct ledger **lgp, const struct ledger_config *config)
{
	struct ledger *lg;
	int error = 0;

	lg = aligned_alloc(_Alignof(struct ledger), sizeof(*lg));
	if (lg == NULL)
		return (ENOMEM);
	memset(lg, 0, sizeof(*lg));
	lg->lg_config = *config;
	if (getentropy(lg->lg_secret, sizeof(lg->lg_secret)) != 0)
		error = errno;
	lg->lg_cipher = calloc(LEDGER_CIPHERS, sizeof(*lg->lg_cipher));
	lg->lg_core = aligned_alloc(_Alignof(struct ledger_core),
	    LEDGER_CORES_MAX * sizeof(*lg->lg_core));
	if (error == 0 && (lg->lg_cipher == NULL || lg->lg_core == NULL))
		error = ENOMEM;
	if (error == 0)
		error = ledger_keys_init(lg);
	if (error != 0) {
		ledger_free(lg);
		return (error);
	}
	lg->lg_sole_first = ledger_sole_first();
	start(lg);
	*lgp = lg;
	return (0);
}

void
ledger_reset(struct ledger *lg)
{

	lg->lg_threads = 0;
	atomic_store(&lg->lg_violated, 0);
	atomic_store(&lg->lg_error, 0);
	atomic_store(&lg->lg_ranges_max, 0);
	atomic_store(&lg->lg_numbers, 0);
	atomic_store(&lg->lg_seq, 0);
	ledger_cores_reset(lg);
	ledger_keys_reset(lg);
	start(lg);
}

void
ledger_free(struct ledger *lg)
{
	unsigned i;

	if (lg == NULL)
		return;
	for (i = 0; i < lg->lg_threads_made; i++)
		free(lg->lg_thread[i]);
	free(lg->lg_thread);
	ledger_keys_fini(lg);
	free(lg->lg_core);
	free(lg->lg_cipher);
	wipe(lg, sizeof(*lg));
	free(lg);
}

struct cipher *
ledger_cipher(struct ledger *lg, const struct cipher *base)
{
	struct cipher *cipher;
	unsigned i;

	for (i = 0; i < LEDGER_CIPHERS; i++) {
		cipher = &lg->lg_cipher[i];
		if (cipher->ci_base == NULL) {
			*cipher = *base;
			cipher->ci_base = base;
			cipher->ci_ledger = lg;
			if (base->ci_block_bytes > atomic_load(
			    &lg->lg_block_bytes))
				atomic_store(&lg->lg_block_bytes,
				    base->ci_block_bytes);
		}
		if (cipher->ci_base == base)
			return (cipher);
	}
	KASSERT(false, ("a ledger of more than %d ciphers", LEDGER_CIPHERS));
	return (NULL);
}

bool
ledger_violated(const struct ledger *lg)
{

	return (atomic_load_explicit(&lg->lg_violated,
	    memory_order_acquire) != 0);
}

void
ledger_result(const struct ledger *lg, struct ledger_result *le)
{
	const struct ledger_counts *lo;
	unsigned i;

	memset(le, 0, sizeof(*le));
	if (atomic_load_explicit(&lg->lg_violated, memory_order_acquire) == 2) {
		*le = lg->lg_wrong;
		le->le_violated = true;
	}
	for (i = 0; i < lg->lg_threads; i++) {
		lo = &lg->lg_thread[i]->lt_counts;
		le->le_records += atomic_load_explicit(&lo->lo_records,
		    memory_order_relaxed);
		le->le_blocks += atomic_load_explicit(&lo->lo_blocks,
		    memory_order_relaxed);
		le->le_keys += atomic_load_explicit(&lo->lo_keys,
		    memory_order_relaxed);
		le->le_wipes += atomic_load_explicit(&lo->lo_wipes,
		    memory_order_relaxed);
		le->le_reads += atomic_load_explicit(&lo->lo_reads,
		    memory_order_relaxed);
		le->le_events += atomic_load_explicit(&lo->lo_events,
		    memory_order_relaxed);
	}
	le->le_reseeds = atomic_load(&lg->lg_ended);
	le->le_ranges_max = atomic_load(&lg->lg_ranges_max);
	le->le_error = atomic_load(&lg->lg_error);
	le->le_forgotten = lg->lg_dead > LEDGER_DEAD_MAX ?
	    lg->lg_dead - LEDGER_DEAD_MAX : 0;
}
