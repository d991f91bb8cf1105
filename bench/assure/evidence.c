#include <ftw.h>
#include <poll.h>

#include "bench/assure/evidence.h"
#include "bench/cli/command.h"
#include "bench/cli/stop.h"

enum { POLL_MS = 100 };

#define	DESIGN(name, descr, ...)					\
	{ #name, descr, .ev_gather = name##_gather, .ev_share = __VA_ARGS__ }
#define	LOCK(...)	DESIGN(__VA_ARGS__, .ev_lock = true)

const struct evidence evidences[EVIDENCE_ROWS] = {
	DESIGN(model, "models of the read modes, every order of few threads",
	    0.2, .ev_tool = true, .ev_scratch = true),
	DESIGN(schedules, "many orders of threads, under the ledger", 0.2),
	DESIGN(exhaustive, "every order of the steps of few threads", 0.05),
	DESIGN(ledger, "uses of keys, pools and reseeds, as they happen", 0.2),
	DESIGN(arithmetic, "counters set aside and used, each size to 4 MiB",
	    0.1),
	DESIGN(faults, "fail points, each hit in schedules under the ledger",
	    0.05),
	DESIGN(answers, "known answers of FreeBSD's code, or of a model", 0.02,
	    .ev_scratch = true),
	DESIGN(sanitizers, "schedules and ledger again in sanitizers' builds",
	    0.13, .ev_tool = true),
	DESIGN(statistics, "blocks of output that come twice", 0.05),
	LOCK(exclusion, "of a lock: one thread inside at a time", 0.55),
	LOCK(executions, "of a lock: every order of the steps of few threads",
	    0.05),
	LOCK(order, "of a lock: waiters served as they came", 0.02),
	LOCK(fairness, "of a lock: how many pass a waiter", 0.03),
	LOCK(trylock, "of a lock: trying, free and held", 0.03),
	LOCK(misuse, "of a lock: ownership, destroyed while held", 0.02),
	LOCK(starvation, "of a lock: no thread waits forever", 0.2),
	LOCK(oversubscription, "of a lock: more threads than CPUs", 0.1),
};

/* Returns: 0, EINTR, ETIMEDOUT, or EPIPE: it ended before it sent all. */
static int
receive_row(int fd, const struct assure_params *ap, double patience_s,
    struct evidence_row *row)
{
	const int64_t start_ns = tick_ns();
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char *p = (char *)row, *end = p + sizeof(*row);
	double elapsed_s;
	ssize_t n;

	while (p < end) {
		elapsed_s = (double)(tick_ns() - start_ns) / (double)NS_PER_S;
		if (stop_asked())
			return (EINTR);
		if (elapsed_s >= patience_s)
			return (ETIMEDOUT);
		if (ap->ap_waiting != NULL)
			ap->ap_waiting(ap->ap_context, elapsed_s);
		if (poll(&pfd, 1, POLL_MS) < 1)
			continue;
		n = read(fd, p, (size_t)(end - p));
		if (n == 0 || (n == -1 && errno != EINTR))
			return (EPIPE);
		p += MAX(n, 0);
	}
	return (0);
}

static void
gather(void *arg, int fd)
{
	const struct assure_params *ap = arg;
	struct evidence_row *row = xcalloc(1, sizeof(*row));

	ap->ap_evidence->ev_gather(ap, row);
	if (atomic_file_write_all(fd, (const char *)row, sizeof(*row)) != 0)
		_exit(EXIT_FAILURE);
}

static int
remove_one(const char *path, const struct stat *st __unused, int kind __unused,
    struct FTW *at __unused)
{
	return (remove(path));
}

int
evidence_gather(const struct evidence *ev, const struct assure_params *ap,
    double patience_s, struct evidence_row *row)
{
	struct assure_params mine = *ap;
	struct child ch = { .ch_main = gather, .cld_arg = &mine };
	const char *temp = getenv("TMPDIR");
	int error, status;
	FILE *err;

	mine.ap_evidence = ev;
	snprintf(mine.ap_scratch, sizeof(mine.ap_scratch),
	    "%s/rngsim-assure-XXXXXX", temp == NULL || temp[0] == '\0' ?
	    "/tmp" : temp);
	if (ev->ev_scratch && mkdtemp(mine.ap_scratch) == NULL) {
		(void)run_error("TMPDIR: %s: %s", mine.ap_scratch,
		    strerror(errno));
		return (EALREADY);
	}
	err = tmpfile();
	ch.cld_fd[STDERR_FILENO] = err == NULL ? 0 : fileno(err);
	if ((error = child_start(&ch)) == 0) {
		error = receive_row(ch.cld_out, ap, patience_s, row);
		/* All that it started is killed with it. */
		if (error != 0)
			kill(-ch.cld_pid, SIGKILL);
		close(ch.cld_out);
		status = child_wait(ch.cld_pid);
		if (error == EPIPE || error == ETIMEDOUT) {
			memset(row, 0, sizeof(*row));
			row->er_state = ev->ev_tool ? EVIDENCE_MISSING :
			    EVIDENCE_FAILS;
			if (error == EPIPE)
				program_say_end(status,
				    ch.cld_fd[STDERR_FILENO], row);
			else
				row_says(row, "It did not end within %.0f "
				    "seconds%s.", patience_s, ev->ev_tool ? "" :
				    ": it hangs, or starves");
			error = 0;
		}
	}
	if (err != NULL)
		fclose(err);
	if (ev->ev_scratch)
		nftw(mine.ap_scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return (error);
}

void
program_words(const char *path, const char *words,
    const char *argv[PROGRAM_WORDS])
{
	static char script[PROGRAM_SCRIPT_SIZE];

	snprintf(script, sizeof(script), "exec \"$0\" %s", words);
	memcpy(argv, (const char *const[PROGRAM_WORDS]){ "/bin/sh", "-c",
	    script, path }, PROGRAM_WORDS * sizeof(*argv));
}

void
program_say_end(int status, int err, struct evidence_row *row)
{
	char text[EVIDENCE_TEXT_SIZE / 2], *line;
	const off_t end = lseek(err, 0, SEEK_END);
	ssize_t n;

	if (status == -1)
		row_says(row, "It could not be started. ");
	else if (WIFSIGNALED(status))
		row_says(row, "It was ended by signal %d (%s). ",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		row_says(row, "It ended with status %d. ", WEXITSTATUS(status));
	n = end <= 0 ? 0 : pread(err, text, sizeof(text) - 1,
	    end < (off_t)sizeof(text) ? 0 : end - (off_t)sizeof(text) + 1);
	if (n <= 0)
		return;
	text[n] = '\0';
	text[n - (text[n - 1] == '\n')] = '\0';
	line = strrchr(text, '\n');
	row_says(row, "It said: %s. ", line == NULL ? text : line + 1);
}
