#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <jansson.h>

#include "bench/campaign/campaign.h"
#include "bench/cli/atomic_file.h"
#include "bench/cli/format.h"
#include "bench/cli/memory.h"

enum { PATH_SIZE = 4096 };

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
	struct atomic_file of;
	int error = atomic_file_open(&of, path);

	if (error == 0)
		error = atomic_file_commit(&of, text, size);
	return (error == 0 ? 0 :
	    run_error("--plan: %s: %s", path, strerror(error)));
}

/*
 * Makes the folder, or finds the same plan there: its seed is that of the jobs
 * which are done.
 */
static int
claim(struct options *op, unsigned jobs, char *const argv[], char **text)
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
	in = fopen(path, "re");
	if (in != NULL) {
		n = getline(&old, &size, in);
		fclose(in);
	}
	seed = n <= 0 ? NULL : strstr(old, " --seed ");
	if (seed != NULL && !op->op_seed_given)
		op->op_seed = strtoull(seed + strlen(" --seed "), NULL, 10);
	out = xmemstream(text, &len);
	fputs("rngsim", out);
	for (int i = 1; argv[i] != NULL; i++) {
		id = strncmp(argv[i], "--", 2) != 0 ? OPTIONS :
		    option_find(op->op_cmd, argv[i]);
		if (id == OPTION_PLAN || id == OPTION_PARTS)
			i += strchr(argv[i], '=') == NULL;
		else {
			fputc(' ', out);
			format_word(out, argv[i]);
		}
	}
	if (!op->op_seed_given)
		fprintf(out, " --seed %" PRIu64, op->op_seed);
	xmemclose(out);
	out = xmemstream(&line, &len);
	fprintf(out, "%s # %u jobs\n", *text, jobs);
	xmemclose(out);
	if (n <= 0)
		status = write_file(path, line, len);
	else if (strcmp(line, old) != 0)
		status = usage_error("--plan: \"%s\" has another plan, "
		    "\"%.*s\": expected a new folder", op->op_plan,
		    (int)n - 1, old);
	free(line);
	free(old);
	return (status);
}

int
plan_write(struct options *op, char *const argv[], unsigned jobs)
{
	const bool assure = op->op_cmd == COMMAND_assure;
	const int digits = snprintf(NULL, 0, "%u", jobs);
	char *base = NULL, path[PATH_SIZE], *text = NULL;
	const char *row = NULL;
	unsigned left = 0;
	size_t size = 0;
	FILE *out;
	int status;

	if (strlen(op->op_plan) > PATH_SIZE / 2)
		return (usage_error("--plan: \"%.40s...\" is too long",
		    op->op_plan));
	status = claim(op, jobs, argv, &base);
	if (status != 0) {
		free(base);
		return (status);
	}
	out = xmemstream(&text, &size);
	for (unsigned i = 0; i < jobs; i++) {
		if (assure)
			row = family_evidences.fa_name((unsigned)
			    op->op_rows.ol_value[i]);
		if (assure)
			snprintf(path, PATH_SIZE, "%s/%s.txt", op->op_plan,
			    row);
		else
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
	status = write_file(path, text, size);
	if (status == 0)
		run_note("%s has %u of %u job%s", path, left, jobs,
		    PLURAL(jobs));
	free(text);
	free(base);
	return (status);
}
