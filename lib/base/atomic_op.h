#pragma once

/*
 * Of machine_atomic(), in the lowest 4 bits; the next 4 have the compiler's
 * number of an order, __ATOMIC_, and those above the word's bytes.
 */
enum machine_op {
	MACHINE_OP_LOAD,
	MACHINE_OP_STORE,	/* v */
	MACHINE_OP_SWAP, MACHINE_OP_ADD, MACHINE_OP_OR, MACHINE_OP_AND,
	MACHINE_OP_CMPSET,	/* v, if the word is old */
	MACHINE_OP_FENCE,	/* no word */
	MACHINE_OP_BITS		= 4,
	MACHINE_SIZE_BITS	= 8
};
