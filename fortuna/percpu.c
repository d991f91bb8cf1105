#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fortuna/percpu.h"
#include "fortuna/place.h"
#include "lib/wipe.h"

static void
free_cpus(struct percpu *p)
{

	while (p->p_places > 0) {
		p->p_places--;
		crng_fini(&p->p_cpu[p->p_places].pc_crng);
		lock_fini(&p->p_cpu[p->p_places].pc_mtx);
	}
	free(p->p_cpu);
}

/* No key yet: the first read there makes one. */
static int
make_cpus(struct percpu *p, const struct generator_params *params)
{
	const unsigned places = generator_places(params);
	struct percpu_cpu *pc;
	int error = 0;

	p->p_cpu = aligned_alloc(_Alignof(struct percpu_cpu),
	    places * sizeof(*p->p_cpu));
	if (p->p_cpu == NULL)
		return (ENOMEM);
	memset(p->p_cpu, 0, places * sizeof(*p->p_cpu));
	for (; error == 0 && p->p_places < places; p->p_places++) {
		pc = &p->p_cpu[p->p_places];
		error = lock_init(&pc->pc_mtx, params->gp_lock, "crngs.lock",
		    &params->gp_lock_config, params->gp_prof);
		if (error != 0)
			break;
		error = crng_init(&pc->pc_crng, params->gp_cipher,
		    CRNG_NO_GENERATION);
	}
	if (error != 0)
		free_cpus(p);
	return (error);
}

int
percpu_init(struct generator **g, const struct generator_params *params)
{
	struct percpu *p;
	int error;

	p = aligned_alloc(_Alignof(struct percpu), sizeof(*p));
	if (p == NULL)
		return (ENOMEM);
	memset(p, 0, sizeof(*p));
	p->p_generator.g_paced = true;
	p->p_generator.g_batch_events = 1;
	p->p_generator.g_failpoints = params->gp_failpoints;
	p->p_cipher = params->gp_cipher;
	p->p_block_seeded_status = params->gp_config.block_seeded_status;
	atomic_init_32(&p->p_ready, 0);
	atomic_init_64(&p->p_generation, 0);
	error = crng_pool_init(&p->p_pool,
	    cipher_is_hollow(params->gp_cipher));
	if (error == 0)
		error = crng_init(&p->p_base, params->gp_cipher, 0);
	if (error != 0)
		goto err_state;
	crng_watch(&p->p_pool, &p->p_base);
	p->p_pool.cp_failpoints = params->gp_failpoints;
	p->p_timer.ct_failpoints = params->gp_failpoints;
	error = lock_init(&p->p_pool_mtx, params->gp_lock, "input_pool.lock",
	    &params->gp_lock_config, params->gp_prof);
	if (error != 0)
		goto err_state;
	error = lock_init(&p->p_base_mtx, params->gp_lock, "base_crng.lock",
	    &params->gp_lock_config, params->gp_prof);
	if (error != 0)
		goto err_base;
	error = make_cpus(p, params);
	if (error != 0)
		goto err_cpus;
	*g = &p->p_generator;
	return (0);
err_cpus:
	lock_fini(&p->p_base_mtx);
err_base:
	lock_fini(&p->p_pool_mtx);
err_state:
	crng_fini(&p->p_base);
	crng_pool_fini(&p->p_pool);
	free(p);
	return (error);
}

void
percpu_fini(struct generator *g)
{
	struct percpu *p = percpu_of(g);

	free_cpus(p);
	lock_fini(&p->p_base_mtx);
	lock_fini(&p->p_pool_mtx);
	crng_fini(&p->p_base);
	crng_pool_fini(&p->p_pool);
	wipe(p, sizeof(*p));
	free(p);
}

int
percpu_reader_init(struct generator *g, struct generator_reader *gr)
{

	return (generator_reader_make(gr, percpu_of(g)->p_cipher));
}

void
percpu_reader_fini(struct generator *g, struct generator_reader *gr)
{

	(void)g;
	generator_reader_free(gr);
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

	/* Blocked by decree: there is no event to wait for. */
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
