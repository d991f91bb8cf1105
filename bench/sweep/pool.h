/* Tasks on threads of the host; outcomes in order, however many these are. */
#pragma once

enum { POOL_AHEAD = 2 };	/* slots for each thread */

/*
 * Tasks have numbers 0..pj_tasks - 1 and begin in that order.  A task has its
 * slot, from 0, to itself until its outcome is taken.
 */
struct pool_job {
	unsigned	pj_tasks;
	/* Does a task, on any thread. */
	void		(*pj_work)(void *context, unsigned task, unsigned slot);
	/* Takes an outcome, on the caller's thread; an error ends the job. */
	int		(*pj_take)(void *context, unsigned task, unsigned slot);
	/* Called every 0.1 s on the caller's thread; or NULL. */
	void		(*pj_idle)(void *context);
	void		*pj_context;
};

/*
 * Does all tasks on 1 or more threads, fewer if the host refuses some; or those
 * up to one whose pj_take() fails and some behind it, which are not taken.  No
 * task runs when it returns.  Returns: 0, the error of pj_take(), or that of
 * the host if it refused every thread.
 */
int pool_run(const struct pool_job *pj, unsigned threads);
