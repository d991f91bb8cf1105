/*
 * Linux's getrandom() without a system call: each thread of a program has a key
 * and a batch in its own memory, under the kernel's generator for each CPU.
 *
 * Stands for __cvdso_getrandom_data() of lib/vdso/getrandom.c, Linux 6.11, over
 * gen_percpu.c.  A read looks at the kernel's generation in a page that all
 * programs share, takes no lock, and enters the kernel once for each
 * generation.
 *
 * Departs: a thread is not interrupted by a signal handler that reads too, and
 * memory is not lost at fork(2), so the second look at the generation is left
 * out.
 */
#include <errno.h>
#include <stdlib.h>

#include "fortuna/percpu.h"

enum {
	VDSO_UNIT	= 64,		/* written to the caller at once */
	VDSO_BATCH	= 3 * VDSO_UNIT / 2,
	VDSO_REFILL	= VDSO_BATCH + CIPHER_KEY_BYTES
};

CTASSERT(VDSO_REFILL % VDSO_UNIT == 0);
CTASSERT((int)VDSO_REFILL <= (int)CIPHER_STUB_BYTES);

/* A thread's, on lines of its own. */
struct vdso_state {
	_Alignas(MACHINE_CACHE_LINE)
	struct cipher_key vs_key;
	uint64_t	 vs_generation;	/* the kernel's; 0: no key */
	uint64_t	 vs_lineage;	/* of the batch, for the ledger */
	unsigned	 vs_next;	/* in the batch; its size: empty */
	uint8_t		 vs_batch[VDSO_REFILL];
};

struct vdso {
	struct percpu	 v_kernel;	/* first: the three are one pointer */
	unsigned	 v_threads;
	struct vdso_state *v_state;	/* [v_threads] */
};

static inline struct vdso *
vdso_of(struct generator *g)
{
	return ((struct vdso *)(void *)g);
}

static void
gen_vdso_fini(struct generator *g)
{
	struct vdso *v = vdso_of(g);

	for (; v->v_threads > 0; v->v_threads--) {
		cipher_key_fini(&v->v_state[v->v_threads - 1].vs_key);
		wipe(&v->v_state[v->v_threads - 1], sizeof(*v->v_state));
	}
	free(v->v_state);
	percpu_fini(g);
}

static int
gen_vdso_init(struct generator *g, const struct generator_params *params)
{
	const unsigned threads = params->gp_lock_config.threads;
	struct vdso *v = vdso_of(g);
	int error = percpu_init(g, params);

	if (error != 0)
		return (error);
	v->v_state = generator_alloc(threads * sizeof(*v->v_state));
	if (v->v_state == NULL)
		error = ENOMEM;
	for (; error == 0 && v->v_threads < threads; v->v_threads++) {
		v->v_state[v->v_threads].vs_next = VDSO_BATCH;
		error = cipher_key_init(&v->v_state[v->v_threads].vs_key,
		    params->gp_cipher);
	}
	if (error != 0)
		gen_vdso_fini(g);
	return (error);
}

/* A key of the kernel's generation; what is left of the batch is dropped. */
static void
vdso_follow(struct generator *g, struct generator_reader *gr,
    struct vdso_state *vs, uint64_t generation)
{
	uint8_t key[CIPHER_KEY_BYTES];
	struct uio uio = uio_buffer(key, sizeof(key));

	vs->vs_generation = generation;
	machine_charge(COST_SYSCALL, 1);
	percpu_read(g, gr, &uio);
	cipher_key_set(&vs->vs_key, key);
	machine_charge(COST_WIPE, 1);
	wipe(key, sizeof(key));
	wipe(vs->vs_batch, sizeof(vs->vs_batch));
	vs->vs_next = VDSO_BATCH;
}

/* Fills the batch, and replaces the key by what follows. */
static void
vdso_refill(struct ledger *lg, struct vdso_state *vs, uint128_t *ctr)
{
	cipher_keystream(&vs->vs_key, ctr, vs->vs_batch, VDSO_REFILL);
	machine_charge(COST_KEYSTREAM, VDSO_REFILL);
	vs->vs_lineage = ledger_lineage(lg);
	cipher_key_set(&vs->vs_key, vs->vs_batch + VDSO_BATCH);
	machine_charge(COST_KEY_SET, 1);
	wipe(vs->vs_batch + VDSO_BATCH, CIPHER_KEY_BYTES);
	vs->vs_next = 0;
}

/* Moves what the batch has and the caller lacks. */
static void
vdso_take(struct ledger *lg, struct vdso_state *vs, struct uio *uio)
{
	size_t n = VDSO_BATCH - vs->vs_next;

	n = uio->uio_resid < n ? (size_t)uio->uio_resid : n;
	if (n == 0)
		return;
	ledger_set_lineage(lg, vs->vs_lineage);
	uio_move(uio, vs->vs_batch + vs->vs_next, n);
	vs->vs_next += (unsigned)n;
}

/* Whole units go to the caller at once; one may lie across two windows. */
static void
vdso_units(struct vdso_state *vs, uint128_t *ctr, struct uio *uio)
{
	uint8_t unit[VDSO_UNIT];
	size_t n;

	while (uio->uio_resid >= VDSO_UNIT) {
		n = uio_room(uio) / VDSO_UNIT * VDSO_UNIT;
		machine_charge(COST_KEYSTREAM, n > 0 ? n : VDSO_UNIT);
		if (n > 0) {
			cipher_keystream(&vs->vs_key, ctr, uio->uio_base, n);
			uio_advance(uio, n);
		} else {
			cipher_keystream(&vs->vs_key, ctr, unit, sizeof(unit));
			uio_move(uio, unit, sizeof(unit));
		}
	}
}

static void
gen_vdso_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	const unsigned thread = machine_curthread()->mt_index;
	struct ledger *lg = ledger_of(g->g_cipher);
	uint128_t ctr = uint128_make(0, 0);
	struct vdso *v = vdso_of(g);
	struct vdso_state *vs;
	uint64_t generation;

	KASSERT(thread < v->v_threads, ("thread %u", thread));
	vs = &v->v_state[thread];
	generation = atomic_load_acq_64(&v->v_kernel.p_generation);
	if (vs->vs_generation != generation)
		vdso_follow(g, gr, vs, generation);
	vdso_take(lg, vs, uio);
	if (uio->uio_resid == 0)
		return;
	vdso_units(vs, &ctr, uio);
	vdso_refill(lg, vs, &ctr);
	vdso_take(lg, vs, uio);
}

RANDOM_ALGORITHM(vdso) = {
	.ra_ident	= "vdso",
	.ra_descr	= "Linux's getrandom(): a key for each thread",
	.ra_stands	= "Linux since 6.11, lib/vdso/getrandom.c, over "
	    "drivers/char/random.c.  FreeBSD's D22839 has the generation in a "
	    "shared page too.",
	.ra_argument	= "A thread's key and up to 96 bytes of its future "
	    "output lie in the program's own memory.  An attacker who reads it "
	    "knows the thread's output until the kernel's next generation.  "
	    "Other threads and programs are not affected.  Each refill "
	    "replaces the key, and returned bytes are wiped.  The kernel must "
	    "take these pages away at fork and wipe them under memory "
	    "pressure.  Otherwise as percpu.",
	.ra_flags	= RA_MANY_LOCKS | RA_UNCOUNTED | RA_LOCKS_LITTLE |
	    RA_NO_CALL,
	.ra_poolcount	= 1,
	.ra_lag		= 1,
	.ra_stored_bytes = VDSO_BATCH,
	.ra_size	= sizeof(struct vdso),
	.ra_init	= gen_vdso_init,
	.ra_fini	= gen_vdso_fini,
	.ra_pre_read	= percpu_pre_read,
	.ra_seeded	= percpu_seeded,
	.ra_read	= gen_vdso_read,
	.ra_event_processor = percpu_event,
	.ra_timer	= percpu_timer,
	.ra_wait_seeded	= percpu_wait_seeded,
	.ra_status	= percpu_status,
};
