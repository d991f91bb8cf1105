/* rngsim assure: the safety case of one design or one lock. */
#include "bench/assure/evidence.h"
#include "bench/cli/progress.h"
#include "bench/cmd.h"
#include "bench/explore/execution.h"
#include "bench/kernel/ksource.h"
#include "bench/page/page.h"

enum {
	PATIENCE	= 20,	/* budgets that a check may take */
	LEAST_S		= 30,	/* of a design's rows, about */
	STEPS		= 1000	/* of progress */
};

/* Least limits of a check's time: shorter after a failure, fixed for tools. */
static const double patience_least_s = 300, patience_failed_s = 90;
static const double patience_tool_s = 600;

FAMILY_DESCR(assure_checks, evidences[i].ev_descr)
FAMILY(assure_checks, EVIDENCE_ROWS, evidences[i].ev_name,
    .fa_descr = assure_checks_descr, .fam_title = "Checks");

static int
check(struct options *op)
{
	const bool lock = GIVEN(op, ASSURE_LOCK);
	const struct design *de;
	const struct evidence *ev;

	if (lock == GIVEN(op, ASSURE_DESIGN))
		return (usage_error("expected a design, -d NAME, or a lock, -l "
		    "NAME, not both; \"rngsim list designs\" and \"rngsim list "
		    "locks\" have them"));
	for (unsigned i = 0; i < op->op_rows.ol_count; i++) {
		ev = &evidences[op->op_rows.ol_value[i]];
		if (ev->ev_lock != lock)
			return (usage_error("--only: \"%s\" is a check of a %s",
			    ev->ev_name, lock ? "design" : "lock"));
	}
	de = lock ? NULL : design_at(op->op_designs.ol_value[0]);
	if (de != NULL && (de->de_flags & DE_NULL) != 0)
		return (usage_error("-d: design \"%s\" makes no random "
		    "numbers: expected one that does", de->de_ident));
	return (0);
}

/* What a terminal shows while rows are gathered. */
struct showing {
	const struct evidence *swg_evidence;
	double		 swg_budget_s;	/* of this one */
	uint64_t	 swg_before;	/* steps of those before it */
};

static uint64_t
steps(const struct evidence *ev)
{
	return ((uint64_t)(ev->ev_share * STEPS + 0.5));
}

/* Progress goes on for as long as a row's share; its last step is long. */
static void
show_waiting(void *context, double elapsed_s)
{
	struct showing *sh = context;
	const double share = elapsed_s / fmax(sh->swg_budget_s, 1);

	progress_update(sh->swg_before + (uint64_t)((share >= 1 ? 1 : share) *
	    (double)(steps(sh->swg_evidence) - 1)), sh->swg_evidence->ev_descr);
}

static double
seconds_since(int64_t start_ns)
{
	return ((double)(tick_ns() - start_ns) / (double)NS_PER_S);
}

/* Rows divide what is left of the budget by their shares. */
static int
gather(struct page *pg, const struct assure_params *params)
{
	struct assure_params ap = *params;
	struct showing sh = { .swg_before = 0 };
	double least_s, left_s, shares = 0;
	const int64_t start_ns = tick_ns();
	const struct evidence *ev;
	uint64_t total = 0;
	int error = 0;
	bool failed = false;

	for (unsigned i = 0; i < EVIDENCE_ROWS; i++) {
		total += pg->pg_rows[i] != NULL ? steps(&evidences[i]) : 0;
		shares += pg->pg_rows[i] != NULL ? evidences[i].ev_share : 0;
	}
	left_s = pg->pg_budget_s * shares;
	progress_init(total, 0);
	ap.ap_waiting = show_waiting;
	ap.ap_context = &sh;
	for (unsigned i = 0; i < EVIDENCE_ROWS && error == 0; i++) {
		if (pg->pg_rows[i] == NULL)
			continue;
		sh.swg_evidence = ev = &evidences[i];
		sh.swg_budget_s = ap.ap_budget_s = fmax(0, left_s -
		    seconds_since(start_ns)) * ev->ev_share / shares;
		shares -= ev->ev_share;
		show_waiting(&sh, 0);
		least_s = ev->ev_tool ? patience_tool_s : failed ?
		    patience_failed_s : patience_least_s;
		error = evidence_gather(ev, &ap, fmax(least_s, PATIENCE *
		    ap.ap_budget_s), pg->pg_rows[i]);
		sh.swg_before += steps(ev);
		failed |= pg->pg_rows[i]->er_state == EVIDENCE_FAILS;
	}
	progress_fini();
	pg->pg_took_s = seconds_since(start_ns);
	return (error);
}

static void
print_html(FILE *out, const void *of)
{
	const struct page *pg = of;

	page_begin(out, FORMATF("rngsim: safety case of %s", pg->pg_subject),
	    page_verdict(pg) == EVIDENCE_FAILS ? RESULT_FAILED :
	    RESULT_CHECKED, TEXT_OF(text_add, "by rngsim %s on %s, %s",
	    pg->pg_revision, pg->pg_host, pg->pg_when));
	page_printed(out, page_print, pg);
	page_end(out);
}

/* The page on stdout and in the files that are open: text and HTML. */
static int
assure(const struct options *op, struct page *pg,
    const struct assure_params *ap)
{
	static struct result_host rh;
	const char *rows = op->op_text[OPTION_ROWS];
	char host[RESULT_TEXT_SIZE * 2 + 2], when[RESULT_NAME_SIZE];
	int error, status;

	result_host_fill(&rh);
	result_now(when);
	snprintf(host, sizeof(host), "%s, %s", rh.cpu_model, rh.libcrypto);
	pg->pg_command = TEXT_OF(text_add, "rngsim assure %s %s --budget %g "
	    "--seed %" PRIu64 "%s%.200s", pg->pg_design == NULL ? "-l" : "-d",
	    pg->pg_design == NULL ? pg->pg_subject : ap->ap_spec,
	    op->op_time_s, ap->ap_seed, rows != NULL ? " --only " : "",
	    rows != NULL ? rows : "");
	pg->pg_revision = rh.revision;
	pg->pg_when = when;
	pg->pg_host = host;
	if ((error = gather(pg, ap)) != 0)
		return (error == EALREADY ? EXIT_FAILURE : run_error("%s",
		    error == EINTR ? "interrupted; no page was written" :
		    strerror(error)));
	page_print(stdout, pg);
	status = command_write(op->op_output, page_print, pg);
	if (status == 0)
		status = command_write(op->op_html, print_html, pg);
	return (status == 0 && page_verdict(pg) == EVIDENCE_FAILS ?
	    EXIT_FAILURE : status);
}

static int
run(struct options *op)
{
	static struct evidence_row rows[EVIDENCE_ROWS];
	const bool lock = GIVEN(op, ASSURE_LOCK);
	static struct assure_params ap;
	struct page pg = { .pg_params = &ap, .pg_budget_s = op->op_time_s };
	static struct text spec = { .s = "" };
	int status = 0;

	for (unsigned i = 0; !GIVEN(op, ROWS) && i < EVIDENCE_ROWS; i++)
		if (evidences[i].ev_lock == lock)
			option_list_add(&op->op_rows, "", "", i);
	if (op->op_plan != NULL)
		return (plan_write(op, op->op_rows.ol_count));
	for (unsigned i = 0; i < op->op_rows.ol_count; i++)
		pg.pg_rows[op->op_rows.ol_value[i]] =
		    &rows[op->op_rows.ol_value[i]];
	if (lock) {
		ap.ap_lock = lock_classes[op->op_locks.ol_value[0]];
		ap.ap_simulated_lock = virtual_lock_class_find(
		    ap.ap_lock->lc_name);
		ap.ap_design = design_find("concurrent");
		pg.pg_subject = ap.ap_lock->lc_name;
	} else {
		pg.pg_design = ap.ap_design =
		    design_at(op->op_designs.ol_value[0]);
		pg.pg_subject = ap.ap_design->de_ident;
		if (!GIVEN(op, ROWS) && pg.pg_budget_s < LEAST_S)
			run_note("the least work of all rows takes some %d s "
			    "of an idle machine", LEAST_S);
	}
	text_add(&spec, "%s", ksource_words(ap.ap_design->de_ident));
	if (GIVEN(op, ALLOW))
		text_add(&spec, " --allow %s", op->op_text[OPTION_ALLOW]);
	ap.ap_spec = spec.s;
	ap.ap_jobs = op->op_jobs != 0 ? op->op_jobs : cpu_count();
	ap.ap_seed = op->op_seed;
	program_find(ap.ap_program);
	if ((status = command_open(op->op_output, NULL)) == 0)
		status = command_open(op->op_html, NULL);
	return (status == 0 ? assure(op, &pg, &ap) : status);
}

const struct command cmd_assure = { check, run,
    NEEDS_STOP | NEEDS_SEED | NEEDS_CRYPTO };
