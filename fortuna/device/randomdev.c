/*
 * A random(4) that runs: how it starts and ends, and what it asks the program.
 */
#include "fortuna/device/impl.h"

enum { DEAF_MAX = 3, FORTUNA_POOLS = 32 };

/* What the kernel asks. */

static int
above_failpoint(void *above, const char *name)
{
	const struct randomdev_params *rp = &((struct randomdev *)
	    above)->rd_params;

	for (unsigned i = 0; rp->rp_failpoints != NULL && i < FAILPOINTS; i++)
		if (strcmp(failpoint_defs[i].fd_name, name) == 0)
			return (failpoint_eval(&rp->rp_failpoints[i]));
	return (0);
}

static int64_t
above_clock(void *above, int64_t now_ns)
{
	struct failpoint *const fp =
	    ((struct randomdev *)above)->rd_params.rp_failpoints;

	if (__builtin_expect(fp == NULL, 1))
		return (now_ns);
	return (now_ns + failpoint_eval(&fp[FAILPOINT_clock_step]) * NS_PER_MS);
}

static void
above_idle(void *above, int64_t *timeout_ns)
{
	struct randomdev *rd = above;

	if (!rd->rd_params.rp_timed)
		(void)randomdev_timer(rd, machine_uptime_coarse_ns() -
		    rd->rd_start_ns);
	if (rd->rd_params.rp_idle != NULL)
		rd->rd_params.rp_idle(rd->rd_params.rp_arg, timeout_ns);
}

static void
above_sleeping(void *above)
{
	struct randomdev *rd = above;
	struct caller *cl = caller_of(rd);

	cl->cl_blocked = cl->cl_read != NO_READ &&
	    atomic_load_acq_32(&rd->rd_unblocked) == 0;
	if (cl->cl_blocked && cl->cl_read == READ_POLLS &&
	    rd->rd_params.rp_blocked != NULL)
		rd->rd_params.rp_blocked(rd->rd_params.rp_arg, false);
}

static void
above_slept(void *above, bool woken)
{
	struct randomdev *rd = above;
	struct caller *cl = caller_of(rd);

	if (woken || !cl->cl_blocked || rd->rd_params.rp_missed == NULL)
		return;
	/* One that polls for the seed would have ended by a signal. */
	if (rd->rd_params.rp_blocked != NULL && machine_interrupted() &&
	    ++cl->cl_deaf == DEAF_MAX)
		rd->rd_params.rp_blocked(rd->rd_params.rp_arg, true);
	if (atomic_load_acq_32(&rd->rd_unblocked) != 0 || rd->rd_served)
		rd->rd_params.rp_missed(rd->rd_params.rp_arg);
}

static unsigned
pools_due(uint64_t reseed)
{
	unsigned n = 1;

	while (n < LEDGER_POOLS_MAX && reseed % (UINT64_C(1) << n) == 0)
		n++;
	return (n);
}

static struct ledger_core_rule
above_core_rule(void *above, unsigned pools)
{
	return ((struct ledger_core_rule){
		.lu_pools = pools,
		.lu_pool0_bytes = minpoolsize(above),
		.lu_due = pools == LEDGER_POOLS_MAX ? pools_due : NULL,
	});
}

static const struct kernel_above above = {
	.ka_failpoint	= above_failpoint,
	.ka_clock	= above_clock,
	.ka_idle	= above_idle,
	.ka_sleeping	= above_sleeping,
	.ka_slept	= above_slept,
	.ka_core_rule	= above_core_rule,
};

/* What random(4) reports and asks. */

static void
rh_deliver(void *self, const struct random_event *event, bool none)
{
	struct randomdev *rd = self;
	struct caller *cl = caller_of(rd);

	if (none && cl->cl_delivering)
		return;
	(void)kernel_delivering(rd->rd_kernel, false);
	cl->cl_source = event->he_source % ENTROPYSOURCE;
	if (rd->rd_params.rp_record != NULL)
		rd->rd_params.rp_record(rd->rd_params.rp_arg, event);
	count(&rd->rd_kind[cl->cl_source].kd_delivered);
	if (none)
		return;
	cl->cl_delivering = true;
	ledger_deliver_begin(rd->rd_params.rp_kernel.kp_ledger);
	(void)kernel_delivering(rd->rd_kernel, true);
	cl->cl_began_cycles = rd->rd_params.rp_delivery != NULL &&
	    atomic_load_32(&rd->rd_window) != 0 ? machine_cycles() : 0;
}

static void
rh_delivered(void *self, bool changed)
{
	struct randomdev *rd = self;
	struct caller *cl = caller_of(rd);

	if (cl->cl_began_cycles != 0)
		hist_add(rd->rd_params.rp_delivery, machine_cycles_since(
		    cl->cl_began_cycles, machine_cycles()));
	/* Releases before the tests have none. */
	if (cl->cl_source != RANDOM_CACHED &&
	    ++cl->cl_given > cl->cl_tests && cl->cl_tests > 0 &&
	    *rd->rd_object->ro_poolcount == FORTUNA_POOLS)
		ledger_kernel(rd->rd_params.rp_kernel.kp_ledger, LEDGER_EVENTS,
		    "random_harvest_healthtest() was called for %" PRIu64
		    " of %" PRIu64 " events", cl->cl_tests, cl->cl_given);
	if (changed)
		ledger_kernel(rd->rd_params.rp_kernel.kp_ledger, LEDGER_EVENTS,
		    "an event of %s changed while ra_event_processor() had it",
		    random_source_names[cl->cl_source]);
	if (kernel_delivering(rd->rd_kernel, false) > 0 &&
	    cl->cl_source == RANDOM_PURE_VMGENID)
		ledger_kernel(rd->rd_params.rp_kernel.kp_ledger, LEDGER_EVENTS,
		    "an event of VMGENID, which tells of a clone, went into a "
		    "pool that seldom seeds: not into pool 0");
	cl->cl_delivering = false;
	ledger_deliver_end(rd->rd_params.rp_kernel.kp_ledger, 1);
	kernel_leave(rd->rd_kernel);
}

static void
rh_tested(void *self, enum random_tested tested)
{
	struct randomdev *rd = self;
	struct caller *cl = caller_of(rd);
	struct kind *kd = &rd->rd_kind[cl->cl_source];
	const enum random_tested was = kd->kd_tested;

	cl->cl_tests += cl->cl_delivering && cl->cl_source != RANDOM_CACHED;
	if (*rd->rd_object->ro_poolcount == FORTUNA_POOLS)
		kernel_tested(rd->rd_kernel);
	kd->kd_tested = tested;
	if (tested == RANDOM_ACCEPTED && was != RANDOM_ACCEPTED)
		count(&kd->kd_passed);
	if (tested == RANDOM_ACCEPTED)
		return;
	count(&kd->kd_discarded);
	ledger_refused(rd->rd_params.rp_kernel.kp_ledger);
	if (tested >= RANDOM_REPEATED && was < RANDOM_REPEATED)
		count(tested == RANDOM_REPEATED ? &kd->kd_repetitions :
		    &kd->kd_proportions);
}

static void
rh_unblock(void *self)
{
	struct randomdev *rd = self;

	if (rd->rd_params.rp_stamps && rd->rd_seeded_cycles == 0)
		rd->rd_seeded_cycles = machine_cycles();
	machine_set_32(&rd->rd_unblocked, 1);
}

static unsigned
rh_source_read(void *self, unsigned i, void *buf, unsigned n)
{
	const struct source *so = &((struct randomdev *)self)->rd_source[i];

	machine_charge(COST_DEVICE_READ, 1);
	return ((unsigned)so->src_read(so->src_state, buf, n));
}

/* Start and end. */

/* The settings of the design and the run, in the order of application. */
static void
set_settings(struct randomdev *rd)
{
	struct kernel_params *kp = &rd->rd_params.rp_kernel;
	const struct kern_setting *of_run = kp->kp_settings;
	const struct design *de = rd->rd_params.rp_design;
	struct kern_setting *set = rd->rd_setting;
	unsigned n = 0;

	MPASS(kp->kp_setting_count <= DESIGN_SETTINGS_MAX);
	set[n++] = (struct kern_setting){
	    .kv_name = "kern.random.use_chacha20_cipher",
	    .kv_value = strcmp(kp->kp_cipher->ci_name, "chacha20") == 0 };
	if (de->de_setting.kv_name[0] != '\0')
		set[n++] = de->de_setting;
	for (unsigned i = 0; i < kp->kp_setting_count; i++)
		set[n++] = of_run[i];
	kp->kp_settings = set;
	kp->kp_setting_count = n;
}

/* The kinds that options of the kernel compile in. */
static bool
include_kinds(const struct randomdev *rd)
{
	const struct kernel_params *kp = &rd->rd_params.rp_kernel;
	uint32_t mask = UINT32_MAX;
	bool all = true;

	for (unsigned i = 0; i < kp->kp_setting_count; i++)
		if (strcmp(kp->kp_settings[i].kv_name,
		    "kern.random.harvest.mask") == 0)
			mask = (uint32_t)kp->kp_settings[i].kv_value;
	for (unsigned i = 0; i < ENTROPYSOURCE; i++)
		if ((rd->rd_params.rp_included >> i & 1) != 0)
			all &= rd->rd_object->ro_include((uint8_t)i, mask);
	return (all);
}

int
randomdev_new(struct randomdev **rdp, const struct randomdev_params *rp)
{
	struct randomdev *rd = xaligned(_Alignof(struct randomdev),
	    sizeof(*rd));
	struct kernel_params *kp = &rd->rd_params.rp_kernel;
	int error;

	rd->rd_params = *rp;
	rd->rd_start_ns = machine_uptime_coarse_ns();
	atomic_init_32(&rd->rd_window, 0);
	atomic_init_32(&rd->rd_unblocked, 0);
	rd->rd_caller = xaligned(_Alignof(struct caller),
	    kp->kp_lock_config.threads * sizeof(*rd->rd_caller));
	kp->kp_file = design_file(rp->rp_design, DESIGN_MACHINE, rp->rp_queue);
	kp->kp_name = rp->rp_design->de_ident;
	kp->kp_above = &above;
	kp->kp_above_arg = rd;
	if (kp->kp_cpus == 0) {
		kp->kp_cpus = machine_cpu_ids();
		kp->kp_domains = machine_nodes();
	}
	set_settings(rd);
	error = kp->kp_file == NULL ? errno : kernel_load(&rd->rd_kernel, kp);
	if (error != 0) {
		randomdev_free(rd);
		return (error);
	}
	rd->rd_object = kernel_object(rd->rd_kernel)->ko_device();
	rd->rd_host = (struct random_host){ rd, rh_deliver, rh_delivered,
	    rh_tested, rh_unblock, rh_source_read };
	rd->rd_object->ro_attach(&rd->rd_host);
	kernel_boot(rd->rd_kernel, rd->rd_object->ro_key,
	    rd->rd_object->ro_counter);
	if (!include_kinds(rd)) {
		randomdev_free(rd);
		return (ENXIO);
	}
	*rdp = rd;
	return (0);
}

void
randomdev_free(struct randomdev *rd)
{
	if (rd == NULL)
		return;
	kernel_free(rd->rd_kernel);
	free(rd->rd_caller);
	free(rd);
}

struct kernel *
randomdev_kernel(const struct randomdev *rd)
{
	return (rd->rd_kernel);
}
