/*
 * Blocks that come twice in what several readers get at once: exact, where
 * batteries of tests see nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/duplicates.h"
#include "bench/assure/evidence.h"

enum {
	READERS		= 3,
	REQUEST_BYTES	= 4096,
	/* For each second: what a machine does in less, memory permitting. */
	REQUESTS_PER_S	= 2000,
	REQUESTS_MAX	= 20000
};

static void
scan(const struct assure_params *ap, const struct cipher *cipher,
    struct evidence_row *row)
{
	double wanted = ap->ap_budget_s * REQUESTS_PER_S;
	struct duplicates_run dr = {
		.dr_design = generator_find(ap->ap_design),
		.dr_cipher = cipher,
		.dr_lock = lock_class_find("mtx"),
		.dr_readers = READERS,
		.dr_request_bytes = REQUEST_BYTES,
		.dr_requests = wanted > REQUESTS_MAX ? REQUESTS_MAX :
		    wanted < 1 ? 1 : (uint64_t)wanted,
	};
	struct duplicates_found found, planted;
	int error;

	error = duplicates_run(&dr, &found, &planted);
	if (error != 0) {
		row->er_state = error == EWOULDBLOCK ? EVIDENCE_FAILS :
		    EVIDENCE_MISSING;
		evidence_say(row, "%s: %s. ", cipher->ci_name,
		    error == EWOULDBLOCK ? "it is never seeded" :
		    strerror(error));
	} else if (found.df_duplicates > 0)
		evidence_fail(row, "%s: %" PRIu64 " of %" PRIu64 " blocks come "
		    "twice; reader %u has at byte %" PRIu64 " what reader %u "
		    "has at %" PRIu64 ". ", cipher->ci_name,
		    found.df_duplicates, found.df_blocks,
		    found.df_again.dp_reader, found.df_again.dp_byte,
		    found.df_first.dp_reader, found.df_first.dp_byte);
	else if (planted.df_duplicates != 1)
		evidence_fail(row, "%s: a copy that was planted is not found, "
		    "so the scan shows nothing. ", cipher->ci_name);
	else
		evidence_say(row, "%s: of %" PRIu64 " blocks in %" PRIu64
		    " requests of %d readers none comes twice; a planted copy "
		    "is found. ", cipher->ci_name, found.df_blocks,
		    found.df_pieces, READERS);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct mthread self;
	unsigned i;

	machine_attach(&self, "statistics");
	for (i = 0; i < cipher_count; i++)
		scan(ap, ciphers[i], row);
	machine_detach();
	evidence_bound(row, "%d readers of %d bytes, lock mtx.", READERS,
	    REQUEST_BYTES);
	evidence_say(row, "Batteries are a smoke test: see \"make stat\".");
}

const struct evidence evidence_statistics = {
	.ev_name	= "statistics",
	.ev_descr	= "blocks of output that come twice",
	.ev_share	= 0.05,
	.ev_gather	= gather,
};
