/*
 * Blocks of output that come twice.
 *
 * Of all blocks the first 16 bytes are kept and compared, exactly: two equal
 * ones are a fault for certain, as among n random ones there are two with
 * probability n^2 / 2^129.
 */
#ifndef BENCH_ASSURE_DUPLICATES_H
#define BENCH_ASSURE_DUPLICATES_H

#include <stddef.h>
#include <stdint.h>

#include "fortuna/generator.h"

enum {
	DUPLICATES_KEPT_BYTES	= 16,
	DUPLICATES_READERS_MAX	= 1024
};

/* What is kept of a block: it, and where it was. */
struct duplicates_block {
	uint64_t	db_word[2];
	uint64_t	db_place;
};

struct duplicates {
	size_t		du_block_bytes;
	struct duplicates_block *du_blocks;
	size_t		du_count;
	size_t		du_room;
	uint64_t	du_pieces;	/* that were added */
};

/* A byte of what one reader read. */
struct duplicates_place {
	unsigned	dp_reader;
	uint64_t	dp_byte;
};

/* What was found. */
struct duplicates_found {
	uint64_t	df_pieces;
	uint64_t	df_blocks;
	/* By how many there are fewer if each is counted once. */
	uint64_t	df_duplicates;
	/* If there are any, the first that repeats one, and that one. */
	struct duplicates_place df_first;
	struct duplicates_place df_again;
};

/*
 *   block_bytes  in  DUPLICATES_KEPT_BYTES or more
 */
void duplicates_init(struct duplicates *du, size_t block_bytes);

/* Wipes and releases. */
void duplicates_fini(struct duplicates *du);

/*
 * Adds a piece, a request's output for one, whose first byte begins a block; an
 * incomplete block at its end is left out.
 *
 *   place  in  of the first byte
 *
 * Returns: 0 or ENOMEM.
 */
int duplicates_add(struct duplicates *du, struct duplicates_place place,
    const void *bytes, size_t n);

/* Looks at all that were added; more may be added afterwards. */
void duplicates_find(struct duplicates *du, struct duplicates_found *df);

/* What several readers of one design, at once, are to read. */
struct duplicates_run {
	const struct random_algorithm *dr_design;
	const struct cipher *dr_cipher;
	const struct lock_class *dr_lock;
	unsigned	dr_readers;
	size_t		dr_request_bytes; /* DUPLICATES_KEPT_BYTES or more */
	uint64_t	dr_requests;	/* of each reader */
};

/*
 * Reads as a generator's readers do, on threads of this machine, and looks at
 * the cipher's blocks of all requests, or of requests that are smaller at their
 * first DUPLICATES_KEPT_BYTES.  Then, as a control, plants a copy of one block
 * and looks again.
 *
 * The blocks of a design that hands out parts of them, as one with a buffer
 * does for small requests, are found where requests are whole blocks, and
 * copies of these parts where requests are as long as they are.
 *
 *   df       out  of the run
 *   planted  out  with the copy: one duplicate more, or the scan is no evidence
 *
 * Returns: 0, also when there are duplicates; EINTR when a signal asked to stop
 * (bench/console/stop.h); ENOMEM, EWOULDBLOCK when never seeded, or what making
 * the design or a thread said.
 */
int duplicates_run(const struct duplicates_run *dr,
    struct duplicates_found *df, struct duplicates_found *planted);

#endif
