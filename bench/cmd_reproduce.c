/*
 * rngsim reproduce: published results beside predictions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/predict/reproduce.h"

CTASSERT(REPRODUCE_SEEDS == 5);	/* as the range of --seed allows */

static const char *
reproduction_name(unsigned i)
{

	return (i < reproduction_count ? reproductions[i]->rd_name : NULL);
}

static const char *
reproduction_descr(unsigned i)
{

	return (reproductions[i]->rd_descr);
}

const struct family family_reproductions = { .fa_name = reproduction_name,
    .fa_descr = reproduction_descr, .fa_title = "Publications" };

static int
check(struct options *op)
{
	char known[256];

	if (op->op_operands == 0 && op->op_given > 0)
		return (usage_error("reproduce", "expected what to reproduce "
		    "beside the options; \"rngsim reproduce\" lists it"));
	if (op->op_operands == 0 || family_find(&family_reproductions,
	    op->op_operand[0]) != -1)
		return (0);
	family_join(&family_reproductions, 0, NULL, known, sizeof(known));
	return (usage_error("reproduce", "\"%s\": expected %s",
	    op->op_operand[0], known));
}

static int
show(const struct options *op, const struct reproducing *rg)
{
	const unsigned missed = reproduce_missed(rg);
	int error = 0;

	if (op->op_format == FORMAT_JSON)
		error = reproduce_print_json(stdout, rg);
	else
		reproduce_print(stdout, rg);
	if (error != 0)
		return (run_error("reproduce", "%s", strerror(error)));
	if (missed == 0)
		return (EXIT_SUCCESS);
	/* The message follows its table. */
	fflush(stdout);
	return (run_error("reproduce", "%s: %u of %u figures %s outside what "
	    "is accepted", rg->rg_what->rd_name, missed,
	    rg->rg_what->rd_row_count, missed == 1 ? "lies" : "lie"));
}

static int
run(struct options *op)
{
	char why[PROFILE_ERROR_SIZE] = "";
	const struct reproduction *rd;
	static struct reproducing rg;
	static struct profile pr;
	unsigned i;
	int error;

	for (i = 0; op->op_operands == 0 && i < reproduction_count; i++)
		printf("  %-12s %s\n", reproductions[i]->rd_name,
		    reproductions[i]->rd_descr);
	if (op->op_operands == 0)
		return (EXIT_SUCCESS);
	rd = reproductions[family_find(&family_reproductions,
	    op->op_operand[0])];
	error = profile_load(&pr, op->op_profile != NULL ? op->op_profile :
	    rd->rd_profile, why);
	if (error == EINVAL || error == ENOENT || error == ESRCH)
		return (usage_error("reproduce", "--profile: %s", why));
	if (error != 0)
		return (run_error("reproduce", "--profile: %s", why));
	error = reproduce(&rg, rd, &pr, op->op_seed);
	return (error == 0 ? show(op, &rg) : run_error("reproduce", "%s",
	    error == EINTR ? "interrupted" : rg.rg_error));
}

const struct command cmd_reproduce = { check, run,
    NEEDS_STOP | NEEDS_CRYPTO };
