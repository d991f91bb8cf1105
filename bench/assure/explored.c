#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/explored.h"
#include "bench/console/stop.h"
#include "lib/tick.h"

void
explored_campaign(const struct assure_params *ap, struct campaign *cn)
{

	memset(cn, 0, sizeof(*cn));
	trial_subject_default(&cn->cn_subject);
	cn->cn_subject.tb_design = trial_design(ap->ap_design);
	cn->cn_subject.tb_stop = &stop_signal;
	cn->cn_strategy = &strategy_mix;
	cn->cn_seed = ap->ap_seed;
	cn->cn_jobs = ap->ap_jobs;
}

/* The command's part that says which fail points are set. */
static void
describe_faults(const struct fault_list *fl, struct evidence_row *row)
{
	size_t used;
	unsigned i;

	for (i = 0; fl != NULL && i < FAULT_POINTS; i++) {
		if (fl->fl_text[i] == NULL)
			continue;
		used = strlen(row->er_replay);
		snprintf(row->er_replay + used, sizeof(row->er_replay) - used,
		    " --failpoint '%s=%s'", fault_def(i)->fd_name,
		    fl->fl_text[i]);
	}
}

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
	describe_faults(ca->ca_subject.tb_faults, row);
}

static void
add(struct explored *ed, const struct campaign_result *ce)
{
	unsigned i;

	ed->ed_schedules += ce->ce_schedules;
	ed->ed_reads += ce->ce_reads;
	ed->ed_reseeds += ce->ce_reseeds;
	ed->ed_blocks += ce->ce_blocks;
	for (i = 0; i < FAULT_POINTS; i++) {
		ed->ed_evaluated[i] += ce->ce_evaluated[i];
		ed->ed_executed[i] += ce->ce_executed[i];
	}
}

bool
explored_run(const struct assure_params *ap, struct campaign *cn,
    unsigned at_once, double time_s, struct explored *ed,
    struct evidence_row *row)
{
	int64_t until_ns = tick_ns() + (int64_t)(time_s * (double)NS_PER_S);
	struct campaign_result ce;
	bool failed;
	int error;

	campaign_limits(&cn->cn_subject, &cn->cn_limits);
	ed->ed_readers_least = cn->cn_limits.sm_readers_least;
	ed->ed_readers_most = cn->cn_limits.sm_readers_most;
	memset(ed->ed_evaluated, 0, sizeof(ed->ed_evaluated));
	memset(ed->ed_executed, 0, sizeof(ed->ed_executed));
	cn->cn_end = 0;
	do {
		cn->cn_first = cn->cn_end;
		cn->cn_end += at_once;
		error = campaign_run(cn, &ce);
		add(ed, &ce);
		failed = error == 0 && ce.ce_failed;
		if (failed)
			describe_failure(ap, &ce, row);
		case_free(&ce.ce_case);
	} while (error == 0 && !failed && tick_ns() < until_ns);
	if (error != 0) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "%s. ", strerror(error));
	}
	return (error == 0 && !failed);
}
