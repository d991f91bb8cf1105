#include "bench/sweep/pool.h"
#include "lib/machine/machine.h"

enum { POOL_IDLE_NS = 100 * 1000 * 1000 };

struct pool {
	const struct pool_job *po_job;
	unsigned	 po_slots;
	_Atomic uint64_t po_next;	/* task that no thread has */
	/* A task waits for its slot: for this to be so many behind it. */
	_Atomic uint32_t po_taken;	/* tasks */
	atomic_bool	 po_over;	/* begin no more tasks */
	_Atomic uint32_t *po_finished;	/* by slot: 1, or 0 */
};

static void *
worker(void *arg)
{
	struct pool *po = arg;
	const struct pool_job *pj = po->po_job;
	uint64_t task;
	uint32_t taken;
	unsigned slot;

	while ((task = po->po_next++) < pj->pj_tasks) {
		while (task - (taken = po->po_taken) >= po->po_slots &&
		    !po->po_over)
			real_wait(&po->po_taken, taken, -1);
		if (po->po_over)
			break;
		slot = (unsigned)(task % po->po_slots);
		pj->pj_work(pj->pj_context, (unsigned)task, slot);
		po->po_finished[slot] = 1;
		real_wake(&po->po_finished[slot], 1);
	}
	return (NULL);
}

static int
take_all(struct pool *po)
{
	const struct pool_job *pj = po->po_job;
	unsigned slot;
	int error = 0;

	for (unsigned task = 0; error == 0 && task < pj->pj_tasks; task++) {
		slot = task % po->po_slots;
		while (po->po_finished[slot] == 0)
			if (real_wait(&po->po_finished[slot], 0,
			    POOL_IDLE_NS) == ETIMEDOUT && pj->pj_idle != NULL)
				pj->pj_idle(pj->pj_context);
		error = pj->pj_take(pj->pj_context, task, slot);
		po->po_finished[slot] = 0;
		po->po_over = error != 0;
		po->po_taken++;
		real_wake(&po->po_taken, INT_MAX);
	}
	return (error);
}

int
pool_run(const struct pool_job *pj, unsigned threads)
{
	struct pool po = { .po_job = pj, .po_slots = POOL_AHEAD * threads };
	pthread_t *thread = xcalloc(threads, sizeof(*thread));
	unsigned started;
	int error = 0;

	MPASS(threads > 0);
	po.po_finished = xcalloc(po.po_slots, sizeof(*po.po_finished));
	for (started = 0; started < threads && error == 0; started++)
		error = pthread_create(&thread[started], NULL, worker, &po);
	started -= error != 0;
	if (started > 0)
		error = take_all(&po);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	free(po.po_finished);
	free(thread);
	return (error);
}
