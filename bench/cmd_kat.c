#include "bench/survey/kat.h"
#include "bench/cmd.h"

/* Opens NAME.expected for NAME.script, if there is one. */
static int
open_expected(const char *path, FILE **expected)
{
	static const char script[] = ".script";
	const size_t len = strlen(path), end = sizeof(script) - 1;
	char name[PATH_MAX];

	if (len <= end || strcmp(path + len - end, script) != 0)
		return (EXIT_SUCCESS);
	snprintf(name, sizeof(name), "%.*s.expected", (int)(len - end), path);
	*expected = fopen(name, "re");
	return (*expected != NULL || errno == ENOENT ? EXIT_SUCCESS :
	    run_error("%s: %s", name, strerror(errno)));
}

/* Whether the answers are those that a file, which is closed, has. */
static int
judge(const char *path, const char *answers, FILE *expected)
{
	char *text = NULL;
	size_t size;
	const int error = read_file(fileno(expected), SIZE_MAX, &text, &size);
	const bool same = error == 0 && strcmp(text, answers) == 0;

	fclose(expected);
	free(text);
	if (same && isatty(STDERR_FILENO))
		run_note("%s: all answers are as expected", path);
	if (error != 0)
		return (run_error("the .expected file of %s: %s", path,
		    strerror(error)));
	return (same ? EXIT_SUCCESS : run_error("%s: the answers are not those "
	    "of its .expected file", path));
}

static int
run_file(const struct options *op, const char *path)
{
	char *answers = NULL, why[LINES_ERROR_SIZE];
	FILE *expected = NULL, *out;
	struct lines li;
	int status;
	size_t size;

	if (open_expected(path, &expected) != EXIT_SUCCESS)
		return (EXIT_FAILURE);
	(void)lines_open(&li, path, why);
	out = expected == NULL ? stdout : xmemstream(&answers, &size);
	status = kat_run(&li, GIVEN(op, DESIGN) ? design_at(
	    op->op_designs.ol_value[0])->de_ident : NULL, out) != 0 ?
	    EXIT_FAILURE : EXIT_SUCCESS;
	if (expected != NULL) {
		xmemclose(out);
		fputs(answers, stdout);
		if (status == EXIT_SUCCESS)
			status = judge(path, answers, expected);
		else
			fclose(expected);
		free(answers);
	}
	if (li.li_error == EINVAL)
		fprintf(stderr, "%s\n", why);
	else if (li.li_error != 0)
		run_error("%s", why);
	lines_close(&li);
	return (status);
}

static int
run(struct options *op)
{
	int status = op->op_operands == 0 ? run_file(op, "-") : EXIT_SUCCESS;

	for (int i = 0; i < op->op_operands && status == EXIT_SUCCESS; i++)
		status = run_file(op, op->op_operand[i]);
	return (status);
}

const struct command cmd_kat = { NULL, run,
    NEEDS_MODE | NEEDS_CRYPTO | NEEDS_THREAD };
