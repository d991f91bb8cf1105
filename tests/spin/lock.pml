/*
 * Whether a thread that asks for the mutex gets it, again and again, when others
 * ask as often: for ever, where fortuna.pml counts requests.
 *
 * Asked under weak fairness: a thread that can always go on does.  With a
 * test-and-set lock a waiter cannot always go on, and may find it taken each
 * time it looks; so the property fails, as it is meant to.
 */
#ifndef READERS
#define READERS	2
#endif
#define TICKETS	(READERS + 1)

#include "words.pml"
#include "mutex.pml"

byte inside;			/* which thread is, from 1; 0: none */

proctype reader(byte me)
{
	MUTEX_LOCAL;

	do
	:: true ->
		acquire();
		inside = me;
		inside = 0;
		release()
	od
}

init
{
	byte t;

	atomic {
		for (t : 1 .. READERS) {
			run reader(t)
		}
		t = 0
	}
}

ltl served { [] <> (inside == 1) }
