/*
 * Linux's keys of CPUs without their mutexes: kern.random.section.way is how a
 * read keeps its CPU's key for itself, or fails to.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/pcpu.h>
#include <sys/proc.h>
#include <sys/sched.h>
#include <sys/smp.h>
#include <sys/sysctl.h>
#include <machine/cpufunc.h>

#include <dev/random/crng.h>

enum way {
	CRITICAL, SPINLOCK, INTR, BIND,			/* right */
	NOTHING, EARLY, PINNED,				/* races */
	NO_EXIT, NO_ENTER, NO_UNPIN, NO_PIN, RENDEZVOUS	/* misuse */
};

static int section_way;
SYSCTL_NODE(_kern_random, OID_AUTO, section, CTLFLAG_RW, 0, "");
SYSCTL_INT(_kern_random_section, OID_AUTO, way, CTLFLAG_RDTUN, &section_way, 0,
    "A member of enum way");

DPCPU_DEFINE_STATIC(struct crng, crngs);
static u_int section_called;

static void
section_call(void *arg __unused)
{
	section_called += curcpu + 1;
}

static struct crng *
section_enter(register_t *intr)
{
	struct crng *early = DPCPU_PTR(crngs);

	switch (section_way) {
	case SPINLOCK:
		spinlock_enter();
		break;
	case INTR:
		*intr = intr_disable();
		break;
	case BIND:
		thread_lock(curthread);
		sched_bind(curthread, mp_maxid);
		thread_unlock(curthread);
		critical_enter();
		KASSERT(curcpu == (int)mp_maxid, ("on CPU %d", curcpu));
		KASSERT(curthread->td_critnest == 1, ("not critical"));
		break;
	case NOTHING:
	case NO_ENTER:
	case NO_PIN:
		break;
	case PINNED:
	case NO_UNPIN:
		sched_pin();
		break;
	default:
		critical_enter();
	}
	if (section_way == RENDEZVOUS)
		smp_rendezvous(NULL, section_call, NULL, NULL);
	return (section_way == EARLY ? early : DPCPU_PTR(crngs));
}

static void
section_exit(register_t intr)
{
	switch (section_way) {
	case SPINLOCK:
		spinlock_exit();
		break;
	case INTR:
		intr_restore(intr);
		break;
	case BIND:
		critical_exit();
		thread_lock(curthread);
		sched_unbind(curthread);
		thread_unlock(curthread);
		break;
	case NOTHING:
	case NO_EXIT:
	case NO_UNPIN:
		break;
	case PINNED:
	case NO_PIN:
		sched_unpin();
		break;
	default:
		critical_exit();
	}
}

static void
section_read(uint8_t *buf, size_t n)
{
	uint8_t key[RANDOM_KEYSIZE], out[RANDOM_KEYSIZE];
	struct crng *crng;
	register_t intr;
	u_long generation;

	/* Once for each CPU, from 1. */
	if (section_way == CRITICAL) {
		mtx_lock(&base_crng.lock);
		section_called = 0;
		smp_rendezvous(NULL, section_call, NULL, NULL);
		KASSERT((int)section_called == mp_ncpus * (mp_ncpus + 1) / 2,
		    ("called as often as %u", section_called));
		mtx_unlock(&base_crng.lock);
	}
	for (;;) {
		crng = section_enter(&intr);
		if (!crng_is_old(crng))
			break;
		section_exit(intr);
		mtx_lock(&base_crng.lock);
		crng_fast_key_erasure(&base_crng.key, key);
		generation = base_crng.generation;
		mtx_unlock(&base_crng.lock);
		crng = section_enter(&intr);
		randomdev_encrypt_init(&crng->key, key);
		crng->generation = generation;
		section_exit(intr);
		explicit_bzero(key, sizeof(key));
	}
	crng_fast_key_erasure(&crng->key, out);
	section_exit(intr);
	if (n > sizeof(out))
		crng_generate(out, 2 * RANDOM_KEYSIZE / (random_chachamode ?
		    CHACHA_BLOCKLEN : RANDOM_BLOCKSIZE), buf, n);
	else
		memcpy(buf, out, n);
	explicit_bzero(out, sizeof(out));
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "section",
	.ra_poolcount	= 1,
	.ra_pre_read	= crng_pre_read,
	.ra_read	= section_read,
	.ra_seeded	= crng_ready,
	.ra_event_processor = crng_process_event,
};

RANDOM_CLAIMS(.rm_key = &base_crng.key, .rm_lag = 1,
    .rm_reseeds = &crng_reseeds);
