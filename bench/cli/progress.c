#include <sys/ioctl.h>

#include "bench/cli/progress.h"
#include "lib/machine/tick.h"

enum {
	LINE_SIZE	= 512,
	COLUMNS_DEFAULT	= 80,	/* where the terminal has no width */
	MINUTE_S	= 60,
	HOUR_S		= 60 * MINUTE_S
};

/* As many of each as a bar is long. */
static const char bars[] = "####################....................";

/* Return, and erase to the end of the line: ECMA-48. */
static const char clear_line[] = "\r\033[K";

bool progress_quiet;
struct progress progress_line;

void
progress_init(uint64_t total, uint64_t before)
{
	KASSERT(total > 0 && before <= total, ("%" PRIu64 " of %" PRIu64,
	    before, total));
	progress_line = (struct progress){ .prg_total = total,
	    .prg_before = before, .prg_start_ns = tick_ns(),
	    .prg_out = !progress_quiet && isatty(STDERR_FILENO) ? stderr :
	    NULL };
}

void
progress_format(char *buf, size_t size, unsigned width, double share,
    double left_s, const char *label)
{
	const int length = sizeof(bars) / 2;
	/* 1000 hours and more are of no use to a reader. */
	const bool known = left_s >= 0 && left_s <= 1000.0 * HOUR_S;
	const unsigned s = known ? (unsigned)ceil(left_s) : 0;
	char left[16] = "--:--";

	share = fmin(1, fmax(0, share));
	if (known && s >= HOUR_S)
		snprintf(left, sizeof(left), "%u:%02u:%02u", s / HOUR_S,
		    s % HOUR_S / MINUTE_S, s % MINUTE_S);
	else if (known)
		snprintf(left, sizeof(left), "%02u:%02u", s / MINUTE_S,
		    s % MINUTE_S);
	snprintf(buf, size, "[%.*s] %3d %% %s left  %s", length, bars + length -
	    (int)(share * length), (int)(share * 100), left, label);
	/* A line that wraps cannot be redrawn. */
	if (width < size)
		buf[width] = '\0';
}

void
progress_update(uint64_t done, const char *label)
{
	const struct progress *p = &progress_line;
	char line[LINE_SIZE];
	struct winsize ws = { .ws_col = 0 };
	double left_s = -1;

	KASSERT(done <= p->prg_total || p->prg_total == 0, ("%" PRIu64 " of %"
	    PRIu64, done, p->prg_total));
	if (p->prg_out == NULL)
		return;
	if (done > p->prg_before)
		left_s = (double)(tick_ns() - p->prg_start_ns) /
		    (double)NS_PER_S / (double)(done - p->prg_before) *
		    (double)(p->prg_total - done);
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) != 0 || ws.ws_col == 0)
		ws.ws_col = COLUMNS_DEFAULT;
	/* Some terminals wrap after the last column. */
	progress_format(line, sizeof(line), ws.ws_col - 1u,
	    (double)done / (double)p->prg_total, left_s, label);
	fprintf(p->prg_out, "%s%s", clear_line, line);
}

void
progress_fini(void)
{
	if (progress_line.prg_out == NULL)
		return;
	fputs(clear_line, progress_line.prg_out);
	progress_line.prg_out = NULL;
}
