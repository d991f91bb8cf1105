/*
 * Command lines of every command, the first word being its name.  Commands end
 * where their arguments were read, as if something were wrong with the last;
 * those that take operands go on to find that the last names nothing.  So
 * nothing is measured, written or drawn.
 */
#define	arguments_operands	read_operands
#define	arguments_parse		read_arguments
#include "bench/console/arguments.c"
#undef arguments_operands
#undef arguments_parse

#include "bench/cmd.h"
#include "tests/fuzz/words.h"

enum { READ = 99 };	/* no exit status of rngsim */

/* What commands call, in place of bench/console/arguments.c's. */
int arguments_parse(const struct arguments *as, int *argc, char *argv[],
    bool *help);
bool arguments_operands(int *argc, char *argv[], int max, const char *usage,
    const char *descr, int *status);

static const struct command *const commands[] = {
#define	COMMAND(name)	&cmd_##name,
#include "bench/cmd.tbl"
#undef COMMAND
};

int
arguments_parse(const struct arguments *as, int *argc, char *argv[],
    bool *help)
{
	static char nothing[] = "/nonexistent/x";
	int status;

	status = read_arguments(as, argc, argv, help);
	if (status != 0 || *help)
		return (status);
	if (as->as_operands == 0)
		return (READ);
	if (*argc > 1)
		argv[*argc - 1] = nothing;
	return (0);
}

bool
arguments_operands(int *argc, char *argv[], int max, const char *usage,
    const char *descr, int *status)
{

	if (read_operands(argc, argv, max, usage, descr, status))
		*status = READ;
	return (false);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 1], *text;
	int argc, status;
	size_t i;

	fuzz_begin();
	text = fuzz_text(data, size);
	argc = words_split(text, argv);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[0], commands[i]->cmd_name) == 0) {
			status = commands[i]->cmd_run(argc, argv, argv);
			FUZZ_CHECK(status == 0 || status == 1 || status == 2 ||
			    status == READ);
		}
	free(text);
	return (0);
}
