#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/report_lockstat.h"
#include "bench/result/group.h"

enum {
	STAT_RULE	= 79,
	STAT_BAR	= 30,	/* of a bin that has all of a line's events */
	STAT_COUNT	= 5,	/* lockstat(1)'s widths, where they suffice */
	STAT_NSEC	= 8,
	STAT_BIN	= 10,
	STAT_WIDEST	= 11,
	STAT_WIDEST_BIN	= 15,	/* digits of the last bin's end */
	STAT_LOCK	= 22,
	STAT_FIXED	= 19	/* columns between and beside these */
};

/*
 * What lockstat(1) calls the classes of locks.  Other kinds go by their names,
 * as they have no events in the kernel; the cell's own lock alone can be one.
 */
static const struct {
	const char	*class;
	const char	*name;
} class_names[] = {
	{ "sleep mutex", "Adaptive mutex" },
	{ "spin mutex", "Spin lock" },
};

enum { CLASS_NAMES = sizeof(class_names) / sizeof(class_names[0]) };

/* Where a row has an event's figures. */
struct event {
	const char	*ev_name;
	size_t		ev_count;	/* in struct result_row, as the rest */
	size_t		ev_total_ns;
	size_t		ev_log2;
};

static const struct event events[] = {
	{ "spin",
	    offsetof(struct result_row, spin_count),
	    offsetof(struct result_row, spin_total_ns),
	    offsetof(struct result_row, spin_log2) },
	{ "block",
	    offsetof(struct result_row, block_count),
	    offsetof(struct result_row, block_total_ns),
	    offsetof(struct result_row, block_log2) },
	{ "hold",
	    offsetof(struct result_row, count),
	    offsetof(struct result_row, hold_total_ns),
	    offsetof(struct result_row, hold_log2) },
};

enum { EVENTS = sizeof(events) / sizeof(events[0]) };

/* One line. */
struct record {
	const struct result_row *re_row;
	double		 re_count;
	double		 re_total_ns;
	const double	*re_log2;
};

struct section {
	FILE		*se_out;
	const struct result_cell *se_cell;
	const char	*se_class;
	const struct event *se_event;
	struct record	*se_records;
	unsigned	 se_count;
	double		 se_events;
	double		 se_window_s;	/* 0: the document does not say */
	int		 se_count_width;
	int		 se_nsec_width;
};

static double
real_at(const struct result_row *row, size_t offset)
{

	return (*(const double *)(const void *)((const char *)row + offset));
}

static const char *
class_name(const struct result_cell *cell, const char *class)
{
	unsigned i;

	for (i = 0; i < CLASS_NAMES; i++)
		if (strcmp(class_names[i].class, class) == 0)
			return (class_names[i].name);
	return (cell->lock);
}

/* Columns that n needs, at least as many as lockstat(1) gives it. */
static int
widened(int width, double n, int widest)
{
	char buf[VIEW_SIZE];
	int len;

	len = (int)strlen(view_whole(buf, n, widest));
	return (len > width ? len : width);
}

static void
print_rule(FILE *out)
{
	int i;

	for (i = 0; i < STAT_RULE; i++)
		fputc('-', out);
	fputc('\n', out);
}

static void
print_header(const struct section *se)
{

	fprintf(se->se_out, "%*s %4s %4s %4s %*s %-*s %s\n",
	    se->se_count_width, "Count", "indv", "cuml", "rcnt",
	    se->se_nsec_width, "nsec", STAT_LOCK, "Lock", "Caller");
}

static void
print_record(const struct section *se, const struct record *re, double sum)
{
	const struct result_row *row = re->re_row;
	const int room = FIGURE_COLUMNS - STAT_FIXED - STAT_LOCK -
	    se->se_count_width - se->se_nsec_width;
	char caller[VIEW_SIZE] = "", count[VIEW_SIZE], nsec[VIEW_SIZE];

	snprintf(caller, sizeof(caller), "%s (%s)", row->site, row->role);
	/* Cut where the line ends, and no space left there. */
	caller[room] = '\0';
	if (caller[room - 1] == ' ')
		caller[room - 1] = '\0';
	/* Whoever holds one of these locks holds it alone: rcnt. */
	fprintf(se->se_out, "%*s %3.0f%% %3.0f%% %4.2f %*s %-*.*s %s\n",
	    se->se_count_width, view_whole(count, re->re_count,
	    STAT_WIDEST), 100 * fmin(1, re->re_count / se->se_events),
	    100 * fmin(1, sum / se->se_events), 1.0, se->se_nsec_width,
	    view_whole(nsec, view_mean(re->re_total_ns, re->re_count),
	    STAT_WIDEST), STAT_LOCK, STAT_LOCK, row->lock, caller);
}

static void
print_distribution(FILE *out, const struct record *re)
{
	unsigned bin, first = RESULT_LOG2_BINS, last = 0;
	char count[VIEW_SIZE];
	double sum = 0;
	int bar, width;

	for (bin = 0; bin < RESULT_LOG2_BINS; bin++) {
		if (re->re_log2[bin] <= 0)
			continue;
		if (first == RESULT_LOG2_BINS)
			first = bin;
		last = bin;
		sum = view_sum(sum, re->re_log2[bin]);
	}
	if (first == RESULT_LOG2_BINS) {
		fputs("\n(the document has no distribution)\n", out);
		return;
	}
	width = widened(STAT_BIN, ldexp(1, (int)last), STAT_WIDEST_BIN);
	fprintf(out, "\n%*s %31s %s\n", width, "nsec",
	    "------ Time Distribution ------", "count");
	for (bin = first; bin <= last; bin++) {
		bar = (int)fmin(STAT_BAR, STAT_BAR * re->re_log2[bin] / sum);
		fprintf(out, "%*.0f |%.*s%*s %s\n", width,
		    ldexp(1, (int)bin), bar, "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@",
		    STAT_BAR - bar, "",
		    view_whole(count, re->re_log2[bin], STAT_WIDEST));
	}
}

/* The line above a section, with the rate where the time is known. */
static void
print_title(const struct section *se)
{
	char buf[VIEW_SIZE], text[RESULT_TEXT_SIZE];
	double rate;
	int n;

	n = snprintf(text, sizeof(text), "%s %s: %s events",
	    class_name(se->se_cell, se->se_class), se->se_event->ev_name,
	    view_whole(buf, se->se_events, STAT_WIDEST));
	if (se->se_window_s > 0) {
		rate = rint(view_mean(se->se_events, se->se_window_s));
		snprintf(text + n, sizeof(text) - (size_t)n, " in %.3f seconds "
		    "(%s events/sec)", fmin(se->se_window_s, 1e9),
		    view_whole(buf, rate, STAT_WIDEST));
	}
	fputc('\n', se->se_out);
	figure_wrap(se->se_out, "", 2, text);
	fputc('\n', se->se_out);
}

static void
print_section(const struct section *se, bool histogram)
{
	double sum = 0;
	unsigned i;

	print_title(se);
	for (i = 0; i < se->se_count; i++) {
		if (i == 0 && !histogram) {
			print_header(se);
			print_rule(se->se_out);
		} else if (histogram) {
			print_rule(se->se_out);
			print_header(se);
		}
		sum = view_sum(sum, se->se_records[i].re_count);
		print_record(se, &se->se_records[i], sum);
		if (histogram)
			print_distribution(se->se_out, &se->se_records[i]);
	}
	if (histogram)
		print_rule(se->se_out);
}

/* By count; as in the document where that is the same. */
static int
more_first(const void *a, const void *b)
{
	const struct record *ra = a, *rb = b;

	if (ra->re_count != rb->re_count)
		return (ra->re_count > rb->re_count ? -1 : 1);
	return ((ra->re_row > rb->re_row) - (ra->re_row < rb->re_row));
}

/* The events of one kind and class; prints nothing if there are none. */
static void
section_of(struct section *se, bool histogram)
{
	const struct result_cell *cell = se->se_cell;
	const struct event *ev = se->se_event;
	const struct result_row *row;
	struct record *re;
	unsigned i;

	se->se_count = 0;
	se->se_events = 0;
	se->se_count_width = STAT_COUNT;
	se->se_nsec_width = STAT_NSEC;
	for (i = 0; i < cell->lock_profile_rows; i++) {
		row = &cell->lock_profile[i];
		if (real_at(row, ev->ev_count) <= 0 ||
		    strcmp(view_class(cell, row->lock), se->se_class) != 0)
			continue;
		re = &se->se_records[se->se_count++];
		re->re_row = row;
		re->re_count = real_at(row, ev->ev_count);
		re->re_total_ns = real_at(row, ev->ev_total_ns);
		re->re_log2 = (const double *)(const void *)
		    ((const char *)row + ev->ev_log2);
		se->se_events = view_sum(se->se_events, re->re_count);
		se->se_count_width = widened(se->se_count_width, re->re_count,
		    STAT_WIDEST);
		se->se_nsec_width = widened(se->se_nsec_width,
		    view_mean(re->re_total_ns, re->re_count), STAT_WIDEST);
	}
	if (se->se_count == 0)
		return;
	qsort(se->se_records, se->se_count, sizeof(*se->se_records),
	    more_first);
	print_section(se, histogram);
}

/* The same for every class that the cell's locks are of. */
static void
sections_of(struct section *se, bool histogram)
{
	const struct result_cell *cell = se->se_cell;
	unsigned i, k;

	for (i = 0; i < cell->lock_profile_rows; i++) {
		se->se_class = view_class(cell, cell->lock_profile[i].lock);
		for (k = 0; k < i; k++)
			if (strcmp(se->se_class, view_class(cell,
			    cell->lock_profile[k].lock)) == 0)
				break;
		if (k == i)
			section_of(se, histogram);
	}
}

/* What the profile is about: the windows of all repeats. */
static double
window_s(const struct result_cell *cell)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < cell->repeats; i++)
		sum = view_sum(sum, cell->samples[i].window_s);
	return (sum);
}

static int
print_cell(FILE *out, const struct result_cell *cell, bool histogram)
{
	struct section se = { .se_out = out, .se_cell = cell };
	const struct event *end = events + EVENTS;

	se.se_window_s = window_s(cell);
	se.se_records = calloc(cell->lock_profile_rows,
	    sizeof(*se.se_records));
	if (se.se_records == NULL)
		return (ENOMEM);
	for (se.se_event = events; se.se_event < end; se.se_event++)
		sections_of(&se, histogram);
	free(se.se_records);
	return (0);
}

static int
print_result(FILE *out, const struct result *r, bool histogram)
{
	unsigned i;
	int error = 0;

	for (i = 0; error == 0 && i < r->cell_count; i++) {
		if (i > 0)
			fputc('\n', out);
		view_heading(out, r, &r->cells[i]);
		if (!view_profiled(out, &r->cells[i]))
			continue;
		error = print_cell(out, &r->cells[i], histogram);
		if (!view_detailed(&r->cells[i]))
			fputs("\nthe document does not count spins and "
			    "blocks\n", out);
	}
	return (error);
}

int
report_lockstat(FILE *out, const struct result *r)
{

	return (print_result(out, r, false));
}

int
report_lockstat_histogram(FILE *out, const struct result *r)
{

	return (print_result(out, r, true));
}
