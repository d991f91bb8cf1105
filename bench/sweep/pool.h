/*
 * Tasks on several threads of the host, whose outcomes are taken in order.
 *
 * Whoever takes the outcomes sees the same sequence whatever the number of
 * threads and whichever task ends first.
 */
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

/*
 * The work.  Tasks have numbers 0..pj_tasks - 1 and begin in that order.  A
 * task's slot, 0..pool_slots() - 1, is its own until its outcome was taken or
 * dropped.
 */
struct pool_job {
	unsigned	pj_tasks;
	/* Does a task, on any thread. */
	void		(*pj_work)(void *context, unsigned task,
			    unsigned slot);
	/*
	 * Takes an outcome, in order of tasks, on the caller's thread.
	 *
	 * Returns: 0, or an error that ends the job.
	 */
	int		(*pj_take)(void *context, unsigned task,
			    unsigned slot);
	/* Releases an outcome that will not be taken; likewise. */
	void		(*pj_drop)(void *context, unsigned task,
			    unsigned slot);
	/* Called now and then on the caller's thread; or NULL. */
	void		(*pj_idle)(void *context);
	void		*pj_context;
};

/* How many slots so many threads use. */
unsigned pool_slots(unsigned threads);

/*
 * Does all tasks, or as many as come before one whose pj_take() fails; returns
 * when none is running.
 *
 *   threads  in  1 or more; fewer are used where the host refuses more
 *
 * Returns: 0, what pj_take() returned, or an errno value when not one thread
 * could be had.
 */
int pool_run(const struct pool_job *pj, unsigned threads);

#endif
