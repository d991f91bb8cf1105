/*
 * The pools have a mutex of their own.  The order is pools, then K and C.
 */
#define	OWN_PRE_READ
#define	OWN_EVENT
#include "fortuna.c"

/* The pools, the number and the time of reseeds. */
static struct mtx fortuna_pools_mtx;
MTX_SYSINIT(fortuna_pools, &fortuna_pools_mtx, "pools mutex", MTX_DEF);

static void
random_fortuna_pre_read(void)
{
	struct fortuna_seed fd;

	mtx_lock(&fortuna_pools_mtx);
	if (random_fortuna_drain(&fd, getsbinuptime())) {
		FORTUNA_LOCK();
		random_fortuna_reseed(&fd);
		FORTUNA_UNLOCK();
	}
	mtx_unlock(&fortuna_pools_mtx);
}

static void
random_fortuna_process_event(struct harvest_event *event)
{
	mtx_lock(&fortuna_pools_mtx);
	if (random_harvest_healthtest(event))
		random_fortuna_absorb(event);
	mtx_unlock(&fortuna_pools_mtx);
}
