#include "bench/options/option_set.h"

int
option_failpoint(struct options *op, const char *name, const char *text)
{
	char why[FAULT_ERROR_SIZE];

	if (faults_parse(&op->op_faults, text, why) != 0)
		return (usage_error(op->op_command, "%s: %s", name, why));
	return (0);
}

int
option_failpoint_finish(const struct options *op)
{
	const char *refused = NULL;

	if (op->op_faults.fl_count == 0)
		return (0);
	if (op->op_output != NULL)
		refused = "-o";
	else if (op->op_format_given)
		refused = "--format";
	else if (op->op_verify)
		refused = "--verify";
	else if (op->op_uncertainty > 0)
		refused = "--uncertainty";
	else if (op->op_trace != NULL)
		refused = "--trace";
	else if (op->op_ledger_path != NULL)
		refused = "--ledger-log";
	if (refused == NULL)
		return (0);
	return (usage_error(op->op_command, "--failpoint: a run with fail "
	    "points measures nothing and has no result: expected no %s",
	    refused));
}
