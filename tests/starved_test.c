/*
 * The n-th allocation, file or thread fails, inside this process: a command is
 * called again and again as a function, with one n after the other.
 *
 * nth_failure_test does the same from outside, libraries' calls included, and
 * can afford few n of what is done by the thousand.  Here are the program's own
 * calls, and jansson's allocations, which stand for most of what results and
 * documents are made of.
 *
 * The linker puts __wrap_NAME() in place of NAME(), see WRAPPED in the
 * Makefile.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atf-c.h>
#include <jansson.h>

#include "bench/cmd.h"
#include "tests/support.h"

enum kind { MEMORY, FILES, THREADS, KINDS };

enum {
	ARGUMENTS	= 40,
	DENSE		= 250,	/* each of so many first and last n, and ... */
	STEP		= 40,	/* ... between them every n / STEP-th */
	DENSE_SLOW	= 80,	/* of commands that simulate or measure */
	STEP_SLOW	= 12,
	COMPLAINTS	= 20,	/* printed of one command */
	TEXT_BYTES	= 1 << 18
};

static struct {
	_Atomic bool	 fa_armed;
	enum kind	 fa_kind;
	uint64_t	 fa_at;		/* 0: none fails */
	_Atomic uint64_t fa_reached;
} failure;

/* Whether this call is the one. */
static bool
fails(enum kind kind, int error)
{

	if (!atomic_load(&failure.fa_armed) || kind != failure.fa_kind ||
	    atomic_fetch_add(&failure.fa_reached, 1) + 1 != failure.fa_at)
		return (false);
	errno = error;
	return (true);
}

#define	WRAP(type, name, arguments)					\
	type __real_##name arguments;					\
	type __wrap_##name arguments;					\
	type								\
	__wrap_##name arguments

WRAP(void *, malloc, (size_t size))
{

	return (fails(MEMORY, ENOMEM) ? NULL : __real_malloc(size));
}

WRAP(void *, calloc, (size_t n, size_t size))
{

	return (fails(MEMORY, ENOMEM) ? NULL :
	    __real_calloc(n, size));
}

WRAP(void *, realloc, (void *p, size_t size))
{

	return (fails(MEMORY, ENOMEM) ? NULL : __real_realloc(p, size));
}

WRAP(void *, reallocarray, (void *p, size_t n, size_t size))
{

	return (fails(MEMORY, ENOMEM) ? NULL :
	    __real_reallocarray(p, n, size));
}

WRAP(void *, aligned_alloc, (size_t alignment, size_t size))
{

	return (fails(MEMORY, ENOMEM) ? NULL :
	    __real_aligned_alloc(alignment, size));
}

WRAP(char *, strdup, (const char *text))
{

	return (fails(MEMORY, ENOMEM) ? NULL : __real_strdup(text));
}

WRAP(char *, strndup, (const char *text, size_t n))
{

	return (fails(MEMORY, ENOMEM) ? NULL :
	    __real_strndup(text, n));
}

WRAP(FILE *, open_memstream, (char **text, size_t *n))
{

	return (fails(MEMORY, ENOMEM) ? NULL :
	    __real_open_memstream(text, n));
}

WRAP(FILE *, fmemopen, (void *p, size_t n, const char *mode))
{

	return (fails(MEMORY, ENOMEM) ? NULL : __real_fmemopen(p, n, mode));
}

WRAP(FILE *, fopen, (const char *path, const char *mode))
{

	return (fails(FILES, EMFILE) ? NULL : __real_fopen(path, mode));
}

WRAP(FILE *, fdopen, (int fd, const char *mode))
{

	return (fails(FILES, EMFILE) ? NULL : __real_fdopen(fd, mode));
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if ((flags & O_CREAT) != 0) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	return (fails(FILES, EMFILE) ? -1 : __real_open(path, flags, mode));
}

WRAP(int, fsync, (int fd))
{

	return (fails(FILES, EIO) ? -1 : __real_fsync(fd));
}

WRAP(int, rename, (const char *from, const char *to))
{

	return (fails(FILES, EACCES) ? -1 : __real_rename(from, to));
}

WRAP(int, pipe, (int ends[2]))
{

	return (fails(FILES, EMFILE) ? -1 : __real_pipe(ends));
}

WRAP(int, pthread_create, (pthread_t *td, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg))
{

	return (fails(THREADS, EAGAIN) ? EAGAIN : __real_pthread_create(td,
	    attr, fn, arg));
}

/* What a command leaves on stdout when nothing fails. */
enum answer { SAME, SOME };

struct operation {
	const char	*op_name;
	const struct command *op_command;
	enum answer	 op_answer;
	bool		 op_output;	/* -o out.json follows */
	const char	*op_argument[ARGUMENTS];
};

#define	VIRTUAL	"--engine", "virtual", "--profile", "epyc-9654-2s",	\
	"--cpus", "2", "-S", "rngsim.warmup_ms=0", "-S",		\
	"rngsim.virtual.threads=1", "--seed", "1"

static const struct operation operations[] = {
	{ "list", &cmd_list, SOME, false, { "list" } },
	{ "kat", &cmd_kat, SAME, false, { "kat", "script.kat" } },
	{ "run", &cmd_run, SOME, true,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "2", "-s", "16k",
	    "--verify" } },
	{ "trace", &cmd_run, SOME, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "256k", "--trace",
	    "trace.json" } },
	{ "faults", &cmd_run, SOME, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "16k",
	    "--failpoint", "lock_owner_preempt=1%yield" } },
	{ "text", &cmd_run, SOME, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "256k", "--trace",
	    "trace.txt" } },
	{ "workload", &cmd_run, SOME, true,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "2", "--workload",
	    "4k:70,64k:30" } },
	{ "real", &cmd_run, SOME, true,
	    { "run", "-t", "0.01", "-r", "1", "-s", "1k", "-c", "chacha20",
	    "--crypto", "native", "-S", "rngsim.warmup_ms=0", "--seed", "1" } },
	{ "uncertain", &cmd_sweep, SOME, true,
	    { "sweep", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "4k", "-n",
	    "1", "-c", "aes", "-d", "concurrent", "--uncertainty", "10" } },
	{ "report", &cmd_report, SAME, false, { "report", "a.json" } },
	{ "csv", &cmd_report, SAME, false,
	    { "report", "--format", "csv", "a.json" } },
	{ "json", &cmd_report, SAME, false,
	    { "report", "--format", "json", "a.json" } },
	{ "usl", &cmd_report, SAME, false, { "report", "--usl", "a.json" } },
	{ "waits", &cmd_report, SAME, false,
	    { "report", "--waits", "a.json" } },
	{ "lockstat", &cmd_report, SAME, false,
	    { "report", "--lockstat", "-H", "a.json" } },
	{ "compare", &cmd_compare, SAME, false,
	    { "compare", "a.json", "b.json" } },
	{ "compare json", &cmd_compare, SAME, false,
	    { "compare", "--format", "json", "a.json", "b.json" } },
	{ "hash", &cmd_hash, SOME, true,
	    { "hash", "--crypto", "native", "-d", "sha256,crc32c", "-s", "16",
	    "-n", "1", "-t",
	    "0.001" } },
	{ "profile", &cmd_list, SAME, false,
	    { "list", "profiles", "machine.conf" } },
	{ "show", &cmd_workload, SAME, false,
	    { "workload", "show", "tls-server" } },
	{ "import", &cmd_workload, SAME, false,
	    { "workload", "import", "strace.txt" } },
	{ "sources", &cmd_sources, SOME, true,
	    { "sources", "-s", "lcg", "-r", "2", "-t", "0.01", "-n", "1" } },
	{ "explore", &cmd_explore, SOME, false,
	    { "explore", "--schedules", "3", "--seed", "1", "-j", "2" } },
};

static char last_out[TEXT_BYTES], last_err[TEXT_BYTES], first_out[TEXT_BYTES];

static const char strace[] =
    "1 0.000001 getrandom(\"\\x01\\x02\", 2, 0) = 2\n"
    "1 0.000002 read(3</dev/urandom>, \"\\x01\"..., 32) = 32\n"
    "2 0.000100 getrandom(\"\"..., 256, GRND_NONBLOCK) = 256\n";

static void
slurp(const char *path, char text[TEXT_BYTES])
{
	ssize_t n = 0;
	int fd = __real_open(path, O_RDONLY);

	if (fd != -1) {
		n = read(fd, text, TEXT_BYTES - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

static void
spill(const char *path, const char *text)
{
	int fd = __real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	ATF_REQUIRE(fd != -1);
	ATF_REQUIRE_EQ((ssize_t)strlen(text), write(fd, text, strlen(text)));
	close(fd);
}

static void
copy(const char *from, const char *to)
{
	static char text[TEXT_BYTES];

	slurp(from, text);
	ATF_REQUIRE_MSG(text[0] != '\0', "%s", from);
	spill(to, text);
}

/* Descriptor fd goes to a file until it is put back; what it was. */
static int
divert(int fd, const char *path)
{
	int old = dup(fd), to;

	to = __real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	ATF_REQUIRE(old != -1 && to != -1 && dup2(to, fd) == fd);
	close(to);
	return (old);
}

static void
put_back(int fd, int old)
{

	ATF_REQUIRE_EQ(fd, dup2(old, fd));
	close(old);
}

/* Runs a command, its n-th call of a kind failing; its exit status. */
static int
run(const struct operation *op, enum kind kind, uint64_t n)
{
	char *argv[ARGUMENTS + 3], *whole[] = { (char *)(uintptr_t)"rngsim",
	    NULL };
	int argc = 0, err, out, status;

	if (op->op_output)
		spill("out.json", "old\n");
	for (; op->op_argument[argc] != NULL; argc++)
		argv[argc] = (char *)(uintptr_t)op->op_argument[argc];
	if (op->op_output) {
		argv[argc++] = (char *)(uintptr_t)"-o";
		argv[argc++] = (char *)(uintptr_t)"out.json";
	}
	argv[argc] = NULL;
	fflush(stdout);
	out = divert(1, "stdout.txt");
	err = divert(2, "stderr.txt");
	failure.fa_kind = kind;
	failure.fa_at = n;
	atomic_store(&failure.fa_reached, 0);
	atomic_store(&failure.fa_armed, true);
	status = op->op_command->cmd_run(argc, argv, whole);
	atomic_store(&failure.fa_armed, false);
	fflush(stdout);
	put_back(1, out);
	put_back(2, err);
	slurp("stdout.txt", last_out);
	slurp("stderr.txt", last_err);
	return (status);
}

/* Old or new, never torn, and nothing else that was under way. */
static const char *
judge_files(const struct operation *op, int status)
{
	static char text[TEXT_BYTES];
	const char *wrong = NULL;
	glob_t left;
	size_t i;

	if (glob("*.tmp.*", 0, NULL, &left) == 0) {
		for (i = 0; i < left.gl_pathc; i++)
			unlink(left.gl_pathv[i]);
		wrong = "a file is left";
	}
	globfree(&left);
	if (!op->op_output)
		return (wrong);
	slurp("out.json", text);
	if (strcmp(text, "old\n") == 0)
		return (status == 0 ? "exit 0 without a result" : wrong);
	i = strlen(text);
	if (text[0] != '{' || i < 4 || strcmp(text + i - 3, "\n}\n") != 0)
		return ("the result is torn");
	return (wrong);
}

/* What is wrong with how it ended; NULL: nothing. */
static const char *
judge(const struct operation *op, int status)
{
	size_t n = strlen(last_err);

	if (status == 0 && op->op_answer == SAME &&
	    strcmp(last_out, first_out) != 0)
		return ("exit 0 with another answer");
	if (status == 0 && last_out[0] == '\0')
		return ("exit 0 without an answer");
	if (status != 0 && status != 1)
		return ("another exit status than 0 and 1");
	if (status == 1 && ((strstr(last_err, "rngsim: ") == NULL &&
	    strstr(last_err, "script.kat:") == NULL) ||
	    last_err[n - 1] != '\n'))
		return ("exit 1 without a message");
	if (strstr(last_err, "(null)") != NULL ||
	    strstr(last_err, "Success") != NULL)
		return ("a message that says nothing");
	return (judge_files(op, status));
}

/* Commands begin alike; what they have found out is written at their end. */
static uint64_t
following(const struct operation *op, uint64_t n, uint64_t reached)
{
	const bool slow = op->op_answer != SAME;
	const uint64_t dense = slow ? DENSE_SLOW : DENSE;
	uint64_t next;

	if (n < dense || n + dense > reached)
		return (n + 1);
	next = n + n / (slow ? STEP_SLOW : STEP);
	return (next + dense > reached ? reached - dense + 1 : next);
}

static unsigned
campaign(const struct operation *op, enum kind kind)
{
	static const char *const names[KINDS] = { "allocation", "file",
	    "thread" };
	unsigned bad = 0, runs = 0;
	const char *wrong;
	uint64_t n, reached;
	int status;

	/* What is made once and kept is there from the second time on. */
	status = run(op, kind, 0);
	status = status != 0 ? status : run(op, kind, 0);
	reached = atomic_load(&failure.fa_reached);
	memcpy(first_out, last_out, sizeof(first_out));
	wrong = judge(op, status);
	ATF_REQUIRE_MSG(status == 0 && wrong == NULL, "%s, nothing failing: "
	    "exit %d, %s: %s", op->op_name, status, wrong, last_err);
	for (n = 1; n <= reached; n = following(op, n, reached),
	    runs++) {
		status = run(op, kind, n);
		wrong = judge(op, status);
		if (wrong != NULL && bad++ < COMPLAINTS)
			printf("%s, %s %ju of %ju: exit %d, %s; %.300s\n",
			    op->op_name, names[kind], (uintmax_t)n,
			    (uintmax_t)reached, status, wrong, last_err);
	}
	printf("%s: %s: %ju reached, %u tried, %u bad\n", op->op_name,
	    names[kind], (uintmax_t)reached, runs, bad);
	fflush(stdout);
	return (bad);
}

/* What commands read. */
static void
make_files(const atf_tc_t *tc)
{
	static const struct operation make = { "make", &cmd_sweep, SOME, true,
	    { "sweep", VIRTUAL, "-t", "0.01", "-r", "1-3", "-s", "4k", "-n",
	    "3", "-c", "aes", "-d", "concurrent" } };
	const char *source = atf_tc_get_config_var_wd(tc, "source", ".");
	char path[512];

	snprintf(path, sizeof(path), "%s/bench/workloads", source);
	ATF_REQUIRE_EQ(0, setenv("RNGSIM_WORKLOADS", path, 1));
	snprintf(path, sizeof(path), "%s/tests/vectors/%s", source,
	    "aes-concurrent-01-small-sizes.script");
	copy(path, "script.kat");
	snprintf(path, sizeof(path), "%s/lib/profiles/epyc-9654-2s.conf",
	    source);
	copy(path, "machine.conf");
	spill("strace.txt", strace);
	ATF_REQUIRE_EQ_MSG(0, run(&make, MEMORY, 0), "%s", last_err);
	ATF_REQUIRE_EQ(0, __real_rename("out.json", "a.json"));
	ATF_REQUIRE_EQ(0, run(&make, MEMORY, 0));
	ATF_REQUIRE_EQ(0, __real_rename("out.json", "b.json"));
}

static void
starve(const atf_tc_t *tc, enum kind kind)
{
	const char *only = getenv("STARVED_ONLY");
	unsigned bad = 0, i;

	/* With another setting commands would execute the program anew. */
	ATF_REQUIRE_EQ(0, unsetenv("OPENSSL_ia32cap"));
	ATF_REQUIRE_EQ(0, unsetenv("OPENSSL_armcap"));
	json_set_alloc_funcs(__wrap_malloc, free);
	ATF_REQUIRE_EQ(0, cpu_init());
	make_files(tc);
	for (i = 0; i < nitems(operations); i++)
		if (only == NULL || strcmp(only, operations[i].op_name) == 0)
			bad += campaign(&operations[i], kind);
	ATF_CHECK_EQ_MSG(0, bad, "%u of these failures are not survived", bad);
}

#define	STARVED(name, kind, reason)					\
ATF_TC(starved__##name);						\
ATF_TC_HEAD(starved__##name, tc)					\
{									\
									\
	atf_tc_set_md_var(tc, "descr", reason);				\
	atf_tc_set_md_var(tc, "timeout", "3600");			\
}									\
ATF_TC_BODY(starved__##name, tc)					\
{									\
									\
	starve(tc, kind);						\
}

STARVED(of_memory, MEMORY, "each allocation fails")
STARVED(of_files, FILES, "each file cannot be opened, synced or renamed")
STARVED(of_threads, THREADS, "each thread is refused")

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, starved__of_memory);
	ATF_TP_ADD_TC(tp, starved__of_files);
	ATF_TP_ADD_TC(tp, starved__of_threads);
	return (atf_no_error());
}
