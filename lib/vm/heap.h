/*
 * The event heap of the virtual machine: the earliest event first; events of
 * one time in the order in which they were added.
 *
 * Four children to a node: fewer levels, and a node's children are on one or
 * two cache lines.
 */
#ifndef LIB_VM_HEAP_H
#define LIB_VM_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/kassert.h"

enum { VM_HEAP_WAYS = 4, VM_HEAP_NONE = -1 };

/* An event, part of what it is about. */
struct vm_event {
	int	ve_at;		/* place in the heap, or VM_HEAP_NONE */
	bool	ve_cpu;		/* about a CPU, not a thread */
};

struct vm_heap_entry {
	uint64_t	 he_time_ps;
	uint64_t	 he_order;
	struct vm_event	*he_event;
};

struct vm_heap {
	struct vm_heap_entry *vh_entry;
	int		 vh_count;
	int		 vh_room;
	uint64_t	 vh_order;	/* of the next event put in */
};

static inline bool
vm_heap_before(const struct vm_heap_entry *a, const struct vm_heap_entry *b)
{
	return (a->he_time_ps < b->he_time_ps ||
	    (a->he_time_ps == b->he_time_ps && a->he_order < b->he_order));
}

static inline void
vm_heap_place(struct vm_heap *vh, int at, struct vm_heap_entry entry)
{
	vh->vh_entry[at] = entry;
	entry.he_event->ve_at = at;
}

/* Moves an entry that may be too far from the root. */
static inline void
vm_heap_up(struct vm_heap *vh, int at, struct vm_heap_entry entry)
{
	int parent;

	while (at > 0) {
		parent = (at - 1) / VM_HEAP_WAYS;
		if (!vm_heap_before(&entry, &vh->vh_entry[parent]))
			break;
		vm_heap_place(vh, at, vh->vh_entry[parent]);
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
		if (child >= vh->vh_count)
			break;
		end = child + VM_HEAP_WAYS < vh->vh_count ?
		    child + VM_HEAP_WAYS : vh->vh_count;
		for (best = child++; child < end; child++)
			if (vm_heap_before(&vh->vh_entry[child],
			    &vh->vh_entry[best]))
				best = child;
		if (!vm_heap_before(&vh->vh_entry[best], &entry))
			break;
		vm_heap_place(vh, at, vh->vh_entry[best]);
		at = best;
	}
	vm_heap_place(vh, at, entry);
}

/* Adds an event that is not in the heap; there is room. */
static inline void
vm_heap_add(struct vm_heap *vh, struct vm_event *ev, uint64_t time_ps)
{
	MPASS(ev->ve_at == VM_HEAP_NONE && vh->vh_count < vh->vh_room);
	vm_heap_up(vh, vh->vh_count++, (struct vm_heap_entry){
	    .he_time_ps = time_ps, .he_order = vh->vh_order++,
	    .he_event = ev });
}

/* Removes an event from anywhere; its time. */
static inline uint64_t
vm_heap_remove(struct vm_heap *vh, struct vm_event *ev)
{
	struct vm_heap_entry last;
	uint64_t time_ps;
	int at = ev->ve_at;

	MPASS(at >= 0 && at < vh->vh_count);
	time_ps = vh->vh_entry[at].he_time_ps;
	ev->ve_at = VM_HEAP_NONE;
	last = vh->vh_entry[--vh->vh_count];
	if (at == vh->vh_count)
		return (time_ps);
	if (at > 0 && vm_heap_before(&last,
	    &vh->vh_entry[(at - 1) / VM_HEAP_WAYS]))
		vm_heap_up(vh, at, last);
	else
		vm_heap_down(vh, at, last);
	return (time_ps);
}

/* The earliest event's time; UINT64_MAX: there is none. */
static inline uint64_t
vm_heap_first_ps(const struct vm_heap *vh)
{
	return (vh->vh_count == 0 ? UINT64_MAX : vh->vh_entry[0].he_time_ps);
}

#endif
