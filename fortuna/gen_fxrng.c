/*
 * FreeBSD's other generator, FenestrasX: a root, and under it a buffered
 * generator for each CPU, after that of Windows 10.
 *
 * Stands for sys/dev/random/fenestrasX, options RANDOM_FENESTRASX, FreeBSD 13:
 * fx_main.c, and the locking of fx_brng.c and fx_pool.c; the bytes are
 * fortuna/brng.h's and fortuna/fxpool.h's.
 *
 * Departs: all CPUs' generators are allocated at the start, so the root never
 * serves a reader for want of memory, and a CPU's first key is drawn with its
 * lock held, where the kernel's loser of that race throws a key away; the
 * harvest thread does what the timer does there; arc4random is left out.
 */
#include "fortuna/fxrng.h"

static void
gen_fxrng_pre_read(struct generator *g)
{
	(void)g;
}

/* Mixes the input into the root, whose lock is held. */
static void
root_reseed(struct fxrng *f, const void *input, size_t n, unsigned pools)
{
	machine_touch(&f->f_root, FXRNG_BRNG_LINES);
	brng_reseed(&f->f_root, &f->f_mix, input, n);
	machine_charge(COST_DIGEST, pools);
	atomic_store_rel_64(&f->f_generation, f->f_root.b_generation);
	if (atomic_load_32(&f->f_seeded) == 0) {
		atomic_store_rel_32(&f->f_seeded, 1);
		machine_wake_32(&f->f_seeded);
	}
}

/* Reseeds the root from drained pools, whose lock is held. */
static void
pools_reseed(struct fxrng *f, struct fxpool_seed *fs)
{
	struct lock_node node;

	for (unsigned i = 0; i < fs->fs_pools; i++)
		machine_touch(&f->f_pools.fp_pool[i], FXRNG_POOL_LINES);
	lock_acquire(&f->f_root_mtx, &node, SITE_ROOT);
	root_reseed(f, fs->fs_hash, fs->fs_pools * sizeof(fs->fs_hash[0]),
	    fs->fs_pools);
	lock_release(&f->f_root_mtx, &node);
	wipe(fs, sizeof(*fs));
}

/* Always returns true: the first caller seeds from what pool 0 holds. */
static bool
gen_fxrng_seeded(struct generator *g)
{
	struct fxrng *f = fxrng_of(g);
	struct fxpool_seed fs;
	struct lock_node node;

	if (atomic_load_acq_64(&f->f_generation) != 0)
		return (true);
	lock_acquire(&f->f_pool_mtx, &node, SITE_RESEED);
	if (atomic_load_acq_64(&f->f_generation) == 0) {
		fxpool_drain(&f->f_pools, 1, &fs);
		pools_reseed(f, &fs);
	}
	lock_release(&f->f_pool_mtx, &node);
	return (true);
}

/*
 * Gives a CPU a key of the root's new generation, unless another thread has
 * done so meanwhile.  The CPU's lock is held at entry and exit, and dropped in
 * between, as the root's lock comes first.
 */
static void
fxrng_follow(struct fxrng *f, struct fxrng_cpu *fc, struct lock_node *node)
{
	uint8_t key[CIPHER_KEY_BYTES];
	struct lock_node root_node;
	uint64_t generation;

	lock_release(&fc->fc_mtx, node);
	lock_acquire(&f->f_root_mtx, &root_node, SITE_ROOT);
	lock_acquire(&fc->fc_mtx, node, SITE_READ);
	machine_touch(&fc->fc_brng, FXRNG_BRNG_LINES);
	if (fc->fc_brng.b_generation == atomic_load_acq_64(&f->f_generation)) {
		lock_release(&f->f_root_mtx, &root_node);
		return;
	}
	machine_touch(&f->f_root, FXRNG_BRNG_LINES);
	generation = f->f_root.b_generation;
	if (brng_get(&f->f_root, key, sizeof(key))) {
		machine_charge(COST_REKEY, 1);
		machine_charge(COST_KEYSTREAM, BRNG_BUFFER_BYTES);
	}
	lock_release(&f->f_root_mtx, &root_node);
	brng_follow(&fc->fc_brng, key, generation);
	machine_charge(COST_WIPE, 1);
}

static void
fxrng_generate(struct brng_private *bp, struct uio *uio)
{
	size_t n;

	while (uio->uio_resid > 0) {
		n = uio_room(uio);
		brng_private_genbytes(bp, uio->uio_base, n);
		machine_charge(COST_KEYSTREAM, n);
		uio_advance(uio, n);
	}
	brng_private_fini(bp);
	machine_charge(COST_WIPE, 1);
}

static void
gen_fxrng_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct fxrng *f = fxrng_of(g);
	struct fxrng_cpu *fc = &f->f_cpu[generator_place(gr, f->f_places)];
	const uint64_t n = uio->uio_resid;
	struct brng_private bp;
	struct lock_node node;

	lock_acquire(&fc->fc_mtx, &node, SITE_READ);
	machine_touch(&fc->fc_brng, FXRNG_BRNG_LINES);
	if (fc->fc_brng.b_generation != atomic_load_acq_64(&f->f_generation))
		fxrng_follow(f, fc, &node);
	if (n < BRNG_BUFFER_BYTES) {
		if (brng_get(&fc->fc_brng, uio->uio_base, (size_t)n)) {
			machine_charge(COST_REKEY, 1);
			machine_charge(COST_KEYSTREAM, BRNG_BUFFER_BYTES);
		}
		lock_release(&fc->fc_mtx, &node);
		if (n > 0)
			uio_advance(uio, (size_t)n);
		return;
	}
	brng_take(&fc->fc_brng, &gr->gr_spare, n, &bp);
	machine_charge(COST_REKEY, 1);
	lock_release(&fc->fc_mtx, &node);
	fxrng_generate(&bp, uio);
}

/*
 * The first event of a source bypasses the pools.  The pools' lock keeps other
 * threads from seeding without it.
 */
static void
fxrng_first_event(struct fxrng *f, const struct harvest_event *event,
    struct lock_node *node)
{
	uint8_t bytes[FXPOOL_EVENT_BYTES];
	struct lock_node root_node;

	lock_acquire(&f->f_root_mtx, &root_node, SITE_EVENT);
	if (f->f_root.b_generation != 0) {
		lock_release(&f->f_pool_mtx, node);
		lock_resite(&f->f_root_mtx, &root_node, SITE_RESEED);
		root_reseed(f, bytes, fxpool_event_bytes(event, bytes), 1);
		lock_release(&f->f_root_mtx, &root_node);
		wipe(bytes, sizeof(bytes));
		return;
	}
	lock_release(&f->f_root_mtx, &root_node);
	machine_touch(&f->f_pools.fp_pool[0], FXRNG_POOL_LINES);
	fxpool_event_early(&f->f_pools, event);
	lock_release(&f->f_pool_mtx, node);
}

static void
gen_fxrng_event(struct generator *g, const struct harvest_event *event)
{
	struct fxrng *f = fxrng_of(g);
	struct lock_node node;
	unsigned used;

	lock_acquire(&f->f_pool_mtx, &node, SITE_EVENT);
	if (!generator_accepts(g, event)) {
		lock_release(&f->f_pool_mtx, &node);
		return;
	}
	machine_charge(COST_ABSORB, sizeof(event->he_somecounter) +
	    event->he_size);
	if (fxpool_first_time(&f->f_pools, event)) {
		fxrng_first_event(f, event, &node);
		return;
	}
	used = fxpool_event(&f->f_pools, event);
	for (unsigned i = 0; i < FXPOOL_POOLS; i++)
		if ((used & 1u << i) != 0)
			machine_touch(&f->f_pools.fp_pool[i],
			    FXRNG_POOL_LINES);
	lock_release(&f->f_pool_mtx, &node);
}

static void
gen_fxrng_timer(struct generator *g, int64_t now_ns)
{
	struct fxrng *f = fxrng_of(g);
	struct fxpool_seed fs;
	struct lock_node node;

	if (atomic_load_acq_64(&f->f_generation) == 0 ||
	    !fxpool_timer_due(&f->f_timer, now_ns))
		return;
	lock_acquire(&f->f_pool_mtx, &node, SITE_RESEED);
	fxpool_timer_drain(&f->f_timer, &f->f_pools, now_ns, &fs);
	pools_reseed(f, &fs);
	lock_release(&f->f_pool_mtx, &node);
}

RANDOM_ALGORITHM(fxrng) = {
	.ra_ident	= "fxrng",
	.ra_descr	= "FenestrasX: a root, and a buffer for each CPU",
	.ra_stands	= "FreeBSD 13 with options RANDOM_FENESTRASX, "
	    "sys/dev/random/fenestrasX.",
	.ra_argument	= "Output is generated ahead: up to 127 bytes of "
	    "future output lie in a CPU's buffer beside its key.  An attacker "
	    "who learns that CPU's state has both, until the root's next "
	    "generation and the CPU's next read.  Returned bytes are wiped and "
	    "the key replaced.  Pools are drained by the clock, in the end at "
	    "most once an hour, and reads never block: the first reader gets "
	    "output however little entropy there is.  The root's buffer "
	    "survives a reseed, so up to three CPUs take keys that do not "
	    "depend on the new entropy.",
	.ra_flags	= RA_MANY_LOCKS | RA_NEVER_BLOCKS | RA_UNCOUNTED,
	.ra_poolcount	= FXPOOL_POOLS,
	/* The root's buffer survives reseeds. */
	.ra_lag		= GENERATOR_LAG_ANY,
	.ra_stored_bytes = BRNG_BUFFER_BYTES,
	.ra_size	= sizeof(struct fxrng),
	.ra_init	= fxrng_init,
	.ra_fini	= fxrng_fini,
	.ra_pre_read	= gen_fxrng_pre_read,
	.ra_seeded	= gen_fxrng_seeded,
	.ra_read	= gen_fxrng_read,
	.ra_event_processor = gen_fxrng_event,
	.ra_timer	= gen_fxrng_timer,
	.ra_wait_seeded	= fxrng_wait_seeded,
	.ra_status	= fxrng_status,
};
