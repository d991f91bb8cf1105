#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/console/gnuplot.h"
#include "bench/report/plot_panel.h"
#include "bench/result/group.h"

enum {
	WAITS_SITES	= 12,	/* of a matrix, each way */
	WAITS_SHOWN	= 25,	/* characters of a name */
	WAITS_LEVEL	= 3,	/* as many names are not slanted */
	WAITS_SLANTED	= 40,	/* pixels for slanted ones */
	WAITS_TEXT_SIZE	= 3 * RESULT_TEXT_SIZE,
	WAITS_NAME_SIZE	= 3 * RESULT_NAME_SIZE,
	WAITS_LIGHT	= 255,	/* grey of no share, and of all */
	WAITS_DARK	= 40
};

/* From this share on the ground is so dark that the number must be light. */
static const double waits_inverted = 0.3;

struct matrix {
	char	mx_waiters[WAITS_SITES][WAITS_NAME_SIZE];
	char	mx_holders[WAITS_SITES][WAITS_NAME_SIZE];
	unsigned mx_waiter_count;
	unsigned mx_holder_count;
	double	mx_ns[WAITS_SITES][WAITS_SITES];	/* waiter, holder */
	double	mx_total_ns;		/* what has no place here too */
};

static double
waited(const struct result_cell *c)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < c->wait_rows; i++)
		sum += c->waits[i].wait_total_ns;
	/* Cells may have different numbers of repeats. */
	return (sum / (c->repeats > 0 ? c->repeats : 1));
}

unsigned
plot_waits_cells(const struct plot_data *pl, const struct plot_column *co,
    const struct result_cell *cells[PLOT_MATRICES])
{
	unsigned count = 0, i, k, n;

	for (i = 0; i < co->co_count; i++) {
		const struct curve *cu =
		    &pl->pl_curves.cs_curves[co->co_curves[i]];

		for (k = 0; k < cu->cu_count; k++) {
			const struct result_cell *c = cu->cu_cells[k];

			if (waited(c) <= 0 || group_gated(c))
				continue;
			for (n = 0; n < count; n++)
				if (strcmp(cells[n]->design, c->design) == 0)
					break;
			if (n == count && count < PLOT_MATRICES)
				cells[count++] = c;
			else if (n < count && waited(c) > waited(cells[n]))
				cells[n] = c;
		}
	}
	return (count);
}

/* A name's place, a new one if need be; WAITS_SITES: there is no room. */
static unsigned
find_name(char names[WAITS_SITES][WAITS_NAME_SIZE], unsigned *count,
    const char *name)
{
	unsigned i;

	for (i = 0; i < *count; i++)
		if (strcmp(names[i], name) == 0)
			return (i);
	if (*count < WAITS_SITES)
		snprintf(names[(*count)++], WAITS_NAME_SIZE, "%s", name);
	return (i);
}

static void
fill(struct matrix *mx, const struct result_cell *c)
{
	char name[WAITS_NAME_SIZE];
	unsigned holder, i, waiter;

	for (i = 0; i < c->wait_rows; i++) {
		const struct result_wait *w = &c->waits[i];

		mx->mx_total_ns += w->wait_total_ns;
		if (w->wait_total_ns <= 0)
			continue;
		snprintf(name, sizeof(name), "%s (%s)", w->site, w->role);
		waiter = find_name(mx->mx_waiters, &mx->mx_waiter_count, name);
		holder = find_name(mx->mx_holders, &mx->mx_holder_count,
		    w->holder);
		if (waiter < WAITS_SITES && holder < WAITS_SITES)
			mx->mx_ns[waiter][holder] += w->wait_total_ns;
	}
}

static void
print_squares(FILE *out, const struct matrix *mx)
{
	unsigned grey, holder, waiter;
	char number[FIGURE_SIZE];
	double share;

	fputs("$m << EOD\n", out);
	for (waiter = 0; waiter < mx->mx_waiter_count; waiter++) {
		for (holder = 0; holder < mx->mx_holder_count; holder++) {
			share = mx->mx_ns[waiter][holder] / mx->mx_total_ns;
			/* The root lets small shares be seen. */
			grey = (unsigned)(WAITS_LIGHT -
			    (WAITS_LIGHT - WAITS_DARK) * sqrt(share));
			snprintf(number, sizeof(number), share <= 0 ? "-" :
			    share < 0.0005 ? "<0.1" : share < 0.0995 ?
			    "%.1f" : "%.0f", 100 * share);
			fprintf(out, "%u %u %u %s %u\n", holder, waiter,
			    grey << 16 | grey << 8 | grey, number,
			    share >= waits_inverted ? 0xffffffU : 0U);
		}
	}
	fputs("EOD\n", out);
}

static void
print_tics(FILE *out, const char *axis,
    char names[WAITS_SITES][WAITS_NAME_SIZE], unsigned count)
{
	char text[2 * WAITS_SHOWN + 1];
	unsigned i, k, n;

	fprintf(out, "set %s (", axis);
	for (i = 0; i < count; i++) {
		/* A tic's text is a format. */
		for (k = n = 0; names[i][k] != '\0' && k < WAITS_SHOWN; k++) {
			if (names[i][k] == '%')
				text[n++] = '%';
			text[n++] = names[i][k];
		}
		text[n] = '\0';
		fputs(i > 0 ? ", " : "", out);
		gnuplot_quote(out, text);
		fprintf(out, " %u", i);
	}
	fputs(")\n", out);
}

void
plot_waits_print(const struct plot_sheet *ps, const struct result_cell *c,
    const struct plot_box *bx)
{
	/* The waiters' names are longer than numbers. */
	struct plot_box inner = {
		bx->bx_left + bx->bx_width / 6, bx->bx_top,
		bx->bx_width - bx->bx_width / 6, bx->bx_height
	};
	struct matrix mx = { .mx_waiter_count = 0 };
	char ns[FIGURE_SIZE], title[WAITS_TEXT_SIZE];
	FILE *out = ps->ps_out;

	fill(&mx, c);
	if (mx.mx_holder_count > WAITS_LEVEL)
		inner.bx_height -= WAITS_SLANTED;
	snprintf(title, sizeof(title), "%s, %s, %u reader%s: %% of %s waited",
	    c->design, c->lock, c->readers, c->readers == 1 ? "" : "s",
	    figure_ns(ns, mx.mx_total_ns));
	plot_panel_place(ps, &inner, title);
	print_squares(out, &mx);
	fprintf(out, "unset logscale\nset xrange [-0.5:%g]\n"
	    "set yrange [%g:-0.5]\nunset ylabel\nunset grid\n"
	    "set xlabel 'who held the lock; left: who waited' offset 0,0.3\n"
	    "set xtics %s\n", mx.mx_holder_count - 0.5,
	    mx.mx_waiter_count - 0.5, mx.mx_holder_count > WAITS_LEVEL ?
	    "rotate by 25 right" : "norotate");
	print_tics(out, "xtics", mx.mx_holders, mx.mx_holder_count);
	print_tics(out, "ytics", mx.mx_waiters, mx.mx_waiter_count);
	fputs("set format y '%s'\nplot $m using 1:2:(0.5):(0.5):3 with "
	    "boxxyerror fillstyle solid border rgb '#808080' fillcolor rgb "
	    "variable, $m using 1:2:4:5 with labels textcolor rgb variable\n"
	    "set xtics norotate\n", out);
	plot_panel_grid(out);
}
