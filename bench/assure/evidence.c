#include <sys/wait.h>

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/assure/evidence.h"
#include "bench/console/stop.h"
#include "lib/kassert.h"
#include "lib/tick.h"

enum { POLL_MS = 100 };

const struct evidence *const evidences[] = {
#define	EVIDENCE(name)	&evidence_##name,
#include "bench/assure/evidence.tbl"
#undef EVIDENCE
};
const unsigned evidence_count = sizeof(evidences) / sizeof(evidences[0]);

static void __attribute__((format(printf, 3, 0)))
add(char *text, size_t size, const char *fmt, va_list ap)
{
	size_t used = strlen(text);

	vsnprintf(text + used, size - used, fmt, ap);
}

void
evidence_say(struct evidence_row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(row->er_text, sizeof(row->er_text), fmt, ap);
	va_end(ap);
}

void
evidence_fail(struct evidence_row *row, const char *fmt, ...)
{
	va_list ap;

	row->er_state = EVIDENCE_FAILS;
	va_start(ap, fmt);
	add(row->er_text, sizeof(row->er_text), fmt, ap);
	va_end(ap);
}

void
evidence_bound(struct evidence_row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(row->er_bounds, sizeof(row->er_bounds), fmt, ap);
	va_end(ap);
}

void
evidence_unshown(struct evidence_row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(row->er_unshown, sizeof(row->er_unshown), fmt, ap);
	va_end(ap);
}

const struct random_algorithm *
evidence_design_real(const struct assure_params *ap)
{

	return (generator_find(ap->ap_design));
}

/* All of it, or false. */
static bool
send_row(int fd, const struct evidence_row *row)
{
	const char *p = (const char *)row;
	size_t left = sizeof(*row);
	ssize_t n;

	for (; left > 0; left -= (size_t)n, p += n) {
		n = write(fd, p, left);
		if (n == -1 && errno == EINTR)
			n = 0;
		if (n == -1)
			return (false);
	}
	return (true);
}

/* Returns: 0, EINTR, ETIMEDOUT, or EPIPE: it ended before it had sent all. */
static int
receive_row(int fd, const struct assure_params *ap, double patience_s,
    struct evidence_row *row)
{
	const int64_t start_ns = tick_ns();
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char *p = (char *)row;
	size_t left = sizeof(*row);
	double elapsed_s;
	ssize_t n;

	while (left > 0) {
		elapsed_s = (double)(tick_ns() - start_ns) / (double)NS_PER_S;
		if (stop_asked())
			return (EINTR);
		if (elapsed_s >= patience_s)
			return (ETIMEDOUT);
		if (ap->ap_waiting != NULL)
			ap->ap_waiting(ap->ap_context, elapsed_s);
		if (poll(&pfd, 1, POLL_MS) < 1)
			continue;
		n = read(fd, p, left);
		if (n == 0 || (n == -1 && errno != EINTR))
			return (EPIPE);
		if (n > 0) {
			left -= (size_t)n;
			p += n;
		}
	}
	return (0);
}

/* What became of a process that sent no row: late, or it has ended so. */
static void
describe_end(const struct evidence *ev, bool late, double patience_s,
    int status, struct evidence_row *row)
{

	memset(row, 0, sizeof(*row));
	row->er_state = ev->ev_tool ? EVIDENCE_MISSING : EVIDENCE_FAILS;
	if (late)
		evidence_say(row, "It did not end within %.0f seconds%s.",
		    patience_s, ev->ev_tool ? "" : ": it hangs, or starves");
	else if (WIFSIGNALED(status))
		evidence_say(row, "It was ended by signal %d (%s).",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		evidence_say(row, "It ended with status %d and no answer.",
		    WEXITSTATUS(status));
}

/* The process's part; does not return. */
static void __attribute__((noreturn))
gather(const struct evidence *ev, const struct assure_params *ap, int fd)
{
	struct evidence_row *row = calloc(1, sizeof(*row));

	/* Whatever it starts ends with it. */
	setpgid(0, 0);
	if (row == NULL)
		_exit(EXIT_FAILURE);
	ev->ev_gather(ap, row);
	_exit(send_row(fd, row) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* In a folder that is there, or without one. */
static int
gather_apart(const struct evidence *ev, const struct assure_params *ap,
    double patience_s, struct evidence_row *row)
{
	int error, fds[2], status;
	pid_t pid;

	fflush(NULL);
	if (pipe(fds) == -1)
		return (errno);
	pid = fork();
	if (pid == -1) {
		error = errno;
		close(fds[0]);
		close(fds[1]);
		return (error);
	}
	if (pid == 0) {
		close(fds[0]);
		gather(ev, ap, fds[1]);
	}
	/* Both do it: either may come first. */
	setpgid(pid, pid);
	close(fds[1]);
	error = receive_row(fds[0], ap, patience_s, row);
	/* Also what it has left behind. */
	if (error != 0)
		kill(-pid, SIGKILL);
	close(fds[0]);
	while (waitpid(pid, &status, 0) == -1)
		KASSERT(errno == EINTR, ("waitpid: %s", strerror(errno)));
	if (error == EPIPE || error == ETIMEDOUT)
		describe_end(ev, error == ETIMEDOUT, patience_s, status, row);
	return (error == EINTR ? EINTR : 0);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{

	(void)st;
	(void)kind;
	(void)at;
	return (remove(path));
}

int
evidence_gather(const struct evidence *ev, const struct assure_params *ap,
    double patience_s, struct evidence_row *row)
{
	struct assure_params mine = *ap;
	const char *temp = getenv("TMPDIR");
	int error;

	if (!ev->ev_scratch)
		return (gather_apart(ev, ap, patience_s, row));
	snprintf(mine.ap_scratch, sizeof(mine.ap_scratch),
	    "%s/rngsim-assure-XXXXXX", temp == NULL || temp[0] == '\0' ?
	    "/tmp" : temp);
	if (mkdtemp(mine.ap_scratch) == NULL)
		return (errno);
	error = gather_apart(ev, &mine, patience_s, row);
	nftw(mine.ap_scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return (error);
}
