/* rngsim merge: results of the jobs of --plan as one. */
#include "bench/cmd.h"
#include "bench/explore/print.h"

enum { BEGINNING = 128 };

static int
check(struct options *op)
{
	if (op->op_operands == 0)
		return (usage_error("expected the results of the jobs of "
		    "--plan, such as DIR/*.json"));
	return (op->op_output == NULL ? usage_error("expected -o FILE") : 0);
}

static int
run(struct options *op)
{
	FILE *in = fopen(op->op_operand[0], "re");
	char text[BEGINNING + 1] = "";
	int status;

	/* The schema is at the beginning of what explore writes. */
	if (in != NULL) {
		text[fread(text, 1, BEGINNING, in)] = '\0';
		fclose(in);
	}
	if ((status = command_open(op->op_output, NULL)) != 0)
		return (status);
	return (strstr(text, "\"" EXPLORE_SCHEMA "\"") != NULL ?
	    merge_campaigns(op) : merge_results(op));
}

const struct command cmd_merge = { check, run, 0 };
