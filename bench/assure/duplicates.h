/*
 * Finds blocks of output that occur twice.  Only the first 16 bytes of each
 * block are compared, with those of every other block.  Two equal ones are a
 * fault: among n random blocks they occur with probability n^2 / 2^129.
 */
#pragma once

#include "lib/base/base.h"

enum { DUPLICATES_KEPT_BYTES = 16 };

struct duplicates_block {
	uint64_t	db_word[2];
	uint64_t	db_byte;	/* its place in the stream */
};

/* All zero but du_block_bytes: no blocks so far. */
struct duplicates {
	size_t		du_block_bytes;	/* DUPLICATES_KEPT_BYTES or more */
	struct duplicates_block *du_blocks;
	size_t		du_count, du_room;
};

struct duplicates_found {
	/* How many fewer blocks there are when each is counted once. */
	uint64_t	df_duplicates;
	uint64_t	df_first;	/* where a block is that comes again, */
	uint64_t	df_again;	/* and where it does so first */
};

/* Adds a block at that byte of the stream; or a stream's whole blocks. */
void duplicates_add(struct duplicates *du, uint64_t byte, const void *block);
void duplicates_read(struct duplicates *du, FILE *in);

/* Searches all that were added; more may be added afterwards. */
void duplicates_find(struct duplicates *du, struct duplicates_found *df);

/* Wipes and releases. */
void duplicates_fini(struct duplicates *du);
