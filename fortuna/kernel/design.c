/*
 * Kernel sources as designs: the members of struct random_algorithm.
 */
#include <errno.h>
#include <stdlib.h>

#include "fortuna/kernel/impl.h"
#include "lib/crypto/stub_cipher.h"

static inline struct kernel *
kernel_of(struct generator *g)
{
	return ((struct kernel *)(void *)g);
}

static unsigned
pools_due(uint64_t reseed)
{
	unsigned n = 1;

	while (n < KERNEL_POOLS_MAX && reseed % (UINT64_C(1) << n) == 0)
		n++;
	return (n);
}

static void
kernel_fini(struct generator *g)
{
	struct kernel *k = kernel_of(g);

	kernel_locks_end(k, NULL, SIZE_MAX);
	kernel_slots_fini(k);
	free(k->k_thread);
	if (k->k_arena != NULL)
		wipe(k->k_arena, k->k_arena_used);
	free(k->k_arena);
	if (k->k_copy != NULL)
		kernel_copy_put(k->k_file, k->k_copy);
}

/* Sets what -S set of the names that the source has. */
static void
set_sysctls(struct kernel *k)
{
	const struct generator_config *gc = &k->k_params.gp_config;
	struct kernel_sysctl *kx;
	int error;

	for (unsigned i = 0; (kx = k->k_object->ko_sysctl(i)) != NULL; i++) {
		if (strcmp(kx->kx_name, "kern.random.fortuna.minpoolsize") == 0)
			(void)kx->kx_set(kx, gc->minpoolsize);
		else if (strcmp(kx->kx_name,
		    "kern.random.block_seeded_status") == 0)
			(void)kx->kx_set(kx, gc->block_seeded_status);
	}
	for (unsigned i = 0; i < k->k_source->ks_setting_count; i++)
		(void)kernel_setting_apply(k->k_object,
		    &k->k_source->ks_setting[i], &error);
}

static int
kernel_init(struct generator *g, const struct generator_params *params)
{
	struct kernel *k = kernel_of(g);
	/* The algorithm is the design's first member. */
	const struct kernel_design *kd = (const void *)g->g_algorithm;
	const struct cipher *ci = params->gp_cipher;
	int error;

	k->k_source = kd->kd_source;
	k->k_file = kd->kd_file;
	k->k_params = *params;
	kernel_tables_drop(k);
	k->k_threads = params->gp_lock_config.threads;
	k->k_thread = generator_alloc(k->k_threads * sizeof(*k->k_thread));
	errno = ENOMEM;
	if (k->k_thread != NULL && kernel_slots_init(k) == 0)
		k->k_copy = kernel_copy_get(k->k_file, machine_run_number());
	if (k->k_copy == NULL) {
		error = errno;
		kernel_fini(g);
		return (error);
	}
	for (unsigned i = 0; i < k->k_threads; i++) {
		k->k_thread[i].kt_pool = -1;
		k->k_thread[i].kt_place = GENERATOR_PLACE_HERE;
	}
	k->k_object = k->k_copy->kc_object;
	atomic_init_32(&k->k_unblocked, 0);
	k->k_host = (struct kernel_host){ .kh_abi = KERNEL_ABI, .kh_self = k,
	    .kh_chacha20 = strcmp(ci->ci_name, "chacha20") == 0,
	    .kh_cpus = generator_places(params) };
	kernel_host_machine(&k->k_host);
	kernel_host_locks(&k->k_host);
	kernel_host_ciphers(&k->k_host);
	k->k_object->ko_boot(&k->k_host);
	set_sysctls(k);
	if (k->k_object->ko_counter == NULL)
		return (0);
	k->k_ledger = ledger_of(ci);
	k->k_core = ledger_core(k->k_ledger, &(struct ledger_core_rule){
	    .lu_pools = k->k_pools,
	    .lu_pool0_bytes = params->gp_config.minpoolsize,
	    .lu_due = k->k_pools == KERNEL_POOLS_MAX ? pools_due : NULL });
	return (0);
}

/* A call of the source has returned. */
static void
returned(struct kernel *k)
{
	struct kernel_thread *kt = kernel_thread_of(k);

	if (__builtin_expect(kt->kt_held > 0, 0))
		kernel_stop(k, kt->kt_site[0], "returned with mutex %s owned",
		    /* A lock begins with that. */
		    ((const struct lock *)(void *)kt->kt_lock[0])->lo_name);
	kt->kt_absorbed = 0;
}

static void
kernel_pre_read(struct generator *g)
{
	struct kernel *k = kernel_of(g);

	k->k_object->ko_pre_read();
	returned(k);
}

static bool
kernel_seeded(struct generator *g)
{
	return (kernel_of(g)->k_object->ko_seeded());
}

/* The source makes all of a read at once; a stream has windows. */
static void
read_stream(struct kernel *k, struct uio *uio)
{
	const size_t all = (size_t)uio->uio_resid;
	uint8_t *buf = malloc(all);
	size_t n;

	if (buf == NULL)
		kernel_stop(k, &(struct kernel_site){ __FILE__, __LINE__ },
		    "no memory for a read");
	k->k_object->ko_read(buf, all);
	for (; uio->uio_resid > 0; uio_advance(uio, n)) {
		n = uio_room(uio);
		memcpy(uio->uio_base, buf + all - uio->uio_resid, n);
	}
	wipe(buf, all);
	free(buf);
}

static void
kernel_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct kernel *k = kernel_of(g);
	const size_t n = uio_room(uio);

	kernel_thread_of(k)->kt_place = gr->gr_place;
	if (n < uio->uio_resid) {
		read_stream(k, uio);
	} else {
		k->k_object->ko_read(uio->uio_base, n);
		uio_advance(uio, n);
	}
	returned(k);
}

static void
kernel_event(struct generator *g, const struct harvest_event *event)
{
	struct kernel *k = kernel_of(g);
	struct kernel_event ke = {
		.ke_counter = event->he_somecounter,
		.ke_size = event->he_size,
		.ke_destination = event->he_destination,
		.ke_source = event->he_source,
		.ke_pure = RANDOM_PURE_START,
		.ke_vmgenid = event->he_source == RANDOM_PURE_VMGENID,
		.ke_event = event,
	};

	CTASSERT(sizeof(ke.ke_entropy) == sizeof(event->he_entropy));
	memcpy(ke.ke_entropy, event->he_entropy, sizeof(ke.ke_entropy));
	k->k_object->ko_event(&ke);
	returned(k);
}

static void
kernel_timer(struct generator *g, int64_t now_ns)
{
	struct kernel *k = kernel_of(g);

	if (k->k_object->ko_timer == NULL)
		return;
	k->k_object->ko_timer(now_ns);
	returned(k);
}

static void
kernel_wait_seeded(struct generator *g, int64_t timeout_ns)
{
	struct kernel *k = kernel_of(g);

	/* The source unblocks once, and may deny that it is seeded later. */
	if (atomic_load_acq_32(&k->k_unblocked) == 0)
		machine_wait_32(&k->k_unblocked, 0, timeout_ns);
	else if (!kernel_seeded(g))
		machine_sleep(timeout_ns);
}

static void
kernel_core(struct generator *g, struct generator_core *gc, bool set)
{
	struct kernel *k = kernel_of(g);
	struct kernel_state ks = { .ks_counter = {
	    uint128_lo(gc->gc_counter), uint128_hi(gc->gc_counter) } };

	k->k_object->ko_state(&ks, set);
	*gc = (struct generator_core){
		.gc_counter = uint128_make(ks.ks_counter[1], ks.ks_counter[0]),
		.gc_reseeds = ks.ks_reseeds,
		.gc_pool0_bytes = ks.ks_pool0_bytes,
	};
	memcpy(gc->gc_key, ks.ks_key, sizeof(gc->gc_key));
	wipe(&ks, sizeof(ks));
}

static void
kernel_status(struct generator *g, struct generator_status *gs)
{
	struct generator_core gc = { .gc_reseeds = 0 };
	struct kernel *k = kernel_of(g);

	if (k->k_source->ks_probed)
		kernel_core(g, &gc, false);
	*gs = (struct generator_status){
		.gs_reseeds = gc.gc_reseeds,
		.gs_pool0_bytes = gc.gc_pool0_bytes,
		.gs_pool0_needed_bytes = k->k_params.gp_config.minpoolsize,
		.gs_seeded = k->k_source->ks_probed ?
		    !k->k_params.gp_config.block_seeded_status &&
		    !uint128_is_zero(gc.gc_counter) :
		    atomic_load_acq_32(&k->k_unblocked) != 0,
	};
	wipe(&gc, sizeof(gc));
}

int
kernel_boot(const struct kernel_design *kd, struct generator **g,
    const struct kernel_object **ko)
{
	const struct generator_params gp = {
		.gp_cipher = cipher_stub(ciphers[0]),
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(1),
		.gp_config = generator_config_default(),
	};
	int error = generator_new(&kd->kd_algorithm, g, &gp);

	if (error == 0)
		*ko = kernel_of(*g)->k_object;
	return (error);
}

bool
kernel_design_make(struct kernel_source *ks, struct kernel_design *kd,
    struct kernel_file *kf)
{
	*kd = (struct kernel_design){ .kd_source = ks, .kd_file = kf,
	    .kd_algorithm = {
		.ra_ident = ks->ks_name,
		.ra_descr = ks->ks_descr,
		.ra_stands = "A kernel source, as it is.",
		.ra_argument = "The source's own.",
		.ra_flags = ks->ks_probed ? 0 : RA_UNSEEN,
		.ra_poolcount = ks->ks_poolcount,
		.ra_stored_bytes = ks->ks_stored_bytes,
		.ra_size = sizeof(struct kernel),
		.ra_sites = kf->kf_sites,
		.ra_site_count = kf->kf_site_count,
		.ra_init = kernel_init,
		.ra_fini = kernel_fini,
		.ra_pre_read = kernel_pre_read,
		.ra_seeded = kernel_seeded,
		.ra_read = kernel_read,
		.ra_event_processor = kernel_event,
		.ra_timer = kernel_timer,
		.ra_wait_seeded = kernel_wait_seeded,
		.ra_status = kernel_status,
		.ra_core = ks->ks_probed ? kernel_core : NULL,
	    },
	};
	return (generator_add(&kd->kd_algorithm));
}
