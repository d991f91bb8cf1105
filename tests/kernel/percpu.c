/*
 * Each CPU has a key of its own, drawn from the root's K after a reseed.  A
 * read takes the root's mutex only for that; output is not FreeBSD's.
 *
 * Broken variants define OWN_DRAW, FORTUNA_CPU, FORTUNA_UNKEYED() or
 * FORTUNA_LATE: generations are stored when the mutex is free again.
 */
#include <sys/param.h>
#include <sys/pcpu.h>
#include <sys/smp.h>

#include <machine/atomic.h>

#define	OWN_PRE_READ
#define	OWN_READ
#define	OWN_EVENT
#include "fortuna.c"

struct fortuna_cpu {
	struct mtx	fc_mtx;
	u_int		fc_generation;	/* of fc_key; 0: none */
	uint128_t	fc_counter;
	union randomdev_key fc_key;
};

#ifndef FORTUNA_CPU
#define	FORTUNA_CPU		curcpu
#endif
#ifndef FORTUNA_LATE
#define	FORTUNA_LATE		false
#endif
#ifndef FORTUNA_UNKEYED
/* C is visible before the first generation is. */
#define	FORTUNA_UNKEYED(fc)	((fc)->fc_generation == 0)
#endif

DPCPU_DEFINE_STATIC(struct fortuna_cpu, fortuna_cpu);
/* Reseeds whose K is there. */
static volatile u_int fortuna_generation;
/* When a reseed may be due; FORTUNA_NOT_DUE: pool 0 lacks bytes. */
static volatile uint64_t fortuna_due;
#define	FORTUNA_NOT_DUE		((uint64_t)INT64_MAX)
#define	FORTUNA_AT_ONCE		((uint64_t)-1)

static void
random_fortuna_cpus_init(void *arg __unused)
{
	int i;

	CPU_FOREACH(i)
		mtx_init(&DPCPU_ID_PTR(i, fortuna_cpu)->fc_mtx, "CPU mutex",
		    NULL, MTX_DEF);
	atomic_store_rel_64(&fortuna_due, FORTUNA_NOT_DUE);
}
SYSINIT(random_fortuna_cpus, SI_SUB_RANDOM, SI_ORDER_THIRD,
    random_fortuna_cpus_init, NULL);

static void
random_fortuna_pre_read(void)
{
	struct fortuna_seed fd;
	u_int generation = 0;

	if (getsbinuptime() <= (sbintime_t)atomic_load_acq_64(&fortuna_due))
		return;
	FORTUNA_LOCK();
	if (random_fortuna_drain(&fd, getsbinuptime())) {
		random_fortuna_reseed(&fd);
		generation = fortuna_state.fs_reseedcount;
		if (!FORTUNA_LATE)
			atomic_store_rel_int(&fortuna_generation, generation);
		atomic_store_rel_64(&fortuna_due, FORTUNA_NOT_DUE);
	}
	FORTUNA_UNLOCK();
	if (FORTUNA_LATE && generation != 0)
		atomic_store_rel_int(&fortuna_generation, generation);
}

static void
random_fortuna_process_event(struct harvest_event *event)
{
	FORTUNA_LOCK();
	if (random_harvest_healthtest(event))
		random_fortuna_absorb(event);
	if (fortuna_state.fs_pool[0].fsp_length >= fortuna_state.fs_minpoolsize)
		atomic_store_rel_64(&fortuna_due,
		    fortuna_state.fs_reseedcount == 0 ? FORTUNA_AT_ONCE :
		    (uint64_t)(fortuna_state.fs_lasttime + FORTUNA_PACE));
	FORTUNA_UNLOCK();
}

/* Draws RANDOM_KEYSIZE bytes from the root; returns its generation. */
static u_int
random_fortuna_root(uint8_t *newkey)
{
	u_int generation;

	FORTUNA_LOCK();
	KASSERT(random_fortuna_is_seeded(), ("read while unseeded"));
	randomdev_keystream(&fortuna_state.fs_key, &fortuna_state.fs_counter,
	    newkey, RANDOM_KEYSIZE);
	random_fortuna_rekey(&fortuna_state.fs_key, &fortuna_state.fs_counter);
	generation = atomic_load_acq_int(&fortuna_generation);
	FORTUNA_UNLOCK();
	return (generation);
}

#ifndef OWN_DRAW
/* With the CPU's mutex. */
static void
random_fortuna_draw(struct fortuna_cpu *fc)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	fc->fc_generation = random_fortuna_root(newkey);
	randomdev_encrypt_init(&fc->fc_key, newkey);
	explicit_bzero(newkey, sizeof(newkey));
}
#else
static void random_fortuna_draw(struct fortuna_cpu *);
#endif

static void
random_fortuna_read_concurrent(uint8_t *buf, size_t n)
{
	struct fortuna_cpu *fc = DPCPU_ID_PTR(FORTUNA_CPU, fortuna_cpu);
	union randomdev_key key;
	uint128_t counter;

	mtx_lock(&fc->fc_mtx);
	if (FORTUNA_UNKEYED(fc) ||
	    fc->fc_generation != atomic_load_acq_int(&fortuna_generation))
		random_fortuna_draw(fc);
	memcpy(&key, &fc->fc_key, sizeof(key));
	counter = fc->fc_counter;
	uint128_add64(&fc->fc_counter, random_fortuna_blocks(n));
	random_fortuna_rekey(&fc->fc_key, &fc->fc_counter);
	mtx_unlock(&fc->fc_mtx);
	random_fortuna_generate(&key, &counter, buf, n);
	explicit_bzero(&key, sizeof(key));
	explicit_bzero(&counter, sizeof(counter));
}
