/*
 * rngsim merge: results of the jobs of --plan as one.
 */
#include "bench/campaign/campaign.h"
#include "bench/cmd.h"
#include "bench/explore/document.h"

enum { BEGINNING = 128 };

static int
check(struct options *op)
{
	if (op->op_operands == 0)
		return (usage_error("expected the results of the jobs "
		    "of --plan, such as DIR/*.json"));
	if (op->op_output == NULL)
		return (usage_error("expected -o FILE"));
	for (int i = 0; i < op->op_operands; i++)
		if (strcmp(op->op_operand[i], op->op_output) == 0)
			return (usage_error("-o: \"%s\" is a part too: "
			    "expected another file", op->op_output));
	return (0);
}

/* The schema is at the beginning of what explore writes. */
static bool
is_campaign(const char *file)
{
	char text[BEGINNING + 1] = "";
	FILE *in = fopen(file, "re");

	if (in == NULL)
		return (false);
	text[fread(text, 1, BEGINNING, in)] = '\0';
	fclose(in);
	return (strstr(text, "\"" EXPLORE_SCHEMA "\"") != NULL);
}

static int
run(struct options *op)
{
	struct atomic_file of;
	int status;

	status = command_open(op->op_output, &of);
	if (status != 0)
		return (status);
	status = is_campaign(op->op_operand[0]) ? merge_campaigns(op, &of) :
	    merge_results(op, &of);
	if (status != 0)
		atomic_file_abort(&of);
	return (status);
}

const struct command cmd_merge = { check, run, 0 };
