#include "bench/cmd.h"
#include "bench/compare/compare.h"

/* What the options mean. */
static unsigned	wanted;		/* bit i: quantities[i] */
static struct compare_gate gates[OPTIONS_FAIL_IF_MAX];

static int
check(struct options *op)
{
	char why[COMPARE_TEXT_SIZE];

	for (unsigned i = 0; i < op->op_quantities.ol_count; i++)
		wanted |= 1u << op->op_quantities.ol_value[i];
	if (wanted == 0 && op->op_fail_ifs == 0)
		wanted = (1u << QUANTITIES) - 1;
	for (unsigned i = 0; i < op->op_fail_ifs; i++) {
		if (compare_gate_parse(&gates[i], op->op_fail_if[i], why) != 0)
			return (usage_error("--fail-if: \"%s\": %s",
			    op->op_fail_if[i], why));
		/* Without -q no other quantity is tested. */
		if (op->op_quantities.ol_count == 0)
			wanted |= 1u << gates[i].cg_quantity;
		if ((wanted & 1u << gates[i].cg_quantity) == 0)
			return (usage_error("--fail-if: \"%s\": -q leaves this "
			    "quantity out", op->op_fail_if[i]));
	}
	return (op->op_operands == (GIVEN(op, BY) ? 1 : 2) ? 0 : usage_error(
	    "%d result%s%s: expected two files, or one and --by design, lock, "
	    "cipher or host", op->op_operands, PLURAL(op->op_operands),
	    GIVEN(op, BY) ? " and --by" : ""));
}

static int
emit(const struct options *op, const struct compare *co)
{
	int failed, status;

	if (op->op_format == FORMAT_TABLE)
		verdict_print(stdout, co);
	else if (op->op_format == FORMAT_SENTENCES)
		verdict_print_sentences(stdout, co);
	else {
		/* CSV has no place for them. */
		verdict_print_flags(stderr, co, "rngsim: compare: ");
		verdict_print_csv(stdout, co);
	}
	status = op->op_fail_ifs == 0 ? compare_fail_unjudged(co) : 0;
	for (unsigned i = 0; i < op->op_fail_ifs; i++) {
		failed = compare_fail_if(co, &gates[i], GIVEN(op, REFUSED_OK));
		/* A failure of the subject outweighs the machine's. */
		if (failed != 0 && status != EXIT_FAILURE)
			status = failed;
	}
	return (status);
}

static int
compare(const struct options *op, struct result r[2])
{
	static const struct family *const families[] = { &family_designs,
	    &family_locks, &family_ciphers };
	const int last = op->op_operands - 1;
	struct compare co = {
		.co_result = { &r[0], &r[last] },
		.co_path = { op->op_operand[0], op->op_operand[last] },
		.co_by = GIVEN(op, BY) ? (enum compare_by)(COMPARE_DESIGN +
		    op->op_by) : COMPARE_RESULTS,
		.co_wanted = wanted, .co_verbose = GIVEN(op, VERBOSE),
		.co_margin = GIVEN(op, MARGIN) ? op->op_margin :
		    compare_margin(&r[0])
	};
	char why[COMPARE_TEXT_SIZE] = "";
	unsigned side;
	int error, status;

	for (int i = 0; i <= last; i++)
		if (r[i].cell_count == 0)
			return (run_error("%s: holds no cell",
			    op->op_operand[i]));
	if ((error = compare_conditions(&co, GIVEN(op, ACROSS), why)) == 0)
		error = compare_match(&co, op->op_base, why);
	status = error == 0 ? 0 : error == ENOENT && co.co_by != COMPARE_HOST &&
	    family_find(families[op->op_by], op->op_base) == -1 ?
	    usage_error("%s", why) : run_error("%s", why);
	/* A gate never sees the cells that one file lacks. */
	side = co.co_alone_count[0] > 0 ? 0 : 1;
	if (status == 0 && co.co_alone_count[side] > 0 && !GIVEN(op, BY) &&
	    !GIVEN(op, COMMON))
		status = run_error("cells only in A: %u, only in B: %u, such "
		    "as \"%s\" in %c; --common compares the others",
		    co.co_alone_count[0], co.co_alone_count[1],
		    TEXT_OF(describe_cell, co.co_alone[side]), "AB"[side]);
	if (status == 0) {
		compare_judge(&co);
		status = emit(op, &co);
	}
	compare_free(&co);
	return (status);
}

static int
run(struct options *op)
{
	char why[RESULT_TEXT_SIZE] = "";
	int status = 0;
	struct result r[2] = { { .cells = NULL }, { .cells = NULL } };

	for (int i = 0; status == 0 && i < op->op_operands; i++)
		if (result_load(op->op_operand[i], &r[i], why) != 0)
			status = run_error("%s: %s", op->op_operand[i], why);
	if (status == 0)
		status = compare(op, r);
	result_free(&r[0]);
	result_free(&r[1]);
	return (status);
}

const struct command cmd_compare = { check, run, 0 };
