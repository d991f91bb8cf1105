#include <sys/wait.h>

#include <errno.h>
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

static void __attribute__((format(printf, 2, 0)))
add(struct evidence_row *row, const char *fmt, va_list ap)
{
	size_t used = strlen(row->er_text);

	vsnprintf(row->er_text + used, sizeof(row->er_text) - used, fmt, ap);
}

void
evidence_say(struct evidence_row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(row, fmt, ap);
	va_end(ap);
}

void
evidence_fail(struct evidence_row *row, const char *fmt, ...)
{
	va_list ap;

	row->er_state = EVIDENCE_FAILS;
	va_start(ap, fmt);
	add(row, fmt, ap);
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
receive_row(int fd, int64_t until_ns, struct evidence_row *row)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char *p = (char *)row;
	size_t left = sizeof(*row);
	ssize_t n;

	while (left > 0) {
		if (stop_asked())
			return (EINTR);
		if (tick_ns() >= until_ns)
			return (ETIMEDOUT);
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

/* What became of a process that sent no row. */
static void
describe_end(struct evidence_row *row, int status)
{

	memset(row, 0, sizeof(*row));
	if (WIFSIGNALED(status))
		evidence_fail(row, "It was ended by signal %d (%s).",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		evidence_fail(row, "It ended with status %d and no answer.",
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

int
evidence_gather(const struct evidence *ev, const struct assure_params *ap,
    double patience_s, struct evidence_row *row)
{
	int64_t until_ns = tick_ns() + (int64_t)(patience_s * 1e9);
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
	close(fds[1]);
	error = receive_row(fds[0], until_ns, row);
	if (error != 0 && error != EPIPE) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
	}
	close(fds[0]);
	while (waitpid(pid, &status, 0) == -1)
		KASSERT(errno == EINTR, ("waitpid: %s", strerror(errno)));
	if (error == EPIPE)
		describe_end(row, status);
	if (error == ETIMEDOUT) {
		memset(row, 0, sizeof(*row));
		evidence_fail(row, "It did not end within %.0f seconds: it "
		    "hangs, or starves.", patience_s);
	}
	return (error == EINTR ? EINTR : 0);
}
