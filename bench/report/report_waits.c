#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/report_waits.h"

enum {
	WAITS_LABEL	= 10,	/* "  % of time" and what it is of */
	WAITS_NARROW	= 8,	/* least width of a column */
	WAITS_WIDE	= 13	/* longest holder's name, "process_event" */
};

/* Waits of somebody, or of all, for something, or for all. */
struct waits {
	double		 wa_count;
	double		 wa_total_ns;
};

/* A part of the columns, as many as fit. */
struct strip {
	FILE		*st_out;
	const struct result_cell *st_cell;
	const char	*st_lock;
	const char	**st_holders;	/* columns, each once */
	const struct result_wait **st_waiters;	/* rows, by site and role */
	unsigned	 st_holder_count;
	unsigned	 st_waiter_count;
	unsigned	 st_first;
	unsigned	 st_end;	/* the last but one; all may follow */
	bool		 st_all;	/* the sum of all columns */
	double		 st_total_ns;	/* of the lock */
};

/*
 * Adds up.
 *
 *   who     in  a row of that site and role, or NULL for all
 *   holder  in  or NULL for all
 */
static struct waits
add_up(const struct strip *st, const struct result_wait *who,
    const char *holder)
{
	struct waits sum = { .wa_count = 0 };
	const struct result_wait *w;
	unsigned i;

	for (i = 0; i < st->st_cell->wait_rows; i++) {
		w = &st->st_cell->waits[i];
		if (strcmp(w->lock, st->st_lock) != 0 ||
		    (holder != NULL && strcmp(w->holder, holder) != 0) ||
		    (who != NULL && (strcmp(w->site, who->site) != 0 ||
		    strcmp(w->role, who->role) != 0)))
			continue;
		sum.wa_count = view_sum(sum.wa_count, w->count);
		sum.wa_total_ns = view_sum(sum.wa_total_ns, w->wait_total_ns);
	}
	return (sum);
}

static int
column_width(const char *holder)
{
	int len = (int)strlen(holder);

	return (len < WAITS_NARROW ? WAITS_NARROW :
	    len > WAITS_WIDE ? WAITS_WIDE : len);
}

/* What a row of the matrix says of some waits. */
static const char *
waits_count(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	(void)st;
	return (figure_count(buf, w->wa_count));
}

static const char *
waits_total(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	(void)st;
	return (figure_ns(buf, w->wa_total_ns));
}

static const char *
waits_mean(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	(void)st;
	return (figure_ns(buf, view_mean(w->wa_total_ns, w->wa_count)));
}

static const char *
waits_share(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	return (figure_percent(buf, 100 * fmin(1, view_mean(w->wa_total_ns,
	    st->st_total_ns))));
}

static const struct {
	const char	*label;
	const char	*(*figure)(char buf[FIGURE_SIZE],
			    const struct strip *st, const struct waits *w);
} lines[] = {
	{ "  waits", waits_count },
	{ "  total", waits_total },
	{ "  mean", waits_mean },
	{ "  % time", waits_share },
};

enum { LINES = sizeof(lines) / sizeof(lines[0]) };

/* A block of the matrix: who waited, or all; rows of figures below. */
static void
print_waiter(const struct strip *st, const struct result_wait *who)
{
	char buf[FIGURE_SIZE];
	struct waits w;
	unsigned i, line;

	if (who == NULL)
		fputs("all\n", st->st_out);
	else
		fprintf(st->st_out, "%s (%s)\n", who->site, who->role);
	for (line = 0; line < LINES; line++) {
		fprintf(st->st_out, "%-*s", WAITS_LABEL, lines[line].label);
		for (i = st->st_first; i < st->st_end; i++) {
			w = add_up(st, who, st->st_holders[i]);
			fprintf(st->st_out, " %*s",
			    column_width(st->st_holders[i]),
			    w.wa_count <= 0 ? "-" :
			    lines[line].figure(buf, st, &w));
		}
		w = add_up(st, who, NULL);
		if (st->st_all)
			fprintf(st->st_out, " %*s", WAITS_NARROW,
			    lines[line].figure(buf, st, &w));
		fputc('\n', st->st_out);
	}
}

/* Whether the i-th row is the first of its lock. */
static bool
first_of_lock(const struct result_cell *cell, unsigned i)
{
	unsigned k;

	for (k = 0; k < i; k++)
		if (strcmp(cell->waits[k].lock, cell->waits[i].lock) == 0)
			return (false);
	return (true);
}

/* Where a lock's site stands in the lock profile, to keep its order. */
static unsigned
rank_of(const struct result_cell *cell, const char *lock, const char *site)
{
	unsigned i;

	for (i = 0; i < cell->lock_profile_rows; i++)
		if (strcmp(cell->lock_profile[i].lock, lock) == 0 &&
		    strcmp(cell->lock_profile[i].site, site) == 0)
			break;
	return (i);
}

/* The sites from which the lock was held, each once. */
static void
collect_holders(struct strip *st)
{
	const struct result_cell *cell = st->st_cell;
	const char *holder;
	unsigned i, k, rank;

	for (i = 0; i < cell->wait_rows; i++) {
		holder = cell->waits[i].holder;
		if (strcmp(cell->waits[i].lock, st->st_lock) != 0)
			continue;
		for (k = 0; k < st->st_holder_count; k++)
			if (strcmp(st->st_holders[k], holder) == 0)
				break;
		if (k < st->st_holder_count)
			continue;
		rank = rank_of(cell, st->st_lock, holder);
		for (; k > 0 && rank_of(cell, st->st_lock,
		    st->st_holders[k - 1]) > rank; k--)
			st->st_holders[k] = st->st_holders[k - 1];
		st->st_holders[k] = holder;
		st->st_holder_count++;
	}
}

/* Who waited, each site and role once. */
static void
collect_waiters(struct strip *st)
{
	const struct result_cell *cell = st->st_cell;
	const struct result_wait *w;
	unsigned i, k, rank;

	for (i = 0; i < cell->wait_rows; i++) {
		w = &cell->waits[i];
		if (strcmp(w->lock, st->st_lock) != 0)
			continue;
		for (k = 0; k < st->st_waiter_count; k++)
			if (strcmp(st->st_waiters[k]->site, w->site) == 0 &&
			    strcmp(st->st_waiters[k]->role, w->role) == 0)
				break;
		if (k < st->st_waiter_count)
			continue;
		rank = rank_of(cell, st->st_lock, w->site);
		for (; k > 0 && rank_of(cell, st->st_lock,
		    st->st_waiters[k - 1]->site) > rank; k--)
			st->st_waiters[k] = st->st_waiters[k - 1];
		st->st_waiters[k] = w;
		st->st_waiter_count++;
	}
}

/* Chooses the columns of the next strip; the sum follows the last if it can. */
static void
fill_strip(struct strip *st)
{
	int column = WAITS_LABEL, width;

	for (st->st_end = st->st_first; st->st_end < st->st_holder_count;
	    st->st_end++) {
		width = 1 + column_width(st->st_holders[st->st_end]);
		if (column + width > FIGURE_COLUMNS)
			break;
		column += width;
	}
	st->st_all = st->st_end == st->st_holder_count &&
	    column + 1 + WAITS_NARROW <= FIGURE_COLUMNS;
}

static void
print_strip(const struct strip *st)
{
	unsigned i;

	fprintf(st->st_out, "%-*s", WAITS_LABEL, "held from");
	for (i = st->st_first; i < st->st_end; i++)
		fprintf(st->st_out, " %*.*s", column_width(st->st_holders[i]),
		    WAITS_WIDE, st->st_holders[i]);
	if (st->st_all)
		fprintf(st->st_out, " %*s", WAITS_NARROW, "all");
	fputc('\n', st->st_out);
	for (i = 0; i < st->st_waiter_count; i++)
		print_waiter(st, st->st_waiters[i]);
	print_waiter(st, NULL);
}

static int
print_lock(FILE *out, const struct result_cell *cell, const char *lock)
{
	struct strip st = { .st_out = out, .st_cell = cell, .st_lock = lock };
	char count[FIGURE_SIZE], total[FIGURE_SIZE];
	struct waits all;
	int error = ENOMEM;

	st.st_holders = calloc(cell->wait_rows, sizeof(*st.st_holders));
	st.st_waiters = calloc(cell->wait_rows, sizeof(*st.st_waiters));
	if (st.st_holders != NULL && st.st_waiters != NULL) {
		error = 0;
		collect_holders(&st);
		collect_waiters(&st);
		all = add_up(&st, NULL, NULL);
		st.st_total_ns = all.wa_total_ns;
		fprintf(out, "\n%s: %s wait%s, %s\n", lock,
		    waits_count(count, &st, &all), all.wa_count == 1 ? "" : "s",
		    waits_total(total, &st, &all));
		do {
			fill_strip(&st);
			print_strip(&st);
			st.st_first = st.st_end;
		} while (!st.st_all);
	}
	free(st.st_holders);
	free(st.st_waiters);
	return (error);
}

/* Whether anybody waited, as far as the lock profile says. */
static bool
contended(const struct result_cell *cell)
{
	unsigned i;

	for (i = 0; i < cell->lock_profile_rows; i++)
		if (cell->lock_profile[i].contended > 0)
			return (true);
	return (false);
}

static int
print_cell(FILE *out, const struct result_cell *cell)
{
	unsigned i;
	int error = 0;

	if (cell->wait_rows == 0)
		fputs(contended(cell) && !view_detailed(cell) ?
		    "  the document does not say who waited for whom\n" :
		    "  nobody waited\n", out);
	for (i = 0; error == 0 && i < cell->wait_rows; i++)
		if (first_of_lock(cell, i))
			error = print_lock(out, cell, cell->waits[i].lock);
	return (error);
}

int
report_waits(FILE *out, const struct result *r)
{
	bool shown = false;
	unsigned i;
	int error = 0;

	for (i = 0; error == 0 && i < r->cell_count; i++) {
		if (i > 0)
			fputc('\n', out);
		view_heading(out, r, &r->cells[i]);
		if (!view_profiled(out, &r->cells[i]))
			continue;
		error = print_cell(out, &r->cells[i]);
		shown |= r->cells[i].wait_rows > 0;
	}
	if (shown) {
		fputc('\n', out);
		figure_wrap(out, "", 2, "All repeats together.  Rows are who "
		    "waited, columns from where the lock was held, or had been "
		    "held last, when the wait began: the whole wait is put "
		    "down to that.  % time is of all waiting for the lock.");
	}
	return (error);
}
