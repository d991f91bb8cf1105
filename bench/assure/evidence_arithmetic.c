/*
 * Every size of request: counters set aside against counters used.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/arithmetic.h"
#include "bench/assure/evidence.h"
#include "bench/console/stop.h"

/* One cipher's sweep, and its carries. */
static void
sweep(const struct assure_params *ap, const struct cipher *cipher,
    struct evidence_row *row)
{
	struct arithmetic_params params = {
		.ap_design = generator_find(ap->ap_design),
		.ap_cipher = cipher,
		.ap_bytes = ARITHMETIC_BYTES,
		.ap_calls = ARITHMETIC_CALLS,
		.ap_stop = &stop_signal,
	};
	char text[ARITHMETIC_TEXT_SIZE];
	struct arithmetic ar, wraps;
	int error;

	error = arithmetic_sweep(&params, &ar);
	if (error == 0)
		error = arithmetic_wraps(&params, &wraps);
	if (error != 0) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "%s: %s. ", cipher->ci_name, strerror(error));
		return;
	}
	arithmetic_format(&ar, text, sizeof(text));
	if (ar.ar_failed)
		evidence_fail(row, "%s: %s. ", cipher->ci_name, text);
	else
		evidence_say(row, "%s: %s. ", cipher->ci_name, text);
	if (!wraps.ar_failed)
		return;
	arithmetic_format(&wraps, text, sizeof(text));
	evidence_fail(row, "%s, at carries: %s. ", cipher->ci_name, text);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct mthread self;
	unsigned i;

	machine_attach(&self, "arithmetic");
	for (i = 0; i < cipher_count; i++)
		sweep(ap, ciphers[i], row);
	machine_detach();
	evidence_bound(row, "one reader, each size to %d bytes, lock mtx.",
	    ARITHMETIC_BYTES);
}

const struct evidence evidence_arithmetic = {
	.ev_name	= "arithmetic",
	.ev_descr	= "counters set aside and used, each size to 4 MiB",
	.ev_share	= 0.1,
	.ev_gather	= gather,
};
