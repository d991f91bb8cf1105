/*
 * Kernel sources as designs: clocks, CPUs, memory, and the rest of the kernel.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "fortuna/kernel/impl.h"

enum {
	ARENA_BYTES	= 1 << 20,	/* malloc(9)'s */
	UNPACED_STEP_NS	= 1000 * 1000 * 1000
};

static void
kh_panic(void *self, const char *file, int line, const char *text)
{
	const struct kernel *k = self;

	kassert_panic(file, line, k->k_source->ks_name, text);
}

void
kernel_stop(struct kernel *k, const struct kernel_site *site, const char *fmt,
    ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kh_panic(k, site->kt_file, site->kt_line, text);
	__builtin_unreachable();
}

bool
kernel_is_variable(const struct kernel *k, const void *p)
{
	return ((uintptr_t)p - (uintptr_t)k->k_copy->kc_data <
	    k->k_copy->kc_data_bytes ||
	    (uintptr_t)p - (uintptr_t)k->k_arena < k->k_arena_used);
}

/* Known-answer scripts know no time: each look is long after the last. */
static int64_t
kh_uptime_ns(void *self, bool coarse)
{
	struct kernel *k = self;
	int64_t now_ns;

	if (!k->k_generator.g_paced)
		return (atomic_fetch_add(&k->k_unpaced_ns, UNPACED_STEP_NS) +
		    UNPACED_STEP_NS);
	now_ns = coarse ? machine_uptime_coarse_ns() : machine_uptime_ns();
	/* FreeBSD's sources take 0 for "never". */
	now_ns = failpoint_clock(k->k_generator.g_failpoints, now_ns);
	now_ns = now_ns > 0 ? now_ns : 1;
	if (coarse)
		kernel_thread_of(k)->kt_now_ns = now_ns;
	return (now_ns);
}

static uint64_t
kh_cycles(void *self)
{
	(void)self;
	return (machine_cycles());
}

static unsigned
kh_cpu(void *self)
{
	struct kernel *k = self;

	return (generator_place(&(struct generator_reader){
	    .gr_place = kernel_thread_of(k)->kt_place }, k->k_host.kh_cpus));
}

static void
kh_pause(void *self)
{
	(void)self;
	machine_pause(1);
}

/* Of the arena; what the source gets is behind a line with this. */
struct block {
	size_t		 b_bytes;
	struct block	*b_next;	/* of those that are free */
};

static void *
kh_malloc(void *self, size_t n, bool zero)
{
	struct kernel *k = self;
	struct block *b, **at;
	void *p;

	n += -n % MACHINE_CACHE_LINE;
	kernel_tables_take(k);
	if (k->k_arena == NULL)
		k->k_arena = generator_alloc(ARENA_BYTES);
	for (at = &k->k_free; *at != NULL && (*at)->b_bytes != n;)
		at = &(*at)->b_next;
	b = *at;
	if (b != NULL) {
		*at = b->b_next;
	} else if (k->k_arena != NULL && n < ARENA_BYTES - k->k_arena_used) {
		b = (struct block *)(void *)(k->k_arena + k->k_arena_used);
		b->b_bytes = n;
		k->k_arena_used += MACHINE_CACHE_LINE + n;
	}
	kernel_tables_drop(k);
	if (b == NULL)
		return (NULL);
	p = (uint8_t *)b + MACHINE_CACHE_LINE;
	return (zero ? memset(p, 0, n) : p);
}

/* The kernel needs no mtx_destroy(9) in it. */
static void
kh_free(void *self, void *p)
{
	struct kernel *k = self;
	struct block *b;

	if (p == NULL)
		return;
	b = (struct block *)(void *)((uint8_t *)p - MACHINE_CACHE_LINE);
	kernel_locks_end(k, p, b->b_bytes);
	kernel_slots_end(k, p, b->b_bytes);
	kernel_tables_take(k);
	b->b_next = k->k_free;
	k->k_free = b;
	kernel_tables_drop(k);
}

static int
kh_failpoint(void *self, const char *name)
{
	const struct kernel *k = self;

	for (unsigned i = 0; i < FORTUNA_FAILPOINTS; i++)
		if (strcmp(fortuna_failpoints[i].fd_name, name) == 0)
			return (failpoint_ask(k->k_generator.g_failpoints, i));
	return (0);
}

static void
kh_access(void *self, const void *p, size_t n, bool store)
{
	if (kernel_is_variable(self, p))
		machine_access(p, n, store);
}

static bool
kh_accepts(void *self, const void *event)
{
	return (generator_accepts(self, event));
}

static void
kh_unblock(void *self)
{
	struct kernel *k = self;

	atomic_store_rel_32(&k->k_unblocked, 1);
	machine_wake_32(&k->k_unblocked);
}

void
kernel_host_machine(struct kernel_host *kh)
{
	kh->kh_uptime_ns = kh_uptime_ns;
	kh->kh_cycles = kh_cycles;
	kh->kh_cpu = kh_cpu;
	kh->kh_pause = kh_pause;
	kh->kh_malloc = kh_malloc;
	kh->kh_free = kh_free;
	kh->kh_failpoint = kh_failpoint;
	kh->kh_panic = kh_panic;
	kh->kh_accepts = kh_accepts;
	kh->kh_unblock = kh_unblock;
	kh->kh_access = kh_access;
}
