/*
 * The n-th failure of each kind, for every n that a command reaches: the
 * program says what failed and exits 1, or does without and leaves nothing out;
 * it never dies of it, and what was there before is there after it.
 *
 * With the variable "every", as make faults sets it, that is so.  Else every n
 * up to DENSE of a command that is marked so, up to SPARSE of the others, which
 * begin alike, and of what there is most of; behind that steps of a STEP-th of
 * n; and slow commands are spared what they do most of.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atf-c.h>

#include "tests/support.h"

enum {
	DENSE		= 200,
	SPARSE		= 12,
	STEP		= 3,
	ARGUMENTS	= 40,
	TEXT_BYTES	= 1 << 20,
	SECONDS		= 60,	/* then it hangs */
	COMPLAINTS	= 40	/* printed of one command */
};

#define	VIRTUAL	"--engine", "virtual", "--profile", "epyc-9654-2s", "--cpus", \
	"2", "-S", "rngsim.warmup_ms=0", "--seed", "1"

/* What a command leaves on stdout when nothing fails. */
enum answer {
	SAME,		/* the same each time */
	BYTES,		/* as many */
	LINES,		/* the same number of lines: dates and times differ */
	SOME		/* something */
};

enum pace { USUAL, THOROUGH, SLOW };

static const struct command {
	const char	*name;
	enum pace	 pace;
	enum answer	 answer;
	bool		 output;	/* -o out.json follows */
	const char	*argument[ARGUMENTS];
} commands[] = {
	{ "list", USUAL, LINES, false,
	    { "list" } },
	{ "kat", THOROUGH, SAME, false,
	    { "kat", "script.kat" } },
	{ "cat", USUAL, BYTES, false,
	    { "cat", "-n", "64k", "-r", "2", "--seed", "1", "-S",
	    "rngsim.harvest.boot_entropy_bytes=2048" } },
	{ "virtual", THOROUGH, LINES, true,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "2", "-s", "1k" } },
	{ "faults", USUAL, SAME, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "2", "-s", "1k",
	    "--failpoint", "lock_owner_preempt=1%yield" } },
	{ "trace", USUAL, LINES, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "1k", "--trace",
	    "trace.json" } },
	{ "uncertain", SLOW, LINES, true,
	    { "sweep", VIRTUAL, "-t", "0.01", "-r", "1-2", "-s", "4k", "-n",
	    "2", "-c", "aes", "-d", "percpu,fxrng", "--verify",
	    "--uncertainty", "10" } },
	{ "real", USUAL, SOME, true,
	    { "run", "-t", "0.01", "-r", "2", "-S", "rngsim.warmup_ms=0",
	    "--workload", "16:70,4k:30" } },
	{ "sweep", SLOW, SOME, true,
	    { "sweep", "-t", "0.01", "-r", "1", "-s", "1k", "-n", "1", "-d",
	    "locked", "-c", "aes", "-S", "rngsim.warmup_ms=0" } },
	{ "report", THOROUGH, SAME, false,
	    { "report", "a.json" } },
	{ "csv", USUAL, SAME, false,
	    { "report", "--format", "csv", "a.json" } },
	{ "json", USUAL, SAME, false,
	    { "report", "--format", "json", "a.json" } },
	{ "usl", USUAL, SAME, false,
	    { "report", "--usl", "a.json" } },
	{ "compare", USUAL, SAME, false,
	    { "compare", "a.json", "b.json" } },
	{ "hash", SLOW, SOME, true,
	    { "hash", "-d", "sha256,crc32c,md4", "-s", "16", "-n", "1", "-t",
	    "0.001" } },
	{ "profile", USUAL, SAME, false,
	    { "list", "profiles", "machine.conf" } },
	{ "workload", USUAL, SAME, false,
	    { "workload", "show", "tls-server" } },
	{ "sources", SLOW, SOME, false,
	    { "sources", "-t", "0.001", "-n", "1" } },
};

static const char *program, *preload, *workloads;
static bool every;

/* A file's text, up to TEXT_BYTES; NULL where there is none. */
static char *
slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	char *text;

	if (f == NULL)
		return (NULL);
	text = malloc(TEXT_BYTES + 1);
	ATF_REQUIRE(text != NULL);
	*n = fread(text, 1, TEXT_BYTES, f);
	text[*n] = '\0';
	fclose(f);
	return (text);
}

static void
spill(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ATF_REQUIRE(f != NULL);
	fputs(text, f);
	ATF_REQUIRE_EQ(0, fclose(f));
}

static unsigned
lines(const char *text)
{
	unsigned n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return (n);
}

static void
child(const struct command *co, const char *kind, uint64_t n)
{
	char failure[80], folder[512], load[512];
	char *argv[ARGUMENTS + 6], *envp[16];
	static char locale[] = "LC_ALL=C";
	static char count[] = "NTH_FAILURE_COUNT=count";
	static char path[256];
	unsigned i = 0, k;
	int fd;

	snprintf(failure, sizeof(failure), "NTH_FAILURE=%s:%ju", kind,
	    (uintmax_t)n);
	snprintf(load, sizeof(load), "LD_PRELOAD=%s", preload);
	snprintf(path, sizeof(path), "PATH=%s", getenv("PATH"));
	snprintf(folder, sizeof(folder), "RNGSIM_WORKLOADS=%s", workloads);
	envp[i++] = failure;
	envp[i++] = load;
	envp[i++] = count;
	envp[i++] = locale;
	envp[i++] = path;
	envp[i++] = folder;
	envp[i] = NULL;
	i = 0;
	argv[i++] = (char *)(uintptr_t)program;
	for (k = 0; co->argument[k] != NULL; k++)
		argv[i++] = (char *)(uintptr_t)co->argument[k];
	if (co->output) {
		argv[i++] = (char *)(uintptr_t)"-o";
		argv[i++] = (char *)(uintptr_t)"out.json";
	}
	argv[i] = NULL;
	fd = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(fd, 1);
	close(fd);
	fd = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(fd, 2);
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	dup2(fd, 0);
	close(fd);
	alarm(SECONDS);
	execve(program, argv, envp);
	_exit(98);
}

/* Runs a command; its wait status. */
static int
run(const struct command *co, const char *kind, uint64_t n)
{
	struct rlimit limit = { 0, 0 };
	int status;
	pid_t pid;

	unlink("count");
	unlink("trace.json");
	if (co->output)
		spill("out.json", "old\n");
	pid = fork();
	ATF_REQUIRE(pid != -1);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &limit);
		child(co, kind, n);
	}
	while (waitpid(pid, &status, 0) == -1)
		ATF_REQUIRE_EQ(EINTR, errno);
	return (status);
}

/* Calls of a kind that a command makes. */
static uint64_t
count_of(void)
{
	uint64_t v;
	size_t n;
	char *text = slurp("count", &n);

	if (text == NULL)
		return (0);
	v = strtoull(text, NULL, 10);
	free(text);
	return (v);
}

/* Whether anything is left of files under way. */
static bool
leftovers(void)
{
	/* Removed as well: the next run is to be judged by its own. */
	return (system("rm *.tmp.* 2>/dev/null") == 0);
}

/* Old or new, never torn. */
static bool
is_whole(const char *text, size_t n)
{

	if (text == NULL)
		return (false);
	return (strcmp(text, "old\n") == 0 || (n > 3 && text[0] == '{' &&
	    strcmp(text + n - 3, "\n}\n") == 0));
}

/* What is wrong with how it ended; NULL: nothing. */
static const char *
judge(const struct command *co, int status, const char *undisturbed,
    size_t undisturbed_bytes)
{
	static char why[512];
	char *err, *file = NULL, *out;
	const char *wrong = NULL;
	size_t en = 0, fn = 0, on = 0;

	err = slurp("stderr", &en);
	out = slurp("stdout", &on);
	if (co->output)
		file = slurp("out.json", &fn);
	ATF_REQUIRE(err != NULL && out != NULL);
	if (WIFSIGNALED(status)) {
		snprintf(why, sizeof(why), "signal %d", WTERMSIG(status));
		wrong = why;
	} else if (WEXITSTATUS(status) == 0) {
		if (co->answer == SAME && (on != undisturbed_bytes ||
		    memcmp(out, undisturbed, on) != 0))
			wrong = "exit 0 with another answer";
		else if (co->answer == BYTES && on != undisturbed_bytes)
			wrong = "exit 0 with a part of the bytes";
		else if (co->answer == LINES &&
		    lines(out) != lines(undisturbed))
			wrong = "exit 0 with a part of the answer";
		else if (on == 0)
			wrong = "exit 0 without an answer";
		else if (co->output && (file == NULL ||
		    strstr(file, "\"complete\": true") == NULL))
			wrong = "exit 0 without a whole result";
		else if (strcmp(co->name, "trace") == 0 &&
		    access("trace.json", R_OK) != 0)
			wrong = "exit 0 without a trace";
	} else if (WEXITSTATUS(status) != 1) {
		snprintf(why, sizeof(why), "exit %d", WEXITSTATUS(status));
		wrong = why;
	} else if ((strstr(err, "rngsim: ") == NULL &&
	    strstr(err, "script.kat:") == NULL) ||
	    strstr(err, "assertion") != NULL || err[en - 1] != '\n') {
		wrong = "exit 1 without a message";
	} else if (strstr(err, "(null)") != NULL ||
	    strstr(err, "Success") != NULL) {
		wrong = "a message that says nothing";
	} else if (co->output && !is_whole(file, fn)) {
		wrong = "exit 1, and the earlier file is gone";
	}
	if (leftovers() && wrong == NULL)
		wrong = "a file is left";
	if (wrong != NULL) {
		err[en < 300 ? en : 300] = '\0';
		if (wrong != why)
			snprintf(why, sizeof(why), "%s", wrong);
		snprintf(why + strlen(why), sizeof(why) - strlen(why), "; %s",
		    err);
		wrong = why;
	}
	free(file);
	free(out);
	free(err);
	return (wrong);
}

/* What commands call by the thousand. */
static bool
is_many(const char *kind)
{

	return (strcmp(kind, "alloc-all") == 0 || strcmp(kind, "crypto") == 0);
}

static uint64_t
following(const struct command *co, const char *kind, uint64_t n)
{
	uint64_t dense = co->pace == THOROUGH && !is_many(kind) ? DENSE :
	    SPARSE;

	return (every || n < dense ? n + 1 : n + n / STEP);
}

/* All n of a kind for one command. */
static unsigned
campaign(const struct command *co, const char *kind)
{
	unsigned bad = 0, runs = 0;
	uint64_t n, reached;
	const char *wrong;
	size_t bytes;
	char *out;
	int status;

	status = run(co, kind, 0);
	out = slurp("stdout", &bytes);
	ATF_REQUIRE(out != NULL);
	wrong = judge(co, status, out, bytes);
	ATF_REQUIRE_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	    wrong == NULL, "%s, nothing failing: %s", co->name, wrong != NULL ?
	    wrong : "does not exit 0");
	reached = count_of();
	for (n = 1; n <= reached; n = following(co, kind, n), runs++) {
		status = run(co, kind, n);
		wrong = judge(co, status, out, bytes);
		if (wrong == NULL)
			continue;
		if (bad++ < COMPLAINTS)
			printf("%s, %s %ju of %ju: %s\n", co->name, kind,
			    (uintmax_t)n, (uintmax_t)reached, wrong);
	}
	free(out);
	printf("%s: %s: %ju reached, %u tried, %u bad\n", co->name, kind,
	    (uintmax_t)reached, runs, bad);
	fflush(stdout);
	return (bad);
}

/* What commands read. */
static void
files(const atf_tc_t *tc)
{
	static const struct command make = { "make", USUAL, SOME, true,
	    { "sweep", VIRTUAL, "-t", "0.01", "-r", "1-3", "-s", "4k", "-n",
	    "3", "-c", "aes" } };
	char path[512];
	size_t n;
	char *text;
	int status;

	snprintf(path, sizeof(path), "%s/../rngsim",
	    atf_tc_get_config_var(tc, "srcdir"));
	program = strdup(path);
	snprintf(path, sizeof(path), "%s/nth_failure.so",
	    atf_tc_get_config_var(tc, "srcdir"));
	preload = strdup(path);
	snprintf(path, sizeof(path), "%s/bench/workloads",
	    atf_tc_get_config_var_wd(tc, "source", "."));
	workloads = strdup(path);
	every = atf_tc_get_config_var_as_bool_wd(tc, "every", false);
	snprintf(path, sizeof(path), "%s/tests/vectors/%s",
	    atf_tc_get_config_var_wd(tc, "source", "."),
	    "aes-concurrent-01-small-sizes.script");
	text = slurp(path, &n);
	ATF_REQUIRE_MSG(text != NULL, "%s", path);
	spill("script.kat", text);
	free(text);
	snprintf(path, sizeof(path), "%s/lib/profiles/epyc-9654-2s.conf",
	    atf_tc_get_config_var_wd(tc, "source", "."));
	text = slurp(path, &n);
	ATF_REQUIRE_MSG(text != NULL, "%s", path);
	spill("machine.conf", text);
	free(text);
	status = run(&make, "fsync", 0);
	ATF_REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ATF_REQUIRE_EQ(0, rename("out.json", "a.json"));
	status = run(&make, "fsync", 0);
	ATF_REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ATF_REQUIRE_EQ(0, rename("out.json", "b.json"));
}

/* The kind, with all commands or those whose name "only" is. */
static void
all(const atf_tc_t *tc, const char *kind)
{
	const char *only = getenv("NTH_ONLY");
	unsigned bad = 0, i;

	if (!SUPPORT_MALLCTL)
		atf_tc_skip("a sanitizer has replaced the allocator");
	files(tc);
	for (i = 0; i < nitems(commands); i++)
		if ((only == NULL || strcmp(only, commands[i].name) == 0) &&
		    (every || commands[i].pace != SLOW || !is_many(kind)))
			bad += campaign(&commands[i], kind);
	ATF_CHECK_EQ_MSG(0, bad, "%u of these failures are not survived", bad);
}

#define	KIND(name, kind, reason)					\
ATF_TC(nth__##name);							\
ATF_TC_HEAD(nth__##name, tc)						\
{									\
	atf_tc_set_md_var(tc, "descr", reason);				\
	atf_tc_set_md_var(tc, "timeout", "3600");			\
}									\
ATF_TC_BODY(nth__##name, tc)						\
{									\
	all(tc, kind);							\
}

KIND(alloc, "alloc", "each of the program's own allocations fails")
KIND(alloc_all, "alloc-all", "and each of its libraries'")
KIND(thread, "thread", "each thread is refused")
KIND(crypto, "crypto", "each call of libcrypto fails")
KIND(write, "write", "each write(2) finds the disk full")
KIND(fsync, "fsync", "each fsync(2) fails")
KIND(open, "open", "each open(2) and rename(2) fails")

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, nth__alloc);
	ATF_TP_ADD_TC(tp, nth__alloc_all);
	ATF_TP_ADD_TC(tp, nth__thread);
	ATF_TP_ADD_TC(tp, nth__crypto);
	ATF_TP_ADD_TC(tp, nth__write);
	ATF_TP_ADD_TC(tp, nth__fsync);
	ATF_TP_ADD_TC(tp, nth__open);
	return (atf_no_error());
}
