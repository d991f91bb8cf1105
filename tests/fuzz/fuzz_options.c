/*
 * Command lines of every command, the first word being its name, as far as all
 * is checked that can be checked before a command begins.
 */
#include "bench/cmd.h"
#include "tests/fuzz/words.h"

static void
check(enum command_id cm, const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 1], *text = fuzz_text(data, size);
	static struct options op;
	int status;

	(void)words_split(text, argv);
	status = options_read(&op, cm, argv);
	if (status == 0 && !op.op_help) {
		if (commands[cm]->cmd_check != NULL)
			status = commands[cm]->cmd_check(&op);
		else if (cm == COMMAND_run || cm == COMMAND_sweep)
			status = options_finish(&op);
		FUZZ_CHECK(status != 0 || !option_takes(cm, OPTION_LOCK) ||
		    cm == COMMAND_validate ||
		    (op.op_designs.ol_count > 0 && op.op_locks.ol_count > 0 &&
		    op.op_readers.ol_count > 0));
	}
	FUZZ_CHECK(status == 0 || status == EXIT_USAGE ||
	    status == EXIT_FAILURE);
	options_free(&op);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin();
	command_families();
	for (unsigned cm = 0; cm < COMMANDS; cm++)
		check((enum command_id)cm, data, size);
	return (0);
}
