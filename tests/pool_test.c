#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <atf-c.h>

#include "bench/sweep/pool.h"

enum { TASKS = 200, THREADS_MAX = 9, NEVER = TASKS };

struct work {
	unsigned	done[TASKS];	/* times */
	unsigned	slot_of[2 * THREADS_MAX];	/* its task, + 1 */
	unsigned	next;		/* to be taken */
	unsigned	dropped;
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

static void
drop(void *context, unsigned task, unsigned slot)
{
	struct work *w = context;

	ATF_CHECK(task > w->fail_at);
	ATF_CHECK_EQ(task + 1, w->slot_of[slot]);
	w->slot_of[slot] = 0;
	w->dropped++;
}

static int
run(struct work *w, unsigned threads, unsigned fail_at)
{
	struct pool_job pj = { .pj_tasks = TASKS, .pj_work = work,
	    .pj_take = take, .pj_drop = drop, .pj_context = w };

	memset(w, 0, sizeof(*w));
	w->fail_at = fail_at;
	w->slots = pool_slots(threads);
	return (pool_run(&pj, threads));
}

ATF_TC(pool__in_order);
ATF_TC_HEAD(pool__in_order, tc)
{

	atf_tc_set_md_var(tc, "descr", "Every task is done once and taken in "
	    "order, whatever the number of threads");
}
ATF_TC_BODY(pool__in_order, tc)
{
	static const unsigned threads[] = { 1, 2, 3, THREADS_MAX };
	struct work w;
	unsigned i;

	(void)tc;
	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		ATF_CHECK_EQ(0, run(&w, threads[i], NEVER));
		ATF_CHECK_EQ(TASKS, w.next);
		ATF_CHECK_EQ(0, w.dropped);
		ATF_CHECK_EQ(0, w.clashes);
		ATF_CHECK(w.most <= threads[i]);
	}
}

ATF_TC(pool__ends_at_an_error);
ATF_TC_HEAD(pool__ends_at_an_error, tc)
{

	atf_tc_set_md_var(tc, "descr", "After an error nothing is taken; what "
	    "was done all the same is dropped");
}
ATF_TC_BODY(pool__ends_at_an_error, tc)
{
	static const unsigned at[] = { 0, 17, TASKS - 1 };
	unsigned done, i, k;
	struct work w;

	(void)tc;
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		ATF_CHECK_EQ(EDOM, run(&w, 4, at[i]));
		ATF_CHECK_EQ(at[i] + 1, w.next);
		for (k = done = 0; k < TASKS; k++)
			done += w.done[k];
		ATF_CHECK_EQ(done, w.next + w.dropped);
		ATF_CHECK(done <= at[i] + 1 + w.slots);
		for (k = 0; k < w.slots; k++)
			ATF_CHECK_EQ(0, w.slot_of[k]);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, pool__in_order);
	ATF_TP_ADD_TC(tp, pool__ends_at_an_error);
	return (atf_no_error());
}
