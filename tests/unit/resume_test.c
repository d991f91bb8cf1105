/*
 * A run that is killed at a system call, any of them, and resumed.
 *
 * The suite takes one in a few, from a place that is drawn; "make kill" all.
 */
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <linux/ptrace.h>
#endif

#include <atf-c.h>

#include "lib/base/base.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

#if defined(__linux__)
enum {
	NEVER		= 1 << 30,	/* as many calls as no run makes */
	WORDS_MAX	= 64,
	VIRTUAL_REPEATS	= 4,		/* of begin_virtual */
	FILE_MAX_BYTES	= 1 << 22
};

static const char result[] = "r.json";
static const char journal[] = "r.json.journal";
static const char earlier[] = "earlier\n";

static char program[4096];

/* The runs.  One worker, so that the calls are nearly the same each time. */
static const char *const begin_virtual[] = { "sweep", "--engine", "virtual",
    "--profile", "epyc-9654-2s", "-t", "0.01", "--cpus", "2", "-r", "1", "-c",
    "chacha20", "-n", "2", "-S", "rngsim.virtual.threads=1", "--seed", "3",
    "-o", "r.json", NULL };
static const char *const begin_draws[] = { "sweep", "--engine", "virtual",
    "--profile", "epyc-9654-2s", "-t", "0.01", "--cpus", "2", "-r", "1", "-c",
    "chacha20", "-d", "concurrent", "-n", "1", "--uncertainty", "10", "-S",
    "rngsim.virtual.threads=1", "--seed", "3", "-o", "r.json", NULL };
static const char *const begin_real[] = { "sweep", "-t", "0.01", "-r", "1",
    "-c", "aes", "-d", "none", "-n", "4", "-S", "rngsim.warmup_ms=0",
    "--crypto", "kernel", "--seed", "3", "-o", "r.json", NULL };
static const char *const go_on[] = { "sweep", "--resume", "r.json", NULL };

/* What came of a run. */
struct outcome {
	long	ou_calls;	/* begun, of those that were counted */
	long	ou_first;	/* at which the journal was there first */
	int	ou_status;	/* as wait(2) has it */
};

static void
find_program(const atf_tc_t *tc)
{
	snprintf(program, sizeof(program), "%s/../rngsim",
	    atf_tc_get_config_var(tc, "srcdir"));
	ATF_REQUIRE_MSG(access(program, X_OK) == 0, "%s", program);
}

/* The child's side: becomes the program, stopped before its first call. */
static void
become(const char *const *words)
{
	const char *options = getenv("ASAN_OPTIONS");
	char *argv[WORDS_MAX], quiet[512];
	unsigned n = 0;
	int fd;

	/* LeakSanitizer traces, too, and a process has one tracer. */
	snprintf(quiet, sizeof(quiet), "%s:detect_leaks=0", options == NULL ?
	    "" : options);
	setenv("ASAN_OPTIONS", quiet, 1);
	argv[n++] = program;
	for (; *words != NULL; words++)
		argv[n++] = (char *)(uintptr_t)*words;
	argv[n] = NULL;
	fd = open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd == -1 || dup2(fd, 1) == -1 || dup2(fd, 2) == -1 ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(99);
	raise(SIGSTOP);
	execv(program, argv);
	_exit(98);
}

/* Whether a thread stands at the beginning of a call that counts. */
static bool
begins(pid_t tid, long only)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof(info),
	    &info) <= 0)
		return (false);
	return (info.op == PTRACE_SYSCALL_INFO_ENTRY &&
	    (only < 0 || (long)info.entry.nr == only));
}

/*
 * Runs the program, and kills it when it is about to make its call of number
 * nth, from 1.
 *
 *   only  in  calls that count: of this kind; -1: all
 */
static struct outcome
run(const char *const *words, long nth, long only)
{
	struct outcome ou = { .ou_first = 0 };
	int sig, status;
	pid_t child, tid;

	child = fork();
	ATF_REQUIRE(child != -1);
	if (child == 0)
		become(words);
	ATF_REQUIRE_EQ(child, waitpid(child, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		atf_tc_skip("this process may trace no other");
	ATF_REQUIRE(WIFSTOPPED(status));
	ATF_REQUIRE(ptrace(PTRACE_SETOPTIONS, child, NULL,
	    PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
	    PTRACE_O_EXITKILL) == 0);
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid == -1)
			break;
		if (!WIFSTOPPED(status)) {
			if (tid == child)
				ou.ou_status = status;
			continue;
		}
		sig = WSTOPSIG(status);
		if (sig == (SIGTRAP | 0x80)) {
			if (begins(tid, only)) {
				if (ou.ou_first == 0 && access(journal,
				    F_OK) == 0)
					ou.ou_first = ou.ou_calls;
				if (++ou.ou_calls == nth)
					kill(child, SIGKILL);
			}
			sig = 0;
		} else if (sig == SIGTRAP || sig == SIGSTOP) {
			sig = 0;	/* the tracer's own */
		}
		ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(intptr_t)sig);
	}
	return (ou);
}

/* A run that comes to its end; its exit status. */
static int
finish(const char *const *words)
{
	struct outcome ou = run(words, NEVER, -1);

	ATF_REQUIRE_MSG(WIFEXITED(ou.ou_status), "ended by %d", ou.ou_status);
	return (WEXITSTATUS(ou.ou_status));
}

/* A file's content, to be freed; NULL where there is none. */
static char *
content(const char *path)
{
	int fd = open(path, O_RDONLY);
	char *text;
	size_t n;

	if (fd == -1)
		return (NULL);
	ATF_REQUIRE_EQ(0, read_file(fd, FILE_MAX_BYTES, &text, &n));
	close(fd);
	return (text);
}

/* Cuts out what lies from a text to the end of the line that has another. */
static void
cut(char *text, const char *from, const char *to)
{
	char *begin = strstr(text, from), *end;

	if (begin == NULL)
		return;
	end = strstr(begin, to);
	ATF_REQUIRE(end != NULL);
	end = strchr(end + strlen(to) - 1, '\n');
	ATF_REQUIRE(end != NULL);
	memmove(begin, end + 1, strlen(end + 1) + 1);
}

/* A result without what may differ: its times. */
static char *
timeless(const char *path)
{
	char *text = content(path);

	ATF_REQUIRE_MSG(text != NULL, "no %s", path);
	cut(text, "  \"started\":", "\n");
	cut(text, "  \"resumed\":", "\n  ]");
	return (text);
}

/* Whole repeats and draws that a journal has; -1: there is none. */
static long
kept(void)
{
	char *end, *line, *text = content(journal);
	long n = -1;

	for (line = text; line != NULL && (end = strchr(line, '\n')) != NULL;
	    line = end + 1)
		n += strncmp(line, "{\"resumed\"", 10) != 0;
	free(text);
	return (n);
}

/* No file is left but these. */
static void
require_only_result(long nth)
{
	struct dirent *entry;
	DIR *dir = opendir(".");

	ATF_REQUIRE(dir != NULL);
	while ((entry = readdir(dir)) != NULL)
		ATF_CHECK_MSG(strncmp(entry->d_name, result, strlen(result)) !=
		    0 || strcmp(entry->d_name, result) == 0,
		    "killed at call %ld: %s is left", nth, entry->d_name);
	closedir(dir);
}

static void
clean(void)
{
	unlink(result);
	unlink(journal);
	unlink("r.json.journal.tmp");
	unlink("r.json.journal.old");
}

/* What stands in the result's place after a kill: old or new, never torn. */
static bool
require_old_or_new(const char *reference, bool old, long nth)
{
	char *text = content(result);
	bool is_old;

	is_old = text == NULL ? !old : old && strcmp(text, earlier) == 0;
	if (!is_old) {
		free(text);
		text = timeless(result);
		ATF_REQUIRE_MSG(strcmp(text, reference) == 0,
		    "killed at call %ld: the result is torn", nth);
	}
	free(text);
	return (!is_old);
}

/* Resumes until the run is done; what was kept is not done again. */
static void
require_same_end(const char *const *begin, const char *reference, long nth,
    bool is_new)
{
	long before = kept(), order = before;
	char *end, *text, *resumed;
	int status;

	status = finish(go_on);
	if (status != 0) {
		/* Killed before there was anything to resume. */
		text = content("out.txt");
		ATF_REQUIRE_MSG(before < 0 && !is_new && text != NULL &&
		    (strstr(text, "nothing to resume") != NULL ||
		    strstr(text, "begin it again") != NULL),
		    "killed at call %ld, %ld kept: exit %d: %s", nth, before,
		    status, text);
		free(text);
		status = finish(begin);
	}
	ATF_REQUIRE_EQ_MSG(0, status, "killed at call %ld: exit %d", nth,
	    status);
	text = content(result);
	ATF_REQUIRE(text != NULL);
	resumed = strstr(text, "  \"resumed\":");
	end = resumed == NULL ? NULL : strstr(resumed, "\n  ]");
	while (end != NULL && (resumed = strstr(resumed + 1, "\"order\"")) !=
	    NULL && resumed < end)
		ATF_CHECK(sscanf(resumed, "\"order\": %ld", &order) == 1);
	/*
	 * Draws come behind the repeats and have no place among them; where
	 * nothing was missing the run was not resumed.
	 */
	ATF_CHECK_MSG(before < 0 || order == before ||
	    before == VIRTUAL_REPEATS || begin == begin_draws,
	    "killed at call %ld: %ld were kept, went on from %ld", nth, before,
	    order);
	free(text);
	text = timeless(result);
	ATF_REQUIRE_MSG(strcmp(text, reference) == 0,
	    "killed at call %ld, %ld kept: another result", nth, before);
	free(text);
	require_only_result(nth);
}

/* An undisturbed run's result; ou of it. */
static char *
reference_of(const char *const *begin, struct outcome *ou)
{
	clean();
	*ou = run(begin, NEVER, -1);
	ATF_REQUIRE(WIFEXITED(ou->ou_status) &&
	    WEXITSTATUS(ou->ou_status) == 0);
	return (timeless(result));
}

/* One of how many calls is taken; "-v kill=1" takes all. */
static long
step(const atf_tc_t *tc, long few)
{
	return (atf_tc_get_config_var_as_long_wd(tc, "kill", few));
}

static long
offset(long below)
{
	unsigned seed = (unsigned)time(NULL);

	printf("seed %u\n", seed);
	srandom(seed);
	return (random() % below);
}

/*
 * Kills a run at one of so many calls, and resumes it after each kill.
 *
 *   begin        in  what makes the undisturbed result
 *   half         in  a journal that the run resumes; NULL: it is "begin"
 *   early, late  in  one of how many, before there is a journal and then
 */
static void
campaign(const atf_tc_t *tc, const char *const *begin, const char *half,
    long early, long late)
{
	struct outcome ou;
	char *reference = reference_of(begin, &ou);
	long each = step(tc, early), kills = 0, nth;
	bool old;

	/* Threads make a few more or fewer calls before it is there. */
	for (nth = 1 + offset(each);; nth += each) {
		if (nth > ou.ou_first - 8)
			each = step(tc, late);
		clean();
		old = half == NULL && kills % 2 == 1;
		if (half != NULL)
			atf_utils_create_file(journal, "%s", half);
		if (old)
			atf_utils_create_file(result, "%s", earlier);
		if (!WIFSIGNALED(run(half == NULL ? begin : go_on, nth,
		    -1).ou_status))
			break;
		kills++;
		require_same_end(begin, reference, nth,
		    require_old_or_new(reference, old, nth));
	}
	printf("killed at %ld of %ld calls, the journal's from %ld\n", kills,
	    ou.ou_calls, ou.ou_first);
	/* It was the end of the run that ended it. */
	ATF_CHECK(half != NULL || nth > ou.ou_calls / 2);
	ATF_CHECK(ou.ou_first > 0 && kills > 10);
	free(reference);
}

TEST(resume__killed_at_a_system_call,
    "SIGKILL at system calls: the result is old or new; --resume ends with "
    "what an undisturbed run ends with, and no finished repeat is done again")
{
	find_program(tc);
	campaign(tc, begin_virtual, NULL, 61, 3);
}

TEST(resume__killed_among_draws, "The same of a run with --uncertainty")
{
	find_program(tc);
	campaign(tc, begin_draws, NULL, 61, 7);
}

TEST(resume__killed_while_it_goes_on,
    "SIGKILL at system calls of a resumed run, which is resumed again")
{
	long nth = 0;
	char *half;

	find_program(tc);
	do {
		clean();
		ATF_REQUIRE(WIFSIGNALED(run(begin_virtual, ++nth,
		    SYS_write).ou_status));
	} while (kept() < 2);
	half = content(journal);
	campaign(tc, begin_virtual, half, 17, 17);
	free(half);
}

/* The n-th value of a key in a result's text. */
static double
value_of(const char *text, const char *key, unsigned n)
{
	double v = -1;

	for (n++; n > 0 && text != NULL; n--) {
		text = strstr(text, key);
		text = text == NULL ? NULL : text + strlen(key);
	}
	ATF_REQUIRE_MSG(text != NULL && sscanf(text, ": %lf", &v) == 1,
	    "no %s", key);
	return (v);
}

TEST(resume__measured_repeats_stay,
    "On the real engine, too: what was measured before SIGKILL is in the "
    "result as it was, the rest behind it, controls as well")
{
	static const char key[] = "\"total_mb_per_s\"";
	double before[3];
	struct outcome ou;
	char *text;
	long n;

	find_program(tc);
	clean();
	/* A cell and two controls: one of each block is there, and one more. */
	ou = run(begin_real, 7, SYS_fsync);
	ATF_REQUIRE(WIFSIGNALED(ou.ou_status));
	n = kept();
	ATF_REQUIRE_EQ_MSG(5, n, "%ld were kept", n);
	text = content(journal);
	before[0] = value_of(strstr(text, "\"cell\":0,\"repeat\":0"), key, 0);
	before[1] = value_of(strstr(text, "\"cell\":0,\"repeat\":1"), key, 0);
	free(text);
	ATF_REQUIRE_EQ(0, finish(go_on));
	text = content(result);
	ATF_REQUIRE(strstr(text, "\"complete\": true") != NULL);
	ATF_CHECK(strstr(text, "\"repeats\": 4") != NULL);
	/* Of the resumption. */
	ATF_CHECK(value_of(text, "\"order\"", 0) == 5);
	/* The cell's own comes first, then those of its samples. */
	ATF_CHECK(fabs(value_of(text, key, 1) / before[0] - 1) < 1e-12);
	ATF_CHECK(fabs(value_of(text, key, 2) / before[1] - 1) < 1e-12);
	free(text);
	require_only_result(7);
}
#else
TEST(resume__killed, "A run that is killed and resumed")
{
	atf_tc_skip("system calls are counted by Linux's ptrace(2)");
}
#endif

TEST_PROGRAM()
