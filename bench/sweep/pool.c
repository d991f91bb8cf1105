#include <pthread.h>

#include "bench/sweep/pool.h"
#include "lib/base/base.h"

enum { POOL_IDLE_NS = 100 * 1000 * 1000, POOL_S_NS = 1000 * 1000 * 1000 };

struct pool {
	const struct pool_job *po_job;
	unsigned	 po_slots;
	pthread_mutex_t	 po_mutex;	/* guards what follows */
	pthread_cond_t	 po_change;	/* of any of it */
	unsigned	 po_begun;	/* tasks */
	unsigned	 po_taken;
	bool		 po_over;	/* begin no more tasks */
	bool		*po_finished;	/* by slot */
};

static void *
worker(void *arg)
{
	struct pool *po = arg;
	const struct pool_job *pj = po->po_job;
	unsigned task;

	pthread_mutex_lock(&po->po_mutex);
	while (!po->po_over && po->po_begun < pj->pj_tasks) {
		if (po->po_begun >= po->po_taken + po->po_slots) {
			pthread_cond_wait(&po->po_change, &po->po_mutex);
			continue;
		}
		task = po->po_begun++;
		pthread_mutex_unlock(&po->po_mutex);
		pj->pj_work(pj->pj_context, task, task % po->po_slots);
		pthread_mutex_lock(&po->po_mutex);
		po->po_finished[task % po->po_slots] = true;
		pthread_cond_broadcast(&po->po_change);
	}
	pthread_mutex_unlock(&po->po_mutex);
	return (NULL);
}

static int
take_all(struct pool *po)
{
	const struct pool_job *pj = po->po_job;
	struct timespec until;
	int error = 0;
	unsigned slot;

	pthread_mutex_lock(&po->po_mutex);
	while (error == 0 && po->po_taken < pj->pj_tasks) {
		slot = po->po_taken % po->po_slots;
		if (!po->po_finished[slot]) {
			clock_gettime(CLOCK_MONOTONIC, &until);
			until.tv_nsec += POOL_IDLE_NS;
			until.tv_sec += until.tv_nsec / POOL_S_NS;
			until.tv_nsec %= POOL_S_NS;
			if (pthread_cond_timedwait(&po->po_change,
			    &po->po_mutex, &until) == ETIMEDOUT &&
			    pj->pj_idle != NULL) {
				pthread_mutex_unlock(&po->po_mutex);
				pj->pj_idle(pj->pj_context);
				pthread_mutex_lock(&po->po_mutex);
			}
			continue;
		}
		pthread_mutex_unlock(&po->po_mutex);
		error = pj->pj_take(pj->pj_context, po->po_taken, slot);
		pthread_mutex_lock(&po->po_mutex);
		po->po_finished[slot] = false;
		po->po_taken++;
		pthread_cond_broadcast(&po->po_change);
	}
	po->po_over = true;
	pthread_cond_broadcast(&po->po_change);
	pthread_mutex_unlock(&po->po_mutex);
	return (error);
}

int
pool_run(const struct pool_job *pj, unsigned threads)
{
	struct pool po = { .po_job = pj, .po_slots = POOL_AHEAD * threads };
	pthread_t *thread = xcalloc(threads, sizeof(*thread));
	pthread_condattr_t attr;
	unsigned started;
	int error = 0;

	MPASS(threads > 0);
	po.po_finished = xcalloc(po.po_slots, sizeof(*po.po_finished));
	pthread_mutex_init(&po.po_mutex, NULL);
	/* Time-outs use a clock that is never set back. */
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&po.po_change, &attr);
	pthread_condattr_destroy(&attr);
	for (started = 0; started < threads && error == 0; started++)
		error = pthread_create(&thread[started], NULL, worker, &po);
	started -= error != 0;
	if (started > 0)
		error = take_all(&po);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	pthread_cond_destroy(&po.po_change);
	pthread_mutex_destroy(&po.po_mutex);
	free(po.po_finished);
	free(thread);
	return (error);
}
