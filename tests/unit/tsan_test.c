/*
 * In a build with ThreadSanitizer, a lock without exclusion is reported, and no
 * lock with exclusion is.
 */
#include <sys/wait.h>

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/lock_checks.h"
#include "tests/unit/test.h"

enum { THREADS = 2, ENTRIES = 2000, CAUGHT = 66 };

#if defined(__SANITIZE_THREAD__)
static const char lock_variable[] = "RNGSIM_TSAN_LOCK";

struct shared {
	struct lock	 shd_lock;
	uint64_t	 sh_plain;	/* what the lock guards */
	struct m32	 sh_threads;	/* that have begun */
};

static void
add(void *arg)
{
	struct shared *sh = arg;
	struct lock_node node;

	machine_curthread()->mt_index =
	    atomic_fetchadd_rel_32(&sh->sh_threads, 1);
	for (unsigned i = 0; i < ENTRIES; i++) {
		lock_acquire(&sh->shd_lock, &node, 0);
		sh->sh_plain++;
		lock_release(&sh->shd_lock, &node);
	}
}

/* Two threads write what a lock of this kind guards. */
static void
share(const struct lock_class *class)
{
	struct mthread *td = support_alloc(THREADS, sizeof(*td));
	static struct mthread self;
	struct shared *sh = support_alloc(1, sizeof(*sh));
	struct lock_config config;

	support_machine(&self);
	config = config_default();
	lock_make(&sh->shd_lock, class, &config, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		support_spawn(&td[i], "add", MACHINE_CPU_ANY, add, sh);
	for (unsigned i = 0; i < THREADS; i++)
		machine_join(&td[i]);
	_exit(EXIT_SUCCESS);
}

/* Whether this program, executed anew for one kind, is caught. */
static bool
caught(const atf_tc_t *tc, const char *name)
{
	const char *before = getenv("TSAN_OPTIONS");
	char options[1024];
	int status;
	pid_t pid;

	/* The last setting of an option holds. */
	snprintf(options, sizeof(options), "%s:abort_on_error=0:exitcode=%d:"
	    "halt_on_error=1:log_path=tsan", before != NULL ? before : "",
	    CAUGHT);
	pid = fork();
	ATF_REQUIRE(pid != -1);
	if (pid == 0) {
		setenv(lock_variable, name, 1);
		setenv("TSAN_OPTIONS", options, 1);
		execl("/proc/self/exe", "tsan_test", "-r", "result", "-s",
		    atf_tc_get_config_var(tc, "srcdir"), "tsan__catches_none",
		    (char *)NULL);
		_exit(1);
	}
	ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
	ATF_REQUIRE_MSG(WIFEXITED(status) && (WEXITSTATUS(status) == 0 ||
	    WEXITSTATUS(status) == CAUGHT), "%s: status %#x", name, status);
	return (WEXITSTATUS(status) == CAUGHT);
}
#endif

TEST(tsan__catches_none, "Threads that write what \"none\" guards are caught, "
    "with each lock that excludes they are not")
{
#if defined(__SANITIZE_THREAD__)
	const char *one = getenv(lock_variable);
	unsigned i;

	if (one != NULL)
		share(lock_class_find(one));
	for (i = 0; i < lock_class_count; i++)
		ATF_CHECK_EQ_MSG((lock_classes[i]->lc_flags & LC_EXCLUDES) ==
		    0, caught(tc, lock_classes[i]->lc_name), "%s",
		    lock_classes[i]->lc_name);
#else
	(void)tc;
	atf_tc_skip("not built with -fsanitize=thread: make check-tsan");
#endif
}

TEST_PROGRAM()
