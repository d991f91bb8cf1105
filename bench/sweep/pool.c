#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "bench/cli/memory.h"
#include "bench/sweep/pool.h"
#include "lib/base/kassert.h"

enum {
	POOL_AHEAD	= 2,	/* slots for each thread */
	POOL_IDLE_NS	= 100 * 1000 * 1000
};

struct pool {
	const struct pool_job *po_job;
	unsigned	 po_slots;
	pthread_mutex_t	 po_mutex;	/* guards what follows */
	pthread_cond_t	 po_room;	/* a slot is free, or all is over */
	pthread_cond_t	 po_done;	/* a task is done */
	unsigned	 po_begun;	/* tasks */
	unsigned	 po_taken;
	bool		 po_over;	/* begin no more tasks */
	bool		*po_finished;	/* by slot */
};

unsigned
pool_slots(unsigned threads)
{
	return (POOL_AHEAD * threads);
}

static void *
worker(void *arg)
{
	struct pool *po = arg;
	const struct pool_job *pj = po->po_job;
	unsigned task;

	pthread_mutex_lock(&po->po_mutex);
	for (;;) {
		while (!po->po_over && po->po_begun < pj->pj_tasks &&
		    po->po_begun >= po->po_taken + po->po_slots)
			pthread_cond_wait(&po->po_room, &po->po_mutex);
		if (po->po_over || po->po_begun == pj->pj_tasks)
			break;
		task = po->po_begun++;
		pthread_mutex_unlock(&po->po_mutex);
		pj->pj_work(pj->pj_context, task, task % po->po_slots);
		pthread_mutex_lock(&po->po_mutex);
		po->po_finished[task % po->po_slots] = true;
		pthread_cond_signal(&po->po_done);
	}
	pthread_mutex_unlock(&po->po_mutex);
	return (NULL);
}

/* Waits until a task is done or it is time for pj_idle(). */
static void
wait_done(struct pool *po)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += POOL_IDLE_NS;
	if (until.tv_nsec >= 1000 * 1000 * 1000) {
		until.tv_nsec -= 1000 * 1000 * 1000;
		until.tv_sec++;
	}
	if (pthread_cond_timedwait(&po->po_done, &po->po_mutex, &until) ==
	    ETIMEDOUT && po->po_job->pj_idle != NULL) {
		pthread_mutex_unlock(&po->po_mutex);
		po->po_job->pj_idle(po->po_job->pj_context);
		pthread_mutex_lock(&po->po_mutex);
	}
}

/* Takes all outcomes in order; po_mutex is held. */
static int
take_all(struct pool *po)
{
	const struct pool_job *pj = po->po_job;
	int error = 0;
	unsigned slot;

	while (error == 0 && po->po_taken < pj->pj_tasks) {
		slot = po->po_taken % po->po_slots;
		if (!po->po_finished[slot]) {
			wait_done(po);
			continue;
		}
		pthread_mutex_unlock(&po->po_mutex);
		error = pj->pj_take(pj->pj_context, po->po_taken, slot);
		pthread_mutex_lock(&po->po_mutex);
		po->po_finished[slot] = false;
		po->po_taken++;
		pthread_cond_broadcast(&po->po_room);
	}
	po->po_over = true;
	pthread_cond_broadcast(&po->po_room);
	return (error);
}

/* Time-outs use a clock that is never set back. */
static void
init_conditions(struct pool *po)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&po->po_mutex, NULL);
	pthread_cond_init(&po->po_room, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&po->po_done, &attr);
	pthread_condattr_destroy(&attr);
}

int
pool_run(const struct pool_job *pj, unsigned threads)
{
	struct pool po = { .po_job = pj, .po_slots = pool_slots(threads) };
	pthread_t *thread;
	unsigned started;
	int error = 0;

	MPASS(threads > 0);
	po.po_finished = xcalloc(po.po_slots, sizeof(*po.po_finished));
	thread = xcalloc(threads, sizeof(*thread));
	init_conditions(&po);
	for (started = 0; started < threads; started++) {
		error = pthread_create(&thread[started], NULL, worker, &po);
		if (error != 0)
			break;
	}
	if (started > 0) {
		pthread_mutex_lock(&po.po_mutex);
		error = take_all(&po);
		pthread_mutex_unlock(&po.po_mutex);
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	pthread_cond_destroy(&po.po_done);
	pthread_cond_destroy(&po.po_room);
	pthread_mutex_destroy(&po.po_mutex);
	free(po.po_finished);
	free(thread);
	return (error);
}
