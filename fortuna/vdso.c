/*
 * Linux's getrandom() without a system call, lib/vdso/getrandom.c of 6.11: each
 * thread of a program has a key and a batch in its own memory, over the
 * kernel's key for each CPU.  A read looks at the kernel's generation, which
 * all programs share, takes no lock, and enters the kernel once for each
 * generation.
 *
 * Departs: no signal handler reads while a read goes on, and no memory is lost
 * at fork(2), so there is no second look at the generation.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/malloc.h>
#include <sys/pcpu.h>
#include <sys/proc.h>
#include <sys/smp.h>

#include <dev/random/crng.h>

#define	VGETRANDOM_UNIT		64	/* written to the caller at once */
#define	VGETRANDOM_BATCH	(3 * VGETRANDOM_UNIT / 2)

CTASSERT((VGETRANDOM_BATCH + RANDOM_KEYSIZE) % VGETRANDOM_UNIT == 0);

static struct vgetrandom_state {
	union randomdev_key key;
	u_long		generation;	/* the kernel's; 0: no key */
	u_int		pos;		/* in the batch; its size: empty */
	uint8_t		batch_key[VGETRANDOM_BATCH + RANDOM_KEYSIZE];
} __aligned(CACHE_LINE_SIZE) *vgetrandom_states;	/* [maxproc] */

DPCPU_DEFINE_STATIC(struct crng, crngs);

static void
vdso_init(void *arg __unused)
{
	int i;

	CPU_FOREACH(i)
		mtx_init(&DPCPU_ID_PTR(i, crngs)->lock, "crngs.lock", NULL,
		    MTX_DEF);
	vgetrandom_states = malloc(sizeof(*vgetrandom_states) *
	    (size_t)maxproc, M_ENTROPY, M_WAITOK | M_ZERO);
	for (i = 0; i < maxproc; i++)
		vgetrandom_states[i].pos = VGETRANDOM_BATCH;
}
SYSINIT(random_vdso, SI_SUB_RANDOM, SI_ORDER_SECOND, vdso_init, NULL);

/* Takes a key of the kernel's generation; what is left of the batch is lost. */
static void
vdso_follow(struct vgetrandom_state *state, u_long generation)
{
	uint8_t key[RANDOM_KEYSIZE];

	state->generation = generation;
	crng_read(DPCPU_PTR(crngs), key, sizeof(key));
	randomdev_encrypt_init(&state->key, key);
	explicit_bzero(key, sizeof(key));
	explicit_bzero(state->batch_key, sizeof(state->batch_key));
	state->pos = VGETRANDOM_BATCH;
}

/* Moves what the batch has and the caller lacks. */
static size_t
vdso_take(struct vgetrandom_state *state, uint8_t *buf, size_t n)
{
	n = MIN(n, VGETRANDOM_BATCH - state->pos);
	memcpy(buf, state->batch_key + state->pos, n);
	explicit_bzero(state->batch_key + state->pos, n);
	state->pos += n;
	return (n);
}

static void
vdso_read(uint8_t *buf, size_t n)
{
	struct vgetrandom_state *state = &vgetrandom_states[curthread->td_tid];
	u_long generation = atomic_load_acq_long(&base_crng.generation);
	uint128_t counter = UINT128_ZERO;
	size_t whole;

	if (state->generation != generation)
		vdso_follow(state, generation);
	whole = vdso_take(state, buf, n);
	buf += whole;
	n -= whole;
	if (n == 0)
		return;
	whole = rounddown(n, VGETRANDOM_UNIT);
	randomdev_keystream(&state->key, &counter, buf, whole);
	randomdev_keystream(&state->key, &counter, state->batch_key,
	    sizeof(state->batch_key));
	randomdev_encrypt_init(&state->key,
	    state->batch_key + VGETRANDOM_BATCH);
	explicit_bzero(state->batch_key + VGETRANDOM_BATCH, RANDOM_KEYSIZE);
	state->pos = 0;
	(void)vdso_take(state, buf + whole, n - whole);
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Linux vDSO",
	.ra_poolcount	= 1,
	.ra_pre_read	= crng_pre_read,
	.ra_read	= vdso_read,
	.ra_seeded	= crng_ready,
	.ra_event_processor = crng_process_event,
};

RANDOM_CLAIMS(.rm_key = &base_crng.key, .rm_lag = 1,
    .rm_reseeds = &crng_reseeds, .rm_stored_bytes = VGETRANDOM_BATCH,
    .rm_locks_little = true, .rm_no_call = true);
