#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <atf-c.h>

#include "bench/sweep/pool.h"
#include "tests/unit/test.h"

enum { TASKS = 200, THREADS_MAX = 9, NEVER = TASKS };

struct work {
	unsigned	done[TASKS];	/* times */
	unsigned	slot_of[2 * THREADS_MAX];	/* its task, + 1 */
	unsigned	next;		/* to be taken */
	unsigned	fail_at;
	unsigned	slots;
	atomic_uint	clashes;	/* two tasks in one slot */
	atomic_uint	running;
	atomic_uint	most;
};

static void
work(void *context, unsigned task, unsigned slot)
{
	const struct timespec some = { .tv_nsec = task % 7 * 100 * 1000 };
	struct work *w = context;
	unsigned n = ++w->running, most = w->most;

	while (n > most && !atomic_compare_exchange_weak(&w->most, &most, n))
		continue;
	if (slot >= w->slots || w->slot_of[slot] != 0)
		w->clashes++;
	w->slot_of[slot] = task + 1;
	/* Later ones end first now and then. */
	nanosleep(&some, NULL);
	w->done[task]++;
	w->running--;
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct work *w = context;

	ATF_CHECK_EQ_MSG(w->next, task, "%u taken after %u", task, w->next);
	ATF_CHECK_EQ(task + 1, w->slot_of[slot]);
	ATF_CHECK_EQ(1, w->done[task]);
	w->next++;
	w->slot_of[slot] = 0;
	return (task == w->fail_at ? EDOM : 0);
}

static int
run(struct work *w, unsigned threads, unsigned fail_at)
{
	struct pool_job pj = { .pj_tasks = TASKS, .pj_work = work,
	    .pj_take = take, .pj_context = w };

	memset(w, 0, sizeof(*w));
	w->fail_at = fail_at;
	w->slots = POOL_AHEAD * threads;
	return (pool_run(&pj, threads));
}

TEST(pool__in_order,
    "Every task is done once and taken in order, whatever the number of "
    "threads")
{
	static const unsigned threads[] = { 1, 2, 3, THREADS_MAX };
	struct work w;

	for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		ATF_CHECK_EQ(0, run(&w, threads[i], NEVER));
		ATF_CHECK_EQ(TASKS, w.next);
		ATF_CHECK_EQ(0, w.clashes);
		ATF_CHECK(w.most <= threads[i]);
	}
}

TEST(pool__ends_at_an_error,
    "After an error nothing is taken, and no more begins than there are slots")
{
	static const unsigned at[] = { 0, 17, TASKS - 1 };
	unsigned done, k;
	struct work w;

	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		ATF_CHECK_EQ(EDOM, run(&w, 4, at[i]));
		ATF_CHECK_EQ(at[i] + 1, w.next);
		for (k = done = 0; k < TASKS; k++)
			done += w.done[k];
		ATF_CHECK(done >= w.next && done <= at[i] + 1 + w.slots);
		ATF_CHECK_EQ(0, w.running);
		ATF_CHECK_EQ(0, w.clashes);
		for (k = 0; k < w.slots; k++)
			ATF_CHECK(w.slot_of[k] == 0 ||
			    w.slot_of[k] > w.fail_at + 1);
	}
}

TEST_PROGRAM()
