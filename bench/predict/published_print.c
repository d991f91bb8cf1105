/* Published figures beside predictions: tables of 80 columns, CSV, JSON. */
#include "bench/predict/published.h"
#include "bench/stats/stats.h"

enum { SHOWN_MAX = 8 };	/* numbers of threads in a table */

static const struct column summary_columns[] = {
	{ "lock", -26 }, { "simulated", -14 }, { "points", 6 },
	{ "median", 7 }, { "90 %", 6 }, { "worst", 7 }, { "bias", 6 }
};

static double
off(const struct published_row *rb)
{
	return (rb->rb_predicted_ns / rb->rb_ns - 1);
}

/* The absolute errors of a lock, or of all. */
struct errors {
	double		 ee_median, ee_p90;
	double		 ee_inside;	/* share in the bands; -1: none drawn */
	struct agreement ee_agreement;
};

enum { ALL_LOCKS = PUBLISHED_NAMES_MAX };

static struct errors
errors_of(const struct published *pb, unsigned lock)
{
	double *scratch = xcalloc(pb->pb_chosen_count, sizeof(*scratch));
	struct errors ee = { .ee_median = 0 };
	const unsigned *n = &ee.ee_agreement.ag_count;
	const struct published_row *rb;

	for (unsigned i = 0; i < pb->pb_chosen_count; i++) {
		rb = pb->pb_chosen[i];
		if (lock != ALL_LOCKS && rb->rb_lock != lock)
			continue;
		scratch[*n] = fabs(off(rb));
		ee.ee_inside += rb->rb_ns >= rb->rb_band_ns[0] &&
		    rb->rb_ns <= rb->rb_band_ns[1];
		agreement_add(&ee.ee_agreement, rb->rb_ns, rb->rb_predicted_ns,
		    true, rb);
	}
	if (*n > 0) {
		ee.ee_median = stats_median(scratch, *n);
		ee.ee_p90 = stats_quantile(scratch, *n, 0.9);
		ee.ee_inside /= *n;
	}
	if (pb->pb_op->op_uncertainty == 0)
		ee.ee_inside = -1;
	free(scratch);
	return (ee);
}

static struct agreement_item
item(const struct published_row *rb)
{
	const double v = rb->rb_ns, p = rb->rb_predicted_ns;

	return ((struct agreement_item){ { v, v, v }, { p, p, p } });
}

/* Whether two rows are of one group and as many threads. */
static bool
alike(const struct published_row *a, const struct published_row *b)
{
	return (a->rb_group == b->rb_group && a->rb_threads == b->rb_threads);
}

/* How well locks are ranked: Kendall's tau for each group and threads. */
struct ranking {
	unsigned	 rk_count;	/* of rankings of three locks or more */
	double		 rk_mean, rk_least;
	const struct published_row *rk_least_of;
};

static struct ranking
ranking_of(const struct published *pb)
{
	struct published_row *const *rows = pb->pb_chosen;
	const unsigned n = pb->pb_chosen_count;
	struct agreement_ranks ar;
	struct ranking rk = { .rk_count = 0 };
	unsigned first, locks;
	double tau;

	for (unsigned i = 0; i < n; i++) {
		for (first = 0; !alike(rows[first], rows[i]);)
			first++;
		if (first < i)
			continue;
		ar = (struct agreement_ranks){ .agr_told = 0 };
		locks = 0;
		for (unsigned k = i; k < n; k++)
			for (unsigned m = k; alike(rows[k], rows[i]) && m < n;
			    m++) {
				locks += m == k;
				if (m > k && alike(rows[m], rows[i]))
					agreement_rank(item(rows[k]),
					    item(rows[m]), &ar);
			}
		if (locks < 3 || ar.agr_told == 0)
			continue;
		tau = agreement_tau(&ar);
		rk.rk_mean = (rk.rk_mean * rk.rk_count + tau) /
		    (rk.rk_count + 1);
		if (rk.rk_count++ == 0 || tau < rk.rk_least) {
			rk.rk_least = tau;
			rk.rk_least_of = rows[i];
		}
	}
	return (rk);
}

/* The numbers of threads that a group's table shows: spread by ratio. */
static unsigned
shown(const struct published *pb, unsigned group, unsigned out[SHOWN_MAX])
{
	bool there[CELL_READERS_MAX + 1] = { false };
	unsigned all[CELL_READERS_MAX], count = 0, n = 0;
	double step, want = 0;

	for (unsigned i = 0; i < pb->pb_chosen_count; i++)
		if (pb->pb_chosen[i]->rb_group == group)
			there[pb->pb_chosen[i]->rb_threads] = true;
	for (unsigned i = 1; i <= CELL_READERS_MAX; i++)
		if (there[i])
			all[count++] = i;
	step = count <= SHOWN_MAX ? 1 : pow((double)all[count - 1] / all[0],
	    1 / (SHOWN_MAX - 1.));
	for (unsigned i = 0; i < count; i++)
		if (i + 1 == count || all[i] >= want) {
			want = all[i] * step;
			out[n++] = all[i];
		}
	return (n);
}

static const struct published_row *
find(const struct published *pb, unsigned group, unsigned lock,
    unsigned threads)
{
	struct published_row *const *rb = pb->pb_chosen;

	for (; rb < pb->pb_chosen + pb->pb_chosen_count; rb++)
		if ((*rb)->rb_group == group && (*rb)->rb_lock == lock &&
		    (*rb)->rb_threads == threads)
			return (*rb);
	return (NULL);
}

static const char *
unit(const struct published *pb)
{
	return (pb->pb_unit->ub_ratio ? "ratio" : "ns");
}

/* A lock's rows: published, predicted, how far off; or predicted, and band. */
static void
print_group(FILE *out, const struct published *pb, unsigned group)
{
	static const char *const lines[2][3] = { { "publ.", "pred.", "off %" },
	    { "pred.", "10 %", "90 %" } };
	const bool predict = pb->pb_op->op_predict;
	const unsigned each = predict && pb->pb_op->op_uncertainty == 0 ? 1 : 3;
	const char *name = pb->pb_groups.nm_name[group];
	const struct published_row *rb;
	unsigned there, threads[SHOWN_MAX];
	const unsigned n = shown(pb, group, threads);

	if (n == 0)
		return;
	putc('\n', out);
	format_wrapf(out, "", 2, "%s%s%s", name, name[0] != '\0' ? ": " : "",
	    pb->pb_unit->ub_ratio ? "rate of the first lock over the second's" :
	    "ns between acquisitions of the whole system");
	if (pb->pb_unit->ub_scaled && !predict)
		fprintf(out, "  fitted: %.4g ns over the published count\n",
		    pb->pb_unit->ub_ns * pb->pb_scale[group]);
	fprintf(out, "%-24s", "threads");
	for (unsigned i = 0; i < n; i++)
		fprintf(out, " %6u", threads[i]);
	putc('\n', out);
	for (unsigned k = 0; k < each * pb->pb_locks.nm_count; k++) {
		const unsigned lock = k / each, line = k % each;

		there = 0;
		for (unsigned i = 0; i < n; i++)
			there += find(pb, group, lock, threads[i]) != NULL;
		if (there == 0)
			continue;
		fprintf(out, "%-17.17s %-6s", line == 0 ? pb->pb_locks.
		    nm_name[lock] : line == 1 ? FORMATF("  = %s",
		    pb->pb_simulated[lock]) : "", lines[predict][line]);
		for (unsigned i = 0; i < n; i++) {
			rb = find(pb, group, lock, threads[i]);
			fprintf(out, " %6s", rb == NULL ? "-" : line == 2 &&
			    !predict ? FORMATF("%+.0f", 100 * off(rb)) :
			    FORMAT(real, line + predict == 1 ?
			    rb->rb_predicted_ns : predict ?
			    rb->rb_band_ns[line - 1] : rb->rb_ns));
		}
		putc('\n', out);
	}
}

static void
print_summary(FILE *out, const struct published *pb)
{
	const unsigned locks = pb->pb_locks.nm_count;
	const struct ranking rk = ranking_of(pb);
	struct errors ee;

	fputs("\nabsolute errors in %; worst with its sign; bias: predicted "
	    "over published\n", out);
	COLUMNS_TITLES(out, summary_columns);
	for (unsigned lock = 0; lock <= locks; lock++) {
		ee = errors_of(pb, lock < locks ? lock : ALL_LOCKS);
		if (ee.ee_agreement.ag_count == 0)
			continue;
		COLUMNS_ROW(out, summary_columns, lock < locks ?
		    pb->pb_locks.nm_name[lock] : "all", lock < locks ?
		    pb->pb_simulated[lock] : "", FORMATF("%u",
		    ee.ee_agreement.ag_count), FORMATF("%.1f", 100 *
		    ee.ee_median), FORMATF("%.1f", 100 * ee.ee_p90),
		    FORMATF("%+.0f", 100 * ee.ee_agreement.ag_worst),
		    FORMATF("%.2f", agreement_bias(&ee.ee_agreement)));
	}
	if (rk.rk_count > 0)
		format_wrapf(out, "ranks", 2, "of locks, Kendall's tau: mean "
		    "%.2f of %u; least %.2f, %u threads, %s", rk.rk_mean,
		    rk.rk_count, rk.rk_least, rk.rk_least_of->rb_threads,
		    pb->pb_groups.nm_name[rk.rk_least_of->rb_group]);
	/* Of all, which come last. */
	if (pb->pb_op->op_uncertainty > 0)
		fprintf(out, "inside the 10-90 %% band of %u drawn profiles: "
		    "%.1f %% of %u published points\n",
		    pb->pb_op->op_uncertainty, 100 * ee.ee_inside,
		    pb->pb_chosen_count);
}

void
published_print(FILE *out, const void *of)
{
	const struct published *pb = of;
	const struct options *op = pb->pb_op;
	const struct profile *pr = &pb->pb_machine.vi_profile;
	const char *slash = strrchr(op->op_published, '/');
	const size_t n = strlen(pb->pb_skipped);

	fprintf(out, "%s\n", slash != NULL ? slash + 1 : op->op_published);
	format_wrapf(out, "predicted", 2, "for %s, %s %% of its values "
	    "guessed; loop %s, --place %s, seed %" PRIu64, pr->pr_name,
	    FORMAT(percent, 100 * profile_share(pr, PROVENANCE_GUESSED)),
	    pb->pb_loops.s, op->op_place_text != NULL ?
	    op->op_place_text : pb->pb_loop->lb_place, op->op_seed);
	if (n > 2)
		format_wrapf(out, "skipped  ", 2, "%.*s", (int)n - 2,
		    pb->pb_skipped);
	for (unsigned i = 0; i < pb->pb_groups.nm_count; i++)
		print_group(out, pb, i);
	if (!op->op_predict)
		print_summary(out, pb);
}

void
published_print_csv(FILE *out, const void *of)
{
	const struct published *pb = of;
	const struct published_row *rb;

	fprintf(out, "group,lock,simulated,threads,published_%s,predicted_%s,"
	    "off,low_%s,high_%s\n", unit(pb), unit(pb), unit(pb), unit(pb));
	for (unsigned i = 0; i < pb->pb_chosen_count; i++) {
		rb = pb->pb_chosen[i];
		fprintf(out, "%s,%s,%s,%u,%s,%.6g,%s,%.6g,%.6g\n",
		    pb->pb_groups.nm_name[rb->rb_group],
		    pb->pb_locks.nm_name[rb->rb_lock],
		    pb->pb_simulated[rb->rb_lock], rb->rb_threads,
		    pb->pb_op->op_predict ? "" : FORMATF("%.6g", rb->rb_ns),
		    rb->rb_predicted_ns, pb->pb_op->op_predict ? "" :
		    FORMATF("%.4f", off(rb)), rb->rb_band_ns[0],
		    rb->rb_band_ns[1]);
	}
}

static json_t *
json_row(const void *of, unsigned i)
{
	const struct published *pb = of;
	const struct published_row *rb = pb->pb_chosen[i];
	json_t *js = json_pack("{s:s, s:s, s:s, s:i, s:f}", "group",
	    pb->pb_groups.nm_name[rb->rb_group], "lock",
	    pb->pb_locks.nm_name[rb->rb_lock], "simulated",
	    pb->pb_simulated[rb->rb_lock], "threads", (int)rb->rb_threads,
	    FORMATF("predicted_%s", unit(pb)), rb->rb_predicted_ns);

	if (!pb->pb_op->op_predict)
		json_object_update_new(js, json_pack("{s:f, s:f}",
		    FORMATF("published_%s", unit(pb)), rb->rb_ns,
		    "off", off(rb)));
	if (pb->pb_op->op_uncertainty > 0)
		json_object_update_new(js, json_pack("{s:[f, f]}",
		    FORMATF("band_%s", unit(pb)), rb->rb_band_ns[0],
		    rb->rb_band_ns[1]));
	return (js);
}

void
published_print_json(FILE *out, const void *of)
{
	const struct published *pb = of;
	const struct options *op = pb->pb_op;
	struct ranking rk;
	struct errors ee;
	json_t *js = json_pack("{s:s, s:s, s:s, s:f, s:s, s:I, s:s}",
	    "published", op->op_published, "claim", "predicted",
	    "profile", pb->pb_machine.vi_profile.pr_name, "guessed_share",
	    profile_share(&pb->pb_machine.vi_profile, PROVENANCE_GUESSED),
	    "loop", pb->pb_loops.s, "seed", (json_int_t)op->op_seed,
	    "skipped", pb->pb_skipped);

	if (!op->op_predict) {
		rk = ranking_of(pb);
		ee = errors_of(pb, ALL_LOCKS);
		json_object_update_new(js, json_pack("{s:i, s:f, s:f, s:f, "
		    "s:i, s:f, s:f, s:f}", "points",
		    (int)ee.ee_agreement.ag_count, "median", ee.ee_median,
		    "p90", ee.ee_p90, "bias", agreement_bias(&ee.ee_agreement),
		    "rankings", (int)rk.rk_count, "tau_mean", rk.rk_mean,
		    "tau_least", rk.rk_least, "inside", ee.ee_inside));
	}
	json_object_set_new(js, "rows", json_list(pb->pb_chosen_count, json_row,
	    pb));
	json_print(out, js);
}
