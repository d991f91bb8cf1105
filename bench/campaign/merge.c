#include <inttypes.h>
#include <stdlib.h>

#include "bench/campaign/merge.h"
#include "bench/cli/memory.h"
#include "bench/sweep/sweep.h"

enum { TAIL_WORDS = 4 };	/* --part I/N -o FILE */

static int __attribute__((format(printf, 3, 4)))
refuse(struct merge *mg, const char *file, const char *fmt, ...)
{
	char text[2 * RESULT_TEXT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mg->mg_refused++;
	return (run_error("%s: %s", file, text));
}

/* I/N of the command line's --part; false: it is no job of a plan. */
static bool
read_part(char *const argv[], unsigned words, unsigned *part, unsigned *parts)
{
	return (words >= TAIL_WORDS + 2 &&
	    strcmp(argv[words - TAIL_WORDS], "--part") == 0 &&
	    option_read_part(argv[words - TAIL_WORDS + 1], part, parts));
}

/* Whether a part belongs to the plan of the first one. */
static int
check_plan(struct merge *mg, const struct merge_head *mh, unsigned words,
    unsigned parts)
{
	bool same = parts == mg->mg_parts && mh->mh_seed == mg->mg_seed &&
	    words == mg->mg_words;
	unsigned i;

	for (i = 1; same && i < words - TAIL_WORDS; i++)
		same = strcmp(mh->mh_argv[i], mg->mg_argv[i]) == 0;
	if (!same)
		return (refuse(mg, mh->mh_file, "part of another plan than %s",
		    mg->mg_first));
	if (!mg->mg_across && strcmp(mh->mh_revision, mg->mg_revision) != 0)
		return (refuse(mg, mh->mh_file, "made by rngsim %s, %s by %s: "
		    "--across takes both", mh->mh_revision, mg->mg_first,
		    mg->mg_revision));
	return (0);
}

/* Takes over the argv of the first part. */
static int
begin(struct merge *mg, struct merge_head *mh, unsigned words, unsigned parts)
{
	mg->mg_argv = mh->mh_argv;
	mh->mh_argv = NULL;
	mg->mg_words = words;
	mg->mg_parts = parts;
	mg->mg_seed = mh->mh_seed;
	mg->mg_first = mh->mh_file;
	snprintf(mg->mg_revision, sizeof(mg->mg_revision), "%s",
	    mh->mh_revision);
	snprintf(mg->mg_started, sizeof(mg->mg_started), "%s", mh->mh_started);
	return (0);
}

/* The place of a part, of a host that may be the first with it. */
static int
place(struct merge *mg, const struct merge_head *mh, unsigned part,
    struct merge_part **slot)
{
	const size_t have = (size_t)mg->mg_hosts * mg->mg_parts;

	if (mh->mh_host >= mg->mg_hosts) {
		mg->mg_part = xreallocarray(mg->mg_part, have + mg->mg_parts,
		    sizeof(*mg->mg_part));
		memset(mg->mg_part + have, 0, mg->mg_parts *
		    sizeof(*mg->mg_part));
		mg->mg_hosts++;
	}
	*slot = &mg->mg_part[(size_t)mh->mh_host * mg->mg_parts + part - 1];
	if ((*slot)->mp_file != NULL)
		return (refuse(mg, mh->mh_file, "part %u again, as in %s",
		    part, (*slot)->mp_file));
	(*slot)->mp_file = mh->mh_file;
	return (0);
}

int
merge_take(struct merge *mg, struct merge_head *mh, struct merge_part **slot)
{
	char now[RESULT_NAME_SIZE];
	unsigned part, parts, words = 0;
	int status = 0;

	while (mh->mh_argv != NULL && mh->mh_argv[words] != NULL)
		words++;
	if (!read_part(mh->mh_argv, words, &part, &parts))
		return (refuse(mg, mh->mh_file, "not the result of a job of "
		    "--plan"));
	if (!mh->mh_complete)
		return (refuse(mg, mh->mh_file, "incomplete: run its job "
		    "again"));
	result_now(now);
	if (strcmp(mh->mh_started, now) > 0 && !mg->mg_across)
		return (refuse(mg, mh->mh_file, "began at %s, which is in the "
		    "future: set the clock of its host, or give --across",
		    mh->mh_started));
	if (mg->mg_argv == NULL)
		status = begin(mg, mh, words, parts);
	else
		status = check_plan(mg, mh, words, parts);
	if (strcmp(mh->mh_started, mg->mg_started) < 0)
		snprintf(mg->mg_started, sizeof(mg->mg_started), "%s",
		    mh->mh_started);
	return (status != 0 ? status : place(mg, mh, part, slot));
}

int
merge_missing(struct merge *mg)
{
	struct text list = { .s = "" };
	unsigned first = 0, missing = 0;
	bool has;

	for (unsigned i = 1; i <= mg->mg_parts + 1; i++) {
		has = i > mg->mg_parts;
		for (unsigned h = 0; h < mg->mg_hosts && !has; h++)
			has = mg->mg_part[(size_t)h * mg->mg_parts + i - 1]
			    .mp_file != NULL;
		missing += !has;
		if (!has && first == 0)
			first = i;
		if (has && first > 0 && strlen(list.s) < 200)
			text_list(&list, i - 1 > first ? "%u-%u" : "%u", first,
			    i - 1);
		if (has)
			first = 0;
	}
	if (missing > 0)
		return (run_error("%u of %u parts missing: %s%s; the command "
		    "with --plan lists their jobs", missing, mg->mg_parts,
		    list.s, strlen(list.s) < 200 ? "" : ", ..."));
	return (mg->mg_refused > 0 ? EXIT_FAILURE : 0);
}

char **
merge_argv(const struct merge *mg, const char *output)
{
	const unsigned n = mg->mg_words - TAIL_WORDS;
	char **argv = xcalloc(n + 3, sizeof(*argv));

	for (unsigned i = 0; i < n; i++)
		argv[i] = mg->mg_argv[i];
	if (output != NULL) {
		argv[n] = (char *)(uintptr_t)"-o";
		argv[n + 1] = (char *)(uintptr_t)output;
	}
	return (argv);
}

void
merge_free(struct merge *mg)
{
	for (size_t i = 0; i < (size_t)mg->mg_hosts * mg->mg_parts; i++)
		free(mg->mg_part[i].mp_cells);
	free(mg->mg_part);
	field_free_words(mg->mg_argv);
}

/*
 * Which host measured it, from 0.  Predictions are the same on all; of measured
 * cells another host is refused, or with --across their factor.
 */
static int
host_of(struct merge *mg, const char *file, struct result *r, unsigned *host)
{
	const struct result_host *a = &r->host, *b;
	unsigned i;

	*host = 0;
	if (strcmp(r->cells[0].engine, "virtual") == 0)
		return (0);
	for (i = 0; i < mg->mg_hosts; i++) {
		b = &mg->mg_host[i];
		if (strcmp(a->cpu_model, b->cpu_model) == 0 &&
		    strcmp(a->kernel, b->kernel) == 0 && a->cpus == b->cpus &&
		    strcmp(a->libcrypto, b->libcrypto) == 0)
			break;
	}
	if (i > 0 && i == mg->mg_hosts && !mg->mg_across)
		return (refuse(mg, file, "measured on another host than %s, "
		    "\"%s\": --across makes the host a factor", mg->mg_first,
		    a->cpu_model));
	if (i == MERGE_HOSTS_MAX)
		return (refuse(mg, file, "more than %d hosts",
		    MERGE_HOSTS_MAX));
	mg->mg_host[i] = *a;
	*host = i;
	for (i = 0; mg->mg_across && i < r->cell_count; i++)
		snprintf(r->cells[i].host, sizeof(r->cells[i].host), "%.24s#%u",
		    a->cpu_model, *host + 1);
	return (0);
}

/* Moves the cells of a file into its part; of the first, keeps the rest. */
static int
take_file(struct merge *mg, const char *file, struct result *first)
{
	struct merge_head mh = { .mh_file = file };
	char why[RESULT_TEXT_SIZE];
	struct merge_part *mp;
	struct result r;
	int status;

	if (result_load(file, &r, why) != 0)
		return (refuse(mg, file, "%s", why));
	mh.mh_argv = r.argv;
	r.argv = NULL;
	mh.mh_seed = r.seed;
	mh.mh_started = r.started;
	mh.mh_revision = r.host.revision;
	mh.mh_complete = r.complete;
	status = r.cell_count == 0 ? refuse(mg, file, "has no cells") :
	    host_of(mg, file, &r, &mh.mh_host);
	if (status == 0)
		status = merge_take(mg, &mh, &mp);
	field_free_words(mh.mh_argv);
	if (status == 0) {
		mp->mp_cells = r.cells;
		mp->mp_cell_count = r.cell_count;
		r.cells = NULL;
		r.cell_count = 0;
	}
	if (status == 0 && !first->complete)
		*first = r;
	else
		result_free(&r);
	return (status);
}

/* Gives a result all parts' cells, those of a part's hosts side by side. */
static void
gather(struct merge *mg, struct result *all)
{
	struct merge_part *mp;

	for (unsigned i = 0; i < mg->mg_parts * mg->mg_hosts; i++) {
		mp = &mg->mg_part[i % mg->mg_hosts * mg->mg_parts +
		    i / mg->mg_hosts];
		if (mp->mp_cell_count == 0)
			continue;
		all->cells = xreallocarray(all->cells, all->cell_count +
		    mp->mp_cell_count, sizeof(*all->cells));
		memcpy(all->cells + all->cell_count, mp->mp_cells,
		    mp->mp_cell_count * sizeof(*all->cells));
		all->cell_count += mp->mp_cell_count;
		mp->mp_cell_count = 0;
	}
}

/* What drawn profiles say of all cells is no sum of what they say of each. */
static int
merge_uncertainty(const struct merge *mg, struct result *all)
{
	struct options op = { .op_cmd = COMMAND_sweep };
	char **argv = merge_argv(mg, NULL);
	int status = options_parse(&op, COMMAND_sweep, (int)(mg->mg_words -
	    TAIL_WORDS - 1), argv + 1);

	free(argv);
	op.op_seed = mg->mg_seed;
	field_free(result_uncertainty_fields, &all->uncertainty);
	memset(&all->uncertainty, 0, sizeof(all->uncertainty));
	if (status == 0)
		uncertainty_redraw(&op, all);
	options_free(&op);
	return (status);
}

static int
write_whole(const struct merge *mg, struct result *all, const char *output,
    struct atomic_file *of)
{
	int status;

	all->argv = merge_argv(mg, output);
	snprintf(all->started, sizeof(all->started), "%s", mg->mg_started);
	/* A prediction does not depend on where it was continued. */
	if (strcmp(all->cells[0].engine, "virtual") == 0)
		all->resumed_count = 0;
	status = sweep_write(output, of, all);
	/* Its words are the plan's. */
	free(all->argv);
	all->argv = NULL;
	return (status);
}

int
merge_results(const struct options *op, struct atomic_file *of)
{
	struct merge mg = { .mg_across = GIVEN(op, ACROSS) };
	struct result all = { .cells = NULL };
	int status = 0;

	for (int i = 0; i < op->op_operands; i++)
		(void)take_file(&mg, op->op_operand[i], &all);
	status = merge_missing(&mg);
	if (mg.mg_part != NULL)
		gather(&mg, &all);
	if (status == 0 && all.uncertainty.samples > 0)
		status = merge_uncertainty(&mg, &all);
	if (status == 0)
		status = write_whole(&mg, &all, op->op_output, of);
	if (status == 0)
		printf("%s: %u part%s%s\n", op->op_output, mg.mg_parts,
		    PLURAL(mg.mg_parts),
		    mg.mg_hosts > 1 ? FORMATF(", of %u hosts", mg.mg_hosts) :
		    "");
	result_free(&all);
	merge_free(&mg);
	return (status);
}
