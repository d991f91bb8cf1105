#include <errno.h>
#include <stdlib.h>

#include "fortuna/percpu.h"

/* A CPU's first read makes its key. */
static int
make_cpus(struct percpu *p, const struct generator_params *params)
{
	const unsigned places = generator_places(params);
	struct percpu_cpu *pc;
	int error = 0;

	p->p_cpu = generator_alloc(places * sizeof(*p->p_cpu));
	if (p->p_cpu == NULL)
		return (ENOMEM);
	for (; error == 0 && p->p_places < places; p->p_places++) {
		pc = &p->p_cpu[p->p_places];
		error = lock_init(&pc->pc_mtx, params->gp_lock, "crngs.lock",
		    &params->gp_lock_config, params->gp_prof);
		if (error == 0)
			error = crng_init(&pc->pc_crng, params->gp_cipher,
			    CRNG_NO_GENERATION);
	}
	return (error);
}

int
percpu_init(struct generator *g, const struct generator_params *params)
{
	struct percpu *p = percpu_of(g);
	int error;

	p->p_block_seeded_status = params->gp_config.block_seeded_status;
	atomic_init_32(&p->p_ready, 0);
	atomic_init_64(&p->p_generation, 0);
	error = crng_pool_init(&p->p_pool,
	    cipher_is_stub(params->gp_cipher));
	if (error == 0)
		error = crng_init(&p->p_base, params->gp_cipher, 0);
	if (error == 0) {
		crng_watch(&p->p_pool, &p->p_base);
		p->p_pool.cp_failpoints = params->gp_failpoints;
		p->p_timer.ct_failpoints = params->gp_failpoints;
		error = lock_init(&p->p_pool_mtx, params->gp_lock,
		    "input_pool.lock", &params->gp_lock_config,
		    params->gp_prof);
	}
	if (error == 0)
		error = lock_init(&p->p_base_mtx, params->gp_lock,
		    "base_crng.lock", &params->gp_lock_config,
		    params->gp_prof);
	if (error == 0)
		error = make_cpus(p, params);
	if (error != 0)
		percpu_fini(g);
	return (error);
}

void
percpu_fini(struct generator *g)
{
	struct percpu *p = percpu_of(g);

	for (; p->p_places > 0; p->p_places--) {
		crng_fini(&p->p_cpu[p->p_places - 1].pc_crng);
		lock_fini(&p->p_cpu[p->p_places - 1].pc_mtx);
	}
	free(p->p_cpu);
	lock_fini(&p->p_base_mtx);
	lock_fini(&p->p_pool_mtx);
	crng_fini(&p->p_base);
	crng_pool_fini(&p->p_pool);
}

bool
percpu_seeded(struct generator *g)
{
	struct percpu *p = percpu_of(g);

	return (!p->p_block_seeded_status &&
	    atomic_load_acq_32(&p->p_ready) != 0);
}

void
percpu_wait_seeded(struct generator *g, int64_t timeout_ns)
{
	struct percpu *p = percpu_of(g);

	/* Never becomes seeded: there is no event to wait for. */
	if (p->p_block_seeded_status)
		machine_sleep(timeout_ns);
	else
		machine_wait_32(&p->p_ready, 0, timeout_ns);
}

void
percpu_status(struct generator *g, struct generator_status *gs)
{
	struct percpu *p = percpu_of(g);
	struct lock_node base_node, node;

	lock_acquire(&p->p_pool_mtx, &node, SITE_EVENT);
	lock_acquire(&p->p_base_mtx, &base_node, SITE_ROOT);
	gs->gs_reseeds = p->p_reseeds;
	gs->gs_pool0_bytes = p->p_pool.cp_bits / 8;
	gs->gs_pool0_needed_bytes = CRNG_READY_BYTES;
	gs->gs_seeded = !p->p_block_seeded_status &&
	    atomic_load_32(&p->p_ready) != 0;
	lock_release(&p->p_base_mtx, &base_node);
	lock_release(&p->p_pool_mtx, &node);
}
