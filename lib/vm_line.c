/*
 * Cache lines: who has a copy, what getting one costs, who waits for a change.
 *
 * A line's home serves one request at a time.  Reading a line that another CPU
 * wrote takes the latency of the nearest copy, and keeps the home busy for
 * line.service of that; writing takes the latency of the farthest copy that
 * must go, and nobody gets the line before that is over.
 *
 * When a line changes on which k threads spin, all of them read it again, one
 * behind the other from a random one on, so that one of them has to wait for k/2
 * others' service in the mean (Boyd-Wickizer et al., "Non-scalable locks are
 * dangerous", OLS 2012).  Only those whose condition has come true are resumed.
 * A write overtakes what is left of such a round and begins another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vm_impl.h"

enum {
	TABLE_BITS_AT_FIRST	= 10,
	LINE_BITS		= 6,
	WAITERS_AT_FIRST	= 4,
	SEARCHED_AT_ONCE	= 16,
	LANES			= 4
};

CTASSERT(MACHINE_CACHE_LINE == 1 << LINE_BITS);

int
vm_line_init(struct vm *vm)
{
	struct vm_lines *vs = &vm->vm_lines;

	vs->vs_bits = TABLE_BITS_AT_FIRST;
	vs->vs_table = calloc((size_t)1 << vs->vs_bits, sizeof(*vs->vs_table));
	return (vs->vs_table == NULL ? ENOMEM : 0);
}

void
vm_line_fini(struct vm *vm)
{
	struct vm_lines *vs = &vm->vm_lines;
	size_t i;

	for (i = 0; vs->vs_table != NULL && i < (size_t)1 << vs->vs_bits; i++) {
		if (vs->vs_table[i] == NULL)
			continue;
		free(vs->vs_table[i]->vl_waiter);
		free(vs->vs_table[i]->vl_wanted);
		free(vs->vs_table[i]->vl_node_waiters);
		free(vs->vs_table[i]);
	}
	free(vs->vs_table);
}

static size_t
slot_of(const struct vm_lines *vs, uintptr_t key)
{

	return ((size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >>
	    (64 - vs->vs_bits)));
}

static struct vm_line **
find(const struct vm_lines *vs, uintptr_t key)
{
	size_t i, mask = ((size_t)1 << vs->vs_bits) - 1;

	for (i = slot_of(vs, key); vs->vs_table[i] != NULL &&
	    vs->vs_table[i]->vl_key != key; i = (i + 1) & mask)
		;
	return (&vs->vs_table[i]);
}

static void
grow(struct vm *vm)
{
	struct vm_lines *vs = &vm->vm_lines, old = *vs;
	size_t i;

	vs->vs_bits++;
	vs->vs_table = calloc((size_t)1 << vs->vs_bits, sizeof(*vs->vs_table));
	if (vs->vs_table == NULL) {
		*vs = old;
		vm_bail(vm, ENOMEM, "no memory");
	}
	for (i = 0; i < (size_t)1 << old.vs_bits; i++)
		if (old.vs_table[i] != NULL)
			*find(vs, old.vs_table[i]->vl_key) = old.vs_table[i];
	free(old.vs_table);
}

static unsigned
shared_words(const struct vm *vm)
{

	return ((vm->vm_topology.vt_cpus + 63) / 64);
}

static struct vm_line *
add(struct vm *vm, uintptr_t key)
{
	struct vm_lines *vs = &vm->vm_lines;
	struct vm_line *vl;

	if (vs->vs_count >= (size_t)1 << (vs->vs_bits - 1))
		grow(vm);
	vl = calloc(1, sizeof(*vl) + shared_words(vm) * sizeof(uint64_t));
	if (vl == NULL)
		vm_bail(vm, ENOMEM, "no memory");
	vl->vl_key = key;
	vl->vl_owner = -1;
	TAILQ_INIT(&vl->vl_sleepers);
	*find(vs, key) = vl;
	vs->vs_count++;
	return (vl);
}

static struct vm_line *
line_by_key(struct vm *vm, uintptr_t key)
{
	struct vm_lines *vs = &vm->vm_lines;
	struct vm_line *vl = vs->vs_hint;

	if (vl != NULL && vl->vl_key == key)
		return (vl);
	vl = *find(vs, key);
	if (vl == NULL)
		vl = add(vm, key);
	vs->vs_hint = vl;
	return (vl);
}

/* Lines have even keys, objects odd ones. */
struct vm_line *
vm_line_of(struct vm *vm, const void *p)
{

	return (line_by_key(vm, (uintptr_t)p >> LINE_BITS << 1));
}

struct vm_line *
vm_line_of_object(struct vm *vm, const void *object)
{

	return (line_by_key(vm, (uintptr_t)object << 1 | 1));
}

static bool
shares(const struct vm_line *vl, unsigned cpu)
{

	return ((vl->vl_shared[cpu / 64] >> cpu % 64 & 1) != 0);
}

static uint64_t
node_bit(const struct vm *vm, unsigned cpu)
{

	return (UINT64_C(1) << vm_topology_node(&vm->vm_topology, cpu));
}

static void
share(const struct vm *vm, struct vm_line *vl, unsigned cpu)
{

	if (shares(vl, cpu))
		return;
	vl->vl_shared[cpu / 64] |= UINT64_C(1) << cpu % 64;
	vl->vl_sharers++;
	vl->vl_nodes |= node_bit(vm, cpu);
	vl->vl_last = (int)cpu;
}

static void
unshare_all(const struct vm *vm, struct vm_line *vl)
{

	if (vl->vl_sharers == 0)
		return;
	memset(vl->vl_shared, 0, shared_words(vm) * sizeof(uint64_t));
	vl->vl_sharers = 0;
	vl->vl_nodes = 0;
}

/* More nodes in use make the way between them longer. */
static uint64_t
congested(const struct vm *vm, uint64_t ps)
{
	int used = __builtin_popcountll(vm->vm_nodes_used);

	return (used <= 2 || vm->vm_costs.vc_cong == 0 ? ps :
	    (uint64_t)((double)ps * (1 + vm->vm_costs.vc_cong *
	    (used - 2))));
}

static uint64_t
latency(const struct vm *vm, enum vm_distance d)
{

	return (d == VM_REMOTE ?
	    congested(vm, vm->vm_costs.vc_lat_ps[VM_REMOTE]) :
	    vm->vm_costs.vc_lat_ps[d]);
}

static uint64_t
service(const struct vm *vm, enum vm_distance d)
{

	return (d == VM_REMOTE ?
	    congested(vm, vm->vm_costs.vc_service_ps[VM_REMOTE]) :
	    vm->vm_costs.vc_service_ps[d]);
}

/* The distance of CPUs of one node of which no more is known. */
static enum vm_distance
within_node(const struct vm *vm)
{
	const struct vm_topology *vt = &vm->vm_topology;

	return (vt->vt_ccx_cores * vt->vt_nodes >= vt->vt_cores ? VM_CCX :
	    VM_SOCK);
}

static enum vm_distance
distance(const struct vm *vm, int other, unsigned cpu)
{

	return (other < 0 ? within_node(vm) :
	    vm_topology_distance(&vm->vm_topology, (unsigned)other, cpu));
}

static enum vm_distance
nearer(enum vm_distance a, enum vm_distance b)
{

	return (a < b ? a : b);
}

static enum vm_distance
farther(enum vm_distance a, enum vm_distance b)
{

	return (a > b ? a : b);
}

/* Where the nearest copy is, for a CPU that has none. */
static enum vm_distance
nearest(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	enum vm_distance d = distance(vm, vl->vl_owner, cpu);

	if (vl->vl_sharers > 0) {
		d = nearer(d, distance(vm, vl->vl_last, cpu));
		if ((vl->vl_nodes & node_bit(vm, cpu)) != 0)
			d = nearer(d, within_node(vm));
	}
	if (vl->vl_waiters == 1)
		d = nearer(d, distance(vm,
		    vl->vl_waiter[0].vw_thread->vt_cpu, cpu));
	else if (vl->vl_waiters > 0 &&
	    (vl->vl_wait_nodes & node_bit(vm, cpu)) != 0)
		d = nearer(d, within_node(vm));
	return (d);
}

/* What it takes to be the only one with a copy. */
static uint64_t
take_over(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	enum vm_distance d = VM_SELF;
	uint64_t nodes = vl->vl_nodes;
	int far;

	if (vl->vl_waiters > 0)
		nodes |= vl->vl_wait_nodes;
	/* The owner's copy must go, however near another is. */
	if (vl->vl_owner != (int)cpu)
		d = vl->vl_owner >= 0 || shares(vl, cpu) ?
		    distance(vm, vl->vl_owner, cpu) : nearest(vm, vl, cpu);
	far = __builtin_popcountll(nodes & ~node_bit(vm, cpu));
	if (far > 0)
		d = VM_REMOTE;
	else if (vl->vl_sharers + vl->vl_waiters > 1)
		d = farther(d, within_node(vm));
	else if (vl->vl_waiters == 1)
		d = farther(d, distance(vm,
		    vl->vl_waiter[0].vw_thread->vt_cpu, cpu));
	else if (vl->vl_sharers == 1)
		d = farther(d, distance(vm, vl->vl_last, cpu));
	return ((d == VM_SELF ? 0 : latency(vm, d)) + (far <= 1 ? 0 :
	    (uint64_t)(far - 1) * vm_cost(vm, PROFILE_LINE_INVALIDATE)));
}

static void
owe(struct vm *vm, uint64_t ps)
{

	vm_step(vm);
	vm->vm_self->vt_debt_ps += ps;
	if (vm->vm_self->vt_debt_ps > VM_DEBT_MAX_PS)
		vm_spend(vm, 0);
}

static uint64_t
later(uint64_t a, uint64_t b)
{

	return (a > b ? a : b);
}

/*
 * Fetches a copy; extra is the further lines of an object, which come one
 * behind the other.
 */
static void
fetch(struct vm *vm, struct vm_line *vl, unsigned cpu, unsigned extra)
{
	enum vm_distance d = nearest(vm, vl, cpu);
	uint64_t start;

	start = later(vm_self_ps(vm), vl->vl_busy_ps);
	vl->vl_busy_ps = start + service(vm, d) * (1 + extra);
	vm_step(vm);
	vm->vm_self->vt_debt_ps = 0;
	vm_until(vm, start + latency(vm, d) + service(vm, d) * extra);
	/* Until it comes, who has the line may write without asking. */
	share(vm, vl, (unsigned)vm->vm_self->vt_cpu);
}

void
vm_load(const void *p)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl;

	if (self->vt_host) {
		vm_step(vm);
		return;
	}
	vl = vm_line_of(vm, p);
	if (vl->vl_owner == self->vt_cpu || shares(vl, (unsigned)self->vt_cpu))
		owe(vm, vm->vm_costs.vc_lat_ps[VM_SELF]);
	else
		fetch(vm, vl, (unsigned)self->vt_cpu, 0);
}

/* The caller's copy becomes the only one. */
static void
own(struct vm *vm, struct vm_line *vl, uint64_t then_ps, uint64_t extra_ps)
{
	unsigned cpu = (unsigned)vm->vm_self->vt_cpu;
	uint64_t end, start;

	start = later(vm_self_ps(vm), vl->vl_busy_ps);
	end = start + take_over(vm, vl, cpu) + extra_ps;
	vl->vl_owner = (int)cpu;
	unshare_all(vm, vl);
	vl->vl_busy_ps = end;
	vm_step(vm);
	vm->vm_self->vt_debt_ps = 0;
	vm_until(vm, end + then_ps);
}

struct vm_line *
vm_own(const void *p, enum vm_access access)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl = vm_line_of(vm, p);
	uint64_t ps;

	if (self->vt_host) {
		vl->vl_owner = -1;
		unshare_all(vm, vl);
		return (vl);
	}
	ps = access == VM_RMW ? vm_cost(vm, PROFILE_LAT_RMW) :
	    vm->vm_costs.vc_lat_ps[VM_SELF];
	if (vl->vl_owner == self->vt_cpu && vl->vl_waiters == 0 &&
	    (vl->vl_sharers == 0 || (vl->vl_sharers == 1 &&
	    shares(vl, (unsigned)self->vt_cpu))))
		owe(vm, ps);
	else
		own(vm, vl, ps, 0);
	return (vl);
}

void
vm_touch(const void *object, unsigned lines)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl = vm_line_of_object(vm, object);

	if (self->vt_host)
		vl->vl_owner = -1;
	else if (vl->vl_owner == self->vt_cpu)
		owe(vm, vm->vm_costs.vc_lat_ps[VM_SELF]);
	else
		own(vm, vl, 0, service(vm, nearest(vm, vl,
		    (unsigned)self->vt_cpu)) * (lines - 1));
}

void
vm_forget(const void *p)
{
	struct vm_line *vl;
	struct vm *vm;

	/* Words are also set up outside the machine. */
	if (vm_running_machine == NULL)
		return;
	vm = vm_get();
	vl = vm_line_of(vm, p);
	if (vl->vl_waiters > 0)
		return;
	vl->vl_owner = vm->vm_self->vt_host ? -1 : vm->vm_self->vt_cpu;
	unshare_all(vm, vl);
}

static uint64_t
value_of(const void *p, size_t size)
{

	if (size == sizeof(uint32_t))
		return (*(const uint32_t *)p);
	return (*(const uint64_t *)p);
}

static bool
over(const struct vm_waiter *vw)
{

	return ((value_of(vw->vw_word, vw->vw_size) == vw->vw_value) ==
	    vw->vw_until_is);
}

static bool
is_other(const struct vm_line *vl, const struct vm_waiter *vw)
{

	return (!vw->vw_until_is || vw->vw_word != vl->vl_is_word);
}

/* Numbers that are compared at once. */
typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

static bool
any_is(const uint32_t *numbers, uint32_t v)
{
	lanes all, any = { 0 }, some;
	unsigned i;

	for (i = 0; i < LANES; i++)
		all[i] = v;
	for (i = 0; i < SEARCHED_AT_ONCE; i += LANES) {
		memcpy(&some, numbers + i, sizeof(some));
		any |= (lanes)(some == all);
	}
	v = 0;
	for (i = 0; i < LANES; i++)
		v |= any[i];
	return (v != 0);
}

/*
 * One past the last waiter before end whose condition is true; 0: there is
 * none.  Where all wait for values of one word, as those with tickets do, that
 * is a search of numbers, and none is there while the word is what it was.
 */
static unsigned
last_over(const struct vm_line *vl, unsigned end)
{
	const uint32_t *wanted = vl->vl_wanted;
	uint32_t v;

	if (vl->vl_others > 0) {
		while (end > 0 && !over(&vl->vl_waiter[end - 1]))
			end--;
		return (end);
	}
	if (end == 0)
		return (0);
	v = *vl->vl_is_word;
	if (v == vl->vl_is_seen)
		return (0);
	while (end >= SEARCHED_AT_ONCE &&
	    !any_is(wanted + end - SEARCHED_AT_ONCE, v))
		end -= SEARCHED_AT_ONCE;
	while (end > 0 && wanted[end - 1] != v)
		end--;
	return (end);
}

/* Remembers what all waiters for a value have seen: they wait for others. */
static void
look(struct vm_line *vl)
{

	if (vl->vl_is_word != NULL)
		vl->vl_is_seen = *vl->vl_is_word;
}

static void
more_waiters(struct vm *vm, struct vm_line *vl)
{
	unsigned room = vl->vl_waiter_room == 0 ? WAITERS_AT_FIRST :
	    vl->vl_waiter_room * 2;
	struct vm_waiter *waiter;
	uint32_t *wanted;

	waiter = realloc(vl->vl_waiter, room * sizeof(*waiter));
	if (waiter != NULL)
		vl->vl_waiter = waiter;
	wanted = realloc(vl->vl_wanted, room * sizeof(*wanted));
	if (wanted != NULL)
		vl->vl_wanted = wanted;
	if (waiter == NULL || wanted == NULL)
		vm_bail(vm, ENOMEM, "no memory");
	vl->vl_waiter_room = room;
}

static void
add_waiter(struct vm *vm, struct vm_line *vl, struct vm_waiter vw)
{
	unsigned cpu = (unsigned)vw.vw_thread->vt_cpu;

	if (vl->vl_waiters == vl->vl_waiter_room)
		more_waiters(vm, vl);
	if (vl->vl_node_waiters == NULL) {
		vl->vl_node_waiters = calloc(vm->vm_topology.vt_nodes,
		    sizeof(*vl->vl_node_waiters));
		if (vl->vl_node_waiters == NULL)
			vm_bail(vm, ENOMEM, "no memory");
	}
	if (vl->vl_waiters == 0) {
		vl->vl_wait_nodes = 0;
		vl->vl_is_word = vw.vw_until_is && vw.vw_size ==
		    sizeof(uint32_t) ? vw.vw_word : NULL;
		look(vl);
	}
	vl->vl_others += is_other(vl, &vw);
	vl->vl_wait_nodes |= node_bit(vm, cpu);
	vl->vl_node_waiters[vm_topology_node(&vm->vm_topology, cpu)]++;
	/* Its copy counts as a waiter's, and not once more. */
	if (shares(vl, cpu)) {
		vl->vl_shared[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
		vl->vl_sharers--;
		if (vl->vl_sharers == 0)
			vl->vl_nodes = 0;
	}
	vw.vw_thread->vt_awaits = vl;
	vw.vw_thread->vt_waiter = vl->vl_waiters;
	vl->vl_wanted[vl->vl_waiters] = (uint32_t)vw.vw_value;
	vl->vl_waiter[vl->vl_waiters++] = vw;
}

static void
drop_waiter(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_awaits;
	unsigned cpu = (unsigned)vt->vt_cpu, i = vt->vt_waiter;

	MPASS(vl->vl_waiter[i].vw_thread == vt);
	vl->vl_node_waiters[vm_topology_node(&vm->vm_topology, cpu)]--;
	vl->vl_others -= is_other(vl, &vl->vl_waiter[i]);
	vl->vl_waiters--;
	vl->vl_waiter[i] = vl->vl_waiter[vl->vl_waiters];
	vl->vl_wanted[i] = vl->vl_wanted[vl->vl_waiters];
	vl->vl_waiter[i].vw_thread->vt_waiter = i;
	vt->vt_awaits = NULL;
}

void
vm_line_cancel(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_awaits;

	drop_waiter(vm, vt);
	/* It has read the line until now. */
	share(vm, vl, (unsigned)vt->vt_cpu);
}

/* What the home is busy for when one waiter reads a line written at cpu. */
static uint64_t
mean_service(const struct vm *vm, const struct vm_line *vl, int cpu)
{
	uint64_t k = vl->vl_waiters, near_by = k;

	if (cpu >= 0 && vm->vm_topology.vt_nodes > 1)
		near_by = vl->vl_node_waiters[vm_topology_node(
		    &vm->vm_topology, (unsigned)cpu)];
	return ((near_by * service(vm, within_node(vm)) +
	    (k - near_by) * service(vm, VM_REMOTE)) / k);
}

void
vm_written(struct vm_line *vl)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self, *vt;
	uint64_t each, k = vl->vl_waiters, first, start;
	unsigned i, woken = 0;

	if (k == 0)
		return;
	start = later(vm_self_ps(vm), vl->vl_busy_ps);
	each = mean_service(vm, vl, self->vt_cpu);
	first = vm_random(&self->vt_random) % k;
	for (i = vl->vl_waiters; (i = last_over(vl, i)) > 0; i--) {
		vt = vl->vl_waiter[i - 1].vw_thread;
		drop_waiter(vm, vt);
		vt->vt_told = true;
		if (vt->vt_event.ve_at != VM_HEAP_NONE)
			vm_heap_remove(&vm->vm_heap, &vt->vt_event);
		vm_heap_add(&vm->vm_heap, &vt->vt_event, start +
		    (first + woken++) % k * each + each / 2 +
		    latency(vm, distance(vm, self->vt_cpu,
		    (unsigned)vt->vt_cpu)));
	}
	look(vl);
}

unsigned
vm_await(const void *p, size_t size, uint64_t value, bool until_is,
    unsigned most)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl;
	struct vm_waiter vw = { .vw_word = p, .vw_value = value,
	    .vw_thread = self, .vw_size = (uint8_t)size,
	    .vw_until_is = until_is };
	uint64_t began_ps, poll_ps, polls;

	if (self->vt_host) {
		vm_host_poll(vm);
		return (1);
	}
	poll_ps = vm_cost(vm, PROFILE_CPU_PAUSE) +
	    vm->vm_costs.vc_lat_ps[VM_SELF];
	vm_spend(vm, 0);
	if (over(&vw)) {
		vm_spend(vm, poll_ps);
		return (1);
	}
	began_ps = vm_sched_used_ps(vm, self);
	vl = vm_line_of(vm, p);
	add_waiter(vm, vl, vw);
	self->vt_told = false;
	if (most > 0)
		vm_heap_add(&vm->vm_heap, &self->vt_event,
		    vm->vm_time_ps + most * poll_ps);
	vm_switch(vm);
	if (self->vt_awaits != NULL)
		vm_line_cancel(vm, self);
	else if (self->vt_told)
		/* The copy it was waiting for, whoever wants it next. */
		share(vm, vl, (unsigned)self->vt_cpu);
	/* Who lost its CPU meanwhile did not poll without one. */
	polls = (vm_sched_used_ps(vm, self) - began_ps) / poll_ps + 1;
	return (most > 0 && polls > most ? most : (unsigned)(polls >
	    UINT32_MAX ? UINT32_MAX : polls));
}
