/*
 * Blocks that come twice in what several readers get at once: exact, where
 * batteries of tests see nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/duplicates.h"
#include "bench/assure/evidence.h"

enum {
	READERS		= 3,
	/* For each second: what a machine does in less, memory permitting. */
	REQUESTS_PER_S	= 2000,
	REQUESTS_MAX	= 20000
};

/*
 * Parts of a block, that a design may keep the rest of, and a block; more than
 * one; a page.  Each is read from a generator of its own.
 */
static const size_t sizes[] = { 16, 32, 64, 256, 4096 };

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* One size; whether to go on. */
static bool
scan_size(const struct assure_params *ap, const struct cipher *cipher,
    size_t request_bytes, struct duplicates_found *found,
    struct evidence_row *row)
{
	double wanted = ap->ap_budget_s * REQUESTS_PER_S;
	struct duplicates_run dr = {
		.dr_design = generator_find(ap->ap_design),
		.dr_cipher = cipher,
		.dr_lock = lock_class_find("mtx"),
		.dr_readers = READERS,
		.dr_request_bytes = request_bytes,
		.dr_requests = wanted > REQUESTS_MAX ? REQUESTS_MAX :
		    wanted < 1 ? 1 : (uint64_t)wanted,
	};
	struct duplicates_found planted;
	int error;

	error = duplicates_run(&dr, found, &planted);
	if (error != 0) {
		row->er_state = error == EWOULDBLOCK ? EVIDENCE_FAILS :
		    EVIDENCE_MISSING;
		evidence_say(row, "%s: %s. ", cipher->ci_name,
		    error == EWOULDBLOCK ? "it is never seeded" :
		    strerror(error));
	} else if (found->df_duplicates > 0)
		evidence_fail(row, "%s, requests of %zu bytes: %" PRIu64 " of "
		    "%" PRIu64 " blocks come twice; reader %u has at byte %"
		    PRIu64 " what reader %u has at %" PRIu64 ". ",
		    cipher->ci_name, request_bytes, found->df_duplicates,
		    found->df_blocks, found->df_again.dp_reader,
		    found->df_again.dp_byte, found->df_first.dp_reader,
		    found->df_first.dp_byte);
	else if (planted.df_duplicates != 1)
		evidence_fail(row, "%s, requests of %zu bytes: a copy that was "
		    "planted is not found, so the scan shows nothing. ",
		    cipher->ci_name, request_bytes);
	return (row->er_state == EVIDENCE_HOLDS);
}

static bool
scan(const struct assure_params *ap, const struct cipher *cipher,
    struct evidence_row *row)
{
	struct duplicates_found all = { .df_blocks = 0 }, found;
	unsigned i;

	for (i = 0; i < SIZES; i++) {
		if (!scan_size(ap, cipher, sizes[i], &found, row))
			return (false);
		all.df_blocks += found.df_blocks;
		all.df_pieces += found.df_pieces;
	}
	evidence_say(row, "%s: of %" PRIu64 " blocks, or shorter answers, in %"
	    PRIu64 " requests of %d readers none comes twice; copies that are "
	    "planted are found. ", cipher->ci_name, all.df_blocks,
	    all.df_pieces, READERS);
	return (true);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct mthread self;
	unsigned i;

	machine_attach(&self, "statistics");
	for (i = 0; i < cipher_count && scan(ap, ciphers[i], row);)
		i++;
	machine_detach();
	evidence_bound(row, "%d readers of", READERS);
	for (i = 0; i < SIZES; i++)
		evidence_bound(row, "%s %zu", i == 0 ? "" : i == SIZES - 1 ?
		    " or" : ",", sizes[i]);
	evidence_bound(row, " bytes, lock mtx.");
	evidence_say(row, "Batteries are a smoke test: see \"make stat\".");
}

const struct evidence evidence_statistics = {
	.ev_name	= "statistics",
	.ev_descr	= "blocks of output that come twice",
	.ev_share	= 0.05,
	.ev_gather	= gather,
};
