/* rngsim reproduce: published results beside predictions. */
#include "bench/cli/child.h"
#include "bench/cmd.h"
#include "bench/page/page.h"
#include "bench/predict/published.h"

CTASSERT(REPRODUCE_SEEDS == 5);	/* as the range of --seed allows */

FAMILY_DESCR(reproduce_names, reproductions[i].rn_descr)
FAMILY(reproduce_names, reproduction_count, reproductions[i].rn_name,
    .fa_descr = reproduce_names_descr, .fam_title = "Publications");

/* What has no effect on routers; on a publication without a file; on a file. */
static const enum option_id no_routers[] = { OPTION_MAP, OPTION_PREDICT,
    OPTION_PUBLISHED_LOOP, OPTION_UNITS, OPTION_PUBLISHED_PLACE,
    OPTION_PUBLISHED_TIME, OPTION_PUBLISHED_HOLD, OPTIONS };
static const enum option_id no_file[] = { OPTION_REPRODUCE_DESIGN, OPTION_MAP,
    OPTION_PUBLISHED_LOOP, OPTION_UNITS, OPTION_PUBLISHED_THREADS,
    OPTION_PUBLISHED_PLACE, OPTION_PUBLISHED_TIME, OPTION_PUBLISHED_HOLD,
    OPTION_UNCERTAINTY, OPTION_PUBLISHED, OPTION_PREDICT, OPTIONS };
static const enum option_id no_locks[] = { OPTION_REPRODUCE_DESIGN, OPTIONS };

static int
check(struct options *op)
{
	const char *name = op->op_operands == 0 ? NULL : op->op_operand[0];
	const int i = name == NULL ? -1 : family_find(&reproduce_names, name);
	const struct reproduction *rn = i == -1 ? NULL : &reproductions[i];
	const bool routers = rn != NULL && rn->rn_profile == NULL;
	const bool one = rn != NULL && rn->rn_file == NULL;
	const char *given = options_given_of(op, routers ? no_routers : one ?
	    no_file : no_locks);

	if (name != NULL && rn == NULL)
		return (family_refuse(&reproduce_names, "", name, NULL));
	if (given != NULL)
		return (usage_error("%s has no effect on \"%s\": expected "
		    "another publication, or no %s", given, name == NULL ?
		    "--published" : name, given));
	if (op->op_designs.ol_count > 1)
		return (usage_error("-d: expected one design"));
	if (op->op_published != NULL && !routers && name != NULL)
		return (usage_error("\"%s\" and --published: expected one of "
		    "them", name));
	if (op->op_published != NULL && !routers && (op->op_profile == NULL ||
	    op->op_map == NULL))
		return (usage_error("--published: expected --profile and --map "
		    "with it"));
	if (name == NULL && op->op_published == NULL && op->op_given > 0)
		return (usage_error("expected a NAME with these options; "
		    "\"rngsim reproduce\" lists the names"));
	return (one && op->op_format == FORMAT_CSV ? usage_error("--format: "
	    "\"csv\": expected table or json with \"%s\"", name) : 0);
}

/* One of these is shown. */
static struct reproducing ri;
static struct published pb;

struct showing {
	const void	*shg_of;
	const char	*shg_machine;
	reproduce_printer *shg_print[FORMAT_JSON + 1];
};

static void
print_page(FILE *out, const void *of)
{
	const struct showing *sh = of;
	const bool one = sh->shg_of == &ri;
	const unsigned missed = one ? reproduce_missed(&ri) : 0;

	page_begin(out, one ? FORMATF("rngsim: reproduce %s",
	    reproductions->rn_name) : "rngsim: reproduce", RESULT_PREDICTED,
	    FORMATF("for %s; computed by rngsim, beside published figures",
	    sh->shg_machine));
	if (one && missed == 0)
		page_paragraph(out, "p class=\"better\"", "All figures are "
		    "within what is accepted.");
	if (missed > 0)
		page_paragraph(out, "p class=\"worse\"", FORMATF("%u of %u "
		    "figures lie outside what is accepted.", missed,
		    REPRODUCE_ROWS));
	page_printed(out, sh->shg_print[FORMAT_TABLE], sh->shg_of);
	page_end(out);
}

static int
show(const struct options *op, const struct showing *sh)
{
	if (op->op_html != NULL &&
	    command_write(op->op_html, print_page, sh) != 0)
		return (EXIT_FAILURE);
	sh->shg_print[op->op_format](stdout, sh->shg_of);
	return (EXIT_SUCCESS);
}

static int
run_one(const struct options *op, const struct reproduction *rn)
{
	char why[PROFILE_ERROR_SIZE] = "";
	static struct profile pr;
	int error = profile_load(&pr, op->op_profile != NULL ?
	    op->op_profile : rn->rn_profile, why), status;
	unsigned missed;

	if (error != 0)
		return (argument_error(error, "--profile: %s", why));
	if ((status = command_open(op->op_html, NULL)) != 0)
		return (status);
	if ((error = reproduce(&ri, reproduce_run, &pr, op->op_seed)) != 0)
		return (run_error("%s", error == EINTR ? "interrupted" :
		    ri.ri_error));
	status = show(op, &(struct showing){ &ri, ri.ri_profile.pr_name,
	    { reproduce_print, NULL, reproduce_print_json } });
	missed = reproduce_missed(&ri);
	if (status != 0 || missed == 0)
		return (status);
	/* The message follows its table. */
	fflush(stdout);
	return (run_error("%s: %u of %u figures %s outside what is accepted",
	    rn->rn_name, missed, REPRODUCE_ROWS, missed == 1 ? "lies" : "lie"));
}

/* Predicts a file of figures: rn's, or with NULL the one that was given. */
static int
run_file(struct options *op, const struct reproduction *rn)
{
	char folder[PROGRAM_PATH_SIZE] = "", path[PROGRAM_PATH_SIZE + 64];
	char why[PROFILE_ERROR_SIZE] = "";
	int error, status;

	if (rn != NULL && op->op_published == NULL) {
		if (!program_data("published", "lib/published", folder))
			return (run_error("the files of published figures are "
			    "not installed"));
		snprintf(path, sizeof(path), "%s/%s", folder, rn->rn_file);
		op->op_published = path;
	}
	if (rn != NULL && rn->rn_profile == NULL) {
		if ((status = forwarding_open(op, op->op_published)) == 0)
			status = command_open(op->op_html, NULL);
		if (status == 0)
			status = forwarding_predict();
		return (status != 0 ? status : show(op, &(struct showing){
		    NULL, "the machines below", { forwarding_print,
		    forwarding_print_csv, forwarding_print_json } }));
	}
	if (rn != NULL) {
		if (op->op_map == NULL)
			op->op_map = rn->rn_map;
		if (op->op_profile == NULL)
			op->op_profile = rn->rn_profile;
	}
	error = virtual_make(&pb.pb_machine, op->op_profile, 0, 0, why);
	if (error != 0)
		return (argument_error(error, "--profile: %s", why));
	if ((status = command_open(op->op_html, NULL)) != 0)
		return (status);
	if ((status = published_open(&pb, op)) == 0)
		status = published_predict(&pb);
	if (status == 0)
		status = show(op, &(struct showing){ &pb,
		    pb.pb_machine.vi_profile.pr_name, { published_print,
		    published_print_csv, published_print_json } });
	published_free(&pb);
	return (status);
}

static int
run(struct options *op)
{
	const struct reproduction *rn = NULL;

	if (op->op_operands == 0 && op->op_published == NULL) {
		for (unsigned i = 0; i < reproduction_count; i++)
			printf("  %-18s %s\n", reproductions[i].rn_name,
			    reproductions[i].rn_descr);
		return (EXIT_SUCCESS);
	}
	if (op->op_operands > 0)
		rn = &reproductions[family_find(&reproduce_names,
		    op->op_operand[0])];
	return (rn == NULL || rn->rn_file != NULL ? run_file(op, rn) :
	    run_one(op, rn));
}

const struct command cmd_reproduce = { check, run, NEEDS_STOP | NEEDS_CRYPTO };
