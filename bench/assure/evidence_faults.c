/*
 * Fail points: schedules in which the code is made to decide otherwise, or to
 * stop where it hurts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/explored.h"
#include "bench/console/figure.h"

enum {
	AT_ONCE		= 400,	/* schedules between looks at the clock */
	HEALTH_POINT	= LIB_FAILPOINTS + FORTUNA_FAILPOINTS +
	    FAILPOINT_healthtest_force_fail
};

static const char *const locks[] = { "mtx", "ticket" };

enum { LOCKS = sizeof(locks) / sizeof(locks[0]) };

/*
 * What each point is made to do.  Where an answer is a decision any but 0 will
 * do; to the clock it is ms, more than reseeds keep apart.
 */
static const char *const specs[] = { "50%return(250)", "3*return(-250)",
	"30%yield", "10%sleep(1)", "2*pause" };

enum { SPECS = sizeof(specs) / sizeof(specs[0]) };

/* The points together. */
struct points {
	unsigned	po_hit;
	uint64_t	po_times;
	char		po_not[EVIDENCE_TEXT_SIZE];	/* names, or empty */
	char		po_absent[EVIDENCE_TEXT_SIZE];
};

static void
name(char list[EVIDENCE_TEXT_SIZE], const char *point)
{
	size_t used = strlen(list);

	snprintf(list + used, EVIDENCE_TEXT_SIZE - used, "%s%s",
	    used == 0 ? "" : ", ", point);
}

/*
 * Whether a point that is never asked may be one that the design has not got:
 * only Fortuna's own code asks them all.
 */
static bool
may_lack(const struct random_algorithm *ra, const struct fault_list *fl)
{

	return ((ra->ra_flags & RA_FORTUNA_STATE) == 0 &&
	    !faults_need_queue(fl));
}

/* All specifications of one point; whether to go on. */
static bool
try_point(const struct assure_params *ap, struct campaign *cn, unsigned point,
    struct explored *ed, struct points *po, struct evidence_row *row)
{
	const double time_s = ap->ap_budget_s / (FAULT_POINTS * SPECS);
	char error[FAULT_ERROR_SIZE], text[128];
	uint64_t evaluated = 0, executed = 0;
	struct fault_list fl;
	unsigned i;

	for (i = 0; i < SPECS; i++) {
		memset(&fl, 0, sizeof(fl));
		snprintf(text, sizeof(text), "%s=%s",
		    fault_def(point)->fd_name, specs[i]);
		if (faults_parse(&fl, text, error) != 0) {
			evidence_fail(row, "%s. ", error);
			return (false);
		}
		cn->cn_subject.tb_faults = &fl;
		cn->cn_subject.tb_lock = trial_lock(locks[i % LOCKS]);
		cn->cn_subject.tb_cipher = ciphers[(point + i) % cipher_count];
		if (!explored_run(ap, cn, AT_ONCE, time_s, ed, row))
			return (false);
		evaluated += ed->ed_evaluated[point];
		executed += ed->ed_executed[point];
	}
	if (executed > 0)
		po->po_hit++;
	else
		name(evaluated == 0 && may_lack(cn->cn_subject.tb_design, &fl) ?
		    po->po_absent : po->po_not, fault_def(point)->fd_name);
	po->po_times += executed;
	return (true);
}

static void
say(const struct explored *ed, const struct points *po,
    struct evidence_row *row)
{
	char schedules[FIGURE_SIZE], times[FIGURE_SIZE];
	unsigned i;

	evidence_say(row, "%u of %d declared points hit, %s thousand times in "
	    "%s thousand schedules: %" PRIu64 " reads, all served, %" PRIu64
	    " reseeds; every one under the ledger, none fails.", po->po_hit,
	    FAULT_POINTS, figure_real(times, (double)po->po_times / 1000),
	    figure_count(schedules, (double)ed->ed_schedules / 1000),
	    ed->ed_reads, ed->ed_reseeds);
	if (po->po_absent[0] != '\0')
		evidence_say(row, " Never asked, as this design is not made of "
		    "Fortuna's core: %s.", po->po_absent);
	if (po->po_not[0] != '\0')
		evidence_fail(row, " Never hit: %s.", po->po_not);
	evidence_say(row, " %s is left out: health tests are off here, as in "
	    "FreeBSD.", fault_def(HEALTH_POINT)->fd_name);
	evidence_bound(row, "%u to %u readers, each point with",
	    ed->ed_readers_least, ed->ed_readers_most);
	for (i = 0; i < SPECS; i++)
		evidence_bound(row, "%s %s", i == 0 ? "" : ",", specs[i]);
	evidence_bound(row, ".");
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct explored ed = { .ed_schedules = 0 };
	struct points po = { .po_hit = 0 };
	struct campaign cn;
	unsigned i;

	explored_campaign(ap, &cn);
	for (i = 0; i < FAULT_POINTS; i++)
		if (i != HEALTH_POINT &&
		    !try_point(ap, &cn, i, &ed, &po, row))
			return;
	say(&ed, &po, row);
	snprintf(row->er_replay, sizeof(row->er_replay), "rngsim explore -d %s "
	    "--failpoint '%s=%s' --seed %" PRIu64, ap->ap_design,
	    fault_def(0)->fd_name, specs[0], ap->ap_seed);
}

const struct evidence evidence_faults = {
	.ev_name	= "faults",
	.ev_descr	= "fail points, each hit in schedules under the ledger",
	.ev_share	= 0.05,
	.ev_gather	= gather,
};
