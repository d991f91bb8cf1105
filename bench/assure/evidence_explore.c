/*
 * Schedules that time would not give.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench/assure/explored.h"
#include "bench/console/figure.h"

enum { AT_ONCE = 4000 };	/* schedules between looks at the clock */

/* A lock that blocks and one that is fair. */
static const char *const locks[] = { "mtx", "ticket" };

enum { LOCKS = sizeof(locks) / sizeof(locks[0]) };

static void
say(const struct explored *ed, struct evidence_row *row)
{
	char excluded[FIGURE_SIZE], schedules[FIGURE_SIZE];

	evidence_say(row, "%s thousand: %" PRIu64 " reads, %" PRIu64
	    " reseeds, %" PRIu64 " blocks; every one under the ledger, none "
	    "fails. A fault that shows in more than %s of a million such "
	    "schedules is excluded at 95 %%.",
	    figure_count(schedules, (double)ed->ed_schedules / 1000),
	    ed->ed_reads, ed->ed_reseeds, ed->ed_blocks,
	    figure_real(excluded, 3e6 / (double)ed->ed_schedules));
	evidence_bound(row, "%u to %u readers and the harvest thread, reads "
	    "of 0 to 8 KiB and some of AES to 2 MiB, %s and %s, both ciphers, "
	    "chosen by mix.", ed->ed_readers_least, ed->ed_readers_most,
	    locks[0], locks[1]);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	const double time_s = ap->ap_budget_s / (LOCKS * cipher_count);
	struct explored ed = { .ed_schedules = 0 };
	struct campaign cn;
	unsigned c, i;
	bool right = true;

	CTASSERT(LOCKS == 2);
	explored_campaign(ap, &cn);
	for (i = 0; i < LOCKS; i++) {
		for (c = 0; c < cipher_count && right; c++) {
			cn.cn_subject.tb_lock = trial_lock(locks[i]);
			cn.cn_subject.tb_cipher = ciphers[c];
			right = explored_run(ap, &cn, AT_ONCE, time_s, &ed,
			    row);
		}
	}
	if (!right)
		return;
	say(&ed, row);
	snprintf(row->er_replay, sizeof(row->er_replay), "rngsim explore -d %s "
	    "-l %s,%s -c aes,chacha20 --seed %" PRIu64, ap->ap_design,
	    locks[0], locks[1], ap->ap_seed);
}

const struct evidence evidence_explore = {
	.ev_name	= "schedules",
	.ev_descr	= "orders that time would not give, ledger on",
	.ev_share	= 0.25,
	.ev_gather	= gather,
};
