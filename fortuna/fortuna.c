/*
 * Fortuna's mutex around Fortuna's state.
 *
 * Departs: DTrace probes and the console line of random_unblock are left out;
 * "unblocked" is a word to sleep on.
 */
#include "fortuna/fortuna.h"

int
random_fortuna_init_alg(struct generator *g,
    const struct generator_params *params)
{
	const struct hash *pool_hash = hash_find(params->gp_config.pool_hash);
	struct fortuna *f = fortuna_of(g);
	int error;

	KASSERT(pool_hash != NULL && pool_hash->ha_state == HASH_READY,
	    ("%s is no hash that is ready", params->gp_config.pool_hash));
	f->f_config = params->gp_config;
	atomic_init_32(&f->f_seeded, 0);
	atomic_init_64(&f->f_due_ns, FORTUNA_NEVER_DUE);
	error = fortuna_state_init(&f->f_state, params->gp_cipher, pool_hash,
	    params->gp_config.minpoolsize);
	if (error != 0)
		return (error);
	f->f_state.fs_failpoints = params->gp_failpoints;
	error = lock_init(&f->f_mtx, params->gp_lock, "reseed mutex",
	    &params->gp_lock_config, params->gp_prof);
	if (error != 0)
		fortuna_state_fini(&f->f_state);
	return (error);
}

void
random_fortuna_deinit_alg(struct generator *g)
{
	struct fortuna *f = fortuna_of(g);

	lock_fini(&f->f_mtx);
	fortuna_state_fini(&f->f_state);
}

void
random_fortuna_publish(struct fortuna *f)
{
	uint32_t seeded = fortuna_state_seeded(&f->f_state);

	MPASS(lock_owned(&f->f_mtx));
	if (atomic_load_32(&f->f_seeded) == seeded)
		return;
	atomic_store_rel_32(&f->f_seeded, seeded);
	if (seeded != 0)
		machine_wake_32(&f->f_seeded);
}

void
random_fortuna_charge_reseed(struct fortuna *f, unsigned pools)
{
	random_fortuna_touch_key(f);
	for (unsigned i = 0; i < pools; i++)
		machine_touch(&f->f_state.fs_pool[i], FORTUNA_POOL_LINES);
	machine_charge(COST_DIGEST, pools);
}

void
random_fortuna_seed_part(struct generator *to, struct generator *from)
{
	struct fortuna_seed fd = { .fd_pools = 1, .fd_bytes = DIGEST_BYTES };
	struct fortuna *f = fortuna_of(from);
	struct lock_node node;

	CTASSERT((int)DIGEST_BYTES <= (int)sizeof(fd.fd_s));
	lock_acquire(&f->f_mtx, &node, SITE_ROOT);
	random_fortuna_touch_key(f);
	fortuna_state_genbytes(&f->f_state, fd.fd_s, fd.fd_bytes);
	machine_charge(COST_KEYSTREAM, fd.fd_bytes);
	machine_charge(COST_REKEY, 1);
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
	f = fortuna_of(to);
	lock_acquire(&f->f_mtx, &node, SITE_ROOT);
	fortuna_state_reseed(&f->f_state, &fd);
	random_fortuna_charge_reseed(f, fd.fd_pools);
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
}

void
random_fortuna_pre_read(struct generator *g)
{
	random_fortuna_reseed_due(fortuna_of(g), g->g_paced);
}

void
random_fortuna_reseed_due(struct fortuna *f, bool paced)
{
	struct lock_node node;
	unsigned pools;

	lock_acquire(&f->f_mtx, &node, SITE_PRE_READ);
	random_fortuna_touch_pace(f);
	pools = fortuna_state_pre_read(&f->f_state, machine_uptime_coarse_ns(),
	    paced);
	if (pools != 0) {
		lock_resite(&f->f_mtx, &node, SITE_RESEED);
		random_fortuna_charge_reseed(f, pools);
		random_fortuna_publish(f);
		/* Costs nothing in designs that do not note it. */
		if (machine_note_load_64(&f->f_due_ns) != FORTUNA_NEVER_DUE)
			random_fortuna_note_due(f);
	}
	lock_release(&f->f_mtx, &node);
}

bool
random_fortuna_maybe_due(struct fortuna *f, int64_t now_ns, bool paced)
{
	uint64_t due_ns = atomic_load_64(&f->f_due_ns);

	return (due_ns != FORTUNA_NEVER_DUE &&
	    (!paced || (uint64_t)now_ns >= due_ns));
}

void
random_fortuna_note_due(struct fortuna *f)
{
	const struct fortuna_state *fs = &f->f_state;
	uint64_t due_ns;

	if (fs->fs_pool[0].fsp_length < fs->fs_minpoolsize)
		due_ns = FORTUNA_NEVER_DUE;
	else if (fs->fs_reseedcount == 0)
		due_ns = 0;
	else
		due_ns = (uint64_t)fs->fs_lasttime_ns +
		    RANDOM_FORTUNA_RESEED_NS + 1;
	/* Readers share the line: write it only when it changes. */
	if (atomic_load_64(&f->f_due_ns) != due_ns)
		atomic_store_64(&f->f_due_ns, due_ns);
}

bool
random_fortuna_seeded(struct generator *g)
{
	struct fortuna *f = fortuna_of(g);

	if (f->f_config.block_seeded_status)
		return (false);
	/* FreeBSD looks at C. */
	machine_look(&f->f_state.fs_counter, sizeof(uint128_t));
	if (atomic_load_acq_32(&f->f_seeded) != 0)
		return (true);
	g->g_algorithm->ra_pre_read(g);
	return (atomic_load_acq_32(&f->f_seeded) != 0);
}

void
random_fortuna_absorb(struct fortuna *f, const struct harvest_event *event)
{
	if (!generator_accepts(&f->f_generator, event))
		return;
	machine_touch(&f->f_state.fs_pool[event->he_destination %
	    RANDOM_FORTUNA_NPOOLS], FORTUNA_POOL_LINES);
	fortuna_state_event(&f->f_state, event);
	machine_charge(COST_ABSORB, sizeof(event->he_somecounter) +
	    event->he_size);
}

void
random_fortuna_process_event(struct generator *g,
    const struct harvest_event *event)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;

	lock_acquire(&f->f_mtx, &node, SITE_EVENT);
	random_fortuna_absorb(f, event);
	lock_release(&f->f_mtx, &node);
}

void
random_fortuna_process_noted(struct generator *g,
    const struct harvest_event *event)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;

	lock_acquire(&f->f_mtx, &node, SITE_EVENT);
	random_fortuna_absorb(f, event);
	random_fortuna_note_due(f);
	lock_release(&f->f_mtx, &node);
}

void
random_fortuna_wait_seeded(struct generator *g, int64_t timeout_ns)
{
	struct fortuna *f = fortuna_of(g);

	/* Never becomes seeded: there is no event to wait for. */
	if (f->f_config.block_seeded_status)
		machine_sleep(timeout_ns);
	else
		machine_wait_32(&f->f_seeded, 0, timeout_ns);
}

void
random_fortuna_status(struct generator *g, struct generator_status *gs)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;

	lock_acquire(&f->f_mtx, &node, SITE_PRE_READ);
	gs->gs_reseeds = f->f_state.fs_reseedcount;
	gs->gs_pool0_bytes = f->f_state.fs_pool[0].fsp_length;
	gs->gs_pool0_needed_bytes = f->f_state.fs_minpoolsize;
	gs->gs_seeded = !f->f_config.block_seeded_status &&
	    fortuna_state_seeded(&f->f_state);
	lock_release(&f->f_mtx, &node);
}

void
random_fortuna_core(struct generator *g, struct generator_core *gc, bool set)
{
	struct fortuna *f = fortuna_of(g);
	struct fortuna_state *fs = &f->f_state;
	struct lock_node node;

	if (set) {
		lock_acquire(&f->f_mtx, &node, SITE_READ);
		fs->fs_counter = gc->gc_counter;
		random_fortuna_publish(f);
		lock_release(&f->f_mtx, &node);
	}
	gc->gc_counter = fs->fs_counter;
	memcpy(gc->gc_key, fs->fs_key->ck_raw, sizeof(gc->gc_key));
	gc->gc_object = fs->fs_key;
	gc->gc_reseeds = fs->fs_reseedcount;
	gc->gc_pool0_bytes = fs->fs_pool[0].fsp_length;
}
