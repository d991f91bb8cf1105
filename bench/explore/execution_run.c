#include "bench/explore/execution_impl.h"

enum {
	NODES		= 2,
	FAILED		= ECANCELED,	/* what a run ends with then */
	LONG_STEPS	= 4,	/* sources are polled, or events refused */
	CALLS_MAX	= 16,	/* of a loop, each with choices */
	SHORT_STEPS	= 1000,	/* most of a short run */
	SHORT_AGED	= 200,	/* of them take as long as an aged one */
	SHARED_SIZE	= 512,
	OTHER_LOCKS	= EVENT_TRACE_LOCKS_MAX - 1
};

const struct ledger_property_text execution_properties[EXECUTION_PROPERTIES] = {
#define	EXECUTION_PROPERTY(name, word, text)	{ word, text },
#include "bench/explore/explore.tbl"
};

void
subject_default(struct subject *tb)
{
	memset(tb, 0, sizeof(*tb));
	tb->tb_setting[tb->tb_settings++] = (struct kern_setting){
	    "kern.random.fortuna.minpoolsize", EXECUTION_MINPOOLSIZE };
	tb->tb_lock_config = lock_config_default(EXECUTION_CPUS);
}

/* The run of this host thread, for assertions. */
static _Thread_local struct execution *running;

/*
 * Code that uses (K, C) without its mutex may fail between any two
 * instructions.  Choices before and after keystream are in the middle of all
 * code that changes the two.
 */
static void
pausing_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	struct execution *ex = running;

	/*
	 * A source that calls its cipher for each block of 1 MiB would give
	 * nothing but choices between these.  Each power of two still is one.
	 */
	ck->ck_calls = out == ck->ck_end ? ck->ck_calls + 1 : 0;
	ck->ck_end = out + n;
	ck->ck_loop = ck->ck_calls > CALLS_MAX &&
	    (ck->ck_calls & (ck->ck_calls - 1)) != 0;
	if (!ck->ck_loop)
		machine_charge(COST_KEYSTREAM_MORE, 0);
	ex->ex_keystream(ck, ctr, out, n);
	if (ex->ex_scenario->sn_real && !output_check_made(&ex->ex_output,
	    machine_curthread()->mt_index, ck->ck_raw, out, n))
		execution_fail(ex, EXECUTION_OUTPUT, "a key was handed out "
		    "before it was used");
	if (!ck->ck_loop)
		machine_charge(COST_KEYSTREAM_MORE, 0);
}

const struct cipher *
execution_cipher(struct execution *ex, const struct cipher *cipher)
{
	ex->ex_cipher = *cipher;
	ex->ex_keystream = cipher->ci_keystream;
	ex->ex_cipher.ci_keystream = pausing_keystream;
	return (&ex->ex_cipher);
}

/* Keeps the first broken property. */
static void
note_failure(struct execution *ex, const struct ledger_property_text *lp,
    const char *detail)
{
	struct outcome *to = ex->ex_outcome;

	if (to->to_word != NULL)
		return;
	to->to_word = lp->lgp_word;
	to->to_sentence = lp->lgp_text;
	TEXT_SET(to->to_detail, detail);
}

void
execution_fail(struct execution *ex, enum execution_property property,
    const char *fmt, ...)
{
	char detail[DETAIL_SIZE];

	VFORMAT(detail, sizeof(detail), fmt);
	note_failure(ex, &execution_properties[property], detail);
	vm_abort(FAILED);
}

/* A property is broken: end the run, unless it has ended. */
static void
violated(void *context __unused)
{
	if (running != NULL && !running->ex_finishing)
		vm_abort(FAILED);
}

static kassert_handler assertion_failed, *other_handler = assertion_failed;

static void
assertion_failed(const char *file, int line, const char *func,
    const char *expr, const char *msg)
{
	if (running == NULL)
		other_handler(file, line, func, expr, msg);
	execution_fail(running, EXECUTION_ASSERTION,
	    strcmp(expr, "panic") == 0 ? "%s:%d: %s: %s: %s" :
	    "%s:%d: %s: \"%s\" is not so: %s", file, line, func, expr, msg);
}

void
execution_catch_assertions(bool on)
{
	kassert_handler *const now = kassert_failed;

	if (on != (now == assertion_failed)) {
		kassert_failed = other_handler;
		other_handler = now;
	}
}

static unsigned
choose(void *context, const struct vm_choice *vo)
{
	struct execution *ex = context;
	unsigned i;

	if (ex->ex_second && !ex->ex_copied)
		return (schedule_choose(&ex->ex_first, vo));
	ex->ex_steps++;
	i = ex->ex_control->vh_choose(ex->ex_control->vh_context, vo);
	schedule_add(&ex->ex_made.sd_choices, vo->vo_thread[i]);
	return (i);
}

static bool
is_running(void *context)
{
	struct execution *ex = context;
	const struct vm_control *vh = ex->ex_control;
	bool answer;

	if (ex->ex_second && !ex->ex_copied)
		return (schedule_answer(&ex->ex_first));
	answer = vh->vh_running(vh->vh_context);
	schedule_add(&ex->ex_made.sd_answers, answer);
	return (answer);
}

static void
uses(void *context, unsigned thread, const void *p, size_t n, enum vm_use use)
{
	const struct execution *ex = context;

	ex->ex_control->vh_access(ex->ex_control->vh_context, thread, p, n,
	    use);
}

/* A lock without LC_EXCLUDES is left to the ledger, and orders nothing. */
static bool
excludes(const struct lock *l)
{
	return ((l->lo_class->lc_flags & LC_EXCLUDES) != 0);
}

static void
unordered(void *context, const void *object, const char *what, unsigned thread,
    unsigned before)
{
	struct execution *ex = context;

	for (unsigned i = 0; i < ex->ex_locks; i++)
		if (ex->ex_lock[i].lock == object && !excludes(object))
			return;
	execution_fail(ex, EXECUTION_ORDERED, "thread %u uses %s after thread "
	    "%u, and no release store that it has acquired orders the two",
	    thread, what, before);
}

/* A lock's number, in order of appearance; those that are too many have one. */
static unsigned
lock_number(struct execution *ex, const struct vm_note *vn)
{
	unsigned i;

	for (i = 0; i < ex->ex_locks; i++)
		if (ex->ex_lock[i].lock == vn->vn_lock)
			return (i);
	if (i < OTHER_LOCKS) {
		ex->ex_locks++;
		ex->ex_lock[i].lock = vn->vn_lock;
	}
	ex->ex_lock[i].holder = -1;
	if (ex->ex_trace != NULL) {
		ex->ex_trace->et_lock[i] = i < OTHER_LOCKS ? vn->vn_detail :
		    "other locks";
		ex->ex_trace->et_locks = i + 1;
	}
	return (i);
}

static void
trace_record(void *context, const struct ledger_record *lr)
{
	struct execution *ex = context;

	event_trace_add_record(ex->ex_trace, ex->ex_steps, lr);
}

static void
observe(void *context, const struct vm_note *vn)
{
	static const char *const verbs[] = { [VM_LOCK_WAIT] = "tries",
	    [VM_LOCK_HELD] = "holds", [VM_LOCK_FREE] = "frees" };
	struct execution *ex = context;
	struct event_trace *et = ex->ex_trace;
	const unsigned thread = vn->vn_thread;
	const uint32_t bit = 1u << thread % 32;
	unsigned lock;
	int other;

	switch (vn->vn_kind) {
	case VM_THREAD_START:
		if (et != NULL)
			TEXT_SET(et->et_name[thread], vn->vn_detail);
		break;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
	case VM_LOCK_FREE:
		ex->ex_holds += vn->vn_kind == VM_LOCK_HELD;
		/* A kernel that boots has one thread. */
		if (ex->ex_device == NULL)
			break;
		lock = lock_number(ex, vn);
		/* The setup thread has no rival. */
		if (et != NULL && thread != 0)
			event_trace_add(et, ex->ex_steps, thread, "%s L%u",
			    verbs[vn->vn_kind], lock + 1);
		if (vn->vn_kind == VM_LOCK_WAIT)
			break;
		other = ex->ex_lock[lock].holder;
		ex->ex_lock[lock].holder = vn->vn_kind == VM_LOCK_HELD ?
		    (int)thread : -1;
		if (vn->vn_kind == VM_LOCK_HELD && other >= 0 &&
		    excludes(vn->vn_lock))
			execution_fail(ex, EXECUTION_EXCLUSION, "thread %u has "
			    "%s, and thread %d has it still", thread,
			    vn->vn_detail, other);
		break;
	case VM_CPU_ON:
		if (et != NULL && et->et_count > 0)
			event_trace_add(et, ex->ex_steps, thread, "awake");
		ex->ex_alone = ex->ex_oncpu == 0 ? bit : 0;
		ex->ex_oncpu |= bit;
		break;
	case VM_CPU_OFF:
		event_trace_add(et, ex->ex_steps, thread, "%s", vn->vn_detail);
		ex->ex_oncpu &= ~bit;
		break;
	case VM_KERNEL_CPU:
		event_trace_add(et, ex->ex_steps, thread, "%s %" PRIu64,
		    vn->vn_detail, vn->vn_value);
		break;
	case VM_STORE_SEEN:
	case VM_OLD_VALUE:
		event_trace_add(et, ex->ex_steps, thread, "%s W%u=%" PRIx64,
		    vn->vn_kind == VM_OLD_VALUE ? "reads old" : "visible",
		    vn->vn_word, vn->vn_value);
		break;
	default:
		break;
	}
}

struct execution *
execution_new(void)
{
	struct execution *ex = xcalloc(1, sizeof(*ex));

	ex->ex_store = vm_store_new();
	if (ex->ex_store == NULL)
		no_memory();
	return (ex);
}

void
execution_free(struct execution *ex)
{
	if (ex == NULL)
		return;
	ledger_free(ex->ex_ledger);
	output_check_clear(&ex->ex_output);
	wipe(&ex->ex_clone, sizeof(ex->ex_clone));
	schedule_free(&ex->ex_made);
	vm_store_free(ex->ex_store);
	for (unsigned i = 0; i < SCENARIO_READERS_MAX; i++)
		free(ex->ex_reader[i].xrd_buf);
	free(ex);
}

/* The run's ledger; with an event trace, a new one. */
static int
open_ledger(struct execution *ex)
{
	const struct design *de = ex->ex_subject->tb_design;
	const struct design_info di = design_info(de);
	struct ledger_config lc = { .lgo_pace_ns = DESIGN_RESEED_NS,
	    .lgo_lag = di.di_lag, .lgo_stored_bytes = di.di_stored_bytes,
	    .lgo_keyless = (de->de_flags & DE_NULL) != 0,
	    .lgo_unseen = !di.di_cored,
	    .lgo_record = ex->ex_trace != NULL ? trace_record : NULL,
	    .lgo_violated = violated, .lgo_context = ex };
	int error;

	if (ex->ex_trace == NULL && ex->ex_ledger_design == de) {
		ledger_reset(ex->ex_ledger);
		return (0);
	}
	ledger_free(ex->ex_ledger);
	ex->ex_ledger = NULL;
	error = ledger_new(&ex->ex_ledger, &lc);
	ex->ex_ledger_design = error == 0 && ex->ex_trace == NULL ? de : NULL;
	return (error);
}

/* Runs it on the simulated machine; returns as execution_run(). */
static int
run(struct execution *ex)
{
	struct vm_control vh = { .vh_choose = choose,
	    .vh_running = is_running, .vh_context = ex,
	    .vh_polls = (enum vm_polls)ex->ex_made.sd_polls,
	    .vh_steps_max = EXECUTION_STEPS_MAX *
	    (ex->ex_scenario->sn_aged ? EXECUTION_AGED_STEPS :
	    ex->ex_scenario->sn_sources || ex->ex_subject->tb_faults != NULL ?
	    LONG_STEPS : 1),
	    .vh_memory = (enum vm_memory)ex->ex_subject->tb_memory,
	    .vh_guarded = ex->ex_scenario->sn_guarded != 0,
	    .vh_unordered = unordered,
	    .vh_access = ex->ex_control->vh_access != NULL ? uses : NULL };
	const struct vm_observer vo = { .vb_note = observe, .vb_context = ex };
	struct machine_config mc = { .mc_topology = {
	    .tp_cpus = EXECUTION_CPUS, .tp_cores = EXECUTION_CPUS,
	    .tp_nodes = NODES, .tp_ccx_cores = EXECUTION_CPUS / NODES },
	    .mc_seed = ex->ex_seed, .mc_observer = &vo, .mc_control = &vh,
	    .mc_store = ex->ex_store, .mc_stop = ex->ex_subject->tb_stop };
	const struct ledger_property_text *lp;
	struct outcome *to = ex->ex_outcome;
	struct machine_outcome mo;
	struct ledger_result le;
	char text[SHARED_SIZE];
	int error;

	/* Other code divides by them. */
	mc.mc_costs.vc_ps[PROFILE_CPU_PAUSE] = VM_PS_PER_NS;
	mc.mc_costs.vc_ps[PROFILE_OS_TICK] = VM_PS_PER_NS * NS_PER_MS;
	/* A source may read a page at a time. */
	for (unsigned i = 0; i < SCENARIO_READERS_MAX; i++)
		for (unsigned k = 0; k < SCENARIO_READS_MAX; k++)
			vh.vh_steps_max +=
			    ex->ex_scenario->sn_read[i][k].stp_amount / 4;
	running = ex;
	error = vm_run(&mc, execution_main, ex, &mo);
	running = NULL;
	ledger_result(ex->ex_ledger, &le);
	/* The first broken property, from the machine and the ledger. */
	lp = &ledger_properties[le.le_property];
	if (le.le_violated)
		/* Without the property, which its text begins with. */
		note_failure(ex, lp, le.le_text + strlen(lp->lgp_word) +
		    strlen(lp->lgp_text) + strlen(": : "));
	else if (error == EDEADLK)
		note_failure(ex, &execution_properties[mo.mo_events >=
		    vh.vh_steps_max ? EXECUTION_LIVELOCK :
		    EXECUTION_DEADLOCK], mo.mo_stuck);
	/* Data of a CPU that two threads were on may be what is broken. */
	if (to->to_word != NULL && ex->ex_device != NULL &&
	    !ex->ex_finishing && kernel_shared_cpu(randomdev_kernel(
	    ex->ex_device), text, sizeof(text)))
		APPEND(to->to_detail, sizeof(to->to_detail), "; %s", text);
	to->to_reseeds += le.le_reseeds;
	to->to_blocks += le.le_blocks;
	to->to_hash += mo.mo_hash;
	to->to_weight = (ex->ex_scenario->sn_aged ? SHORT_AGED : 1) +
	    (unsigned)(ex->ex_steps / SHORT_STEPS);
	to->to_steps = ex->ex_steps;
	to->to_reads += ex->ex_reads;
	if (ex->ex_faulted)
		failpoints_count(&ex->ex_faults, &to->to_faults);
	return (error == 0 ? ex->ex_error : error == FAILED ||
	    error == EDEADLK ? 0 : error);
}

/* Runs one machine, or its copy after it; returns as execution_run(). */
static int
run_one(struct execution *ex, bool second)
{
	const size_t kept = offsetof(struct execution, ex_cipher);
	int error;

	memset((char *)ex + kept, 0, sizeof(*ex) - kept);
	ex->ex_second = second;
	ex->ex_first.sf_schedule = &ex->ex_made;
	ex->ex_steps = ex->ex_made.sd_choices.sq_count;
	if (ex->ex_trace != NULL) {
		memset(ex->ex_trace, 0, sizeof(*ex->ex_trace));
		strcpy(ex->ex_trace->et_name[0], "setup");
	}
	output_check_clear(&ex->ex_output);
	error = open_ledger(ex);
	if (error == 0)
		error = run(ex);
	return (error == 0 && ex->ex_first.sf_strayed ? EPROTO : error);
}

int
execution_run(struct execution *ex, const struct subject *tb,
    const struct scenario *sn, const struct vm_control *chooser, uint64_t seed,
    struct event_trace *trace, struct outcome *to)
{
	int error;

	ex->ex_subject = tb;
	ex->ex_scenario = sn;
	ex->ex_control = chooser;
	ex->ex_trace = trace;
	ex->ex_outcome = to;
	ex->ex_seed = seed;
	ex->ex_made.sd_choices.sq_count = ex->ex_made.sd_answers.sq_count = 0;
	ex->ex_made.sd_polls = chooser->vh_polls;
	*to = (struct outcome){ .to_made = &ex->ex_made };
	if (sn->sn_copied > 0)
		memset(&ex->ex_clone, 0, sizeof(ex->ex_clone));
	error = run_one(ex, false);
	return (error != 0 || to->to_word != NULL || !ex->ex_copied ? error :
	    run_one(ex, true));
}
