/*
 * rngsim assure: the safety case of one design.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/assure/page.h"
#include "bench/assure/share.h"
#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/choice.h"
#include "bench/console/outfile.h"
#include "bench/console/progress.h"
#include "bench/console/seed.h"
#include "bench/console/stop.h"
#include "bench/console/usage.h"
#include "bench/result/result.h"
#include "lib/cpu.h"
#include "lib/crypto.h"
#include "lib/number.h"

enum {
	EVIDENCES_MAX	= 32,
	JOBS_MAX	= 1024,
	COMMAND_SIZE	= 512,
	PATIENCE	= 20,	/* budgets that a piece may take, */
	STEPS		= 1000	/* of progress */
};

/*
 * And at least so long; once something has failed there is less to learn.  A
 * tool is not suspected of anything.
 */
static const double patience_least_s = 300, patience_failed_s = 20;
static const double patience_tool_s = 600;
static const double budget_least_s = 1, budget_most_s = 7 * 24 * 3600;

enum { OPTION_DESIGN, OPTION_BUDGET, OPTION_ONLY, OPTION_JOBS, OPTION_SEED,
	OPTION_OUTPUT, OPTION_HELP, OPTIONS };

static const struct argument options[OPTIONS] = {
	[OPTION_DESIGN] = { 'd', "design", "NAME", "the design", false },
	[OPTION_BUDGET] = { '\0', "budget", "SECONDS", "about how long to look "
	    "(60)", false },
	[OPTION_ONLY] = { '\0', "only", "LIST", "rows to gather (all)", false },
	[OPTION_JOBS] = { 'j', "jobs", "N", "threads of the host to use (as "
	    "many as CPUs)", false },
	[OPTION_SEED] = { '\0', "seed", "N", SEED_DESCR, false },
	[OPTION_OUTPUT] = { 'o', "output", "FILE", "write the page there, too",
	    false },
	[OPTION_HELP] = { 'h', "help", NULL, "this text", false },
};

struct request {
	struct assure_params rq_params;
	const struct random_algorithm *rq_design;
	double		 rq_budget_s;
	bool		 rq_wanted[EVIDENCES_MAX];
	bool		 rq_some;	/* --only was given */
	bool		 rq_seeded;
	const char	*rq_output;
};

static const char *
design_name(unsigned i)
{

	return (generators[i]->ra_ident);
}

static const char *
row_name(unsigned i)
{

	return (evidences[i]->ev_name);
}

static int
add_row(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	unsigned i = 0;
	int error;

	error = choice_find("assure", label, item, evidence_count, row_name,
	    &i);
	if (error != 0)
		return (error);
	if (rq->rq_wanted[i])
		return (usage_error("assure", "%s: \"%s\" is named twice",
		    label, item));
	rq->rq_wanted[i] = true;
	return (0);
}

static int
set_design(struct request *rq, const char *label, const char *value)
{
	unsigned i = 0;
	int error;

	error = choice_find("assure", label, value, generator_count,
	    design_name, &i);
	if (error != 0)
		return (error);
	if ((generators[i]->ra_flags & RA_NULL) != 0)
		return (usage_error("assure", "%s: design \"%s\" makes no "
		    "random numbers: expected one that does", label, value));
	rq->rq_design = generators[i];
	return (0);
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct request *rq = context;
	uint64_t v;

	switch (i) {
	case OPTION_DESIGN:
		return (set_design(rq, label, value));
	case OPTION_ONLY:
		rq->rq_some = true;
		return (choice_each("assure", label, value, add_row, rq));
	case OPTION_BUDGET:
		if (number_parse_real(value, &rq->rq_budget_s) != 0 ||
		    rq->rq_budget_s < budget_least_s ||
		    rq->rq_budget_s > budget_most_s)
			return (usage_error("assure", "%s: \"%s\": expected "
			    "seconds, %g..%g", label, value, budget_least_s,
			    budget_most_s));
		return (0);
	case OPTION_JOBS:
		if (number_parse(value, &v) != 0 || v < 1 || v > JOBS_MAX)
			return (usage_error("assure", "%s: \"%s\": expected "
			    "threads, 1..%d", label, value, JOBS_MAX));
		rq->rq_params.ap_jobs = (unsigned)v;
		return (0);
	case OPTION_SEED:
		if (number_parse(value, &rq->rq_params.ap_seed) != 0)
			return (usage_error("assure", "%s: \"%s\": expected a "
			    "number, 0..%" PRIu64, label, value, UINT64_MAX));
		rq->rq_seeded = true;
		return (0);
	default:
		if (value[0] == '\0')
			return (usage_error("assure", "%s: \"\": expected a "
			    "file name", label));
		rq->rq_output = value;
		return (0);
	}
}

static void
help(const struct arguments *as)
{
	unsigned i;

	puts("Usage: rngsim assure -d NAME [OPTIONS]\n\nGathers why to believe "
	    "that a design is safe, and prints it as one page.  Exits\n1 when "
	    "something is wrong with it.\n");
	arguments_help(as);
	puts("\nRows:");
	for (i = 0; i < evidence_count; i++)
		printf("  %-12s %s\n", evidences[i]->ev_name,
		    evidences[i]->ev_descr);
}

/* What was not said. */
static int
complete(struct request *rq)
{
	struct assure_params *ap = &rq->rq_params;
	unsigned i;

	if (rq->rq_design == NULL)
		return (usage_error("assure", "expected a design, -d NAME; "
		    "\"rngsim list designs\" has them"));
	ap->ap_design = rq->rq_design->ra_ident;
	for (i = 0; !rq->rq_some && i < evidence_count; i++)
		rq->rq_wanted[i] = true;
	if (ap->ap_jobs == 0)
		ap->ap_jobs = cpu_count();
	share_program(ap);
	return (rq->rq_seeded ? 0 : seed_choose("assure", &ap->ap_seed));
}

/* What a terminal shows while pieces are gathered. */
struct showing {
	struct progress	 sh_progress;
	const struct evidence *sh_evidence;
	double		 sh_budget_s;	/* of this one */
	uint64_t	 sh_before;	/* steps of those before it */
	double		 sh_drawn_s;
};

static uint64_t
steps(const struct evidence *ev)
{

	return ((uint64_t)(ev->ev_share * STEPS + 0.5));
}

/* A piece goes on for as long as its share, and then its last step is long. */
static void
show_waiting(void *context, double elapsed_s)
{
	struct showing *sh = context;
	const uint64_t most = steps(sh->sh_evidence) - 1;
	double share = elapsed_s / sh->sh_budget_s;

	if (elapsed_s < sh->sh_drawn_s + 1)
		return;
	sh->sh_drawn_s = elapsed_s;
	progress_update(&sh->sh_progress, sh->sh_before + (share >= 1 ? most :
	    (uint64_t)(share * (double)most)), sh->sh_evidence->ev_descr);
}

static int
gather_one(const struct evidence *ev, struct assure_params *ap,
    struct showing *sh, bool failed, struct evidence_row *row)
{
	const double least_s = ev->ev_tool ? patience_tool_s : failed ?
	    patience_failed_s : patience_least_s;
	double patience_s = PATIENCE * ap->ap_budget_s;
	int error;

	sh->sh_evidence = ev;
	sh->sh_budget_s = ap->ap_budget_s;
	sh->sh_drawn_s = 0;
	progress_update(&sh->sh_progress, sh->sh_before, ev->ev_descr);
	error = evidence_gather(ev, ap, patience_s < least_s ? least_s :
	    patience_s, row);
	sh->sh_before += steps(ev);
	return (error);
}

static int
gather(struct request *rq, struct evidence_row *rows)
{
	struct assure_params ap = rq->rq_params;
	struct showing sh = { .sh_before = 0 };
	uint64_t total = 0;
	unsigned i;
	int error = 0;
	bool failed = false;

	for (i = 0; i < evidence_count; i++)
		total += rq->rq_wanted[i] ? steps(evidences[i]) : 0;
	progress_init(&sh.sh_progress, total);
	ap.ap_waiting = show_waiting;
	ap.ap_context = &sh;
	for (i = 0; i < evidence_count && error == 0; i++) {
		if (!rq->rq_wanted[i])
			continue;
		ap.ap_budget_s = rq->rq_budget_s * evidences[i]->ev_share;
		error = gather_one(evidences[i], &ap, &sh, failed, &rows[i]);
		failed |= rows[i].er_state == EVIDENCE_FAILS;
	}
	progress_fini(&sh.sh_progress);
	return (error);
}

/* The command that makes the page again. */
static void
describe_command(const struct request *rq, char text[COMMAND_SIZE])
{
	size_t used;
	unsigned i;
	bool first = true;

	used = (size_t)snprintf(text, COMMAND_SIZE, "rngsim assure -d %s "
	    "--budget %g --seed %" PRIu64, rq->rq_params.ap_design,
	    rq->rq_budget_s, rq->rq_params.ap_seed);
	for (i = 0; rq->rq_some && i < evidence_count; i++) {
		if (!rq->rq_wanted[i] || used >= COMMAND_SIZE)
			continue;
		used += (size_t)snprintf(text + used, COMMAND_SIZE - used,
		    "%s%s", first ? " --only " : ",", evidences[i]->ev_name);
		first = false;
	}
}

/* The page on stdout and, where of is open, in a file. */
static int
show(const struct page *pg, struct outfile *of, const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int error = 0;

	out = open_memstream(&text, &size);
	if (out == NULL)
		return (run_error("assure", "%s", strerror(errno)));
	page_print(out, pg);
	if (fclose(out) != 0)
		return (run_error("assure", "%s", strerror(errno)));
	fwrite(text, 1, size, stdout);
	if (path != NULL)
		error = outfile_commit(of, text, size);
	free(text);
	if (error != 0)
		return (run_error("assure", "%s: %s", path, strerror(error)));
	return (page_verdict(pg) == EVIDENCE_FAILS ? EXIT_FAILURE :
	    EXIT_SUCCESS);
}

static int
assure(struct request *rq)
{
	const struct evidence_row *shown[EVIDENCES_MAX] = { NULL };
	struct outfile of = { .of_fd = -1 };
	struct evidence_row *rows;
	char command[COMMAND_SIZE], host[RESULT_TEXT_SIZE * 2 + 2];
	struct result_host *rh;
	char when[RESULT_NAME_SIZE];
	int error = 0, status;
	unsigned i;

	rows = calloc(EVIDENCES_MAX, sizeof(*rows));
	rh = calloc(1, sizeof(*rh));
	if (rows == NULL || rh == NULL) {
		free(rh);
		free(rows);
		return (run_error("assure", "%s", strerror(ENOMEM)));
	}
	if (rq->rq_output != NULL)
		error = outfile_open(&of, rq->rq_output);
	if (error != 0) {
		free(rh);
		free(rows);
		return (run_error("assure", "%s: %s", rq->rq_output,
		    strerror(error)));
	}
	result_host_fill(rh);
	result_now(when);
	snprintf(host, sizeof(host), "%s, %s", rh->cpu_model, rh->libcrypto);
	describe_command(rq, command);
	error = gather(rq, rows);
	for (i = 0; i < evidence_count; i++)
		if (rq->rq_wanted[i])
			shown[i] = &rows[i];
	if (error == 0)
		status = show(&(struct page){ .pg_params = &rq->rq_params,
		    .pg_design = rq->rq_design, .pg_rows = shown,
		    .pg_budget_s = rq->rq_budget_s,
		    .pg_revision = rh->revision, .pg_when = when,
		    .pg_host = host, .pg_command = command }, &of,
		    rq->rq_output);
	else
		status = run_error("assure", "%s", error == EINTR ?
		    "interrupted; no page was written" : strerror(error));
	outfile_abort(&of);
	free(rh);
	free(rows);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct request rq = { .rq_budget_s = 60 };
	const struct arguments as = { .as_command = "assure",
	    .as_table = options, .as_options = OPTIONS, .as_set = set,
	    .as_context = &rq };
	const char *missing;
	bool want_help;
	int status;

	(void)whole;
	status = arguments_parse(&as, &argc, argv, &want_help);
	if (status != 0)
		return (status);
	if (want_help) {
		help(&as);
		return (EXIT_SUCCESS);
	}
	status = complete(&rq);
	if (status != 0)
		return (status);
	if (crypto_init(&missing) != 0)
		return (run_error("assure", "%s does not offer a working %s",
		    crypto_version(), missing));
	stop_catch_signals();
	status = assure(&rq);
	crypto_fini();
	return (status);
}

const struct command cmd_assure = {
	.cmd_name	= "assure",
	.cmd_args	= "-d NAME [OPTIONS]",
	.cmd_descr	= "why to believe that a design is safe, on one page",
	.cmd_run	= run,
};
