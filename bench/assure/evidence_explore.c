/*
 * Schedules that time would not give.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/evidence.h"
#include "bench/console/figure.h"
#include "bench/console/stop.h"
#include "bench/explore/campaign.h"
#include "bench/explore/strategy.h"
#include "lib/tick.h"

enum { AT_ONCE = 4000 };	/* schedules between looks at the clock */

/* A lock that blocks and one that is fair. */
static const char *const locks[] = { "mtx", "ticket" };

enum { LOCKS = sizeof(locks) / sizeof(locks[0]) };

/* All campaigns together. */
struct sum {
	uint64_t	su_schedules;
	double		su_distinct;
	uint64_t	su_reads;
	uint64_t	su_reseeds;
	uint64_t	su_blocks;
	unsigned	su_readers;	/* the most */
};

static void
describe_failure(const struct assure_params *ap,
    const struct campaign_result *ce, struct evidence_row *row)
{
	const struct explore_case *ca = &ce->ce_case;
	const struct trial_outcome *to = &ce->ce_outcome;

	/* The ledger says its property itself. */
	if (strncmp(to->to_detail, to->to_word, strlen(to->to_word)) != 0)
		evidence_say(row, "%s: %s: ", to->to_word, to->to_sentence);
	evidence_fail(row, "%s. Lock %s, %s, schedule %" PRIu64 ".",
	    to->to_detail, ca->ca_subject.tb_lock->lc_name,
	    ca->ca_subject.tb_cipher->ci_name, ca->ca_number);
	snprintf(row->er_replay, sizeof(row->er_replay), "rngsim explore -d %s "
	    "-l %s -c %s --seed %" PRIu64 " --only %" PRIu64, ap->ap_design,
	    ca->ca_subject.tb_lock->lc_name, ca->ca_subject.tb_cipher->ci_name,
	    ca->ca_seed, ca->ca_number);
}

/* Campaigns one behind the other until time is over; whether to go on. */
static bool
explore(const struct assure_params *ap, struct campaign *cn, double time_s,
    struct sum *su, struct evidence_row *row)
{
	int64_t until_ns = tick_ns() + (int64_t)(time_s * 1e9);
	struct campaign_result ce;
	double distinct = 0;
	bool failed = false;
	int error = 0;

	for (cn->cn_first = 0; error == 0 && !failed; cn->cn_first =
	    cn->cn_end) {
		cn->cn_end = cn->cn_first + AT_ONCE;
		memset(&ce, 0, sizeof(ce));
		error = campaign_run(cn, &ce);
		su->su_schedules += ce.ce_schedules;
		distinct += ce.ce_distinct;
		su->su_reads += ce.ce_reads;
		su->su_reseeds += ce.ce_reseeds;
		su->su_blocks += ce.ce_blocks;
		failed = error == 0 && ce.ce_failed;
		if (failed)
			describe_failure(ap, &ce, row);
		case_free(&ce.ce_case);
		if (tick_ns() >= until_ns)
			break;
	}
	su->su_distinct += distinct;
	if (error != 0) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "%s. ", strerror(error));
	}
	return (error == 0 && !failed);
}

static void
say(const struct sum *su, struct evidence_row *row)
{
	char excluded[FIGURE_SIZE], schedules[FIGURE_SIZE];

	evidence_say(row, "%s thousand, up to %u readers and the harvest "
	    "thread, locks mtx and ticket, both ciphers: %" PRIu64 " reads, %"
	    PRIu64 " reseeds, %" PRIu64 " blocks; every one under the ledger, "
	    "none fails. A fault that shows in more than %s of a million such "
	    "schedules is excluded at 95 %%.",
	    figure_count(schedules, (double)su->su_schedules / 1000),
	    su->su_readers, su->su_reads, su->su_reseeds, su->su_blocks,
	    figure_real(excluded, 3e6 / (double)su->su_schedules));
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	const double time_s = ap->ap_budget_s / (LOCKS * cipher_count);
	struct campaign cn = { .cn_seed = ap->ap_seed, .cn_jobs = ap->ap_jobs };
	struct sum su = { .su_schedules = 0 };
	unsigned c, i;
	bool right = true;

	trial_subject_default(&cn.cn_subject);
	if (strategy_parse("mix", &cn.cn_strategy, &cn.cn_parameter) != 0)
		return;
	cn.cn_subject.tb_design = trial_design(ap->ap_design);
	cn.cn_subject.tb_stop = &stop_signal;
	trial_catch_assertions(true);
	for (i = 0; i < LOCKS; i++) {
		for (c = 0; c < cipher_count && right; c++) {
			cn.cn_subject.tb_lock = trial_lock(locks[i]);
			cn.cn_subject.tb_cipher = ciphers[c];
			campaign_limits(&cn.cn_subject, &cn.cn_limits);
			su.su_readers = cn.cn_limits.sm_readers_most;
			right = explore(ap, &cn, time_s, &su, row);
		}
	}
	if (!right)
		return;
	say(&su, row);
	snprintf(row->er_replay, sizeof(row->er_replay), "rngsim explore -d %s "
	    "-l mtx,ticket -c aes,chacha20 --seed %" PRIu64, ap->ap_design,
	    ap->ap_seed);
}

const struct evidence evidence_explore = {
	.ev_name	= "schedules",
	.ev_descr	= "orders that time would not give, each under the ledger",
	.ev_share	= 0.3,
	.ev_gather	= gather,
};
