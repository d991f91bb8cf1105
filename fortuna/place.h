/*
 * For designs with a part for each CPU: which part a read uses; and the private
 * part of readers who generate under a key of their own.
 */
#ifndef FORTUNA_PLACE_H
#define FORTUNA_PLACE_H

#include "fortuna/generator.h"
#include "lib/machine.h"

/* How many parts to make. */
static inline unsigned
generator_places(const struct generator_params *params)
{

	return (params->gp_places != 0 ? params->gp_places :
	    machine_cpu_ids());
}

/*
 * The part a read uses, below places: the one the reader was told, else that of
 * the CPU it is on, where it need not stay.
 */
static inline unsigned
generator_place(const struct generator_reader *gr, unsigned places)
{
	unsigned place = gr->gr_place >= 0 ? (unsigned)gr->gr_place :
	    machine_cpu();

	/* A division is worth avoiding. */
	return (place < places ? place : place % places);
}

/*
 * Makes a reader's private part: an unkeyed cipher, gr_place as the contract
 * has it.
 *
 * Returns: 0, or an errno value of lib/cipher.h.
 */
int generator_reader_make(struct generator_reader *gr,
    const struct cipher *cipher);

/* Wipes and releases it. */
void generator_reader_free(struct generator_reader *gr);

#endif
