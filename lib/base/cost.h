/*
 * Kinds of work that machine_charge() accounts for.
 */
#ifndef LIB_BASE_COST_H
#define LIB_BASE_COST_H

/*
 * Work that the real machine does and a simulated one charges for; the comment
 * is the unit of n.  A run has one cipher, so costs do not name it.
 */
enum machine_cost {
	COST_KEYSTREAM,		/* bytes made in one call, in whole blocks */
	COST_KEYSTREAM_MORE,	/* bytes in a call that is charged elsewhere */
	COST_REKEY,		/* keys drawn, in a call each, and set up */
	COST_WIPE,		/* keys set up without a draw, zeros or not */
	COST_KEY_SET,		/* keys set up that COST_KEYSTREAM drew */
	COST_ABSORB,		/* bytes added to a hash */
	COST_ABSORB_MORE,	/* bytes added to a hash right after others */
	COST_DIGEST,		/* digests taken, added to another hash */
	COST_COPYOUT,		/* bytes */
	COST_SYSCALL,		/* system calls that read, or 0 of them */
	COST_DEVICE_READ,	/* reads of a hardware source */
	COST_LOCK,		/* acquisitions, with their releases */
	COST_UNLOCKED,		/* work after a release */
	COST_WORK,		/* ns of anything else */
	MACHINE_COSTS
};

#endif
