/*
 * Start and end of a kernel; clocks, CPUs, memory.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/splitmix.h"
#include "lib/kern/impl.h"
#include "lib/machine/machine.h"

enum {
	UNPACED_STEP_NS	= 1000 * 1000 * 1000,
	/* After boot a block of so many bytes is a buffer of a read. */
	BUFFER_BYTES	= 4096
};

static void
kh_panic(void *self, const char *file, int line, const char *text)
{
	const struct kernel *k = self;

	kassert_panic(file, line, k->k_params.kp_name, text);
}

void
kernel_stop(struct kernel *k, const struct kern_site *site, const char *fmt,
    ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kh_panic(k, site->kw_file, site->kw_line, text);
	__builtin_unreachable();
}

static int64_t
kh_uptime_ns(void *self, bool coarse)
{
	struct kernel *k = self;
	const struct kernel_above *ka = k->k_params.kp_above;
	int64_t now_ns;

	if (k->k_params.kp_unpaced && kern_thread_of(k)->kt_timer_ns != 0)
		return (kern_thread_of(k)->kt_timer_ns);
	if (k->k_params.kp_unpaced)
		return (atomic_fetch_add(&k->k_unpaced_ns, UNPACED_STEP_NS) +
		    UNPACED_STEP_NS);
	now_ns = coarse ? machine_uptime_coarse_ns() : machine_uptime_ns();
	now_ns = ka->ka_clock(k->k_params.kp_above_arg, now_ns);
	/* FreeBSD's sources take 0 for "never". */
	now_ns = now_ns > 0 ? now_ns : 1;
	if (coarse)
		kern_thread_of(k)->kt_now_ns = now_ns;
	return (now_ns);
}

static uint64_t
kh_cycles(void *self)
{
	kern_thread_of(self)->kt_stamped = true;
	return (machine_cycles());
}

static unsigned
kh_cpu(void *self)
{
	struct kernel *k = self;
	const int cpu = kern_thread_of(k)->kt_cpu;
	const unsigned at = cpu == KERNEL_CPU_HERE ? machine_cpu() :
	    (unsigned)cpu;

	/* Avoids a division. */
	return (at < k->k_host.kh_cpus ? at : at % k->k_host.kh_cpus);
}

static unsigned
kh_thread(void *self)
{
	(void)self;
	return (machine_curthread()->mt_index);
}

/* Whether output is a stub's, which is neither looked at nor a secret. */
static bool
is_unread(const struct kernel *k)
{
	return (MACHINE_SIMULATED && cipher_is_stub(k->k_params.kp_cipher));
}

/* Of the heap; what the source gets is behind a line with this. */
struct block {
	size_t		 b_bytes;
	struct block	*b_next;	/* of those that are free */
	bool		 b_own;		/* the host's: too large for the heap */
};

/* A free block of n bytes, or a new one; NULL: there is no room. */
static struct block *
take_block(struct kernel *k, size_t n)
{
	struct kern_copy *kc = k->k_copy;
	struct block *b, **at;

	for (at = &k->k_free; *at != NULL && (*at)->b_bytes != n;)
		at = &(*at)->b_next;
	b = *at;
	if (b != NULL) {
		*at = b->b_next;
	} else if (n < KERN_HEAP_BYTES - kc->kc_heap_used) {
		b = (struct block *)(void *)(kc->kc_heap + kc->kc_heap_used);
		b->b_bytes = n;
		kc->kc_heap_used += MACHINE_CACHE_LINE + n;
	}
	return (b);
}

static void *
kh_malloc(void *self, size_t n, bool zero)
{
	struct kernel *k = self;
	struct kern_thread *kt = kern_thread_of(k);
	struct block *b = kt->kt_block;
	void *p;

	n += -n % MACHINE_CACHE_LINE;
	if (b != NULL && b->b_bytes == n) {
		kt->kt_block = NULL;
	} else if (k->k_booted && n >= BUFFER_BYTES) {
		b = NULL;
	} else {
		kern_tables_take(k);
		b = take_block(k, n);
		kern_tables_drop(k);
	}
	if (b == NULL) {
		b = aligned_alloc(MACHINE_CACHE_LINE, MACHINE_CACHE_LINE + n);
		/* A prediction must not depend on the host's memory. */
		if (b == NULL && MACHINE_SIMULATED)
			kern_no_memory(k);
		if (b == NULL)
			return (NULL);
		*b = (struct block){ .b_bytes = n, .b_own = true };
	}
	p = (uint8_t *)b + MACHINE_CACHE_LINE;
	return (zero ? memset(p, 0, n) : p);
}

static void
give_block(struct kernel *k, struct block *b)
{
	if (b == NULL || b->b_own) {
		free(b);
		return;
	}
	kern_tables_take(k);
	b->b_next = k->k_free;
	k->k_free = b;
	kern_tables_drop(k);
}

/* The kernel needs no mtx_destroy(9) in it. */
static void
kh_free(void *self, void *p, bool clear)
{
	struct kernel *k = self;
	struct kern_thread *kt = kern_thread_of(k);
	struct block *b;

	if (p == NULL)
		return;
	b = (struct block *)(void *)((uint8_t *)p - MACHINE_CACHE_LINE);
	if (clear && !(b->b_own && is_unread(k)))
		wipe(p, b->b_bytes);
	if ((uintptr_t)p <= k->k_heap_lock_last)
		kern_locks_end(k, p, b->b_bytes);
	if (k->k_heap_hashes > 0)
		kern_hashes_end(k, p, b->b_bytes);
	if (k->k_keys != NULL)
		kern_keys_clear(k, p, b->b_bytes);
	/* As uma(9) has caches of CPUs. */
	give_block(k, kt->kt_block);
	kt->kt_block = b;
}

static void *
kh_preload(void *self, const char *type, size_t *n)
{
	struct kernel *k = self;

	*n = k->k_params.kp_preload_bytes;
	return (*n == 0 || strcmp(type, "boot_entropy_cache") != 0 ? NULL :
	    k->k_params.kp_preload);
}

static void
kh_copyout(void *self, void *to, const void *from, size_t n)
{
	machine_charge(COST_COPYOUT, n);
	if (!is_unread(self))
		memcpy(to, from, n);
}

static int
kh_failpoint(void *self, const char *name)
{
	const struct kernel_params *kp = &((struct kernel *)self)->k_params;

	return (kp->kp_above->ka_failpoint(kp->kp_above_arg, name));
}

/* Notes, as some locks exclude no thread. */
static void
kh_hold(void *self, uint64_t ns, bool drawn)
{
	struct kernel *k = self;
	uint64_t draw;

	if (ns > 0 && drawn) {
		draw = machine_note_load_64(&k->k_draw);
		ns = (uint64_t)((double)ns * splitmix_exponential(&draw));
		machine_note_store_64(&k->k_draw, draw);
	}
	machine_work(ns);
}

static void
kh_access(void *self, const void *p, size_t n, bool store)
{
	(void)self;
	machine_access(p, n, store);
}

static bool
kh_tunable(void *self, const char *name, int64_t *value)
{
	struct kernel *k = self;
	const struct kernel_params *kp = &k->k_params;

	for (unsigned i = 0; i < kp->kp_setting_count; i++)
		if (strcmp(kp->kp_settings[i].kv_name, name) == 0) {
			*value = kp->kp_settings[i].kv_value;
			k->k_settings_read++;
			return (true);
		}
	return (false);
}

static const struct kern_host host = {
	.kh_uptime_ns	= kh_uptime_ns,
	.kh_cycles	= kh_cycles,
	.kh_cpu		= kh_cpu,
	.kh_thread	= kh_thread,
	.kh_pause	= machine_pause,
	.kh_work	= machine_work,
	.kh_malloc	= kh_malloc,
	.kh_free	= kh_free,
	.kh_preload	= kh_preload,
	.kh_tunable	= kh_tunable,
	.kh_copyout	= kh_copyout,
	.kh_failpoint	= kh_failpoint,
	.kh_panic	= kh_panic,
	.kh_touch	= machine_touch,
	.kh_hold	= kh_hold,
	.kh_access	= kh_access,
};

int
kernel_load(struct kernel **kp_out, const struct kernel_params *kp)
{
	const unsigned threads = kp->kp_lock_config.threads;
	struct kernel *k = xaligned(_Alignof(struct kernel), sizeof(*k));
	struct kern_host *kh = &k->k_host;
	int error;

	k->k_params = *kp;
	kern_tables_drop(k);
	for (unsigned i = 0; i < KERN_CHANNELS; i++)
		atomic_init_32(&k->k_channel[i].ch_woken, 0);
	atomic_init_32(&k->k_passes, 0);
	k->k_thread = xaligned(_Alignof(struct kern_thread),
	    threads * sizeof(*k->k_thread));
	for (unsigned i = 0; i < threads; i++) {
		k->k_thread[i].kt_pool = -1;
		for (unsigned n = 0; n < KERN_KEYS_CACHED; n++)
			k->k_thread[i].kt_key[n] = &k->k_thread[i].kt_cipher[n];
	}
	kern_hashes_init(k);
	ledger_block(kp->kp_ledger, kp->kp_cipher->ci_block_bytes);
	if (kp->kp_ledger != NULL)
		k->k_keys = xcalloc(1, sizeof(*k->k_keys));
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
	kh->kh_threads = threads;
	kh->kh_follows = MACHINE_SIMULATED || kp->kp_ledger != NULL;
	kh->kh_data = (uintptr_t)k->k_copy->kc_data;
	kh->kh_data_bytes = k->k_copy->kc_data_bytes;
	kh->kh_heap = (uintptr_t)k->k_copy->kc_heap;
	kh->kh_heap_bytes = KERN_HEAP_BYTES;
	kern_host_locks(kh);
	kern_host_crypto(kh);
	kern_host_hashes(kh);
	k->k_object = k->k_copy->kc_object;
	*k->k_object->ko_host = kh;
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
		    kh_tunable(k, kx->kx_name, &value))
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
	for (unsigned i = 0; i < kc->kc_init_count; i++)
		kc->kc_inits[i]->ki_func(kc->kc_inits[i]->ki_arg);
	/* To look for more takes a while. */
	if (k->k_settings_read < k->k_params.kp_setting_count)
		apply_settings(k, false);
	kern_core_begin(k);
	k->k_booted = true;
	kernel_leave(k);
}

void
kernel_free(struct kernel *k)
{
	if (k == NULL)
		return;
	for (unsigned i = 0; i < k->k_params.kp_lock_config.threads; i++) {
		give_block(k, k->k_thread[i].kt_block);
		for (unsigned n = 0; n < KERN_KEYS_CACHED; n++)
			cipher_key_fini(k->k_thread[i].kt_key[n]);
	}
	kern_locks_end(k, NULL, SIZE_MAX);
	/* Keys go with the variables and the heap, which are put back. */
	if (k->k_keys != NULL && k->k_copy != NULL) {
		kern_keys_clear(k, k->k_copy->kc_data,
		    k->k_copy->kc_data_bytes);
		kern_keys_clear(k, k->k_copy->kc_heap,
		    k->k_copy->kc_heap_used);
	}
	kern_hashes_fini(k);
	kern_keys_free(k);
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

	kt->kt_cpu = cpu;
	kt->kt_stamped = false;
}

void
kernel_leave(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (__builtin_expect(kt->kt_held > 0, 0))
		kernel_stop(k, kt->kt_site[0], "returned with mutex %s owned",
		    /* A lock begins with that. */
		    ((const struct lock *)(void *)kt->kt_lock[0])->lo_name);
	kt->kt_absorbed = 0;
	kt->kt_cpu = KERNEL_CPU_HERE;
}

bool
kernel_stamped(struct kernel *k)
{
	return (kern_thread_of(k)->kt_stamped);
}

void
kernel_delivering(struct kernel *k, bool delivering)
{
	kern_thread_of(k)->kt_delivering = delivering;
}

bool
kernel_timer(struct kernel *k, int64_t now_ns)
{
	bool any;

	kernel_enter(k, KERNEL_CPU_HERE);
	kern_thread_of(k)->kt_timer_ns = now_ns > 0 ? now_ns : 1;
	any = k->k_object->ko_timer(now_ns);
	kern_thread_of(k)->kt_timer_ns = 0;
	kernel_leave(k);
	return (any);
}
