/*
 * A generator with its own mutex for each NUMA node.
 *
 * Stands for A. Kleen's patch to Linux, "random: make /dev/urandom scalable",
 * version 3 of October 2015: a pool of output for each node, one input side.
 * What each node has here is a whole concurrent Fortuna, where Linux had a pool
 * and SHA-1.
 *
 * At boot only node 0 is used: all events go to it and all threads read from
 * it.  Once it is seeded and has had 128 bits, 32 bytes of its output seed each
 * other node, so that no two have the same key.  From then on each thread reads
 * from its own node's part, and events are dealt to the nodes in turn, whether
 * or not a node has readers.
 *
 * Departs: Linux dealt when entropy moved from the input pool to one of output,
 * not event by event; and a node's part is in memory wherever it was made.
 */
#include "fortuna/fortuna.h"

enum { PERNODE_BOOT_BYTES = 128 / 8 };

/* pn_stage: the other nodes are not seeded; being seeded; seeded. */
enum stage {
	STAGE_BOOT,
	STAGE_SEEDING,
	STAGE_DEALT
};

struct pernode {
	struct generator pn_generator;
	unsigned	 pn_nodes;
	bool		 pn_pretended;	/* threads in turn are on them */
	struct generator *pn_node[LOCK_NODES_MAX];	/* concurrent */
	/* All readers look at these; they change at boot alone. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 pn_stage;
	struct m32	 pn_boot_bytes;	/* of entropy, node 0 has had */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 pn_dealt;	/* events, those of boot excepted */
};

static struct pernode *
pernode_of(struct generator *g)
{
	return ((struct pernode *)(void *)g);
}

/* As a NUMA-aware lock counts them; those given with the parts come first. */
static void
count_nodes(struct pernode *pn, const struct generator_params *params)
{
	pn->pn_nodes = params->gp_places != 0 ? params->gp_places :
	    params->gp_lock_config.nodes;
	pn->pn_pretended = pn->pn_nodes != 0;
	if (!pn->pn_pretended)
		pn->pn_nodes = machine_nodes();
	if (pn->pn_nodes > LOCK_NODES_MAX)
		pn->pn_nodes = LOCK_NODES_MAX;
}

static void
gen_pernode_fini(struct generator *g)
{
	struct pernode *pn = pernode_of(g);

	for (unsigned i = 0; i < pn->pn_nodes; i++)
		generator_free(pn->pn_node[i]);
}

static int
gen_pernode_init(struct generator *g, const struct generator_params *params)
{
	struct pernode *pn = pernode_of(g);
	int error = 0;

	count_nodes(pn, params);
	atomic_init_32(&pn->pn_stage, STAGE_BOOT);
	atomic_init_32(&pn->pn_boot_bytes, 0);
	atomic_init_32(&pn->pn_dealt, 0);
	for (unsigned i = 0; i < pn->pn_nodes && error == 0; i++)
		error = generator_new(&FLAVOURED(gen_concurrent),
		    &pn->pn_node[i], params);
	if (error != 0)
		gen_pernode_fini(g);
	return (error);
}

/* The part that the caller is to use, place being its node or HERE. */
static struct generator *
node_here(struct pernode *pn, int place)
{
	unsigned node;

	if (atomic_load_acq_32(&pn->pn_stage) != STAGE_DEALT)
		return (pn->pn_node[0]);
	if (place != GENERATOR_PLACE_HERE)
		node = (unsigned)place;
	else if (pn->pn_pretended)
		node = machine_curthread()->mt_index;
	else
		node = machine_node();
	return (pn->pn_node[node % pn->pn_nodes]);
}

static void
gen_pernode_pre_read(struct generator *g)
{
	struct pernode *pn = pernode_of(g);

	random_fortuna_reseed_due(fortuna_of(node_here(pn,
	    GENERATOR_PLACE_HERE)), g->g_paced);
	if (pn->pn_nodes == 1 ||
	    atomic_load_32(&pn->pn_stage) != STAGE_BOOT ||
	    atomic_load_acq_32(&fortuna_of(pn->pn_node[0])->f_seeded) == 0 ||
	    atomic_load_32(&pn->pn_boot_bytes) < PERNODE_BOOT_BYTES ||
	    !atomic_cmpset_acq_32(&pn->pn_stage, STAGE_BOOT, STAGE_SEEDING))
		return;
	for (unsigned i = 1; i < pn->pn_nodes; i++)
		random_fortuna_seed_part(pn->pn_node[i], pn->pn_node[0]);
	atomic_store_rel_32(&pn->pn_stage, STAGE_DEALT);
}

static bool
gen_pernode_seeded(struct generator *g)
{
	struct fortuna *f = fortuna_of(pernode_of(g)->pn_node[0]);

	if (f->f_config.block_seeded_status)
		return (false);
	if (atomic_load_acq_32(&f->f_seeded) != 0)
		return (true);
	gen_pernode_pre_read(g);
	return (atomic_load_acq_32(&f->f_seeded) != 0);
}

static void
gen_pernode_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	random_fortuna_read_concurrent(node_here(pernode_of(g), gr->gr_place),
	    gr, uio);
}

/*
 * An event's own destination says nothing about pools once nodes take turns: a
 * source's goes round as they do, and of 32 pools a node would fill some.
 */
static void
deal(struct pernode *pn, const struct harvest_event *event)
{
	struct harvest_event he = *event;
	uint32_t turn;

	turn = atomic_fetchadd_32(&pn->pn_dealt, 1);
	he.he_destination = (uint8_t)(turn / pn->pn_nodes %
	    RANDOM_FORTUNA_NPOOLS);
	random_fortuna_process_event(pn->pn_node[turn % pn->pn_nodes], &he);
	wipe(&he, sizeof(he));
}

/* Asked before an event counts or goes anywhere; nodes have no filters. */
static bool
pernode_accepts(struct pernode *pn, const struct harvest_event *event)
{
	struct fortuna *f = fortuna_of(pn->pn_node[0]);
	struct lock_node node;
	bool accepted;

	if (pn->pn_generator.g_filter == NULL)
		return (true);
	lock_acquire(&f->f_mtx, &node, SITE_EVENT);
	accepted = generator_accepts(&pn->pn_generator, event);
	lock_release(&f->f_mtx, &node);
	return (accepted);
}

static void
gen_pernode_process_event(struct generator *g,
    const struct harvest_event *event)
{
	struct pernode *pn = pernode_of(g);

	if (!pernode_accepts(pn, event))
		return;
	if (atomic_load_32(&pn->pn_stage) != STAGE_DEALT) {
		random_fortuna_process_event(pn->pn_node[0], event);
		if (atomic_load_32(&pn->pn_boot_bytes) < PERNODE_BOOT_BYTES)
			atomic_fetchadd_32(&pn->pn_boot_bytes, event->he_size);
	} else if (event->he_source == RANDOM_PURE_VMGENID) {
		/* A copy of this machine has a copy of every node's. */
		for (unsigned i = 0; i < pn->pn_nodes; i++)
			random_fortuna_process_event(pn->pn_node[i], event);
	} else {
		deal(pn, event);
	}
}

static void
gen_pernode_wait_seeded(struct generator *g, int64_t timeout_ns)
{
	random_fortuna_wait_seeded(pernode_of(g)->pn_node[0], timeout_ns);
}

/* Node 0's pool, and the reseeds of all from pools of their own. */
static void
gen_pernode_status(struct generator *g, struct generator_status *gs)
{
	struct pernode *pn = pernode_of(g);
	struct generator_status part;

	random_fortuna_status(pn->pn_node[0], gs);
	for (unsigned i = 1; i < pn->pn_nodes; i++) {
		random_fortuna_status(pn->pn_node[i], &part);
		gs->gs_reseeds += part.gs_reseeds;
	}
}

RANDOM_ALGORITHM(pernode) = {
	.ra_ident	= "pernode",
	.ra_descr	= "a concurrent Fortuna with its mutex on each NUMA "
	    "node",
	.ra_stands	= "A. Kleen's patch to Linux, a pool for each NUMA "
	    "node, version 3 of October 2015, with a Fortuna for a pool.",
	.ra_argument	= "Each node's K is drawn from node 0's output and "
	    "then fed from the node's own pools.  An attacker who learns node "
	    "0's state at boot knows all nodes' output until each has "
	    "reseeded, and with n nodes that takes n times as long, since each "
	    "gets a share of the entropy.  Afterwards one node's state reveals "
	    "nothing about another's.",
	.ra_flags	= RA_MANY_LOCKS | RA_NODES | RA_UNCOUNTED,
	.ra_knobs	= RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_size	= sizeof(struct pernode),
	.ra_init	= gen_pernode_init,
	.ra_fini	= gen_pernode_fini,
	.ra_pre_read	= gen_pernode_pre_read,
	.ra_seeded	= gen_pernode_seeded,
	.ra_read	= gen_pernode_read,
	.ra_event_processor = gen_pernode_process_event,
	.ra_wait_seeded	= gen_pernode_wait_seeded,
	.ra_status	= gen_pernode_status,
};
