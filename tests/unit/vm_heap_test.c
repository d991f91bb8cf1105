/*
 * The event heap against a list that is searched.
 */
#ifndef INVARIANTS
#define	INVARIANTS
#endif

#include "lib/vm/heap.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	EVENTS	= 300,
	STEPS	= 60000,
	TIMES	= 40		/* few, so that many coincide */
};

/* What the heap should hold: all events that are in, in order of coming. */
struct reference {
	struct vm_event	*rf_event[EVENTS];
	uint64_t	 rf_time_ps[EVENTS];
	unsigned	 rf_count;
};

static unsigned
reference_first(const struct reference *rf)
{
	unsigned best = 0;

	for (unsigned i = 1; i < rf->rf_count; i++)
		if (rf->rf_time_ps[i] < rf->rf_time_ps[best])
			best = i;
	return (best);
}

static void
reference_remove(struct reference *rf, unsigned at)
{
	for (rf->rf_count--; at < rf->rf_count; at++) {
		rf->rf_event[at] = rf->rf_event[at + 1];
		rf->rf_time_ps[at] = rf->rf_time_ps[at + 1];
	}
}

/* Each event knows its place, and none is before its parent. */
static void
check_shape(const struct vm_heap *vh)
{
	for (int i = 0; i < vh->vq_count; i++) {
		ATF_REQUIRE_EQ(i, vh->vq_entry[i].hn_event->ve_at);
		ATF_REQUIRE(i == 0 || !vm_heap_before(&vh->vq_entry[i],
		    &vh->vq_entry[(i - 1) / VM_HEAP_WAYS]));
	}
}

static void
compare(uint64_t seed, uint64_t scale_ps)
{
	struct vm_event event[EVENTS];
	struct vm_heap_entry entry[EVENTS];
	struct vm_heap vh = { .vq_entry = entry, .vq_room = EVENTS };
	struct reference rf = { .rf_count = 0 };
	uint64_t draw = seed, time_ps;
	unsigned at, i;

	for (i = 0; i < EVENTS; i++)
		event[i].ve_at = VM_HEAP_NONE;
	for (unsigned step = 0; step < STEPS; step++) {
		at = (unsigned)(support_draw(&draw) % EVENTS);
		if (event[at].ve_at == VM_HEAP_NONE) {
			time_ps = support_draw(&draw) % TIMES * scale_ps;
			vm_heap_add(&vh, &event[at], time_ps);
			rf.rf_event[rf.rf_count] = &event[at];
			rf.rf_time_ps[rf.rf_count++] = time_ps;
		} else {
			/* Now the first, now any. */
			if (support_draw(&draw) % 2 == 0)
				i = reference_first(&rf);
			else
				for (i = 0; rf.rf_event[i] != &event[at]; i++)
					continue;
			if (i == reference_first(&rf))
				ATF_REQUIRE_EQ(rf.rf_event[i],
				    vh.vq_entry[0].hn_event);
			ATF_REQUIRE_EQ(rf.rf_time_ps[i],
			    vm_heap_remove(&vh, rf.rf_event[i]));
			ATF_REQUIRE_EQ(VM_HEAP_NONE, rf.rf_event[i]->ve_at);
			reference_remove(&rf, i);
		}
		ATF_REQUIRE_EQ((int)rf.rf_count, vh.vq_count);
		ATF_REQUIRE_EQ(rf.rf_count == 0 ? UINT64_MAX :
		    rf.rf_time_ps[reference_first(&rf)],
		    vm_heap_first_ps(&vh));
		if (step % 64 == 0)
			check_shape(&vh);
	}
}

TEST(vm_heap__as_sorted, "The first event and every removal are those of a "
    "sorted list")
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		compare(seed, 1);
		/* As far from each other as times can be. */
		compare(seed, UINT64_MAX / TIMES);
	}
}

static void
add_twice(void *arg __unused)
{
	struct vm_event event = { .ve_at = VM_HEAP_NONE };
	struct vm_heap_entry entry[2];
	struct vm_heap vh = { .vq_entry = entry, .vq_room = 2 };

	vm_heap_add(&vh, &event, 1);
	vm_heap_add(&vh, &event, 2);
}

static volatile int none = VM_HEAP_NONE;	/* hidden from the compiler */

static void
remove_absent(void *arg __unused)
{
	struct vm_event event = { .ve_at = none };
	struct vm_heap_entry entry[1];
	struct vm_heap vh = { .vq_entry = entry, .vq_room = 1 };

	vm_heap_remove(&vh, &event);
}

static void
add_without_room(void *arg __unused)
{
	struct vm_event event = { .ve_at = VM_HEAP_NONE };
	struct vm_heap vh = { .vq_room = 0 };

	vm_heap_add(&vh, &event, 1);
}

TEST(vm_heap__misused, "An event that is in is not put in, one that is not is "
    "not taken out, and there is room")
{
	ATF_CHECK(support_asserts(add_twice, NULL));
	ATF_CHECK(support_asserts(remove_absent, NULL));
	ATF_CHECK(support_asserts(add_without_room, NULL));
}

TEST_PROGRAM()
