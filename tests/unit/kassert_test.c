#include <sys/resource.h>
#include <sys/wait.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

/* Arguments of the replaced handler. */
static struct {
	unsigned	calls;
	int		line;
	char		file[256];
	char		func[64];
	char		expr[64];
	char		msg[512];
} seen;

static jmp_buf away;

static void
record(const char *file, int line, const char *func, const char *expr,
    const char *msg)
{
	seen.calls++;
	seen.line = line;
	snprintf(seen.file, sizeof(seen.file), "%s", file);
	snprintf(seen.func, sizeof(seen.func), "%s", func);
	snprintf(seen.expr, sizeof(seen.expr), "%s", expr);
	snprintf(seen.msg, sizeof(seen.msg), "%s", msg);
	longjmp(away, 1);
}

static int evaluated;

/* The line on which it stands, for comparison. */
static int
assert_equal(int a, int b)
{
	int line;

	line = __LINE__ + 1;
	KASSERT(a == b, ("%d is not %d", a, b));
	return (line);
}

static void
assert_counted(bool holds)
{
	KASSERT(evaluated++ >= 0 && holds, ("counted"));
}

static void
mpass(void *arg)
{
	const bool *holds = arg;

	(void)holds;
	MPASS(evaluated++ >= 0 && *holds);
}

TEST(kassert__fires, "A failed KASSERT calls the handler with place, "
    "expression and formatted message")
{
	static int line;

	kassert_failed = record;
	if (setjmp(away) == 0) {
		line = assert_equal(4, 4);
		ATF_CHECK_EQ(0, seen.calls);
		assert_equal(4, 5);
		atf_tc_fail("KASSERT returned");
	}
	ATF_CHECK_EQ(1, seen.calls);
	ATF_CHECK_EQ_MSG(line, seen.line, "%d", seen.line);
	ATF_CHECK_STREQ(__FILE__, seen.file);
	ATF_CHECK_STREQ("assert_equal", seen.func);
	ATF_CHECK_STREQ("a == b", seen.expr);
	ATF_CHECK_STREQ("4 is not 5", seen.msg);
}

TEST(kassert__evaluates_once, "The condition is evaluated exactly once, "
    "whether it holds or not")
{
	kassert_failed = record;
	assert_counted(true);
	ATF_CHECK_EQ(1, evaluated);
	if (setjmp(away) == 0) {
		assert_counted(false);
		atf_tc_fail("KASSERT returned");
	}
	ATF_CHECK_EQ(2, evaluated);
	ATF_CHECK_EQ(1, seen.calls);
}

TEST(kassert_msg__long, "A message that is too long is cut, not written "
    "beyond its buffer")
{
	const char *msg;

	msg = kassert_msg("%01000d", 7);
	ATF_CHECK(strlen(msg) > 0 && strlen(msg) < 1000);
	ATF_CHECK(support_all((const uint8_t *)msg, strlen(msg), '0'));
	ATF_CHECK_STREQ("short", kassert_msg("short"));
}

TEST(mpass__only_with_invariants, "MPASS fires in INVARIANTS builds; in "
    "others it does not even evaluate its condition")
{
	bool fails = false, holds = true;

	evaluated = 0;
	ATF_CHECK(!support_asserts(mpass, &holds));
	ATF_CHECK_EQ(KASSERT_INVARIANTS ? 1 : 0, evaluated);
	ATF_CHECK_EQ(KASSERT_INVARIANTS, support_asserts(mpass, &fails));
	ATF_CHECK_EQ(KASSERT_INVARIANTS ? 2 : 0, evaluated);
}

TEST(kassert__default_aborts, "Without a handler of one's own the process "
    "dies of SIGABRT and stderr says why")
{
	static const struct rlimit no_core;
	char text[1024];
	size_t used = 0;
	ssize_t n;
	pid_t pid;
	int fd[2], status;

	ATF_REQUIRE_EQ(0, pipe(fd));
	fflush(NULL);
	pid = fork();
	ATF_REQUIRE(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		assert_equal(6, 7);
		_exit(0);
	}
	close(fd[1]);
	while (used < sizeof(text) - 1 &&
	    (n = read(fd[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	close(fd[0]);
	ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
	ATF_CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
	    "status %#x", (unsigned)status);
	ATF_CHECK_MSG(strstr(text, "kassert_test.c:") != NULL, "%s", text);
	ATF_CHECK_MSG(strstr(text, "assert_equal") != NULL, "%s", text);
	ATF_CHECK_MSG(strstr(text, "a == b") != NULL, "%s", text);
	ATF_CHECK_MSG(strstr(text, "6 is not 7") != NULL, "%s", text);
}

TEST_PROGRAM()
