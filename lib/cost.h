/*
 * What machine_charge() is told.
 */
#ifndef LIB_COST_H
#define LIB_COST_H

/*
 * Bulk work that the real machine performs and a simulated one charges for; the
 * unit of n is in the comment.  A run has one cipher, so costs do not name it.
 */
enum machine_cost {
	COST_KEYSTREAM,		/* bytes made in one call: whole blocks count */
	COST_KEYSTREAM_MORE,	/* bytes in a call charged for otherwise */
	COST_REKEY,		/* keys drawn, in a call each, and set up */
	COST_WIPE,		/* keys set that were not drawn, zeros or not */
	COST_EVENT,		/* bytes hashed into a pool */
	COST_RESEED,		/* pools drained */
	COST_COPYOUT,		/* bytes */
	COST_SYSCALL,		/* read requests */
	COST_SOURCE_READ,	/* reads of an entropy source */
	COST_LOCK,		/* acquisitions, with their releases */
	COST_UNLOCKED,		/* what follows these */
	COST_WORK,		/* ns of anything else */
	MACHINE_COSTS
};

#endif
