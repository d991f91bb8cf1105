/*
 * The two buffers between the sources and the harvest thread.
 *
 * Stands for harvest/random_harvestq.c.  What is named as there does the same.
 *
 * Abstracted: an event is its number among those that were taken, 0 is a wiped
 * slot; a buffer has SLOTS of them.  The queue can be stopped at any time, also
 * in the middle of a pass.
 */
#ifndef PRODUCERS
#define PRODUCERS	1
#endif
#ifndef EVENTS
#define EVENTS	3
#endif
#ifndef SLOTS
#define SLOTS	2
#endif
#define TICKETS	(PRODUCERS + 2)

#include "words.pml"
#include "mutex.pml"

typedef buffer {
	byte	event[SLOTS]
};

/* Under hc_mtx. */
buffer swap[2];
byte swap_active, swap_pos;
byte hq_in, hq_dropped;

/* The harvest thread's. */
byte swap_taken, swap_next;
byte emptied;			/* which buffer that is about; only looks on */
byte processed;

bool stop;
byte offered;
byte finished;			/* producers, and the harvest thread */

/* random_harvest_queue_() */
proctype producer()
{
	byte given;
	MUTEX_LOCAL;

again:
	acquire();
	offered++;
	if
	:: swap_pos == SLOTS -> hq_dropped++
	:: else ->
		hq_in++;
		d_step {
			RULE(overwritten, swap_pos < SLOTS &&
			    swap[swap_active].event[swap_pos] == 0);
			RULE(draining, swap_next == swap_taken ||
			    swap_active != emptied);
			swap[swap_active].event[swap_pos] = hq_in
		}
		swap_pos++
	fi;
	atomic {
		release_now();
		given++;
		if
		:: given < EVENTS -> goto again
		:: else -> finished++
		fi
	}
end:	false
}

/* random_process_event() */
inline process_event()
{
	d_step {
		RULE(order, swap[1 - swap_active].event[swap_next] == processed + 1);
		processed++;
		swap[1 - swap_active].event[swap_next] = 0
	}
}

/* random_kthread() */
proctype harvest()
{
	MUTEX_LOCAL;

	do
	:: stop -> break
	:: !stop ->
		if
		:: swap_next == swap_taken ->
			acquire();
			swap_taken = swap_pos;
			swap_next = 0;
			swap_pos = 0;
			emptied = swap_active;
			swap_active = 1 - swap_active;
			release()
		:: else
		fi;
		do
		:: swap_next < swap_taken && !stop ->
			process_event();
			swap_next++
		:: else -> break
		od
	od;
	finished++;
end:	false
}

init
{
	byte t, pending;

	atomic {
		for (t : 1 .. PRODUCERS) {
			run producer()
		}
		t = 0;
		run harvest()
	}
	stop = true;
	finished == PRODUCERS + 1;
	d_step {
		pending = swap_pos + swap_taken - swap_next;
		RULE(conserved, offered == hq_in + hq_dropped);
		RULE(conserved, hq_in == processed + pending);
		for (t : 0 .. SLOTS - 1) {
			RULE(wiped, (swap[swap_active].event[t] != 0) ==
			    (t < swap_pos));
			RULE(wiped, (swap[1 - swap_active].event[t] != 0) ==
			    (t >= swap_next && t < swap_taken))
		}
	}
}
