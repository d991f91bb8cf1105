/*
 * Each command survives each failure of each kind: an allocation, a file, a
 * thread, a call of libcrypto.  It prints a message and exits 1, or does
 * without and leaves nothing out; files are old or new, never torn.
 *
 * A command runs as a function in a forked process, again and again, with
 * another call failing each time: of every stack that makes such a call the
 * first or the last, or with the variable "every" all of them.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <openssl/crypto.h>

#include "bench/cmd.h"
#include "bench/result/result.h"
#include "tests/unit/failing_calls.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	ARGUMENTS	= 40,
	SECONDS		= 60,	/* then a command hangs */
	COMPLAINTS	= 20,	/* printed of one command */
	STACKS_MAX	= 1 << 14,
	TEXT_BYTES	= 1 << 20
};

/* What a command leaves on stdout when nothing fails. */
enum answer {
	SAME,	/* the same each time */
	BYTES,	/* as many */
	LINES,	/* as many lines: dates and times differ */
	SOME	/* something */
};

struct operation {
	const char	*op_name;
	enum command_id op_command;
	enum answer	 op_answer;
	bool		 op_output;	/* -o out.json follows */
	const char	*op_argument[ARGUMENTS];
};

#define	VIRTUAL	"--engine", "virtual", "--profile", "epyc-9654-2s",	\
	"--cpus", "2", "-S", "rngsim.warmup_ms=0", "-S",		\
	"rngsim.virtual.threads=1", "--seed", "1"

static const struct operation operations[] = {
	{ "list", COMMAND_list, LINES, false, { "list" } },
	{ "kat", COMMAND_kat, SAME, false, { "kat", "script.kat" } },
	{ "cat", COMMAND_cat, BYTES, false,
	    { "cat", "-n", "64k", "-r", "2", "--seed", "1", "-S",
	    "rngsim.harvest.boot_entropy_bytes=2048" } },
	{ "run", COMMAND_run, LINES, true,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "2", "-s", "16k",
	    "--verify" } },
	{ "trace", COMMAND_run, LINES, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "256k", "--trace",
	    "trace.json" } },
	{ "faults", COMMAND_run, SOME, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "16k",
	    "--failpoint", "lock_owner_preempt=1%yield" } },
	{ "text", COMMAND_run, SOME, false,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "256k", "--trace",
	    "trace.json" } },
	{ "workload", COMMAND_run, SOME, true,
	    { "run", VIRTUAL, "-t", "0.01", "-r", "2", "--workload",
	    "4k:70,64k:30" } },
	{ "real", COMMAND_run, SOME, true,
	    { "run", "-t", "0.01", "-r", "1", "-s", "1k", "-c", "chacha20",
	    "--crypto", "native", "-S", "rngsim.warmup_ms=0", "--seed", "1" } },
	{ "uncertain", COMMAND_sweep, SOME, true,
	    { "sweep", VIRTUAL, "-t", "0.01", "-r", "1", "-s", "4k", "-n", "1",
	    "-c", "chacha20", "-d", "concurrent", "--uncertainty", "10" } },
	{ "report", COMMAND_report, SAME, false, { "report", "a.json" } },
	{ "csv", COMMAND_report, SAME, false,
	    { "report", "--format", "csv", "a.json" } },
	{ "json", COMMAND_report, SAME, false,
	    { "report", "--format", "json", "a.json" } },
	{ "lock-prof", COMMAND_report, SAME, false,
	    { "report", "--lock-prof", "a.json" } },
	{ "compare", COMMAND_compare, SAME, false,
	    { "compare", "a.json", "b.json" } },
	{ "compare csv", COMMAND_compare, SAME, false,
	    { "compare", "--format", "csv", "a.json", "b.json" } },
	{ "hash", COMMAND_hash, SOME, true,
	    { "hash", "--crypto", "native", "-d", "sha256,crc32c", "-s", "16",
	    "-n", "1", "-t", "0.001" } },
	{ "profile", COMMAND_list, SAME, false,
	    { "list", "profiles", "machine.conf" } },
	{ "import", COMMAND_workload, SAME, false,
	    { "workload", "import", "strace.txt" } },
	{ "sources", COMMAND_sources, SOME, true,
	    { "sources", "-s", "lcg", "-r", "2", "-t", "0.01", "-n", "1" } },
	{ "explore", COMMAND_explore, SOME, false,
	    { "explore", "--schedules", "3", "--seed", "1", "-j", "2" } },
};

static char last_out[TEXT_BYTES], last_err[TEXT_BYTES], first_out[TEXT_BYTES];

static const char strace[] =
    "1 0.000001 getrandom(\"\\x01\\x02\", 2, 0) = 2\n"
    "1 0.000002 read(3</dev/urandom>, \"\\x01\"..., 32) = 32\n"
    "2 0.000100 getrandom(\"\"..., 256, GRND_NONBLOCK) = 256\n";

/* Reads a file; its size, 0 where there is none. */
static size_t
slurp(const char *path, char text[TEXT_BYTES])
{
	FILE *f = fopen(path, "r");
	size_t n = 0;

	if (f != NULL) {
		n = fread(text, 1, TEXT_BYTES - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return (n);
}

static void
spill(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ATF_REQUIRE(f != NULL);
	fputs(text, f);
	ATF_REQUIRE_EQ(0, fclose(f));
}

static void
copy(const char *from, const char *to)
{
	static char text[TEXT_BYTES];

	ATF_REQUIRE_MSG(slurp(from, text) > 0, "%s", from);
	spill(to, text);
}

static void
redirect(int fd, const char *path, int flags)
{
	int to = open(path, flags, 0666);

	if (to == -1 || dup2(to, fd) != fd)
		_exit(99);
	close(to);
}

static void __attribute__((noreturn))
child(const struct operation *op)
{
	const struct rlimit no_core = { 0, 0 };
	char *whole[ARGUMENTS + 4] = { (char *)(uintptr_t)"rngsim" };
	char **argv = whole + 1;
	int argc = 0, status;

	for (; op->op_argument[argc] != NULL; argc++)
		argv[argc] = (char *)(uintptr_t)op->op_argument[argc];
	if (op->op_output) {
		argv[argc++] = (char *)(uintptr_t)"-o";
		argv[argc++] = (char *)(uintptr_t)"out.json";
	}
	setrlimit(RLIMIT_CORE, &no_core);
	redirect(0, "/dev/null", O_RDONLY);
	redirect(1, "stdout.txt", O_WRONLY | O_CREAT | O_TRUNC);
	redirect(2, "stderr.txt", O_WRONLY | O_CREAT | O_TRUNC);
	alarm(SECONDS);
	atomic_store(&failure->fa_armed, true);
	status = command_execute(op->op_command, whole);
	atomic_store(&failure->fa_armed, false);
	exit(status);
}

/* Runs a command, its n-th call of a kind failing; its status for wait(2). */
static int
run(const struct operation *op, enum kind kind, uint64_t n)
{
	int status;
	pid_t pid;

	if (op->op_output)
		spill("out.json", "old\n");
	failure->fa_kind = kind;
	failure->fa_at = n;
	atomic_store(&failure->fa_reached, 0);
	fflush(stdout);
	pid = fork();
	ATF_REQUIRE(pid != -1);
	if (pid == 0)
		child(op);
	ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
	atomic_store(&failure->fa_armed, false);
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
	if (strcmp(op->op_name, "trace") == 0 && unlink("trace.json") != 0 &&
	    status == 0)
		return ("exit 0 without a trace");
	if (!op->op_output)
		return (wrong);
	i = slurp("out.json", text);
	if (strcmp(text, "old\n") == 0)
		return (status == 0 ? "exit 0 without a result" : wrong);
	if (text[0] != '{' || i < 4 || strcmp(text + i - 3, "\n}\n") != 0)
		return ("the result is torn");
	if (status == 0 && strstr(text, "\"complete\": false") != NULL)
		return ("exit 0 with a part of the result");
	return (wrong);
}

static unsigned
lines(const char *text)
{
	unsigned n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return (n);
}

/* What is wrong with how it ended; NULL: nothing. */
static const char *
judge(const struct operation *op, int status)
{
	static size_t first;
	size_t n = slurp("stderr.txt", last_err);
	size_t got = slurp("stdout.txt", last_out);

	if (failure->fa_at == 0) {
		memcpy(first_out, last_out, sizeof(first_out));
		first = got;
	}
	if (!WIFEXITED(status))
		return ("a signal");
	status = WEXITSTATUS(status);
	if (status != 0 && status != 1)
		return ("another exit status than 0 and 1");
	if (status == 0 && (got == 0 || (op->op_answer <= BYTES &&
	    got != first) || (op->op_answer == SAME &&
	    memcmp(last_out, first_out, got) != 0) ||
	    (op->op_answer == LINES && lines(last_out) != lines(first_out))))
		return ("exit 0 with another answer");
	if (status == 1 && ((strstr(last_err, "rngsim: ") == NULL &&
	    strstr(last_err, "script.kat:") == NULL) ||
	    last_err[n - 1] != '\n'))
		return ("exit 1 without a message");
	if (strstr(last_err, "(null)") != NULL ||
	    strstr(last_err, "Success") != NULL ||
	    strstr(last_err, "assertion") != NULL)
		return ("a message of no use");
	return (judge_files(op, status));
}

/* A call and its stack. */
struct call {
	uint64_t	ca_stack;
	uint64_t	ca_n;
};

static int
by_stack(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->ca_stack != y->ca_stack)
		return (x->ca_stack < y->ca_stack ? -1 : 1);
	return (x->ca_n < y->ca_n ? -1 : x->ca_n > y->ca_n);
}

static bool
is_among(uint64_t stack, const uint64_t *stacks, unsigned n)
{
	while (n > 0 && stacks[n - 1] != stack)
		n--;
	return (n > 0);
}

/*
 * The calls to make fail, from the run in which none did: those of stacks that
 * no earlier command had.
 */
static uint64_t
choose(struct call *calls, uint64_t reached, bool every)
{
	static uint64_t tried[STACKS_MAX];
	static unsigned before, now;
	uint64_t n = 0;
	bool first, last;

	for (uint64_t i = 0; i < reached; i++)
		calls[i] = (struct call){ failure->fa_stack[i], i + 1 };
	if (every)
		return (reached);
	qsort(calls, reached, sizeof(*calls), by_stack);
	before = now;
	for (uint64_t i = 0; i < reached; i++) {
		const struct call ca = calls[i];

		first = i == 0 || calls[i - 1].ca_stack != ca.ca_stack;
		last = i + 1 == reached || calls[i + 1].ca_stack != ca.ca_stack;
		/* Bit 0 is the same wherever the program is loaded. */
		if (!(ca.ca_stack % 2 == 0 ? first : last) ||
		    is_among(ca.ca_stack, tried, before))
			continue;
		ATF_REQUIRE(now < STACKS_MAX);
		tried[now++] = ca.ca_stack;
		calls[n++] = ca;
	}
	return (n);
}

static unsigned
campaign(const struct operation *op, enum kind kind, bool every)
{
	static const char *const names[KINDS] = { "allocation", "file",
	    "thread", "call of libcrypto" };
	static struct call calls[CALLS_MAX];
	uint64_t i, n, reached;
	const char *wrong;
	unsigned bad = 0;
	int status;

	status = run(op, kind, 0);
	wrong = judge(op, status);
	ATF_REQUIRE_MSG(status == 0 && wrong == NULL, "%s, nothing failing: "
	    "status %d, %s: %s", op->op_name, status, wrong, last_err);
	reached = atomic_load(&failure->fa_reached);
	ATF_REQUIRE(reached <= CALLS_MAX);
	n = choose(calls, reached, every);
	for (i = 0; i < n; i++) {
		status = run(op, kind, calls[i].ca_n);
		wrong = judge(op, status);
		if (wrong != NULL && bad++ < COMPLAINTS)
			printf("%s, %s %ju of %ju: status %#x, %s; %.300s\n",
			    op->op_name, names[kind], (uintmax_t)calls[i].ca_n,
			    (uintmax_t)reached, status, wrong, last_err);
	}
	printf("%s: %s: %ju reached, %ju tried, %u bad\n", op->op_name,
	    names[kind], (uintmax_t)reached, (uintmax_t)n, bad);
	return (bad);
}

/* Makes what commands read. */
static void
make_files(const char *source)
{
	static const struct operation make = { "make", COMMAND_sweep, SOME,
	    true, { "sweep", VIRTUAL, "-t", "0.01", "-r", "1-3", "-s", "4k",
	    "-n", "3", "-c", "aes", "-d", "concurrent" } };
	char path[512];
	unsigned i;

	snprintf(path, sizeof(path), "%s/bench/workload", source);
	ATF_REQUIRE_EQ(0, setenv("RNGSIM_WORKLOADS", path, 1));
	snprintf(path, sizeof(path), "%s/tests/vectors/%s", source,
	    "aes-concurrent-01-small-sizes.script");
	copy(path, "script.kat");
	snprintf(path, sizeof(path), "%s/lib/profile/epyc-9654-2s.conf",
	    source);
	copy(path, "machine.conf");
	spill("strace.txt", strace);
	for (i = 0; i < 2; i++) {
		ATF_REQUIRE_EQ(0, run(&make, MEMORY, 0));
		ATF_REQUIRE_EQ(0, rename("out.json", i == 0 ? "a.json" :
		    "b.json"));
	}
}

static void *
crypto_malloc(size_t size, const char *file __unused, int line __unused)
{
	return (malloc(size));
}

static void *
crypto_realloc(void *p, size_t size, const char *file __unused,
    int line __unused)
{
	return (realloc(p, size));
}

static void
crypto_free(void *p, const char *file __unused, int line __unused)
{
	free(p);
}

static void
starve(const atf_tc_t *tc, enum kind kind)
{
	const bool every = atf_tc_get_config_var_as_bool_wd(tc, "every", false);
	const char *only = getenv("STARVED_ONLY");
	unsigned bad = 0;

	failure = mmap(NULL, sizeof(*failure), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ATF_REQUIRE(failure != MAP_FAILED);
	/* With another setting commands would execute the program anew. */
	ATF_REQUIRE_EQ(0, unsetenv("OPENSSL_ia32cap"));
	ATF_REQUIRE_EQ(0, unsetenv("OPENSSL_armcap"));
	/* A profile of this machine must not be found. */
	ATF_REQUIRE_EQ(0, unsetenv("HOME"));
	ATF_REQUIRE_EQ(0, unsetenv("XDG_CONFIG_HOME"));
	json_set_alloc_funcs(__wrap_malloc, free);
	ATF_REQUIRE_EQ(1, CRYPTO_set_mem_functions(crypto_malloc,
	    crypto_realloc, crypto_free));
	/* Without memory libcrypto 3.5 hangs in its first use. */
	if (OpenSSL_version_num() >= 0x30500000)
		(void)EVP_default_properties_is_fips_enabled(NULL);
	ATF_REQUIRE_EQ(0, cpu_init());
	tick_calibrate();
	make_files(atf_tc_get_config_var_wd(tc, "source", "."));
	for (unsigned i = 0; i < nitems(operations); i++)
		if (only == NULL || strcmp(only, operations[i].op_name) == 0)
			bad += campaign(&operations[i], kind, every);
	ATF_CHECK_EQ_MSG(0, bad, "%u of these failures are not survived", bad);
}

#define	STARVED(name, kind, text)					\
	TEST_CASE(starved__##name);					\
	ATF_TC_HEAD(starved__##name, tc)				\
	{								\
									\
		atf_tc_set_md_var(tc, "descr", text);			\
		atf_tc_set_md_var(tc, "timeout", "7200");		\
	}								\
	ATF_TC_BODY(starved__##name, tc)				\
	{								\
									\
		starve(tc, kind);					\
	}

STARVED(of_memory, MEMORY, "an allocation fails")
STARVED(of_files, FILES, "a file cannot be opened, written, synced or renamed")
STARVED(of_threads, THREADS, "a thread is refused")
STARVED(of_crypto, CRYPTO, "a call of libcrypto fails")

TEST_PROGRAM()
