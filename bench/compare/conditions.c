#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "bench/compare/compare.h"

#define	REFUSE(...)	format_wrong(error, COMPARE_TEXT_SIZE, __VA_ARGS__)

/* Below: parts of a run differ by chance or not enough to matter. */
static const double moved_p = 0.01, moved_share = 0.01;

/* Whether a cell can show how the machine moved: a gated one cannot. */
static bool
counts(const struct result_cell *c)
{
	return (c->gate[0] == '\0' && c->total_mb_per_s > 0);
}

/* Totals of repeats over their cells' medians, by block: a repeat of each. */
struct blocks {
	double		*bl_totals;	/* [block][cell] */
	unsigned	 bl_cells;
	unsigned	 bl_count;	/* 0: too few cells or repeats */
};

static void
find_blocks(const struct result *r, struct blocks *bl)
{
	unsigned n = 0;

	*bl = (struct blocks){ .bl_count = UINT_MAX };
	for (unsigned i = 0; i < r->cell_count; i++) {
		if (!counts(&r->cells[i]))
			continue;
		bl->bl_cells++;
		bl->bl_count = MIN(bl->bl_count, r->cells[i].repeats);
	}
	if (bl->bl_cells < 2 || bl->bl_count < COMPARE_REPEATS_MIN)
		bl->bl_count = 0;
	bl->bl_totals = xcalloc(bl->bl_count + 1, (bl->bl_cells + 1) *
	    sizeof(double));
	for (unsigned k = 0; k < bl->bl_count; k++)
		for (unsigned i = 0; i < r->cell_count; i++)
			if (counts(&r->cells[i]))
				bl->bl_totals[n++] =
				    r->cells[i].samples[k].total_mb_per_s /
				    r->cells[i].total_mb_per_s;
}

/* All cells' totals in the last quarter of the run over those in the first. */
static void
flag_drift(struct compare *co, unsigned side, const struct blocks *bl)
{
	const unsigned n = (bl->bl_count + 3) / 4 * bl->bl_cells;
	double change, p, *first = bl->bl_totals, *last;

	if (n == 0)
		return;
	last = first + bl->bl_count * bl->bl_cells - n;
	p = hypothesis_welch(first, n, last, n);
	/* Their order is needed no more. */
	change = stats_median(last, n) / stats_median(first, n) - 1;
	if (p >= moved_p || !(fabs(change) >= moved_share))
		return;
	/* Within one run all cells were visited in turn. */
	if (co->co_by == COMPARE_RESULTS)
		co->co_noise = fmax(co->co_noise, fabs(change));
	compare_flag(co, "drift over the run%s: all cells' MB/s moved by "
	    "%+.1f %% from its first quarter to its last", co->co_by !=
	    COMPARE_RESULTS ? "" : side == 0 ? " of A" : " of B", 100 * change);
}

/*
 * How far all cells varied together from block to block: a disturbance longer
 * than a repeat falls on several cells, and perhaps on one run only.  The F
 * test of a two-way layout without replication decides whether blocks differ by
 * more than chance.  Returns: the standard deviation of what is common, or 0.
 */
static double
common_sd(const struct blocks *bl)
{
	const unsigned blocks = bl->bl_count, cells = bl->bl_cells;
	const double df = (cells - 1.0) * (blocks - 1.0), *v = bl->bl_totals;
	double between, cell, mean, *means, off, rest = 0;

	means = xcalloc(blocks, sizeof(*means));
	for (unsigned k = 0; k < blocks; k++)
		means[k] = gsl_stats_mean(v + k * cells, 1, cells);
	mean = gsl_stats_mean(means, 1, blocks);
	between = cells * gsl_stats_variance(means, 1, blocks);
	for (unsigned i = 0; i < cells; i++) {
		cell = gsl_stats_mean(v + i, cells, blocks);
		for (unsigned k = 0; k < blocks; k++) {
			off = v[k * cells + i] - cell - means[k] + mean;
			rest += off * off / df;
		}
	}
	free(means);
	if (!isfinite(between) || !isfinite(rest) || between <= rest ||
	    (rest > 0 && gsl_cdf_fdist_Q(between / rest, blocks - 1.0, df) >=
	    moved_p))
		return (0);
	return (sqrt((between - rest) / cells));
}

static void
flag_control(struct compare *co, bool same_program,
    const struct result_cell *a, const struct result_cell *b)
{
	double change;

	if (result_cell_order(&a, &b) != 0 || !counts(a) || !counts(b) ||
	    comparable_indistinct(a, b))
		return;
	change = b->total_mb_per_s / a->total_mb_per_s - 1;
	if (fabs(change) < moved_share)
		return;
	if (same_program)
		co->co_noise = fmax(co->co_noise, fabs(change));
	compare_flag(co, "%s changed: control design %s, lock %s, %u readers "
	    "moved by %+.1f %% from A to B", same_program ? "the machine" :
	    "the machine or the program", a->design, a->lock, a->readers,
	    100 * change);
}

void
compare_noise(struct compare *co, bool same_program)
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	unsigned sides = co->co_by == COMPARE_RESULTS ? 2 : 1;
	struct blocks bl;
	double noise;

	for (unsigned side = 0; side < sides; side++) {
		/* A simulated machine does not move. */
		if (provenance_of(co->co_result[side]) == RESULT_PREDICTED ||
		    (sides == 1 && comparable_sliced(a->cells)))
			continue;
		find_blocks(co->co_result[side], &bl);
		/*
		 * Within one run it falls on both cells of a pair.  95 % of
		 * blocks lie within two standard deviations.
		 */
		noise = sides < 2 || bl.bl_count == 0 ? 0 : 2 * common_sd(&bl);
		if (noise >= moved_share) {
			co->co_noise = fmax(co->co_noise, noise);
			compare_flag(co, "the machine was not quiet during %c: "
			    "all cells' MB/s together varied by +-%.1f %% from "
			    "block to block", "AB"[side], 100 * noise);
		}
		flag_drift(co, side, &bl);
		free(bl.bl_totals);
	}
	for (unsigned i = 0; i < a->control_count && sides == 2; i++)
		for (unsigned k = 0; k < b->control_count; k++)
			flag_control(co, same_program, &a->controls[i],
			    &b->controls[k]);
}

/* What may differ: the method, the host, and what may be compared. */
enum group { METHOD, HOST, BUILD, GROUPS };

static const struct condition {
	const char	*cn_name;
	const char	*cn_key;	/* of result_format_head() */
	enum group	 cn_group;
} conditions[] = {
	{ "measured seconds of a repeat", "time_s", METHOD },
	{ "INVARIANTS", "invariants", METHOD },
	{ "CPU", "cpu_model", HOST },
	{ "usable CPUs", "cpus", HOST },
	{ "CPUs", "cpus_machine", HOST },
	{ "CPU quota", "cpu_quota", HOST },
	{ "kernel", "kernel", HOST },
	{ "revision", "revision", BUILD },
	{ "compiler", "compiler", BUILD },
	{ "flags", "flags", BUILD },
	{ "libcrypto", "libcrypto", BUILD },
	{ "placement", "place", BUILD },
	{ "tunables", "tunables", BUILD },
	{ "harvest model", "harvest_model", BUILD },
	{ "sources", "sources", BUILD },
};

/*
 * Adds values in which two profiles of one name differ; where one lacks a value
 * topo.* differs.  An older result has no lines.
 */
static void
add_profiles(const struct result *const r[2], struct text groups[GROUPS])
{
	const bool none = r[0]->profile_sha256[0] == '\0';
	char *const *a, *const *b;
	size_t key, n, m;

	if (none != (r[1]->profile_sha256[0] == '\0'))
		text_list(&groups[BUILD], "profile (%c does not have its "
		    "values)", none ? 'A' : 'B');
	for (a = r[0]->profile; a != NULL && *a != NULL; a++) {
		/* Sources, in quotes, may differ. */
		key = strcspn(*a, "=");
		n = strcspn(*a, "\"");
		for (b = r[1]->profile; b != NULL && *b != NULL; b++) {
			m = strcspn(*b, "\"");
			if (strncmp(*a, *b, key) == 0 && (n != m ||
			    strncmp(*a, *b, n) != 0))
				text_list(&groups[HOST], "profile's %.*s (A "
				    "%.*s, B %.*s)", (int)key - 1, *a,
				    (int)(n - key) - 3, *a + key + 2,
				    (int)(m - key) - 3, *b + key + 2);
		}
	}
}

static void
find_differences(const struct result *const r[2], struct text groups[GROUPS])
{
	const bool predicted = provenance_of(r[0]) == RESULT_PREDICTED;
	json_t *head[2] = { result_format_head(r[0]),
	    result_format_head(r[1]) };
	const char *const machine[2] = { TEXT_OF(provenance_machine, r[0]),
	    TEXT_OF(provenance_machine, r[1]) };
	const json_t *values[2];

	for (unsigned i = 0; i < nitems(conditions); i++) {
		const struct condition *cn = &conditions[i];

		values[0] = json_object_get(head[0], cn->cn_key);
		values[1] = json_object_get(head[1], cn->cn_key);
		/* A simulated machine does not depend on the host. */
		if (json_equal(values[0], values[1]) ||
		    (predicted && cn->cn_group == HOST))
			continue;
		text_list(&groups[cn->cn_group], "%s (A %s, B %s)", cn->cn_name,
		    TEXT_OF(json_add, values[0]), TEXT_OF(json_add, values[1]));
	}
	json_decref(head[0]);
	json_decref(head[1]);
	if (predicted && strcmp(machine[0], machine[1]) != 0)
		text_list(&groups[HOST], "machine (A \"%s\", B \"%s\")",
		    machine[0], machine[1]);
	if (predicted && strcmp(r[0]->cells[0].profile,
	    r[1]->cells[0].profile) == 0)
		add_profiles(r, groups);
	if (provenance_ledgered(r[0]) != provenance_ledgered(r[1]))
		text_list(&groups[METHOD], "ledger (on in %s)",
		    provenance_ledgered(r[0]) ? "A" : "B");
}

static void
flag_conditions(struct compare *co, const struct text groups[GROUPS])
{
	static const char *const heads[GROUPS] = {
		[METHOD] = "different method", [HOST] = "different hosts",
		[BUILD] = "different"
	};
	const struct result *a = co->co_result[0];
	const bool two = co->co_by == COMPARE_RESULTS;

	for (unsigned side = 0; side < (two ? 2 : 1); side++) {
		if (!co->co_result[side]->complete)
			compare_flag(co, "%sincomplete: stopped before "
			    "everything was measured", !two ? "" : side == 0 ?
			    "A is " : "B is ");
		if (co->co_result[side]->unfit[0] != '\0')
			compare_flag(co, "the machine was not fit%s: %s",
			    !two ? "" : side == 0 ? " for A" : " for B",
			    co->co_result[side]->unfit);
	}
	/* The same program: its revision names one source. */
	compare_noise(co, groups[BUILD].s[0] == '\0' && strcmp(a->host.revision,
	    "unknown") != 0 && strstr(a->host.revision, "-dirty") == NULL);
	for (unsigned group = 0; group < GROUPS; group++)
		if (groups[group].s[0] != '\0')
			compare_flag(co, "%s: %s", heads[group],
			    groups[group].s);
	if (a->host.invariants)
		compare_flag(co, "INVARIANTS is on: its checks are timed too, "
		    "no figures to quote");
	if (provenance_ledgered(a))
		compare_flag(co, "a ledger was kept: its checks are timed too");
}

int
compare_conditions(struct compare *co, bool across,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	struct text groups[GROUPS] = { { .s = "" } };
	const char *host = groups[HOST].s, *method = groups[METHOD].s;

	if (provenance_of(a) != provenance_of(b))
		return (REFUSE("A was %s, B %s: a prediction is no measurement "
		    "to compare with; \"rngsim validate\" sets them beside "
		    "each other", provenance_word(a), provenance_word(b)));
	find_differences(co->co_result, groups);
	if (!across && (method[0] != '\0' || host[0] != '\0'))
		return (REFUSE("A and B were %s under different conditions: "
		    "%.800s%s%.1000s; --across compares them all the same",
		    provenance_word(a), method,
		    method[0] != '\0' && host[0] != '\0' ? ", " : "", host));
	flag_conditions(co, groups);
	return (0);
}
