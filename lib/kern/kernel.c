/* Start and end of a kernel and of calls; clocks, settings. */
#include "lib/kern/impl.h"

enum { UNPACED_STEP_NS = 1000 * 1000 * 1000 };

void
host_panic(struct kernel *k, const char *file, int line, const char *text)
{
	kassert_panic(file, line, k->k_params.kp_name, text);
}

void
kernel_stop(struct kernel *k, const struct kern_site *site, const char *fmt,
    ...)
{
	char text[256];

	VFORMAT(text, sizeof(text), fmt);
	host_panic(k, KERN_AT(site), text);
	__builtin_unreachable();
}

int64_t
host_uptime_ns(struct kernel *k, bool coarse)
{
	const struct kernel_above *ka = k->k_params.kp_above;
	struct kern_thread *kt = kern_thread_of(k);
	int64_t now_ns;

	if (k->k_params.kp_unpaced && kt->kt_timer_ns != 0 && !vm_explores())
		return (kt->kt_timer_ns);
	if (k->k_params.kp_unpaced) {
		/* Which of two threads looks first may matter. */
		vm_monitored(&k->k_unpaced_ns, true);
		return (atomic_fetch_add(&k->k_unpaced_ns, UNPACED_STEP_NS) +
		    UNPACED_STEP_NS);
	}
	now_ns = coarse ? machine_uptime_coarse_ns() : machine_uptime_ns();
	now_ns = ka->ka_clock(k->k_params.kp_above_arg, now_ns);
	/* FreeBSD's sources take 0 for "never". */
	now_ns = now_ns > 0 ? now_ns : 1;
	/* Under a lock the first decides; an exact one, where it is alone. */
	if (!kt->kt_decides && (coarse || !kt->kt_coarse)) {
		kt->kt_coarse |= coarse;
		kt->kt_now_ns = now_ns;
		kt->kt_decides = kt->kt_held > 0;
	}
	return (now_ns);
}

uint64_t
host_cycles(struct kernel *k)
{
	kern_thread_of(k)->kt_stores += MACHINE_SIMULATED ? 1 :
	    KERN_EVENT_STORES;
	return (machine_cycles());
}

void *
host_preload(struct kernel *k, const char *type, size_t *n,
    const struct kern_site *site)
{
	*n = k->k_params.kp_preload_bytes;
	if (*n == 0 || strcmp(type, "boot_entropy_cache") != 0)
		return (NULL);
	k->k_preloaded = site;
	return (k->k_params.kp_preload);
}

/* What was taken of a loader's bytes is to be cleared there. */
static void
check_preload(const struct kernel *k)
{
	const uint8_t *left = k->k_params.kp_preload;
	size_t i = 256;

	/* FreeBSD leaves so many to others: RANDOM_CACHED_SKIP_START. */
	while (i < k->k_params.kp_preload_bytes && left[i] == 0)
		i++;
	if (k->k_preloaded != NULL && i < k->k_params.kp_preload_bytes)
		ledger_kernel(k->k_params.kp_ledger, LEDGER_RESIDUE, "what a "
		    "loader left, taken at %s:%d, is not cleared there",
		    KERN_AT(k->k_preloaded));
}

void
host_copyout(struct kernel *k, void *to, const void *from, size_t n)
{
	machine_charge(COST_COPYOUT, n);
	if (!kern_is_unread(k))
		memcpy(to, from, n);
}

int
host_failpoint(struct kernel *k, const char *name)
{
	const struct kernel_params *kp = &k->k_params;

	return (kp->kp_above->ka_failpoint(kp->kp_above_arg, name));
}

/* Notes, as some locks exclude no thread. */
void
host_hold(struct kernel *k, uint64_t ns, bool drawn)
{
	uint64_t draw;

	if (ns > 0 && drawn) {
		draw = machine_note_load_64(&k->k_draw);
		ns = (uint64_t)((double)ns * splitmix_exponential(&draw));
		machine_note_store_64(&k->k_draw, draw);
	}
	machine_work(ns);
}

void
host_returned(struct kernel *k, const void *func)
{
	if (MACHINE_SIMULATED && k->k_secrets != NULL &&
	    kern_thread_of(k)->kt_unlooked)
		kern_secrets_stack(k, func);
}

CTASSERT((int)KERN_CMPSET == (int)MACHINE_OP_CMPSET);
CTASSERT((int)KERN_FENCE == (int)MACHINE_OP_FENCE);

bool
host_tunable(struct kernel *k, const char *name, int64_t *value)
{
	const struct kernel_params *kp = &k->k_params;

	for (unsigned i = 0; i < kp->kp_setting_count; i++)
		if (strcmp(kp->kp_settings[i].kv_name, name) == 0) {
			*value = kp->kp_settings[i].kv_value;
			k->k_settings_read |= UINT64_C(1) << i;
			return (true);
		}
	return (false);
}

static const struct kern_host host = {
#define	KERN_HOST(type, name, ...)	.kh_##name = host_##name,
#define	KERN_HOST_AS(type, name, arguments, function)	.kh_##name = function,
#include "lib/kern/host.tbl"
};

int
kernel_load(struct kernel **kp_out, const struct kernel_params *kp)
{
	const unsigned threads = kp->kp_lock_config.threads;
	struct kernel *k = xaligned(_Alignof(struct kernel), sizeof(*k));
	struct kern_host *kh = &k->k_host;
	const struct kern_object *ko;
	int error;

	k->k_params = *kp;
	kern_tables_drop(k);
	atomic_init_32(&k->k_sleepq, 0);
	atomic_init_32(&k->k_passes, 0);
	k->k_thread = xaligned(_Alignof(struct kern_thread),
	    threads * sizeof(*k->k_thread));
	for (unsigned i = 0; i < threads; i++) {
		k->k_thread[i].kt_pool = -1;
		k->k_thread[i].kt_at = MACHINE_CPU_ANY;
		atomic_init_32(&k->k_thread[i].kt_wakes, 0);
	}
	kern_hashes_init(k);
	ledger_block(kp->kp_ledger, kp->kp_cipher->ci_block_bytes);
	if (kp->kp_ledger != NULL)
		k->k_keys = xcalloc(1, sizeof(*k->k_keys));
	kern_secrets_init(k);
	k->k_copy = kern_copy_get(kp->kp_file, machine_run_number());
	if (k->k_copy == NULL) {
		error = errno;
		kernel_free(k);
		return (error);
	}
	k->k_copy->kc_name = kp->kp_name;
	*kh = host;
	kh->kh_self = k;
	kh->kh_cpus = kp->kp_cpus;
	kh->kh_domains = kp->kp_domains > 0 ? kp->kp_domains :
	    MIN(kp->kp_cpus, 2);
	kh->kh_threads = threads;
	kh->kh_follows = MACHINE_SIMULATED || kp->kp_ledger != NULL;
	kh->kh_data = (uintptr_t)k->k_copy->kc_data;
	kh->kh_data_bytes = k->k_copy->kc_data_bytes;
	kh->kh_heap = (uintptr_t)k->k_copy->kc_heap;
	kh->kh_heap_bytes = KERN_HEAP_BYTES;
	k->k_object = ko = k->k_copy->kc_object;
	if (ko->ko_looks != ko->ko_looks_end ||
	    ko->ko_holds != ko->ko_holds_end) {
		k->k_cpu = xaligned(_Alignof(struct kern_cpu),
		    kh->kh_cpus * sizeof(*k->k_cpu));
		for (unsigned i = 0; i < kh->kh_cpus; i++)
			atomic_init_32(&k->k_cpu[i].kq_alone, 0);
	}
	*ko->ko_host = kh;
	*kp_out = k;
	return (0);
}

/* Sets what sources read at boot, or what else they have. */
static void
apply_settings(struct kernel *k, bool tunable)
{
	struct kern_sysctl *kx;
	int64_t value;

	for (unsigned i = 0; (kx = k->k_object->ko_sysctl(i)) != NULL; i++)
		if (kx->kx_tunable == tunable &&
		    host_tunable(k, kx->kx_name, &value))
			(void)kx->kx_set(kx, value);
}

void
kernel_boot(struct kernel *k, const void *(*key)(void),
    uint128_t (*counter)(void))
{
	const struct kern_copy *kc = k->k_copy;

	k->k_core_key = k->k_params.kp_ledger != NULL ? key : NULL;
	k->k_core_counter = counter;
	kernel_enter(k, KERNEL_CPU_HERE);
	apply_settings(k, true);
	for (unsigned i = 0; i < kc->kc_init_count; i++) {
		k->k_host.kh_stage = kc->kc_inits[i]->ki_sub;
		kc->kc_inits[i]->ki_func(kc->kc_inits[i]->ki_arg);
	}
	k->k_host.kh_stage = INT_MAX;
	/* To look for more takes a while. */
	if ((unsigned)__builtin_popcountll(k->k_settings_read) <
	    k->k_params.kp_setting_count)
		apply_settings(k, false);
	check_preload(k);
	kern_core_begin(k);
	k->k_booted = true;
	kernel_leave(k);
}

void
kernel_free(struct kernel *k)
{
	if (k == NULL)
		return;
	if (MACHINE_SIMULATED && k->k_keys != NULL && k->k_booted) {
		kern_keys_look(k, NULL, SIZE_MAX);
		if (k->k_params.kp_scans)
			kern_memory_leaks(k);
		kern_secrets_finish(k);
	}
	for (unsigned i = 0; i < k->k_params.kp_lock_config.threads; i++) {
		kern_block_give(k, k->k_thread[i].kt_block);
		for (unsigned n = 0; n < KERN_KEYS_CACHED; n++)
			cipher_key_fini(&k->k_thread[i].kt_cipher[n]);
		wipe(k->k_thread[i].kt_key_set, KERN_KEY_BYTES);
		wipe(k->k_thread[i].kt_seed, sizeof(k->k_thread[i].kt_seed));
	}
	kern_locks_end(k, NULL, SIZE_MAX, NULL);
	free(k->k_class);
	free(k->k_order);
	kern_hashes_fini(k);
	/* Keys go with the variables and the heap, which are put back. */
	kern_keys_free(k);
	free(k->k_cpu);
	free(k->k_secrets);
	free(k->k_ahead);
	free(k->k_thread);
	if (k->k_copy != NULL)
		kern_copy_put(k->k_params.kp_file, k->k_copy);
	free(k);
}

const struct kern_object *
kernel_object(const struct kernel *k)
{
	return (k->k_object);
}

void
kernel_enter(struct kernel *k, int cpu)
{
	struct kern_thread *kt = kern_thread_of(k);

	kt->kt_entry = __builtin_frame_address(0);
	kt->kt_cpu = cpu < 0 ? KERNEL_CPU_HERE : cpu;
	kt->kt_stores = 0;
	kt->kt_hashed = 0;
	kt->kt_coarse = false;
	kt->kt_writes = cpu == KERNEL_CPU_WRITE;
	kt->kt_calls++;
	if (__builtin_expect(kern_fault_calls++ == 0, 0))
		kern_fault_catch();
	kern_fault_copy = k->k_copy;
	if (__builtin_expect(cpu == KERNEL_CPU_INTERRUPT, 0))
		kern_interrupt(k, true);
}

/* A call within another one, which may have locks. */
static void
enter_inner(struct kern_thread *kt)
{
	kt->kt_outer_held = kt->kt_held;
	kt->kt_outer_critical = kt->kt_critical + kt->kt_masked;
	kt->kt_outer_pinned = kt->kt_pinned;
}

size_t
kernel_leave(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (__builtin_expect(kt->kt_held > kt->kt_outer_held ||
	    kt->kt_kept != 0, 0))
		kern_check_leave(k, kt);
	kt->kt_outer_held = kt->kt_outer_critical = kt->kt_outer_pinned = 0;
	kt->kt_away = kt->kt_locked = false;
	/* What a lock of the source's own guarded. */
	if (k->k_cored)
		kern_report(k, kt);
	kt->kt_absorbed = kt->kt_unseen_bytes = 0;
	kt->kt_cpu = KERNEL_CPU_HERE;
	kt->kt_calls++;
	if (__builtin_expect(kt->kt_filter, 0))
		kern_interrupt(k, false);
	if (!(kt->kt_touched || kt->kt_writes) || k->k_keys == NULL)
		return (kt->kt_hashed);
	kt->kt_touched = false;
	kern_keys_look(k, MACHINE_SIMULATED ? NULL : (const uint8_t *)
	    __builtin_frame_address(0) - KERN_STACK_BYTES, MACHINE_SIMULATED ?
	    SIZE_MAX : KERN_STACK_BYTES);
	/* host_returned() looks below the algorithm's functions only. */
	if (k->k_secrets != NULL)
		kern_secrets_stack(k, NULL);
	return (kt->kt_hashed);
}

bool
kernel_stored(struct kernel *k)
{
	/* Fewer may count what found no room. */
	return (kern_thread_of(k)->kt_stores >= KERN_EVENT_STORES);
}

int
kernel_delivering(struct kernel *k, bool delivering)
{
	struct kern_thread *kt = kern_thread_of(k);
	const int pool = kt->kt_pool;

	if (!delivering && k->k_cored)
		kern_report(k, kt);
	kt->kt_delivering = delivering;
	kt->kt_bare = false;
	kt->kt_pool = -1;
	/* A source's events are given in a section for that source. */
	if (delivering)
		enter_inner(kt);
	return (pool);
}

bool
kernel_timer(struct kernel *k, int64_t now_ns)
{
	bool any;

	kernel_enter(k, KERNEL_CPU_HERE);
	enter_inner(kern_thread_of(k));
	kern_thread_of(k)->kt_timer_ns = now_ns > 0 ? now_ns : 1;
	/* No later look is before this one. */
	if (vm_explores())
		k->k_unpaced_ns = MAX(k->k_unpaced_ns, now_ns);
	any = k->k_object->ko_timer(now_ns);
	kern_thread_of(k)->kt_timer_ns = 0;
	kernel_leave(k);
	return (any);
}
