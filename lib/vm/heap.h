/*
 * The event heap of the virtual machine: the earliest event first; events of
 * one time in the order in which they were added.
 *
 * Four children a node: fewer levels; a node's are on one or two cache lines.
 */
#pragma once

#include "lib/base/base.h"

enum { VM_HEAP_WAYS = 4, VM_HEAP_NONE = -1 };

/* An event, part of what it is about. */
struct vm_event {
	int	ve_at;		/* place in the heap, or VM_HEAP_NONE */
	bool	ve_cpu;		/* about a CPU, not a thread */
};

struct vm_heap_entry {
	uint64_t	 hn_time_ps, hn_order;
	struct vm_event	*hn_event;
};

struct vm_heap {
	struct vm_heap_entry *vq_entry;
	int		 vq_count, vq_room;
	uint64_t	 vq_order;	/* of the next event put in */
};

static inline bool
vm_heap_before(const struct vm_heap_entry *a, const struct vm_heap_entry *b)
{
	return (a->hn_time_ps < b->hn_time_ps ||
	    (a->hn_time_ps == b->hn_time_ps && a->hn_order < b->hn_order));
}

static inline void
vm_heap_place(struct vm_heap *vh, int at, struct vm_heap_entry entry)
{
	vh->vq_entry[at] = entry;
	entry.hn_event->ve_at = at;
}

/* Moves an entry that may be too far from the root. */
static inline void
vm_heap_up(struct vm_heap *vh, int at, struct vm_heap_entry entry)
{
	int parent;

	while (at > 0) {
		parent = (at - 1) / VM_HEAP_WAYS;
		if (!vm_heap_before(&entry, &vh->vq_entry[parent]))
			break;
		vm_heap_place(vh, at, vh->vq_entry[parent]);
		at = parent;
	}
	vm_heap_place(vh, at, entry);
}

/* Moves an entry that may be too near to it. */
static inline void
vm_heap_down(struct vm_heap *vh, int at, struct vm_heap_entry entry)
{
	int best, child, end;

	for (;;) {
		child = at * VM_HEAP_WAYS + 1;
		if (child >= vh->vq_count)
			break;
		end = MIN(child + VM_HEAP_WAYS, vh->vq_count);
		for (best = child++; child < end; child++)
			if (vm_heap_before(&vh->vq_entry[child],
			    &vh->vq_entry[best]))
				best = child;
		if (!vm_heap_before(&vh->vq_entry[best], &entry))
			break;
		vm_heap_place(vh, at, vh->vq_entry[best]);
		at = best;
	}
	vm_heap_place(vh, at, entry);
}

/* Adds an event that is not in the heap; there is room. */
static inline void
vm_heap_add(struct vm_heap *vh, struct vm_event *ev, uint64_t time_ps)
{
	MPASS(ev->ve_at == VM_HEAP_NONE && vh->vq_count < vh->vq_room);
	vm_heap_up(vh, vh->vq_count++, (struct vm_heap_entry){ .hn_event = ev,
	    .hn_time_ps = time_ps, .hn_order = vh->vq_order++ });
}

/* Removes an event from anywhere; its time. */
static inline uint64_t
vm_heap_remove(struct vm_heap *vh, struct vm_event *ev)
{
	struct vm_heap_entry last;
	uint64_t time_ps;
	int at = ev->ve_at;

	MPASS(at >= 0 && at < vh->vq_count);
	time_ps = vh->vq_entry[at].hn_time_ps;
	ev->ve_at = VM_HEAP_NONE;
	last = vh->vq_entry[--vh->vq_count];
	if (at == vh->vq_count)
		return (time_ps);
	/* Where it goes up, what comes down here stays. */
	vm_heap_up(vh, at, last);
	vm_heap_down(vh, at, vh->vq_entry[at]);
	return (time_ps);
}

/* The earliest event's time; UINT64_MAX: there is none. */
static inline uint64_t
vm_heap_first_ps(const struct vm_heap *vh)
{
	return (vh->vq_count == 0 ? UINT64_MAX : vh->vq_entry[0].hn_time_ps);
}
