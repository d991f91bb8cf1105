#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/explore/strategy.h"
#include "bench/explore/trial_impl.h"
#include "fortuna/state.h"
#include "lib/wipe.h"

enum {
	FAILED		= ECANCELED,	/* what a run ends with then */
	BUFFER_ALIGN	= 4096,
	RESIDUE_EVERY	= 8	/* runs: it takes as long as a read */
};

/* The run of this host thread, for assertions. */
static _Thread_local struct trial *running;

void
trial_event(struct trial *tr, struct harvest_event *event)
{
	const uint32_t i = tr->tr_events++;

	memset(event, 0, sizeof(*event));
	event->he_somecounter = i;
	event->he_size = HARVEST_ENTROPY_BYTES;
	event->he_source = RANDOM_INTERRUPT;
	event->he_destination = (uint8_t)(i % 3 == 2 ? 1 + i / 3 %
	    (RANDOM_FORTUNA_NPOOLS - 1) : 0);
	memcpy(event->he_entropy, &i, sizeof(i));
	/* Real hashes and ciphers are to have other keys in each run. */
	memcpy(event->he_entropy + sizeof(i), &tr->tr_seed, sizeof(i));
}

int
trial_buffer(struct trial_reader *r, size_t bytes)
{

	if (bytes <= r->r_bytes)
		return (0);
	bytes = (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
	free(r->r_buf);
	r->r_bytes = 0;
	r->r_buf = aligned_alloc(BUFFER_ALIGN, bytes);
	if (r->r_buf == NULL)
		return (ENOMEM);
	memset(r->r_buf, 0, bytes);
	r->r_bytes = bytes;
	return (0);
}

/*
 * What reads and writes (K, C) beside its mutex would go wrong between any two
 * instructions.  Here others get their chance before and after keystream is
 * made, which is in the middle of all that changes the two.
 */
static void
pausing_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out,
    size_t n)
{
	const unsigned thread = machine_curthread()->mt_index;
	struct trial *tr = running;
	struct residue *re;

	machine_charge(COST_KEYSTREAM_MORE, 0);
	tr->tr_keystream(ck, ctr, out, n);
	if (tr->tr_scenario->sn_real && !origin_made(&tr->tr_origin,
	    thread, ck->ck_raw, out, n))
		trial_fail(tr, TRIAL_OUTPUT, "a key was handed out before it "
		    "was used");
	if (tr->tr_residue && thread > 0 && thread <= tr->tr_readers) {
		re = &tr->tr_reader[thread - 1].r_residue;
		residue_add(re, ck->ck_raw, sizeof(ck->ck_raw));
		residue_add(re, out, n);
	}
	machine_charge(COST_KEYSTREAM_MORE, 0);
}

const struct cipher *
trial_cipher(struct trial *tr, const struct cipher *cipher)
{

	tr->tr_cipher = *cipher_ledgered(cipher, tr->tr_ledger);
	tr->tr_keystream = tr->tr_cipher.ci_keystream;
	tr->tr_cipher.ci_keystream = pausing_keystream;
	return (&tr->tr_cipher);
}

static void
note_failure(struct trial *tr, const char *word, const char *sentence,
    const char *detail)
{
	struct trial_outcome *to = tr->tr_outcome;

	if (to->to_word != NULL)
		return;
	to->to_word = word;
	to->to_sentence = sentence;
	snprintf(to->to_detail, sizeof(to->to_detail), "%s", detail);
}

void
trial_fail(struct trial *tr, enum trial_property property, const char *fmt,
    ...)
{
	const struct ledger_property_text *lp = &trial_properties[property];
	char detail[TRIAL_DETAIL_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	note_failure(tr, lp->lp_word, lp->lp_text, detail);
	vm_abort(FAILED);
}

/* The ledger has seen enough.  At the end there is nothing left to be ended. */
static void
violated(void *context)
{

	(void)context;
	if (running != NULL && !running->tr_finishing)
		vm_abort(FAILED);
}

static kassert_handler *assertion_before;

static void
assertion_failed(const char *file, int line, const char *func,
    const char *expr, const char *msg)
{

	if (running == NULL)
		assertion_before(file, line, func, expr, msg);
	trial_fail(running, TRIAL_ASSERTION, "%s:%d: %s: \"%s\" is not so: %s",
	    file, line, func, expr, msg);
}

void
trial_catch_assertions(bool on)
{

	if (on && kassert_failed != assertion_failed) {
		assertion_before = kassert_failed;
		kassert_failed = assertion_failed;
	} else if (!on && kassert_failed == assertion_failed) {
		kassert_failed = assertion_before;
	}
}

static unsigned
choose(void *context, const struct vm_choice *vo)
{
	struct trial *tr = context;
	unsigned i;

	tr->tr_steps++;
	i = tr->tr_chooser->tc_choose(tr->tr_chooser->tc_context, vo);
	if (tr->tr_made != NULL)
		schedule_add(tr->tr_made, &tr->tr_made->sd_choices,
		    vo->vo_thread[i]);
	return (i);
}

static bool
is_running(void *context)
{
	struct trial *tr = context;
	bool answer;

	answer = tr->tr_chooser->tc_running(tr->tr_chooser->tc_context);
	if (tr->tr_made != NULL)
		schedule_add(tr->tr_made, &tr->tr_made->sd_answers, answer);
	return (answer);
}

/* A lock's number, in the order in which they are seen. */
static unsigned
lock_number(struct trial *tr, const struct vm_note *vn)
{
	const struct lock_class *class;
	unsigned i;

	for (i = 0; i < tr->tr_locks; i++)
		if (tr->tr_lock[i].lock == vn->vn_lock)
			return (i);
	if (i == MOMENTS_LOCKS_MAX)
		return (i - 1);
	tr->tr_locks++;
	tr->tr_lock[i].lock = vn->vn_lock;
	tr->tr_lock[i].holder = -1;
	class = tr->tr_subject->tb_lock;
	if (strcmp(vn->vn_detail, "hc_mtx") == 0 &&
	    tr->tr_subject->tb_queue_lock != NULL)
		class = tr->tr_subject->tb_queue_lock;
	/* Of a lock that promises nothing, the ledger says what comes. */
	tr->tr_lock[i].excludes = (class->lc_flags & LC_EXCLUDES) != 0;
	if (tr->tr_moments != NULL) {
		tr->tr_moments->mo_lock[i] = vn->vn_detail;
		tr->tr_moments->mo_locks = i + 1;
	}
	return (i);
}

/* What the ledger has logged since. */
static void
take_log(struct trial *tr)
{

	if (tr->tr_moments == NULL || tr->tr_log == NULL)
		return;
	fflush(tr->tr_log);
	if (tr->tr_log_bytes > tr->tr_log_done)
		tr->tr_log_done += moments_add_ledger(tr->tr_moments,
		    tr->tr_steps, tr->tr_log_text + tr->tr_log_done,
		    tr->tr_log_bytes - tr->tr_log_done);
}

static void
tell_moment(struct trial *tr, const struct vm_note *vn)
{
	struct moments *mo = tr->tr_moments;
	const unsigned thread = vn->vn_thread;
	unsigned lock;

	take_log(tr);
	switch (vn->vn_kind) {
	case VM_THREAD_START:
		if (thread < MOMENTS_THREADS_MAX)
			snprintf(mo->mo_name[thread], MOMENTS_NAME_SIZE, "%s",
			    vn->vn_detail);
		break;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
	case VM_LOCK_FREE:
		lock = lock_number(tr, vn) + 1;
		/* Nobody is there yet, or any longer. */
		if (thread == 0)
			break;
		moments_add(mo, tr->tr_steps, thread, "%s L%u", vn->vn_kind ==
		    VM_LOCK_WAIT ? "asks" : vn->vn_kind == VM_LOCK_HELD ?
		    "has" : "frees", lock);
		break;
	case VM_CPU_OFF:
		moments_add(mo, tr->tr_steps, thread, "%s", vn->vn_detail);
		break;
	case VM_CPU_ON:
		if (mo->mo_count > 0)
			moments_add(mo, tr->tr_steps, thread, "awake");
		break;
	default:
		break;
	}
}

/* Who sleeps within a read of a seeded generator, with nobody left awake. */
static void
check_woken(struct trial *tr, unsigned thread)
{

	/* A fail point may have said that it is not. */
	if (tr->tr_subject->tb_faults != NULL)
		return;
	if (tr->tr_oncpu != 0 || !tr->tr_seeded || thread == 0 ||
	    thread > tr->tr_readers ||
	    !tr->tr_reader[thread - 1].r_reading)
		return;
	trial_fail(tr, TRIAL_WOKEN, "%s slept on in its read after the "
	    "generator was seeded, until its time was over",
	    tr->tr_reader[thread - 1].r_td.mt_name);
}

static void
observe(void *context, const struct vm_note *vn)
{
	struct trial *tr = context;
	const uint32_t bit = 1u << vn->vn_thread % 32;
	unsigned lock;
	int other;

	if (tr->tr_moments != NULL)
		tell_moment(tr, vn);
	switch (vn->vn_kind) {
	case VM_LOCK_HELD:
		lock = lock_number(tr, vn);
		tr->tr_order = (tr->tr_order ^ (vn->vn_thread << 8 | lock)) *
		    UINT64_C(0x9e3779b97f4a7c15);
		tr->tr_order ^= tr->tr_order >> 29;
		other = tr->tr_lock[lock].holder;
		tr->tr_lock[lock].holder = (int)vn->vn_thread;
		if (other >= 0 && tr->tr_lock[lock].excludes)
			trial_fail(tr, TRIAL_EXCLUSION, "thread %u has %s, "
			    "and thread %d has it still", vn->vn_thread,
			    vn->vn_detail, other);
		break;
	case VM_LOCK_FREE:
		tr->tr_lock[lock_number(tr, vn)].holder = -1;
		break;
	case VM_CPU_ON:
		check_woken(tr, vn->vn_thread);
		tr->tr_oncpu |= bit;
		break;
	case VM_CPU_OFF:
		tr->tr_oncpu &= ~bit;
		break;
	default:
		break;
	}
}

static void
log_off(struct trial *tr)
{

	ledger_free(tr->tr_logged);
	if (tr->tr_log != NULL)
		fclose(tr->tr_log);
	free(tr->tr_log_text);
	tr->tr_logged = NULL;
	tr->tr_log = NULL;
	tr->tr_log_text = NULL;
}

int
trial_new(struct trial **trp)
{
	struct trial *tr;

	tr = calloc(1, sizeof(*tr));
	if (tr == NULL)
		return (ENOMEM);
	tr->tr_store = vm_store_new();
	if (tr->tr_store == NULL || origin_init(&tr->tr_origin) != 0) {
		vm_store_free(tr->tr_store);
		free(tr);
		return (ENOMEM);
	}
	*trp = tr;
	return (0);
}

void
trial_free(struct trial *tr)
{
	unsigned i;

	if (tr == NULL)
		return;
	log_off(tr);
	ledger_free(tr->tr_plain);
	origin_fini(&tr->tr_origin);
	vm_store_free(tr->tr_store);
	for (i = 0; i < SCENARIO_READERS_MAX; i++)
		free(tr->tr_reader[i].r_buf);
	free(tr);
}

/* The ledger of this run; with moments, one that writes down what it hears. */
static int
open_ledger(struct trial *tr)
{
	const struct random_algorithm *ra = tr->tr_subject->tb_design;
	struct ledger_config lc = { .lc_pace_ns = RANDOM_FORTUNA_RESEED_NS,
	    .lc_lag = ra->ra_lag,
	    .lc_stored_bytes = ra->ra_stored_bytes,
	    .lc_keyless = (ra->ra_flags & RA_NULL) != 0,
	    .lc_violated = violated };
	int error;

	if (tr->tr_moments != NULL) {
		tr->tr_log_done = 0;
		tr->tr_log = open_memstream(&tr->tr_log_text,
		    &tr->tr_log_bytes);
		if (tr->tr_log == NULL)
			return (ENOMEM);
		lc.lc_log = tr->tr_log;
		error = ledger_new(&tr->tr_logged, &lc);
		tr->tr_ledger = tr->tr_logged;
		return (error);
	}
	/* Memory is kept as long as the rules are the same. */
	if (tr->tr_plain != NULL && tr->tr_lag == lc.lc_lag &&
	    tr->tr_stored == lc.lc_stored_bytes &&
	    tr->tr_keyless == lc.lc_keyless) {
		ledger_reset(tr->tr_plain);
	} else {
		ledger_free(tr->tr_plain);
		tr->tr_plain = NULL;
		tr->tr_lag = lc.lc_lag;
		tr->tr_stored = lc.lc_stored_bytes;
		tr->tr_keyless = lc.lc_keyless;
		error = ledger_new(&tr->tr_plain, &lc);
		if (error != 0)
			return (error);
	}
	tr->tr_ledger = tr->tr_plain;
	return (0);
}

static void
begin(struct trial *tr, const struct trial_subject *tb,
    const struct scenario *sn, const struct trial_chooser *tc, uint64_t seed)
{

	tr->tr_subject = tb;
	tr->tr_scenario = sn;
	tr->tr_chooser = tc;
	tr->tr_seed = seed;
	tr->tr_steps = tr->tr_order = tr->tr_reads = tr->tr_delivered = 0;
	tr->tr_events = 0;
	tr->tr_error = 0;
	tr->tr_seeded = tr->tr_finishing = tr->tr_faulted = false;
	tr->tr_residue = !sn->sn_real && seed % RESIDUE_EVERY == 0;
	tr->tr_oncpu = 0;
	tr->tr_queue = NULL;
	tr->tr_readers = 0;
	tr->tr_locks = 0;
	origin_clear(&tr->tr_origin);
	memset(&tr->tr_dev, 0, sizeof(tr->tr_dev));
}

/* What the fail points came to, if the run got as far as having any. */
static void
count_faults(struct trial *tr)
{
	struct trial_outcome *to = tr->tr_outcome;
	struct fault_outcome fo;

	memset(to->to_evaluated, 0, sizeof(to->to_evaluated));
	memset(to->to_executed, 0, sizeof(to->to_executed));
	if (!tr->tr_faulted)
		return;
	faults_count(&tr->tr_faults, &fo);
	memcpy(to->to_evaluated, fo.fo_evaluated, sizeof(to->to_evaluated));
	memcpy(to->to_executed, fo.fo_executed, sizeof(to->to_executed));
}

/* What the machine and the ledger say. */
static int
judge(struct trial *tr, int error, const struct machine_outcome *mo)
{
	const struct ledger_property_text *lp;
	struct ledger_result le;

	ledger_result(tr->tr_ledger, &le);
	tr->tr_outcome->to_reseeds = le.le_reseeds;
	tr->tr_outcome->to_blocks = le.le_blocks;
	if (le.le_violated) {
		lp = &ledger_properties[le.le_property];
		note_failure(tr, lp->lp_word, lp->lp_text, le.le_text);
	} else if (error == EDEADLK) {
		lp = &trial_properties[mo->mo_events >= TRIAL_STEPS_MAX ?
		    TRIAL_LIVELOCK : TRIAL_DEADLOCK];
		note_failure(tr, lp->lp_word, lp->lp_text, mo->mo_stuck);
	}
	if (error == FAILED || error == EDEADLK)
		return (0);
	return (error != 0 ? error : tr->tr_error);
}

int
trial_run(struct trial *tr, const struct trial_subject *tb,
    const struct scenario *sn, const struct trial_chooser *tc, uint64_t seed,
    struct schedule *made, struct moments *moments, struct trial_outcome *to)
{
	const struct vm_chooser vh = { .vh_choose = choose,
	    .vh_running = is_running, .vh_context = tr,
	    .vh_steps_max = TRIAL_STEPS_MAX };
	const struct vm_observer vo = { .vo_note = observe,
	    .vo_context = tr };
	struct machine_config mc;
	struct machine_outcome mo;
	int error;

	to->to_word = NULL;
	begin(tr, tb, sn, tc, seed);
	tr->tr_outcome = to;
	tr->tr_made = made;
	tr->tr_moments = moments;
	if (made != NULL)
		schedule_clear(made);
	if (moments != NULL)
		moments_clear(moments);
	error = open_ledger(tr);
	if (error != 0) {
		log_off(tr);
		return (error);
	}
	trial_machine(&mc);
	mc.mc_seed = seed;
	mc.mc_observer = &vo;
	mc.mc_chooser = &vh;
	mc.mc_store = tr->tr_store;
	mc.mc_stop = tb->tb_stop;
	running = tr;
	error = vm_run(&mc, trial_main, tr, &mo);
	running = NULL;
	take_log(tr);
	error = judge(tr, error, &mo);
	to->to_hash = mo.mo_hash;
	to->to_order = tr->tr_order;
	to->to_steps = tr->tr_steps;
	to->to_reads = tr->tr_reads;
	if (tb->tb_faults != NULL)
		count_faults(tr);
	log_off(tr);
	return (made != NULL && made->sd_no_memory ? ENOMEM : error);
}
