/*
 * Linux's design since 5.18: a key for each CPU, which only reads on that CPU
 * use, and a base key that gives each of them a new one after a reseed.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/pcpu.h>
#include <sys/smp.h>

#include <dev/random/crng.h>

DPCPU_DEFINE_STATIC(struct crng, crngs);

static void
percpu_init(void *arg __unused)
{
	int cpu;

	CPU_FOREACH(cpu)
		mtx_init(&DPCPU_ID_PTR(cpu, crngs)->lock, "crngs.lock", NULL,
		    MTX_DEF);
}
SYSINIT(random_percpu, SI_SUB_RANDOM, SI_ORDER_SECOND, percpu_init, NULL);

/* Who moves to another CPU now finds its mutex owned for a while. */
static void
percpu_read(uint8_t *buf, size_t n)
{
	crng_read(DPCPU_PTR(crngs), buf, n);
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Linux",
	.ra_poolcount	= 1,
	.ra_pre_read	= crng_pre_read,
	.ra_read	= percpu_read,
	.ra_seeded	= crng_ready,
	.ra_event_processor = crng_process_event,
};

/* The generation is written after the base's key. */
RANDOM_CLAIMS(.rm_key = &base_crng.key, .rm_lag = 1,
    .rm_reseeds = &crng_reseeds);
