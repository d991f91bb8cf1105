/*
 * rngsim explore: runs in other orders than time would give, and what is wrong
 * with them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/console/outfile.h"
#include "bench/console/progress.h"
#include "bench/console/stop.h"
#include "bench/console/usage.h"
#include "bench/explore/explore_print.h"
#include "bench/explore/request.h"
#include "lib/crypto.h"

enum {
	NAME_SIZE	= 64,
	SHRINK_RUNS	= 20 * 1000
};

/* How far all campaigns are. */
struct state {
	struct progress	 sa_progress;
	uint64_t	 sa_before;	/* schedules of those that are over */
	uint64_t	 sa_total;
	const struct campaign *sa_campaign;
};

static void
progress(void *context, uint64_t done)
{
	struct state *sa = context;
	const struct trial_subject *tb = &sa->sa_campaign->cn_subject;
	uint64_t all = sa->sa_before + done;
	char label[NAME_SIZE];

	snprintf(label, sizeof(label), "%s, %s, %s", tb->tb_design->ra_ident,
	    tb->tb_lock->lc_name, tb->tb_cipher->ci_name);
	progress_update(&sa->sa_progress, all < sa->sa_total ? all :
	    sa->sa_total, label);
}

static struct campaign
campaign_of(const struct request *rq, unsigned design, unsigned lock,
    unsigned cipher)
{
	struct campaign cn = { .cn_subject = rq->rq_subject,
	    .cn_strategy = rq->rq_strategy, .cn_parameter = rq->rq_parameter,
	    .cn_seed = rq->rq_seed, .cn_jobs = rq->rq_jobs,
	    .cn_end = rq->rq_schedules, .cn_progress = progress };
	struct scenario_limits *sm = &cn.cn_limits;

	cn.cn_subject.tb_design = rq->rq_design[design];
	cn.cn_subject.tb_lock = rq->rq_lock[lock];
	cn.cn_subject.tb_cipher = rq->rq_cipher[cipher];
	if (rq->rq_faults.fl_count > 0)
		cn.cn_subject.tb_faults = &rq->rq_faults;
	cn.cn_subject.tb_stop = &stop_signal;
	campaign_limits(&cn.cn_subject, sm);
	if (rq->rq_strategy == &strategy_dfs) {
		sm->sm_small = true;
		sm->sm_readers_most = sm->sm_readers_least;
	}
	if (rq->rq_readers_least != 0) {
		sm->sm_readers_least = rq->rq_readers_least;
		sm->sm_readers_most = rq->rq_readers_most;
	}
	sm->sm_sizes = rq->rq_sizes;
	memcpy(sm->sm_size, rq->rq_size, sizeof(sm->sm_size));
	if (rq->rq_only_given) {
		cn.cn_first = rq->rq_only;
		cn.cn_end = rq->rq_only + 1;
	}
	return (cn);
}

/* A word of a command line, as a shell reads it. */
static void
print_word(const char *word)
{
	const char *c;

	if (word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (c = word; *c != '\0'; c++)
		if (*c == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*c);
	putchar('\'');
}

/*
 * The schedule's file, unless that could not be written; and the same from
 * nothing but its seed.
 */
static void
print_again(const struct request *rq, const struct explore_case *ca,
    const char *path)
{
	const struct trial_subject *tb = &ca->ca_subject;
	char strategy[STRATEGY_NAME_SIZE];
	unsigned i;

	putchar('\n');
	if (path != NULL) {
		fputs("Again:    rngsim explore --replay ", stdout);
		print_word(path);
		putchar('\n');
	}
	printf("Unshrunk: rngsim explore -d %s -l %s -c %s",
	    tb->tb_design->ra_ident, tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name);
	if (rq->rq_readers_least != 0)
		printf(" -r %u-%u", rq->rq_readers_least,
		    rq->rq_readers_most);
	for (i = 0; i < rq->rq_sizes; i++)
		printf("%s%u", i == 0 ? " -s " : ",", rq->rq_size[i]);
	for (i = 0; i < rq->rq_tunables; i++) {
		fputs(" \\\n    -S ", stdout);
		print_word(rq->rq_tunable[i]);
	}
	for (i = 0; i < FAULT_POINTS; i++)
		if (rq->rq_faults.fl_text[i] != NULL) {
			printf(" \\\n    --failpoint %s=",
			    fault_def(i)->fd_name);
			print_word(rq->rq_faults.fl_text[i]);
		}
	printf(" \\\n    --strategy %s --seed %" PRIu64 " --only %" PRIu64 "\n",
	    strategy_name(strategy, rq->rq_strategy, rq->rq_parameter),
	    ca->ca_seed, ca->ca_number);
}

static int
write_case(const struct explore_case *ca, const char *path)
{
	struct outfile of;
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int error;

	out = open_memstream(&text, &len);
	if (out == NULL)
		return (run_error("explore", "no memory"));
	case_print(out, ca);
	error = fclose(out) == 0 ? outfile_open(&of, path) : ENOMEM;
	if (error == 0)
		error = outfile_commit(&of, text, len);
	free(text);
	return (error == 0 ? 0 : run_error("explore", "%s: %s", path,
	    strerror(error)));
}

/* Runs a case once more and shows what happens. */
static int
show_case(struct trial *tr, const struct explore_case *ca,
    struct case_result *cr)
{
	struct moments mo;
	int error;

	memset(&mo, 0, sizeof(mo));
	error = case_run(tr, ca, NULL, &mo, cr);
	if (error == 0)
		explore_print_timeline(stdout, &mo);
	moments_free(&mo);
	return (error);
}

static void
report_failure(const struct request *rq, struct campaign_result *ce)
{
	struct explore_case *ca = &ce->ce_case;
	struct shrink_result si;
	struct case_result cr;
	struct trial *tr;
	char name[NAME_SIZE];
	const char *path = rq->rq_output;
	unsigned i;
	int error;

	snprintf(name, sizeof(name), "rngsim-explore-%" PRIu64 ".schedule",
	    ca->ca_seed);
	if (path == NULL)
		path = name;
	for (i = 0; i < rq->rq_tunables; i++)
		ca->ca_tunable[i] = strdup(rq->rq_tunable[i]);
	ca->ca_tunables = i;
	error = trial_new(&tr);
	if (error != 0) {
		(void)run_error("explore", "%s", strerror(error));
		return;
	}
	trial_catch_assertions(true);
	error = shrink(tr, ca, SHRINK_RUNS, &si);
	if (error == 0)
		error = case_run(tr, ca, NULL, NULL, &cr);
	if (error == 0 && !cr.cr_same)
		error = EPROTO;
	explore_print_failure(stdout, ca, error == 0 ? &cr.cr_outcome :
	    &ce->ce_outcome);
	if (error == 0) {
		explore_print_shrunk(stdout, &si);
		error = show_case(tr, ca, &cr);
	}
	trial_catch_assertions(false);
	trial_free(tr);
	if (error == EPROTO || (error == 0 && !cr.cr_same))
		(void)run_error("explore", "the same schedule came out "
		    "otherwise when it was run again: something in it is not "
		    "determined");
	else if (error != 0)
		(void)run_error("explore", "cannot make it smaller: %s",
		    strerror(error));
	print_again(rq, ca, write_case(ca, path) == 0 ? path : NULL);
	/* What failed is said there alone. */
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		(void)run_error("explore", "stdout: %s",
		    strerror(errno != 0 ? errno : EIO));
}

/* One row; EALREADY: something failed and was reported. */
static int
run_one(const struct request *rq, struct state *sa, struct campaign *cn,
    struct campaign_result *sum)
{
	struct campaign_result *ce = calloc(1, sizeof(*ce));
	int error;

	if (ce == NULL)
		return (ENOMEM);
	sa->sa_campaign = cn;
	cn->cn_context = sa;
	error = campaign_run(cn, ce);
	if (error == 0 || error == EINTR) {
		/* A line that is drawn over would stay below the row. */
		if (sa->sa_progress.pr_out != NULL)
			fputs("\r\033[K", sa->sa_progress.pr_out);
		explore_print_row(stdout, cn, ce);
		fflush(stdout);
		explore_add(sum, ce);
		sa->sa_before += cn->cn_end - cn->cn_first;
	}
	if (error == 0 && ce->ce_failed) {
		progress_fini(&sa->sa_progress);
		report_failure(rq, ce);
		error = EALREADY;
	}
	case_free(&ce->ce_case);
	free(ce);
	return (error);
}

static int
run_all(const struct request *rq)
{
	const unsigned rows = rq->rq_designs * rq->rq_locks * rq->rq_ciphers;
	struct campaign_result *sum = calloc(1, sizeof(*sum));
	struct state sa = { .sa_total = rows * (rq->rq_only_given ? 1 :
	    rq->rq_schedules) };
	struct campaign cn;
	unsigned i;
	int error = 0;

	if (sum == NULL)
		return (run_error("explore", "no memory"));
	printf("seed %" PRIu64 "\n\n", rq->rq_seed);
	explore_print_head(stdout);
	fflush(stdout);
	progress_init(&sa.sa_progress, sa.sa_total);
	for (i = 0; error == 0 && i < rows; i++) {
		cn = campaign_of(rq, i / rq->rq_ciphers / rq->rq_locks,
		    i / rq->rq_ciphers % rq->rq_locks, i % rq->rq_ciphers);
		error = run_one(rq, &sa, &cn, sum);
	}
	progress_fini(&sa.sa_progress);
	if (error == 0)
		explore_print_sum(stdout, &cn, sum, rows);
	free(sum);
	if (error == EALREADY)
		return (EXIT_FAILURE);
	if (error == EINTR)
		return (run_error("explore", "interrupted: %u of %u rows, the "
		    "last in part; nothing had failed", i, rows));
	return (error == 0 ? EXIT_SUCCESS : run_error("explore", "%s",
	    strerror(error)));
}

static int
replay(const struct request *rq)
{
	char message[LINES_ERROR_SIZE];
	struct explore_case ca;
	struct case_result cr;
	struct trial *tr = NULL;
	int error, status = EXIT_FAILURE;

	error = case_load(&ca, rq->rq_replay, message);
	if (error != 0) {
		case_free(&ca);
		return (run_error("explore", "%s", message));
	}
	error = trial_new(&tr);
	trial_catch_assertions(true);
	if (error == 0)
		error = case_run(tr, &ca, NULL, NULL, &cr);
	if (error == 0 && cr.cr_outcome.to_word != NULL) {
		explore_print_failure(stdout, &ca, &cr.cr_outcome);
		error = show_case(tr, &ca, &cr);
	}
	trial_catch_assertions(false);
	trial_free(tr);
	if (error != 0) {
		(void)run_error("explore", "%s: %s", rq->rq_replay,
		    strerror(error));
	} else if (cr.cr_outcome.to_word == NULL) {
		printf("Does not fail: \"%s\" was recorded.%s\n", ca.ca_word,
		    cr.cr_exact ? "" : "\nThe schedule could not be followed "
		    "to its end.");
		status = EXIT_SUCCESS;
	} else {
		printf("\n%s\n", cr.cr_same ? "As recorded." :
		    "Fails, but not as recorded.");
	}
	case_free(&ca);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	const char *missing = NULL;
	struct request rq;
	bool help = false;
	int status;

	(void)whole;
	status = request_parse(&rq, argc, argv, &help);
	if (status == 0 && !help) {
		stop_catch_signals();
		if (crypto_init(&missing) != 0)
			status = run_error("explore", "libcrypto: %s",
			    missing == NULL ? "?" : missing);
		else
			status = rq.rq_replay != NULL ? replay(&rq) :
			    run_all(&rq);
	}
	request_free(&rq);
	return (status);
}

const struct command cmd_explore = {
	.cmd_name	= "explore",
	.cmd_args	= "[-d LIST] [-l LIST] [--schedules N]",
	.cmd_descr	= "other orders than time gives, and what is "
	    "wrong with them",
	.cmd_run	= run,
};
