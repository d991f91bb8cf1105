#include "bench/campaign/campaign.h"
#include "bench/report/report.h"
#include "bench/sweep/sweep.h"

enum {
	PATH_SIZE	= 2 * PATH_MAX,
	TAIL_WORDS	= 4	/* --part I/N -o FILE */
};

static bool
job_done(const struct options *op, const char *path)
{
	struct stat sb;
	json_t *top;
	bool done;

	if (op->op_cmd == COMMAND_assure)
		return (stat(path, &sb) == 0 && sb.st_size > 0);
	top = json_load_file(path, 0, NULL);
	done = json_is_true(json_object_get(top, "complete"));
	json_decref(top);
	return (done);
}

static int
write_file(const char *path, const char *text, size_t size)
{
	int error = atomic_file_open(path, NULL);

	if (error == 0)
		error = atomic_file_commit(path, text, size);
	return (error == 0 ? 0 :
	    run_error("--plan: %s: %s", path, strerror(error)));
}

/* Makes the folder, or finds the same plan there and takes its seed. */
static int
claim(struct options *op, unsigned jobs, char **text)
{
	char path[PATH_SIZE], *line = NULL, *old = NULL, *seed;
	size_t len, size = 0;
	ssize_t n = -1;
	unsigned id;
	FILE *in, *out;
	int status = 0;

	if (mkdir(op->op_plan, 0777) != 0 && errno != EEXIST)
		return (run_error("--plan: %s: %s", op->op_plan,
		    strerror(errno)));
	snprintf(path, sizeof(path), "%s/command", op->op_plan);
	if ((in = fopen(path, "re")) != NULL) {
		n = getline(&old, &size, in);
		fclose(in);
	}
	seed = n <= 0 ? NULL : strstr(old, " --seed ");
	if (seed != NULL && !op->op_seed_given)
		op->op_seed = strtoull(seed + strlen(" --seed "), NULL, 10);
	out = xmemstream(text, &len);
	fputs("rngsim", out);
	for (char *const *arg = command_argv + 1; *arg != NULL; arg++) {
		id = strncmp(*arg, "--", 2) != 0 ? OPTIONS :
		    option_find(op->op_cmd, *arg);
		if (id == OPTION_PLAN || id == OPTION_PARTS)
			arg += strchr(*arg, '=') == NULL;
		else {
			fputc(' ', out);
			format_word(out, *arg);
		}
	}
	if (!op->op_seed_given)
		fprintf(out, " --seed %" PRIu64, op->op_seed);
	xmemclose(out);
	if (asprintf(&line, "%s # %u jobs\n", *text, jobs) == -1)
		no_memory();
	if (n <= 0)
		status = write_file(path, line, strlen(line));
	else if (strcmp(line, old) != 0)
		status = usage_error("--plan: \"%s\" has another plan, "
		    "\"%.*s\": expected a new folder", op->op_plan,
		    (int)n - 1, old);
	free(line);
	free(old);
	return (status);
}

int
plan_write(struct options *op, unsigned jobs)
{
	const bool assure = op->op_cmd == COMMAND_assure;
	const int digits = snprintf(NULL, 0, "%u", jobs);
	char *base = NULL, path[PATH_SIZE], *text = NULL;
	const char *row = NULL;
	unsigned left = 0;
	size_t size = 0;
	FILE *out;
	int status;

	if ((status = claim(op, jobs, &base)) != 0) {
		free(base);
		return (status);
	}
	out = xmemstream(&text, &size);
	for (unsigned i = 0; i < jobs; i++) {
		if (assure) {
			row = family_evidences.fa_name(
			    (unsigned)op->op_rows.ol_value[i]);
			snprintf(path, PATH_SIZE, "%s/%s.txt", op->op_plan,
			    row);
		} else
			snprintf(path, PATH_SIZE, "%s/%0*u.json", op->op_plan,
			    digits, i + 1);
		if (job_done(op, path))
			continue;
		left++;
		if (assure)
			fprintf(out, "%s --only %s -o ", base, row);
		else
			fprintf(out, "%s --part %u/%u %s ", base, i + 1, jobs,
			    op->op_cmd == COMMAND_sweep ? "-o" : "--json");
		format_word(out, path);
		fputc('\n', out);
	}
	xmemclose(out);
	snprintf(path, sizeof(path), "%s/plan", op->op_plan);
	if ((status = write_file(path, text, size)) == 0)
		run_note("%s has %u of %u job%s", path, left, jobs,
		    PLURAL(jobs));
	free(text);
	free(base);
	return (status);
}

#define	refuse(mg, file, ...)						\
	((mg)->mg_refused++, run_error("%s: %s", file,			\
	    TEXT_OF(text_add, __VA_ARGS__)))

static int
check_plan(struct merge *mg, const char *file, const struct result *r,
    unsigned words, unsigned parts)
{
	const struct result *all = &mg->mg_all;
	const struct result_kernel *k, *l;
	bool same = parts == mg->mg_parts && r->seed == all->seed &&
	    words == mg->mg_words;

	for (unsigned i = 1; same && i < words; i++)
		same = strcmp(r->argv[i], all->argv[i]) == 0;
	if (!same)
		return (refuse(mg, file, "part of another plan than %s",
		    mg->mg_first));
	same = strcmp(r->profile_sha256, all->profile_sha256) == 0 &&
	    r->kernel_count == all->kernel_count;
	for (unsigned i = 0; same && i < r->kernel_count; i++) {
		k = &r->kernels[i];
		l = &all->kernels[i];
		same = k->file_count == l->file_count;
		for (unsigned n = 0; same && n < k->file_count; n++)
			same = strcmp(k->files[n].sha256,
			    l->files[n].sha256) == 0;
	}
	if (!same)
		return (refuse(mg, file, "made with another profile or kernel "
		    "source than %s: remove the older one, and run its job "
		    "again", mg->mg_first));
	if (!mg->mg_across && strcmp(r->host.revision, all->host.revision) != 0)
		return (refuse(mg, file, "made by rngsim %s, %s by %s: "
		    "--across takes both", r->host.revision, mg->mg_first,
		    all->host.revision));
	return (0);
}

/* The place of a part, of a host that may be the first with it. */
static struct merge_part *
place(struct merge *mg, unsigned host, unsigned part)
{
	if (mg->mg_part == NULL)
		mg->mg_part = xcalloc((size_t)MERGE_HOSTS_MAX * mg->mg_parts,
		    sizeof(*mg->mg_part));
	mg->mg_hosts = MAX(mg->mg_hosts, host + 1);
	return (&mg->mg_part[(size_t)host * mg->mg_parts + part - 1]);
}

int
merge_take(struct merge *mg, const char *file, struct result *r, unsigned host)
{
	struct result *all = &mg->mg_all;
	unsigned part, parts, words = 0;
	char now[RESULT_NAME_SIZE];
	struct merge_part *mp;

	while (r->argv != NULL && r->argv[words] != NULL)
		words++;
	if (words < TAIL_WORDS + 2 ||
	    strcmp(r->argv[words - TAIL_WORDS], "--part") != 0 ||
	    !option_read_part(r->argv[words - TAIL_WORDS + 1], &part, &parts))
		return (refuse(mg, file, "not the result of a job of --plan"));
	if (!r->complete)
		return (refuse(mg, file, "incomplete: run its job again"));
	result_now(now);
	if (strcmp(r->started, now) > 0 && !mg->mg_across)
		return (refuse(mg, file, "began at %s, which is in the future: "
		    "set the clock of its host, or give --across", r->started));
	words -= TAIL_WORDS;
	if (mg->mg_first != NULL && check_plan(mg, file, r, words, parts) != 0)
		return (EXIT_FAILURE);
	if (mg->mg_first != NULL && strcmp(r->started, all->started) < 0)
		strcpy(all->started, r->started);
	mg->mg_parts = parts;
	mp = place(mg, host, part);
	if (mp->mp_file != NULL)
		return (refuse(mg, file, "part %u again, as in %s", part,
		    mp->mp_file));
	*mp = (struct merge_part){ file, r->cells, r->cell_count };
	r->cells = NULL;
	r->cell_count = 0;
	if (mg->mg_first == NULL) {
		mg->mg_first = file;
		mg->mg_words = words;
		*all = *r;
		*r = (struct result){ .cells = NULL };
		for (char **w = all->argv + words; *w != NULL; w++) {
			free(*w);
			*w = NULL;
		}
	}
	return (0);
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
			has = place(mg, h, i)->mp_file != NULL;
		missing += !has;
		if (!has && first == 0)
			first = i;
		if (has && first > 0)
			text_list(&list, i - 1 > first ? "%u-%u" : "%u", first,
			    i - 1);
		if (has)
			first = 0;
	}
	if (missing > 0)
		return (run_error("%u of %u parts missing: %.200s; the "
		    "command with --plan lists their jobs", missing,
		    mg->mg_parts, list.s));
	return (mg->mg_refused > 0 ? EXIT_FAILURE : 0);
}

void
merge_free(struct merge *mg)
{
	free(mg->mg_part);
	result_free(&mg->mg_all);
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
	if (provenance_predicted(r->cells))
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

/* Gives the result all parts' cells, those of a part's hosts side by side. */
static void
gather(struct merge *mg)
{
	struct result *all = &mg->mg_all;
	struct merge_part *mp;

	for (unsigned i = 0; i < mg->mg_parts * mg->mg_hosts; i++) {
		mp = place(mg, i % mg->mg_hosts, i / mg->mg_hosts + 1);
		if (mp->mp_cell_count == 0)
			continue;
		all->cells = xreallocarray(all->cells, all->cell_count +
		    mp->mp_cell_count, sizeof(*all->cells));
		memcpy(all->cells + all->cell_count, mp->mp_cells,
		    mp->mp_cell_count * sizeof(*all->cells));
		all->cell_count += mp->mp_cell_count;
		free(mp->mp_cells);
	}
}

/* What drawn profiles say of all cells is no sum of what they say of each. */
static int
merge_uncertainty(struct merge *mg)
{
	struct options op = { .op_cmd = COMMAND_sweep };
	int status = options_parse(&op, COMMAND_sweep, mg->mg_all.argv + 1);

	usage_command = command_texts[COMMAND_merge].ct_name;
	op.op_seed = mg->mg_all.seed;
	if (status == 0 && !op.op_help) {
		field_free(result_uncertainty_fields, &mg->mg_all.uncertainty);
		uncertainty_redraw(&op, &mg->mg_all);
	}
	options_free(&op);
	return (status);
}

int
merge_results(const struct options *op)
{
	struct merge mg = { .mg_across = GIVEN(op, ACROSS) };
	struct result r, *all = &mg.mg_all;
	char why[RESULT_TEXT_SIZE];
	unsigned host;
	int status;

	for (int i = 0; i < op->op_operands; i++) {
		const char *file = op->op_operand[i];

		if (result_load(file, &r, why) != 0) {
			(void)refuse(&mg, file, "%s", why);
			continue;
		}
		if (r.cell_count == 0)
			(void)refuse(&mg, file, "has no cells");
		else if (host_of(&mg, file, &r, &host) == 0)
			(void)merge_take(&mg, file, &r, host);
		result_free(&r);
	}
	status = merge_missing(&mg);
	gather(&mg);
	if (status == 0 && all->uncertainty.samples > 0)
		status = merge_uncertainty(&mg);
	if (status == 0) {
		all->argv[mg.mg_words] = xstrdup("-o");
		all->argv[mg.mg_words + 1] = xstrdup(op->op_output);
		/* A prediction does not depend on where it was continued. */
		if (provenance_predicted(all->cells))
			all->resumed_count = 0;
		status = command_write(op->op_output, report_json, all);
	}
	if (status == 0)
		printf("%s: %u part%s%s\n", op->op_output, mg.mg_parts,
		    PLURAL(mg.mg_parts), mg.mg_hosts > 1 ? FORMATF(", of %u "
		    "hosts", mg.mg_hosts) : "");
	merge_free(&mg);
	return (status);
}
