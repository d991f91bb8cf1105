#include <sys/ioctl.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "bench/console/progress.h"
#include "lib/kassert.h"
#include "lib/tick.h"

enum {
	PROGRESS_BAR		= 20,
	PROGRESS_LINE_SIZE	= 512,
	PROGRESS_COLUMNS	= 80,	/* when the terminal does not say */
	PROGRESS_MINUTE		= 60,
	PROGRESS_HOUR		= 60 * PROGRESS_MINUTE
};

/* Return, and erase to the end of the line: ECMA-48. */
static const char progress_clear[] = "\r\033[K";

static unsigned
columns(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return (ws.ws_col);
	return (PROGRESS_COLUMNS);
}

void
progress_init(struct progress *p, uint64_t total)
{

	progress_resume(p, total, 0);
}

void
progress_resume(struct progress *p, uint64_t total, uint64_t before)
{

	KASSERT(total > 0, ("nothing to do"));
	KASSERT(before <= total, ("%" PRIu64 " of %" PRIu64, before, total));
	p->pr_total = total;
	p->pr_before = before;
	p->pr_out = isatty(STDERR_FILENO) ? stderr : NULL;
	p->pr_start_ns = tick_ns();
}

static void
format_left(char *buf, size_t size, double left_s)
{
	unsigned s;

	/* Nobody waits for a run that takes longer than this. */
	if (left_s < 0 || left_s > 1000.0 * PROGRESS_HOUR) {
		snprintf(buf, size, "--:--");
		return;
	}
	s = (unsigned)ceil(left_s);
	if (s >= PROGRESS_HOUR)
		snprintf(buf, size, "%u:%02u:%02u", s / PROGRESS_HOUR,
		    s % PROGRESS_HOUR / PROGRESS_MINUTE, s % PROGRESS_MINUTE);
	else
		snprintf(buf, size, "%02u:%02u", s / PROGRESS_MINUTE,
		    s % PROGRESS_MINUTE);
}

void
progress_format(char *buf, size_t size, unsigned width, double share,
    double left_s, const char *label)
{
	static const char full[] = "####################";
	static const char empty[] = "....................";
	char left[16];
	int bar;

	CTASSERT(sizeof(full) == PROGRESS_BAR + 1);
	CTASSERT(sizeof(empty) == sizeof(full));
	share = fmin(1, fmax(0, share));
	bar = (int)(share * PROGRESS_BAR);
	format_left(left, sizeof(left), left_s);
	snprintf(buf, size, "[%.*s%.*s] %3d %% %s left  %s", bar, full,
	    PROGRESS_BAR - bar, empty, (int)(share * 100), left, label);
	/* A line that wraps cannot be drawn over. */
	if (width < size)
		buf[width] = '\0';
}

void
progress_update(struct progress *p, uint64_t done, const char *label)
{
	char line[PROGRESS_LINE_SIZE], there[48] = "";
	char text[PROGRESS_LINE_SIZE];
	double elapsed_s, left_s, share;

	KASSERT(done <= p->pr_total, ("%" PRIu64 " of %" PRIu64, done,
	    p->pr_total));
	if (p->pr_out == NULL)
		return;
	share = (double)done / (double)p->pr_total;
	elapsed_s = (double)(tick_ns() - p->pr_start_ns) / (double)NS_PER_S;
	left_s = done > p->pr_before ? elapsed_s /
	    (double)(done - p->pr_before) * (double)(p->pr_total - done) : -1;
	if (p->pr_before > 0)
		snprintf(there, sizeof(there), " (%d %% were there)",
		    (int)(100 * (double)p->pr_before / (double)p->pr_total));
	snprintf(text, sizeof(text), "%s%s", label, there);
	/* The last column makes some terminals wrap. */
	progress_format(line, sizeof(line), columns() - 1, share, left_s,
	    text);
	fprintf(p->pr_out, "%s%s", progress_clear, line);
	fflush(p->pr_out);
}

void
progress_fini(struct progress *p)
{

	if (p->pr_out == NULL)
		return;
	fputs(progress_clear, p->pr_out);
	fflush(p->pr_out);
	p->pr_out = NULL;
}
