#include <errno.h>
#include <stdlib.h>

#include "fortuna/fxrng.h"

/* A CPU's first read makes its key. */
static int
make_cpus(struct fxrng *f, const struct generator_params *params)
{
	const unsigned places = generator_places(params);
	struct fxrng_cpu *fc;
	int error = 0;

	f->f_cpu = generator_alloc(places * sizeof(*f->f_cpu));
	if (f->f_cpu == NULL)
		return (ENOMEM);
	for (; error == 0 && f->f_places < places; f->f_places++) {
		fc = &f->f_cpu[f->f_places];
		error = lock_init(&fc->fc_mtx, params->gp_lock,
		    "fx cpu generator", &params->gp_lock_config,
		    params->gp_prof);
		if (error == 0)
			error = brng_init(&fc->fc_brng, params->gp_cipher);
	}
	return (error);
}

/* Pools, root, and the hash that mixes pools into the root. */
static int
make_state(struct fxrng *f, const struct cipher *cipher)
{
	int error;

	error = fxpool_init(&f->f_pools, cipher_is_stub(cipher));
	if (cipher_is_stub(cipher))
		blake2_init_stub(&f->f_mix, BLAKE2B_BYTES);
	else if (error == 0)
		error = blake2b_init(&f->f_mix);
	if (error == 0)
		error = brng_init(&f->f_root, cipher);
	if (error == 0)
		f->f_root.b_core = fxpool_watch(&f->f_pools,
		    ledger_of(cipher));
	return (error);
}

int
fxrng_init(struct generator *g, const struct generator_params *params)
{
	struct fxrng *f = fxrng_of(g);
	int error;

	f->f_timer.ft_failpoints = params->gp_failpoints;
	atomic_init_64(&f->f_generation, 0);
	atomic_init_32(&f->f_seeded, 0);
	error = make_state(f, params->gp_cipher);
	if (error == 0)
		error = lock_init(&f->f_pool_mtx, params->gp_lock,
		    "fx entropy pool lock", &params->gp_lock_config,
		    params->gp_prof);
	if (error == 0)
		error = lock_init(&f->f_root_mtx, params->gp_lock,
		    "fx root generator", &params->gp_lock_config,
		    params->gp_prof);
	if (error == 0)
		error = make_cpus(f, params);
	if (error != 0)
		fxrng_fini(g);
	return (error);
}

void
fxrng_fini(struct generator *g)
{
	struct fxrng *f = fxrng_of(g);

	for (; f->f_places > 0; f->f_places--) {
		brng_fini(&f->f_cpu[f->f_places - 1].fc_brng);
		lock_fini(&f->f_cpu[f->f_places - 1].fc_mtx);
	}
	free(f->f_cpu);
	lock_fini(&f->f_root_mtx);
	lock_fini(&f->f_pool_mtx);
	brng_fini(&f->f_root);
	blake2_fini(&f->f_mix);
	fxpool_fini(&f->f_pools);
}

void
fxrng_wait_seeded(struct generator *g, int64_t timeout_ns)
{
	machine_wait_32(&fxrng_of(g)->f_seeded, 0, timeout_ns);
}

void
fxrng_status(struct generator *g, struct generator_status *gs)
{
	struct fxrng *f = fxrng_of(g);
	struct lock_node node, root_node;

	lock_acquire(&f->f_pool_mtx, &node, SITE_EVENT);
	lock_acquire(&f->f_root_mtx, &root_node, SITE_ROOT);
	gs->gs_reseeds = (uint32_t)f->f_root.b_generation;
	gs->gs_pool0_bytes = f->f_pools.fp_bytes;
	gs->gs_pool0_needed_bytes = 0;
	gs->gs_seeded = f->f_root.b_generation != 0;
	lock_release(&f->f_root_mtx, &root_node);
	lock_release(&f->f_pool_mtx, &node);
}
