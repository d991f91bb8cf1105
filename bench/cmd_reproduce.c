#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/choice.h"
#include "bench/console/figure.h"
#include "bench/console/outfile.h"
#include "bench/console/stop.h"
#include "bench/console/usage.h"
#include "bench/reproduce/beside.h"
#include "lib/crypto.h"
#include "lib/number.h"
#include "lib/tick.h"

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMATS };

static const char *const format_names[FORMATS] = { "table", "json", "csv" };

enum { OPTION_FORMAT, OPTION_PROFILE, OPTION_REFIT, OPTION_SEED, OPTION_HELP,
	OPTIONS };

static const struct argument options[OPTIONS] = {
	[OPTION_FORMAT] = { '\0', "format", "FORMAT", "what stdout gets: "
	    "table, json or csv (table)", false },
	[OPTION_PROFILE] = { '\0', "profile", "PROFILE", "predict for this "
	    "machine instead of the publication's", false },
	[OPTION_REFIT] = { '\0', "refit", "FILE", "fit all that the profile "
	    "has from these figures, and write it to FILE", false },
	[OPTION_SEED] = { '\0', "seed", "SEED", "seed of all that is drawn "
	    "(1)", false },
	[OPTION_HELP] = { 'h', "help", NULL, "this text", false },
};

struct request {
	const struct reproduction *rq_what;
	const char	*rq_profile;	/* NULL: the reproduction's */
	const char	*rq_refit;	/* or NULL */
	uint64_t	 rq_seed;
	enum format	 rq_format;
};

static const char *
format_name(unsigned i)
{

	return (format_names[i]);
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct request *rq = context;
	unsigned index = 0;
	int error;

	switch (i) {
	case OPTION_FORMAT:
		error = choice_find("reproduce", label, value, FORMATS,
		    format_name, &index);
		rq->rq_format = (enum format)index;
		return (error);
	case OPTION_PROFILE:
		rq->rq_profile = value;
		return (0);
	case OPTION_REFIT:
		rq->rq_refit = value;
		return (0);
	default:
		if (number_parse(value, &rq->rq_seed) == 0 &&
		    rq->rq_seed <= INT64_MAX - REPRODUCE_SEEDS)
			return (0);
		return (usage_error("reproduce", "%s: \"%s\": expected a "
		    "number, 0..%lld", label, value, (long long)(INT64_MAX -
		    REPRODUCE_SEEDS)));
	}
}

static void
list(void)
{
	unsigned i;

	for (i = 0; i < reproduction_count; i++)
		printf("  %-12s %s\n", reproductions[i]->rd_name,
		    reproductions[i]->rd_descr);
}

static void
help(const struct arguments *as)
{

	puts("Usage: rngsim reproduce [NAME [OPTIONS]]\n");
	figure_wrap(stdout, "", 0, "Sets a published result beside what a "
	    "simulated machine predicts of it.  Exits with 1 when a figure is "
	    "not where it should be.  Without NAME, lists these:");
	putchar('\n');
	list();
	putchar('\n');
	arguments_help(as);
}

static const char *
reproduction_name(unsigned i)
{

	return (reproductions[i]->rd_name);
}

static int
find(struct request *rq, const char *name)
{
	char known[256];
	unsigned i;

	for (i = 0; i < reproduction_count; i++) {
		if (strcmp(name, reproductions[i]->rd_name) == 0) {
			rq->rq_what = reproductions[i];
			return (0);
		}
	}
	choice_join(known, sizeof(known), reproduction_count,
	    reproduction_name);
	return (usage_error("reproduce", "\"%s\": expected %s", name, known));
}

/* Writes the profile as it was fitted. */
static int
write_profile(struct outfile *of, const char *path, const struct profile *pr)
{
	FILE *f;
	int error, fd;

	fd = dup(of->of_fd);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f == NULL) {
		error = errno;
		if (fd >= 0)
			close(fd);
	} else {
		error = profile_write(pr, f);
		if (fclose(f) != 0 && error == 0)
			error = errno;
	}
	if (error == 0)
		error = outfile_commit(of, "", 0);
	else
		outfile_abort(of);
	return (error == 0 ? 0 : run_error("reproduce", "%s: %s", path,
	    strerror(error)));
}

static int
show(const struct request *rq, const struct reproducing *rg)
{
	unsigned compared = 0, i, missed = 0;
	int error = 0;

	for (i = 0; i < rg->rg_what->rd_row_count; i++) {
		if (rg->rg_what->rd_rows[i].rr_role == REPRODUCE_OPEN)
			continue;
		compared++;
		missed += !reproduce_within(rg, i);
	}
	switch (rq->rq_format) {
	case FORMAT_JSON:
		error = beside_print_json(stdout, rg);
		break;
	case FORMAT_CSV:
		beside_print_csv(stdout, rg);
		break;
	default:
		beside_print(stdout, rg);
		break;
	}
	if (error != 0)
		return (run_error("reproduce", "%s", strerror(error)));
	if (missed == 0)
		return (EXIT_SUCCESS);
	/* So that it stands behind the table it is about. */
	fflush(stdout);
	return (run_error("reproduce", "%s: %u of %u figures %s outside what "
	    "is accepted", rg->rg_what->rd_name, missed, compared, missed == 1 ?
	    "lies" : "lie"));
}

static int
predict(const struct request *rq, const struct profile *pr)
{
	static struct reproducing rg;
	struct outfile of;
	int error, status;

	stop_catch_signals();
	if (rq->rq_refit != NULL) {
		error = outfile_open(&of, rq->rq_refit);
		if (error != 0)
			return (run_error("reproduce", "%s: %s", rq->rq_refit,
			    strerror(error)));
	}
	error = reproduce(&rg, rq->rq_what, pr, rq->rq_seed,
	    rq->rq_refit != NULL);
	if (error != 0) {
		if (rq->rq_refit != NULL)
			outfile_abort(&of);
		return (run_error("reproduce", "%s", error == EINTR ?
		    "interrupted" : rg.rg_error));
	}
	status = show(rq, &rg);
	if (rq->rq_refit != NULL) {
		error = write_profile(&of, rq->rq_refit, &rg.rg_profile);
		if (error != 0)
			status = error;
	}
	return (status);
}

static int
load(const struct request *rq, struct profile *pr)
{
	char why[PROFILE_ERROR_SIZE] = "";
	int error;

	error = profile_load(pr, rq->rq_profile != NULL ? rq->rq_profile :
	    rq->rq_what->rd_profile, why);
	if (error == 0)
		return (0);
	return (error == EINVAL || error == ENOENT ?
	    usage_error("reproduce", "--profile: %s", why) :
	    run_error("reproduce", "--profile: %s", why));
}

static int
run(int argc, char *argv[], char *const whole[])
{
	static struct profile pr;
	struct request rq = { .rq_seed = 1 };
	const struct arguments as = { .as_command = argv[0],
	    .as_table = options, .as_options = OPTIONS, .as_operands = 1,
	    .as_set = set, .as_context = &rq };
	bool alone = argc == 1, asked;
	const char *missing;
	int status;

	(void)whole;
	status = arguments_parse(&as, &argc, argv, &asked);
	if (status == 0 && asked) {
		help(&as);
		return (EXIT_SUCCESS);
	}
	if (status == 0 && alone) {
		list();
		return (EXIT_SUCCESS);
	}
	if (status == 0 && argc == 1)
		status = usage_error("reproduce", "expected what to reproduce "
		    "beside the options; \"rngsim reproduce\" lists it");
	if (status == 0)
		status = find(&rq, argv[1]);
	if (status == 0)
		status = load(&rq, &pr);
	if (status != 0)
		return (status);
	tick_calibrate();
	if (crypto_init(&missing) != 0)
		return (run_error("reproduce", "%s does not offer a working "
		    "%s", crypto_version(), missing));
	status = predict(&rq, &pr);
	crypto_fini();
	return (status);
}

const struct command cmd_reproduce = {
	.cmd_name	= "reproduce",
	.cmd_args	= "[NAME [OPTIONS]]",
	.cmd_descr	= "published results beside predictions of them",
	.cmd_run	= run,
};
