#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/report/report.h"

enum {
	STAT_BAR	= 30,	/* of a bin that has all of a line's events */
	STAT_WIDEST	= 11,
	STAT_WIDEST_BIN	= 15,	/* digits of the last bin's end */
	/* Where lockstat(1)'s columns are widened. */
	STAT_COUNT	= 0,
	STAT_NSEC	= 4
};

static const char rule[] = "---------------------------------------------------"
    "----------------------------\n";

/* lockstat(1)'s columns, and widths where they suffice. */
static const struct column stat_columns[] = {
	{ "Count", 5 }, { "indv", 4 }, { "cuml", 4 }, { "rcnt", 4 },
	{ "nsec", 8 }, { "Lock", -22 }, { "Caller", -64 }
};
enum { STAT_COLUMNS = sizeof(stat_columns) / sizeof(stat_columns[0]) };

/* Where a row has an event's figures. */
static const struct event {
	const char	*ev_name;
	size_t		ev_count;	/* in struct result_row, as the rest */
	size_t		ev_total_ns;
	size_t		ev_log2;
} events[] = {
#define	EVENT(name, count, total, log2)	{ name,				\
	offsetof(struct result_row, count),				\
	offsetof(struct result_row, total),				\
	offsetof(struct result_row, log2) }
	EVENT("spin", spin_count, spin_total_ns, spin_log2),
	EVENT("block", block_count, block_total_ns, block_log2),
	EVENT("hold", count, hold_total_ns, hold_log2)
#undef EVENT
};

enum { EVENTS = sizeof(events) / sizeof(events[0]) };

/* The lines of one event of one class of locks. */
struct section {
	FILE		*se_out;
	const struct result_cell *se_cell;
	const struct event *se_event;
	const char	*se_class;
	double		 se_events;
	double		 se_window_s;	/* 0: the document lacks it */
	struct column	 se_columns[STAT_COLUMNS];
};

static const double *
reals_at(const struct result_row *row, size_t offset)
{
	return ((const void *)((const char *)row + offset));
}

/* lockstat(1)'s word for a class; other kinds of lock go by their names. */
static const char *
class_name(const struct result_cell *cell, const char *class)
{
	return (strcmp(class, "sleep mutex") == 0 ? "Adaptive mutex" :
	    strcmp(class, "spin mutex") == 0 ? "Spin lock" : cell->lock);
}

/* Widens a column where n needs it. */
static void
widen(struct column *column, double n)
{
	int len = (int)strlen(VIEW_WHOLE(n, STAT_WIDEST));

	column->width = len > column->width ? len : column->width;
}

static double
count_of(const struct section *se, const struct result_row *row)
{
	return (*reals_at(row, se->se_event->ev_count));
}

static double
mean_of(const struct section *se, const struct result_row *row)
{
	return (view_mean(*reals_at(row, se->se_event->ev_total_ns),
	    count_of(se, row)));
}

/*
 * The section's row after last, most frequent first, then as in the document.
 *
 *   last  in  NULL: the first one
 *
 * Returns: NULL when there is none.
 */
static const struct result_row *
next_row(const struct section *se, const struct result_row *last)
{
	const struct result_cell *cell = se->se_cell;
	const struct result_row *best = NULL, *row = cell->lock_profile;
	double count;

	for (; row < cell->lock_profile + cell->lock_profile_rows; row++) {
		count = count_of(se, row);
		if (count <= 0 ||
		    strcmp(view_class(cell, row->lock), se->se_class) != 0 ||
		    (last != NULL && (count > count_of(se, last) ||
		    (count >= count_of(se, last) && row <= last))))
			continue;
		if (best == NULL || count > count_of(se, best))
			best = row;
	}
	return (best);
}

static void
print_record(const struct section *se, const struct result_row *row, double sum)
{
	/* These locks have one holder at a time: rcnt is 1. */
	COLUMNS_ROW(se->se_out, se->se_columns,
	    VIEW_WHOLE(count_of(se, row), STAT_WIDEST),
	    FORMATF("%.0f%%", 100 * fmin(1, count_of(se, row) / se->se_events)),
	    FORMATF("%.0f%%", 100 * fmin(1, sum / se->se_events)), "1.00",
	    VIEW_WHOLE(mean_of(se, row), STAT_WIDEST), row->lock,
	    FORMATF("%s (%s)", row->site, row->role));
}

static void
print_distribution(FILE *out, const double *log2)
{
	unsigned first = RESULT_LOG2_BINS, last = 0;
	double sum = 0;
	int bar, width;

	for (unsigned bin = 0; bin < RESULT_LOG2_BINS; bin++) {
		if (log2[bin] <= 0)
			continue;
		first = first == RESULT_LOG2_BINS ? bin : first;
		last = bin;
		sum = view_sum(sum, log2[bin]);
	}
	if (first == RESULT_LOG2_BINS) {
		fputs("\n(the document has no distribution)\n", out);
		return;
	}
	width = (int)strlen(VIEW_WHOLE(ldexp(1, (int)last), STAT_WIDEST_BIN));
	width = width < 10 ? 10 : width;
	fprintf(out, "\n%*s %31s %s\n", width, "nsec",
	    "------ Time Distribution ------", "count");
	for (unsigned bin = first; bin <= last; bin++) {
		bar = (int)fmin(STAT_BAR, STAT_BAR * log2[bin] / sum);
		fprintf(out, "%*.0f |%.*s%*s %s\n", width,
		    ldexp(1, (int)bin), bar, "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@",
		    STAT_BAR - bar, "", VIEW_WHOLE(log2[bin], STAT_WIDEST));
	}
}

/* The line above a section, with the rate where the time is known. */
static void
print_title(const struct section *se)
{
	char rate[VIEW_SIZE] = "";

	if (se->se_window_s > 0)
		snprintf(rate, sizeof(rate), " in %.3f seconds (%.20s "
		    "events/sec)", fmin(se->se_window_s, 1e9),
		    VIEW_WHOLE(rint(view_mean(se->se_events,
		    se->se_window_s)), STAT_WIDEST));
	fputc('\n', se->se_out);
	format_wrapf(se->se_out, "", 2, "%s %s: %s events%s",
	    class_name(se->se_cell, se->se_class), se->se_event->ev_name,
	    VIEW_WHOLE(se->se_events, STAT_WIDEST), rate);
	fputc('\n', se->se_out);
}

/* Prints nothing if there are no events. */
static void
print_section(struct section *se, bool histogram)
{
	const struct result_row *first = next_row(se, NULL), *row;
	FILE *out = se->se_out;
	double sum = 0;

	se->se_events = 0;
	memcpy(se->se_columns, stat_columns, sizeof(stat_columns));
	for (row = first; row != NULL; row = next_row(se, row)) {
		se->se_events = view_sum(se->se_events, count_of(se, row));
		widen(&se->se_columns[STAT_COUNT], count_of(se, row));
		widen(&se->se_columns[STAT_NSEC], mean_of(se, row));
	}
	/* Callers are cut where the line ends. */
	se->se_columns[STAT_COLUMNS - 1].width = -(FORMAT_COLUMNS - 41 -
	    se->se_columns[STAT_COUNT].width - se->se_columns[STAT_NSEC].width);
	if (first != NULL)
		print_title(se);
	for (row = first; row != NULL; row = next_row(se, row)) {
		if (histogram)
			fputs(rule, out);
		if (row == first || histogram)
			COLUMNS_TITLES(out, se->se_columns);
		if (row == first && !histogram)
			fputs(rule, out);
		sum = view_sum(sum, count_of(se, row));
		print_record(se, row, sum);
		if (histogram)
			print_distribution(out, reals_at(row,
			    se->se_event->ev_log2));
	}
	if (first != NULL && histogram)
		fputs(rule, out);
}

static void
print_cell(FILE *out, const struct result_cell *cell, bool histogram)
{
	struct section se = { .se_out = out, .se_cell = cell };
	const struct result_row *rows = cell->lock_profile;
	unsigned k;

	/* The profile is of the windows of all repeats. */
	for (unsigned i = 0; i < cell->repeats; i++)
		se.se_window_s = view_sum(se.se_window_s,
		    cell->samples[i].window_s);
	for (unsigned event = 0; event < EVENTS; event++) {
		se.se_event = &events[event];
		for (unsigned i = 0; i < cell->lock_profile_rows; i++) {
			se.se_class = view_class(cell, rows[i].lock);
			/* Each class once. */
			for (k = 0; k < i; k++)
				if (strcmp(se.se_class, view_class(cell,
				    rows[k].lock)) == 0)
					break;
			if (k == i)
				print_section(&se, histogram);
		}
	}
	if (!view_detailed(cell))
		fputs("\nthe document does not count spins and blocks\n", out);
}

static void
print_cells(FILE *out, const struct result *r, bool histogram)
{
	for (const struct result_cell *cell = r->cells;
	    cell < r->cells + r->cell_count; cell++)
		if (view_cell(out, r, cell))
			print_cell(out, cell, histogram);
}

void
report_lockstat(FILE *out, const struct result *r)
{
	print_cells(out, r, false);
}

void
report_lockstat_histogram(FILE *out, const struct result *r)
{
	print_cells(out, r, true);
}
