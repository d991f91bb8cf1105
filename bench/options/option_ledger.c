#include <string.h>

#include "bench/options/option_set.h"

int
option_ledger(struct options *op, const char *name, const char *text)
{

	(void)name;
	(void)text;
	op->op_ledger = true;
	return (0);
}

int
option_ledger_log(struct options *op, const char *name, const char *text)
{

	if (text[0] == '\0')
		return (usage_error(op->op_command, "%s: expected the name of "
		    "a file", name));
	op->op_ledger = true;
	op->op_ledger_path = text;
	return (0);
}

int
option_ledger_finish(const struct options *op)
{
	const char *path = op->op_ledger_path;

	if (path == NULL)
		return (0);
	if (op->op_repeats > 1)
		return (usage_error(op->op_command, "--ledger-log holds one "
		    "repeat: expected -n 1"));
	if (op->op_uncertainty > 0)
		return (usage_error(op->op_command, "--ledger-log holds one "
		    "run: expected no --uncertainty"));
	if ((op->op_output != NULL && strcmp(op->op_output, path) == 0) ||
	    (op->op_trace != NULL && strcmp(op->op_trace, path) == 0))
		return (usage_error(op->op_command, "--ledger-log and another "
		    "option name the same file, \"%s\": expected two", path));
	return (0);
}
