#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/report/report.h"

enum {
	WAITS_LABEL	= 10,	/* "held from" */
	WAITS_NARROW	= 8,	/* least width of a column */
	WAITS_WIDE	= 13,	/* longest holder's name, "process_event" */
	WAITS_LINES	= 4
};

static const char *const line_names[WAITS_LINES] = {
	"  waits", "  total", "  mean", "  % time"
};

enum side { HOLDERS, WAITERS };

/* The matrix of one lock: columns are holders, rows waiters by role. */
struct matrix {
	FILE		*mx_out;
	const struct result_cell *mx_cell;
	const char	*mx_lock;
	const struct result_wait **mx_found[2];	/* one of each */
	unsigned	 mx_count[2];
	double		 mx_total_ns;
	/* The columns of a strip; "all" may be the last. */
	struct column	 mx_columns[FORMAT_TABLE_MAX];
	unsigned	 mx_first;
	unsigned	 mx_end;
	bool		 mx_all;
};

static bool
same(const struct result_wait *a, const struct result_wait *b, enum side side)
{

	if (side == HOLDERS)
		return (strcmp(a->holder, b->holder) == 0);
	return (strcmp(a->site, b->site) == 0 && strcmp(a->role, b->role) == 0);
}

/* Adds up the waits of one waiter for one holder; NULL: of all, for all. */
static double
add_up(const struct matrix *mx, const struct result_wait *waiter,
    const struct result_wait *holder, double *total_ns)
{
	const struct result_wait *w = mx->mx_cell->waits;
	double count = 0;
	unsigned i;

	*total_ns = 0;
	for (i = 0; i < mx->mx_cell->wait_rows; i++, w++) {
		if (strcmp(w->lock, mx->mx_lock) != 0 ||
		    (holder != NULL && !same(w, holder, HOLDERS)) ||
		    (waiter != NULL && !same(w, waiter, WAITERS)))
			continue;
		count = view_sum(count, w->count);
		*total_ns = view_sum(*total_ns, w->wait_total_ns);
	}
	return (count);
}

/* A block of the matrix: one waiter, or all; a row for each figure. */
static void
print_waiter(const struct matrix *mx, const struct result_wait *waiter)
{
	char figures[WAITS_LINES][FORMAT_TABLE_MAX][FORMAT_SIZE];
	const char *texts[FORMAT_TABLE_MAX];
	double count, total;
	unsigned i, line, n = 1;

	if (waiter == NULL)
		fputs("all\n", mx->mx_out);
	else
		fprintf(mx->mx_out, "%s (%s)\n", waiter->site, waiter->role);
	for (i = mx->mx_first; i < mx->mx_end + mx->mx_all; i++, n++) {
		count = add_up(mx, waiter, i < mx->mx_end ?
		    mx->mx_found[HOLDERS][i] : NULL, &total);
		format_count(figures[0][n], count);
		format_ns(figures[1][n], total);
		format_ns(figures[2][n], view_mean(total, count));
		format_percent(figures[3][n], 100 * fmin(1, view_mean(total,
		    mx->mx_total_ns)));
		for (line = 0; line < WAITS_LINES; line++)
			if (count <= 0 && i < mx->mx_end)
				strcpy(figures[line][n], "-");
	}
	for (line = 0; line < WAITS_LINES; line++) {
		texts[0] = line_names[line];
		for (i = 1; i < n; i++)
			texts[i] = figures[line][i];
		columns_row(mx->mx_out, mx->mx_columns, n, texts);
	}
}

/* Where a wait's site stands in the lock profile, to keep its order. */
static unsigned
rank_of(const struct result_cell *cell, const struct result_wait *w,
    enum side side)
{
	const struct result_row *row = cell->lock_profile;
	const char *site = side == HOLDERS ? w->holder : w->site;
	unsigned i;

	for (i = 0; i < cell->lock_profile_rows; i++, row++)
		if (strcmp(row->lock, w->lock) == 0 &&
		    strcmp(row->site, site) == 0)
			break;
	return (i);
}

/* Enters each wait that is like none before, in the order of the profile. */
static void
collect(struct matrix *mx, enum side side)
{
	const struct result_cell *cell = mx->mx_cell;
	const struct result_wait **found = mx->mx_found[side];
	const struct result_wait *w = cell->waits;
	unsigned k, n = 0;

	for (; w < cell->waits + cell->wait_rows; w++) {
		if (strcmp(w->lock, mx->mx_lock) != 0)
			continue;
		for (k = 0; k < n && !same(found[k], w, side); k++)
			continue;
		if (k < n)
			continue;
		for (; k > 0 && rank_of(cell, found[k - 1], side) >
		    rank_of(cell, w, side); k--)
			found[k] = found[k - 1];
		found[k] = w;
		n++;
	}
	mx->mx_count[side] = n;
}

/* Chooses the columns of the next strip; the sum follows the last if it can. */
static void
fill_strip(struct matrix *mx)
{
	int column = WAITS_LABEL, len;
	unsigned n = 1;

	mx->mx_columns[0] = (struct column){ "held from", -WAITS_LABEL };
	for (mx->mx_end = mx->mx_first; mx->mx_end < mx->mx_count[HOLDERS];
	    mx->mx_end++) {
		const char *holder = mx->mx_found[HOLDERS][mx->mx_end]->holder;

		len = (int)strlen(holder);
		len = len < WAITS_NARROW ? WAITS_NARROW :
		    len > WAITS_WIDE ? WAITS_WIDE : len;
		if (column + 1 + len > FORMAT_COLUMNS)
			break;
		column += 1 + len;
		mx->mx_columns[n++] = (struct column){ holder, len };
	}
	mx->mx_all = mx->mx_end == mx->mx_count[HOLDERS] &&
	    column + 1 + WAITS_NARROW <= FORMAT_COLUMNS;
	mx->mx_columns[n] = (struct column){ "all", WAITS_NARROW };
}

static void
print_strip(const struct matrix *mx)
{
	char titles[FORMAT_TABLE_MAX][WAITS_WIDE + 1];
	const char *texts[FORMAT_TABLE_MAX];
	unsigned i, n = mx->mx_end - mx->mx_first + mx->mx_all + 1;

	for (i = 0; i < n; i++) {
		snprintf(titles[i], sizeof(titles[i]), "%.*s", WAITS_WIDE,
		    mx->mx_columns[i].title);
		texts[i] = titles[i];
	}
	columns_row(mx->mx_out, mx->mx_columns, n, texts);
	for (i = 0; i < mx->mx_count[WAITERS]; i++)
		print_waiter(mx, mx->mx_found[WAITERS][i]);
	print_waiter(mx, NULL);
}

/*
 *   room  out  scratch of two times as many as the cell has waits
 */
static void
print_lock(FILE *out, const struct result_cell *cell, const char *lock,
    const struct result_wait **room)
{
	struct matrix mx = { .mx_out = out, .mx_cell = cell, .mx_lock = lock,
	    .mx_found = { room, room + cell->wait_rows } };
	double count;

	collect(&mx, HOLDERS);
	collect(&mx, WAITERS);
	count = add_up(&mx, NULL, NULL, &mx.mx_total_ns);
	fprintf(out, "\n%s: %s wait%s, %s\n", lock, FORMAT(count, count),
	    PLURAL(count), FORMAT(ns, mx.mx_total_ns));
	do {
		fill_strip(&mx);
		print_strip(&mx);
		mx.mx_first = mx.mx_end;
	} while (!mx.mx_all);
}

static int
print_cell(FILE *out, const struct result_cell *cell)
{
	const struct result_wait **room;
	bool contended = false;
	unsigned i, k;

	for (i = 0; i < cell->lock_profile_rows; i++)
		contended |= cell->lock_profile[i].contended > 0;
	if (cell->wait_rows == 0)
		fputs(contended && !view_detailed(cell) ?
		    "  the document has waits, but not their holders\n" :
		    "  no thread waited\n", out);
	room = calloc(2 * (size_t)cell->wait_rows + 1, sizeof(*room));
	if (room == NULL)
		return (ENOMEM);
	for (i = 0; i < cell->wait_rows; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(cell->waits[k].lock,
			    cell->waits[i].lock) == 0)
				break;
		if (k == i)
			print_lock(out, cell, cell->waits[i].lock, room);
	}
	free(room);
	return (0);
}

int
report_waits(FILE *out, const struct result *r)
{
	const struct result_cell *cell;
	bool any = false;
	int error = 0;

	for (cell = r->cells; cell < r->cells + r->cell_count && error == 0;
	    cell++) {
		if (!view_cell(out, r, cell))
			continue;
		any |= cell->wait_rows > 0;
		error = print_cell(out, cell);
	}
	if (!any)
		return (error);
	fputc('\n', out);
	format_wrap(out, "", 2, "All repeats together.  A row is a place and "
	    "role that waited; a column is the place from which the lock was "
	    "held, or had been held last, when the wait began.  The whole "
	    "wait counts there.  % time is of all waiting for the lock.");
	return (error);
}
