/*
 * Fibers switch, keep what is theirs, end, and do not outgrow their stacks.
 */
#include <sys/wait.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/vm/fiber.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	FIBERS		= 7,
	ROUNDS		= 1000,
	STACK_BYTES	= 64 * 1024,
	DEEP_BYTES	= 40 * 1024
};

/* Fibers that hand on a token in turn. */
struct ring {
	struct fiber	 r_root;
	struct fiber	 r_fiber[FIBERS];
	unsigned	 r_running;
	unsigned	 r_rounds;
	uint64_t	 r_trace;
	unsigned	 r_wrong;	/* locals that changed meanwhile */
};

struct seat {
	struct ring	*s_ring;
	unsigned	 s_index;
};

static void
seat_main(void *arg)
{
	struct seat *s = arg;
	struct ring *r = s->s_ring;
	volatile double mine = s->s_index + 0.5;
	unsigned i;

	for (unsigned round = 0; round < r->r_rounds; round++) {
		r->r_trace = r->r_trace * 31 + s->s_index;
		r->r_wrong += mine != s->s_index + 0.5 + round;
		mine = mine + 1;
		i = (s->s_index + 1) % FIBERS;
		fiber_switch(&r->r_fiber[s->s_index], &r->r_fiber[i]);
	}
	r->r_running--;
	i = s->s_index + 1;
	fiber_exit(&r->r_fiber[s->s_index], i == FIBERS ? &r->r_root :
	    &r->r_fiber[i]);
}

/* Runs a ring to its end; its trace. */
static uint64_t
ring_run(unsigned rounds)
{
	struct seat seat[FIBERS];
	struct ring r = { .r_running = FIBERS, .r_rounds = rounds };

	fiber_init_thread(&r.r_root);
	for (unsigned i = 0; i < FIBERS; i++) {
		seat[i] = (struct seat){ .s_ring = &r, .s_index = i };
		ATF_REQUIRE_EQ(0, fiber_make(&r.r_fiber[i], STACK_BYTES,
		    seat_main, &seat[i]));
	}
	fiber_switch(&r.r_root, &r.r_fiber[0]);
	ATF_CHECK_EQ(0, r.r_running);
	ATF_CHECK_EQ(0, r.r_wrong);
	for (unsigned i = 0; i < FIBERS; i++)
		fiber_free(&r.r_fiber[i]);
	return (r.r_trace);
}

TEST(fiber_switch__in_turn, "Fibers run in the order in which they are "
    "switched to, keep their variables and come to their end")
{
	uint64_t want = 0;

	for (unsigned i = 0; i < ROUNDS * FIBERS; i++)
		want = want * 31 + i % FIBERS;
	ATF_CHECK_EQ(want, ring_run(ROUNDS));
	/* Stacks that were freed are used again. */
	for (unsigned i = 0; i < ROUNDS / 10; i++)
		ring_run(1);
}

static void *
ring_thread(void *arg)
{
	*(uint64_t *)arg = ring_run(ROUNDS);
	return (NULL);
}

TEST(fiber_switch__on_two_threads, "Host threads have fibers of their own")
{
	pthread_t thread[2];
	uint64_t trace[2];

	for (unsigned i = 0; i < 2; i++)
		ATF_REQUIRE_EQ(0, pthread_create(&thread[i], NULL, ring_thread,
		    &trace[i]));
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	ATF_CHECK_EQ(trace[0], trace[1]);
}

struct dropped {
	struct fiber	 d_root;
	struct fiber	 d_fiber;
	unsigned	 d_depth;
};

static void
dropped_main(void *arg)
{
	struct dropped *d = arg;
	volatile unsigned char deep[DEEP_BYTES];

	for (size_t i = 0; i < sizeof(deep); i++)
		deep[i] = (unsigned char)i;
	d->d_depth = deep[sizeof(deep) - 1];
	fiber_switch(&d->d_fiber, &d->d_root);
	ATF_CHECK_MSG(false, "a dropped fiber went on");
	fiber_exit(&d->d_fiber, &d->d_root);
}

TEST(fiber_free__amid, "A fiber can be dropped where it stands, or before it "
    "ran at all")
{
	struct dropped d = { .d_depth = 0 };

	fiber_init_thread(&d.d_root);
	for (unsigned i = 0; i < ROUNDS; i++) {
		ATF_REQUIRE_EQ(0, fiber_make(&d.d_fiber, STACK_BYTES,
		    dropped_main, &d));
		if (i % 2 == 0)
			fiber_switch(&d.d_root, &d.d_fiber);
		fiber_free(&d.d_fiber);
		ATF_CHECK_EQ(NULL, d.d_fiber.fb_map);
	}
	ATF_CHECK_EQ((unsigned char)(DEEP_BYTES - 1), d.d_depth);
	/* Freeing what was never made, or a thread, does nothing. */
	fiber_free(&d.d_fiber);
	fiber_free(&d.d_root);
}

TEST(fiber_make__no_memory, "A stack there is no room for is refused with "
    "ENOMEM")
{
	struct fiber fb;

	ATF_CHECK_EQ(ENOMEM, fiber_make(&fb, SIZE_MAX / 16, dropped_main,
	    NULL));
	fiber_free(&fb);
}

static unsigned
recurse(volatile unsigned char *above, unsigned depth)
{
	volatile unsigned char here[512];

	here[0] = above[0];
	if (depth == 0)
		return (here[0]);
	return (recurse(here, depth - 1) + here[0]);
}

static volatile unsigned endless = 1 << 20;

static void
overflowing_main(void *arg)
{
	struct dropped *d = arg;
	volatile unsigned char top[1] = { 0 };

	d->d_depth = recurse(top, endless);
	fiber_exit(&d->d_fiber, &d->d_root);
}

TEST(fiber_make__guard_page, "A stack that overflows kills the process and "
    "overwrites nothing")
{
	struct fiber below[FIBERS];
	struct dropped d = { .d_depth = 0 };
	int status;
	pid_t pid;

	pid = fork();
	ATF_REQUIRE(pid >= 0);
	if (pid == 0) {
		fclose(stderr);
		fiber_init_thread(&d.d_root);
		for (unsigned i = 0; i < FIBERS; i++)
			if (fiber_make(&below[i], STACK_BYTES, dropped_main,
			    &d) != 0)
				_exit(EXIT_SUCCESS);
		if (fiber_make(&d.d_fiber, STACK_BYTES, overflowing_main,
		    &d) == 0)
			fiber_switch(&d.d_root, &d.d_fiber);
		_exit(EXIT_SUCCESS);
	}
	ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	ATF_CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
#else
	ATF_CHECK(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV ||
	    WTERMSIG(status) == SIGBUS));
#endif
}

TEST_PROGRAM()
