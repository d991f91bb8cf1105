/* Threads log operations and check them, in their order, under one lock. */
#include "lib/ledger/impl.h"
#include "lib/machine/machine.h"

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

/* The caller's notes, when it used another ledger last, or none. */
static struct ledger_thread * __attribute__((cold, noinline))
thread_find(struct ledger *lg, uint64_t *private, bool simulated)
{
	struct ledger_thread *lt = NULL, **place;

	if (private[PRIVATE_THREAD] == 0)
		private[PRIVATE_THREAD] = ledger_identity();
	ledger_lock(lg);
	for (unsigned i = 0; i < lg->lg_threads; i++)
		if (lg->lg_thread[i]->lgt_owner == private[PRIVATE_THREAD])
			lt = lg->lg_thread[i];
	if (lt == NULL && lg->lg_threads < THREADS_MAX) {
		place = &lg->lg_thread[lg->lg_threads++];
		if (*place == NULL)
			*place = xaligned(_Alignof(struct ledger_thread),
			    sizeof(**place));
		lt = *place;
		memset(lt, 0, offsetof(struct ledger_thread, lgt_key));
		lt->lgt_owner = private[PRIVATE_THREAD];
		lt->lgt_simulated = simulated;
		lt->lgt_last.l_core = lt->lgt_reseeding = NO_CORE;
	}
	ledger_unlock(lg);
	/* No check would be valid; and explore catches assertions. */
	KASSERT(lt != NULL, ("ledger: more than %d threads", THREADS_MAX));
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

static void
check_pool(const struct at *at, struct ledger_core *lc)
{
	const unsigned pool = (unsigned)uint128_lo(at->at_lr->lgr_lo);
	const uint32_t bit = UINT32_C(1) << pool;
	struct ledger_record second = *at->at_lr;

	second.lgr_op = LEDGER_DRAIN;
	second.lgr_seq = at->at_lg->lg_result.le_records + 1;
	second.lgr_lo = pool + 1;
	second.lgr_hi = lc->lgc_drains + 1;
	if ((lc->lgc_taken & bit) != 0)
		ledger_wrong(at->at_lg, LEDGER_POOLS, lc->lgc_drained, &second);
	if (pool == 0)
		lc->lgc_pool0 = lc->lgc_held[0];
	lc->lgc_taken |= bit;
	lc->lgc_taken_pools++;
	lc->lgc_held[pool] = 0;
}

static void
check_drain(const struct at *at, struct ledger_core *lc)
{
	const struct ledger_core_rule *lu = &lc->lgc_rule;
	const int64_t pace_ns = at->at_lg->lg_config.lgo_pace_ns;
	const struct ledger_record first = lc->lgc_drained;
	const unsigned n = lc->lgc_taken_pools;
	struct ledger_record *lr = at->at_lr;
	const int64_t now_ns = (int64_t)lr->lgr_word;
	const bool some = lc->lgc_drains++ > 0;

	lr->lgr_lo = n;
	lr->lgr_hi = uint128_make((uint64_t)now_ns, lc->lgc_drains);
	lc->lgc_drained = *ledger_record(at, 0, lr->lgr_generation);
	if (lr->lgr_flag && pace_ns != 0 && some &&
	    now_ns - lc->lgc_drained_ns < pace_ns)
		ledger_wrong(at->at_lg, LEDGER_PACE, first, lr);
	/* Pools 0 to n - 1, each once. */
	if (n == 0 || n > 32 || lc->lgc_taken != UINT32_MAX >> (32 - n) ||
	    lc->lgc_pool0 < lu->lu_pool0_bytes ||
	    (lu->lu_due != NULL && n != lu->lu_due(lc->lgc_drains)))
		ledger_wrong(at->at_lg, LEDGER_POOLS, first, lr);
	lc->lgc_drained_ns = now_ns;
	lc->lgc_taken = 0;
	lc->lgc_taken_pools = 0;
	lc->lgc_pool0 = 0;
}

static void
check_reseeded(const struct at *at, struct ledger_core *lc)
{
	const unsigned i = lc->lgc_ends++ % CORE_RESEEDS;

	at->at_lt->lgt_reseeding = NO_CORE;
	lc->lgc_generation[i] = at->at_lt->lgt_reseed;
	lc->lgc_ended[i] = (uint32_t)++at->at_lg->lg_result.le_reseeds;
	if (at->at_lt->lgt_simulated)
		at->at_lg->lg_mark[lc->lgc_ended[i] % CORE_RESEEDS] = vm_mark();
	atomic_store_explicit(&at->at_lg->lg_ended, lc->lgc_ended[i],
	    memory_order_release);
	at->at_lr->lgr_lo = at->at_lr->lgr_generation;
	ledger_record(at, 0, at->at_lt->lgt_reseed);
}

static bool
same_reseed(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lgr_op == LEDGER_RESEED &&
	    lr->lgr_generation == like->lgr_generation);
}

void
ledger_check_age(const struct at *at, const struct ledger_record *use)
{
	const struct ledger_thread *lt = at->at_lt;
	struct ledger *lg = at->at_lg;
	struct ledger_record first = { .lgr_op = LEDGER_RESEED };
	const uint32_t lag = lg->lg_config.lgo_lag;
	const struct ledger_core *lc;
	uint32_t i;

	/* What a reseed generates before its end is for later reads. */
	if (lt->lgt_reseeding != NO_CORE)
		return;
	/* Most keys go back to the last reseed, which has ended. */
	if (lt->lgt_last.l_generation == lg->lg_reseeds &&
	    lg->lg_result.le_reseeds == lg->lg_reseeds && lg->lg_reseeds > 0)
		return;
	/*
	 * Also a key that goes back to no reseed, when others do.  One of a
	 * reseed may be public before that ends.
	 */
	if ((lt->lgt_last.l_core == NO_CORE || lg->lg_reseeds == 0) &&
	    lg->lg_cores > 0)
		ledger_wrong(lg, LEDGER_UNSEEDED, ledger_nothing, use);
	if (lt->lgt_last.l_core == NO_CORE || lag == LEDGER_LAG_ANY)
		return;
	/* The core's last reseed, or one before, that the read must see. */
	lc = &lg->lg_core[lt->lgt_last.l_core];
	for (i = 0; i < lc->lgc_ends && i < CORE_RESEEDS; i++)
		if ((int32_t)(lt->lgt_ended - lc->lgc_ended[(lc->lgc_ends - 1 -
		    i) % CORE_RESEEDS]) >= 0)
			break;
	i += lag;
	if (i >= lc->lgc_ends || i >= CORE_RESEEDS)
		return;
	first.lgr_generation = lc->lgc_generation[(lc->lgc_ends - 1 - i) %
	    CORE_RESEEDS];
	if (lt->lgt_last.l_generation >= first.lgr_generation)
		return;
	first.lgr_lo = lt->lgt_last.l_core;
	ledger_wrong(lg, LEDGER_STALE, ledger_search(lg, use, same_reseed,
	    first), use);
}

static void
check_end(const struct at *at)
{
	struct ledger *lg = at->at_lg;
	struct ledger_thread *lt = at->at_lt;
	const uint64_t bytes = uint128_lo(at->at_lr->lgr_hi);
	const uint64_t block = lg->lg_block_bytes;
	const uint64_t stored = lg->lg_config.lgo_stored_bytes;
	const struct ledger_record *end = ledger_record(at, 0, 0);

	lt->lgt_reading = false;
	lg->lg_result.le_reads++;
	if (bytes > 0 && lg->lg_reseeds == 0 && lg->lg_cores > 0)
		ledger_wrong(lg, LEDGER_UNSEEDED, ledger_nothing, end);
	/* Without a cipher no keystream is observed. */
	if (block != 0 && !lg->lg_config.lgo_keyless && bytes > stored &&
	    (bytes - stored + block - 1) / block > lt->lgt_blocks)
		ledger_wrong(lg, LEDGER_MADE, ledger_nothing, end);
	if (lt->lgt_stored)
		ledger_check_age(at, end);
	ledger_check_kept(at, end);
}

static void
check_delivered(const struct at *at)
{
	const uint64_t n = at->at_lr->lgr_word;
	const uint64_t put = at->at_lt->lgt_given - at->at_lt->lgt_delivering;

	if (put != n && at->at_lg->lg_cores > 0)
		ledger_wrong_note(at->at_lg, LEDGER_EVENTS, "of %" PRIu64
		    " events given together %" PRIu64 " went into pools or "
		    "were refused; if they may wait: --allow events,pools",
		    n, put);
}

static void
check(struct ledger *lg, struct ledger_thread *lt, struct ledger_record *lr)
{
	struct ledger_core *lc = &lg->lg_core[lr->lgr_generation];
	const struct at at = { lg, lt, lr, { lr->lgr_word, lr->lgr_print } };

	if (is_violated(lg))
		return;
	switch ((unsigned)lr->lgr_op) {
	case LEDGER_USE:
		ledger_check_use(&at);
		break;
	case LEDGER_SET:
		ledger_check_set(&at);
		break;
	case LEDGER_WIPE:
		ledger_check_wipe(&at);
		break;
	case LEDGER_BEGIN:
		lt->lgt_reading = true;
		lt->lgt_stored = false;
		lt->lgt_used = 0;
		lt->lgt_blocks = 0;
		lt->lgt_ended = (uint32_t)uint128_lo(lr->lgr_lo);
		lr->lgr_lo = 0;
		ledger_record(&at, 0, 0);
		break;
	case LEDGER_END:
		check_end(&at);
		break;
	case LEDGER_INSTALL:
		ledger_check_install(&at);
		break;
	case LEDGER_EVENT:
		lt->lgt_given++;
		lg->lg_given++;
		lg->lg_result.le_events++;
		lc->lgc_held[uint128_lo(lr->lgr_lo)] += uint128_lo(lr->lgr_hi);
		ledger_record(&at, 0, lr->lgr_generation);
		break;
	case LOGGED_POOL:
		check_pool(&at, lc);
		break;
	case LEDGER_DRAIN:
		check_drain(&at, lc);
		break;
	case LOGGED_SEED_UNUSED:
		lc->lgc_unused = true;
		break;
	case LOGGED_RESEED:
		lt->lgt_reseeding = lr->lgr_generation;
		lt->lgt_reseed = ++lg->lg_reseeds;
		break;
	case LEDGER_RESEED:
		check_reseeded(&at, lc);
		break;
	case LOGGED_LINEAGE:
		lt->lgt_last.l_core = (uint32_t)(lr->lgr_word >> 32) - 1;
		lt->lgt_last.l_generation = (uint32_t)lr->lgr_word;
		lt->lgt_stored = lt->lgt_reading;
		break;
	case LOGGED_DELIVER:
		lt->lgt_delivering = lt->lgt_given;
		break;
	case LOGGED_DELIVERED:
		check_delivered(&at);
		break;
	case LOGGED_REFUSED:
		lt->lgt_given++;
		lg->lg_given++;
		lg->lg_refused++;
		break;
	}
}

/* What the check of an operation depends on, and later ones on it. */
static void __attribute__((noinline))
tell_uses(const struct ledger *lg, unsigned op, struct print p, unsigned core)
{
	/* Of a key that it knows by this. */
	if (op == LEDGER_USE || op == LEDGER_SET || op == LEDGER_WIPE ||
	    op == LEDGER_INSTALL)
		vm_monitored((const void *)(uintptr_t)p.prt_a,
		    op != LEDGER_USE);
	if (op >= LEDGER_INSTALL && op < LOGGED_LINEAGE)
		vm_monitored(&lg->lg_core[core], op != LEDGER_EVENT);
	if (op == LEDGER_BEGIN || op == LEDGER_RESEED)
		vm_monitored(&lg->lg_ended, op == LEDGER_RESEED);
}

/* Logs and checks; need not return.  Inlined: a use costs little more. */
static inline void __attribute__((always_inline))
log_op(struct ledger *lg, struct ledger_thread *lt, unsigned op,
    struct print p, unsigned core, bool flag, uint128_t lo, uint128_t hi)
{
	struct ledger_record *lr = &lt->lgt_log[lt->lgt_ops % LOG_RECORDS];

	*lr = (struct ledger_record){ .lgr_word = p.prt_a, .lgr_print = p.prt_b,
	    .lgr_time_ns = (int64_t)lt->lgt_time, .lgr_lo = lo, .lgr_hi = hi,
	    .lgr_thread = lt->lgt_index, .lgr_op = (uint8_t)op, .lgr_in_cycles =
	    !lt->lgt_simulated, .lgr_flag = flag, .lgr_generation = core };
	/* A simulated machine is one host thread. */
	if (!lt->lgt_simulated)
		ledger_lock(lg);
	else
		tell_uses(lg, op, p, core);
	lt->lgt_ops++;
	check(lg, lt, lr);
	if (!lt->lgt_simulated)
		ledger_unlock(lg);
	ledger_tell(lg);
}

/* A function that logs: its name and parameters, and what it logs. */
#define	LOGS(name, parameters, op, core, lo, flag, word, hi)		\
	void								\
	ledger_##name parameters					\
	{								\
		if (lg != NULL)						\
			log_op(lg, self(lg), op, (struct print){ word, 0 }, \
			    core, flag, lo, hi);			\
	}

/* Of the reseeds that have ended, those that the caller must see. */
static uint32_t
ended(const struct ledger *lg)
{
	const uint32_t all = atomic_load_explicit(&lg->lg_ended,
	    memory_order_acquire);
	uint32_t n = all;

	while (vm_explores() && n > 0 && all - n < CORE_RESEEDS &&
	    !vm_sees(lg->lg_mark[n % CORE_RESEEDS]))
		n--;
	return (n);
}

LOGS(begin, (struct ledger *lg, uint64_t bytes), LEDGER_BEGIN, 0, ended(lg),
    false, 0, bytes)
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

/* Masked before a compiler may put it on the stack, where a key would stay. */
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
	high = uint128_hi((uint128_t)w0 * w1) ^ uint128_hi((uint128_t)w2 * w3);
	p->prt_a = w0 * w1 ^ w2 * w3 ^ high;
	p->prt_b = (uint32_t)high;
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
