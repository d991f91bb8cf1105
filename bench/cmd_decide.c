/* rngsim decide: whether a lock gives more than another on some machine. */
#include "bench/cmd.h"
#include "bench/predict/published.h"
#include "bench/stats/stats.h"

static const struct column columns[] = {
	{ "threads", 7 }, { "ratio", 7 }, { "10-90 %", 16 }, { "chance", 7 },
	{ "answer", -10 }
};

static const char *
answer(const struct published_row *rb)
{
	return (rb->rb_chance >= STATS_ROBUST ? "yes" :
	    rb->rb_chance <= STATS_BAND_LOW ? "no" : "cannot say");
}

static const char *
lock(const struct published *pb, unsigned of)
{
	return (pb->pb_kind[0][1 - of]->lc_name);
}

static void
print_table(const struct published *pb)
{
	const struct profile *pr = &pb->pb_machine.vi_profile;

	printf("does %s give at least %s %% more than %s?\n", lock(pb, 1),
	    FORMATF("%g", 100 * pb->pb_op->op_margin), lock(pb, 0));
	format_wrapf(stdout, "predicted", 2, "for %s, %s %% of its values "
	    "guessed; loop %s, %u drawn profiles, seed %" PRIu64, pr->pr_name,
	    FORMAT(percent, 100 * profile_share(pr, PROVENANCE_GUESSED)),
	    pb->pb_loops.s, pb->pb_op->op_uncertainty, pb->pb_op->op_seed);
	COLUMNS_TITLES(stdout, columns);
	for (unsigned i = 0; i < pb->pb_chosen_count; i++) {
		const struct published_row *rb = pb->pb_chosen[i];

		COLUMNS_ROW(stdout, columns, FORMATF("%u", rb->rb_threads),
		    FORMAT(real, rb->rb_predicted_ns), FORMATF("%s..%s",
		    FORMAT(real, rb->rb_band_ns[0]),
		    FORMAT(real, rb->rb_band_ns[1])),
		    FORMATF("%.0f %%", 100 * rb->rb_chance), answer(rb));
	}
}

static json_t *
json_row(const void *of, unsigned i)
{
	const struct published_row *rb =
	    ((const struct published *)of)->pb_chosen[i];

	return (json_pack("{s:i, s:f, s:[f, f], s:f, s:s}",
	    "threads", (int)rb->rb_threads, "ratio", rb->rb_predicted_ns,
	    "band", rb->rb_band_ns[0], rb->rb_band_ns[1],
	    "chance", rb->rb_chance, "answer", answer(rb)));
}

static void
print_json(const struct published *pb)
{
	const struct profile *pr = &pb->pb_machine.vi_profile;

	json_print(stdout, json_pack("{s:s, s:s, s:f, s:s, s:[s, s], s:f, s:i, "
	    "s:I, s:o}", "claim", "predicted", "profile", pr->pr_name,
	    "guessed_share", profile_share(pr, PROVENANCE_GUESSED), "loop",
	    pb->pb_loops.s, "locks", lock(pb, 0), lock(pb, 1), "by",
	    pb->pb_op->op_margin, "samples", (int)pb->pb_op->op_uncertainty,
	    "seed", (json_int_t)pb->pb_op->op_seed, "rows",
	    json_list(pb->pb_chosen_count, json_row, pb)));
}

static int
check(struct options *op)
{
	return (op->op_locks.ol_count == 2 ? 0 : usage_error("-l: expected two "
	    "locks, as -l qspin,cna: what the second gives over the first"));
}

static int
run(struct options *op)
{
	static struct published pb;
	char why[PROFILE_ERROR_SIZE] = "";
	int error, status;
	unsigned cpus;

	error = virtual_make(&pb.pb_machine, op->op_profile, 0, 0, why);
	if (error != 0)
		return (argument_error(error, "--profile: %s", why));
	if (pb.pb_machine.vi_profile.pr_value[PROFILE_MODEL_PAIR] == 0)
		return (usage_error("--profile: %s has no model.pair: "
		    "expected a profile with errors of the model, as "
		    "calibrate writes it", pb.pb_machine.vi_profile.pr_name));
	cpus = pb.pb_machine.vi_topology.tp_cpus;
	if (op->op_readers.ol_count == 0)
		option_list_add(&op->op_readers, "-r", "", cpus);
	if (option_list_max(&op->op_readers) > cpus)
		return (usage_error("-r: %" PRIu64 ": expected 1..%u, as %s "
		    "has CPUs", option_list_max(&op->op_readers), cpus,
		    pb.pb_machine.vi_profile.pr_name));
	op->op_predict = true;
	if ((status = published_open(&pb, op)) == 0)
		status = published_predict(&pb);
	if (status == 0)
		(op->op_format == FORMAT_JSON ? print_json : print_table)(&pb);
	published_free(&pb);
	return (status);
}

const struct command cmd_decide = { check, run, NEEDS_STOP | NEEDS_CRYPTO };
