#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figure.h"
#include "bench/report_waits.h"

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
	const char	**st_holders;	/* of the lock, each once */
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
figure_count(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	(void)st;
	if (w->wa_count < 9999999.5)
		snprintf(buf, FIGURE_SIZE, "%.0f", w->wa_count);
	else
		figure_real(buf, w->wa_count);
	return (buf);
}

static const char *
figure_total(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	(void)st;
	return (figure_ns(buf, w->wa_total_ns));
}

static const char *
figure_mean(char buf[FIGURE_SIZE], const struct strip *st,
    const struct waits *w)
{

	(void)st;
	return (figure_ns(buf, view_mean(w->wa_total_ns, w->wa_count)));
}

static const char *
figure_share(char buf[FIGURE_SIZE], const struct strip *st,
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
	{ "  waits", figure_count },
	{ "  total", figure_total },
	{ "  mean", figure_mean },
	{ "  % time", figure_share },
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

/* Whether the i-th row is the first of its lock, or of its waiter there. */
static bool
first_of_lock(const struct result_cell *cell, unsigned i)
{
	unsigned k;

	for (k = 0; k < i; k++)
		if (strcmp(cell->waits[k].lock, cell->waits[i].lock) == 0)
			return (false);
	return (true);
}

static bool
first_of_waiter(const struct result_cell *cell, unsigned i)
{
	const struct result_wait *a = &cell->waits[i], *b;
	unsigned k;

	for (k = 0; k < i; k++) {
		b = &cell->waits[k];
		if (strcmp(a->lock, b->lock) == 0 &&
		    strcmp(a->site, b->site) == 0 &&
		    strcmp(a->role, b->role) == 0)
			return (false);
	}
	return (true);
}

/* The sites from which a lock was held, each once. */
static unsigned
collect_holders(const struct result_cell *cell, const char *lock,
    const char **holders)
{
	unsigned count = 0, i, k;

	for (i = 0; i < cell->wait_rows; i++) {
		if (strcmp(cell->waits[i].lock, lock) != 0)
			continue;
		for (k = 0; k < count; k++)
			if (strcmp(holders[k], cell->waits[i].holder) == 0)
				break;
		if (k == count)
			holders[count++] = cell->waits[i].holder;
	}
	return (count);
}

/* Chooses the columns of the next strip; the sum follows the last if it can. */
static void
fill_strip(struct strip *st, unsigned count)
{
	int column = WAITS_LABEL, width;

	for (st->st_end = st->st_first; st->st_end < count; st->st_end++) {
		width = 1 + column_width(st->st_holders[st->st_end]);
		if (column + width > FIGURE_COLUMNS)
			break;
		column += width;
	}
	st->st_all = st->st_end == count &&
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
	for (i = 0; i < st->st_cell->wait_rows; i++)
		if (strcmp(st->st_cell->waits[i].lock, st->st_lock) == 0 &&
		    first_of_waiter(st->st_cell, i))
			print_waiter(st, &st->st_cell->waits[i]);
	print_waiter(st, NULL);
}

static void
print_lock(FILE *out, const struct result_cell *cell, const char *lock,
    const char **holders)
{
	struct strip st = { .st_out = out, .st_cell = cell, .st_lock = lock,
	    .st_holders = holders };
	char count_text[FIGURE_SIZE], total_text[FIGURE_SIZE];
	struct waits all;
	unsigned count;

	all = add_up(&st, NULL, NULL);
	st.st_total_ns = all.wa_total_ns;
	fprintf(out, "\n%s: %s wait%s, %s\n", lock,
	    figure_count(count_text, &st, &all), all.wa_count == 1 ? "" : "s",
	    figure_total(total_text, &st, &all));
	count = collect_holders(cell, lock, holders);
	do {
		fill_strip(&st, count);
		print_strip(&st);
		st.st_first = st.st_end;
	} while (!st.st_all);
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
	const char **holders;
	unsigned i;

	if (cell->wait_rows == 0) {
		fputs(contended(cell) && !view_detailed(cell) ?
		    "  the document does not say who waited for whom\n" :
		    "  nobody waited\n", out);
		return (0);
	}
	holders = calloc(cell->wait_rows, sizeof(*holders));
	if (holders == NULL)
		return (ENOMEM);
	for (i = 0; i < cell->wait_rows; i++)
		if (first_of_lock(cell, i))
			print_lock(out, cell, cell->waits[i].lock, holders);
	free(holders);
	return (0);
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
		view_heading(out, &r->cells[i]);
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
