#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/explore/explore_print.h"

enum { TIMELINE_MOMENTS = 40, TEXT_SIZE = 3072, SHARE_SIZE = 64, FEW = 100 };

void
explore_print_head(FILE *out)
{

	fprintf(out, "%-10s %-12s %-8s %11s %9s %7s %7s %7s\n", "design",
	    "lock", "cipher", "schedules", "orders", "per s", "steps", "most");
}

void
explore_print_row(FILE *out, const struct campaign *cn,
    const struct campaign_result *ce)
{
	const struct trial_subject *tb = &cn->cn_subject;
	const double n = ce->ce_schedules > 0 ? (double)ce->ce_schedules : 1;
	char orders[FIGURE_SIZE], rate[FIGURE_SIZE], steps[FIGURE_SIZE];

	fprintf(out, "%-10s %-12s %-8s %11" PRIu64 " %9s %7s %7s %7" PRIu64
	    "%s\n", tb->tb_design->ra_ident, tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name, ce->ce_schedules,
	    figure_count(orders, ce->ce_distinct),
	    figure_count(rate, ce->ce_seconds > 0 ? (double)(ce->ce_schedules +
	    ce->ce_ahead) / ce->ce_seconds : 0),
	    figure_real(steps, (double)ce->ce_steps / n), ce->ce_steps_most,
	    ce->ce_failed ? " *" : "");
}

void
explore_add(struct campaign_result *sum, const struct campaign_result *ce)
{
	const bool first = sum->ce_schedules == 0;
	unsigned i;

	/* What is excluded of each is excluded where the fewest were run. */
	if (first || ce->ce_schedules < sum->ce_schedules)
		sum->ce_schedules = ce->ce_schedules;
	if (first || ce->ce_ahead > sum->ce_ahead)
		sum->ce_ahead = ce->ce_ahead;
	sum->ce_exhausted = ce->ce_exhausted && (first || sum->ce_exhausted);
	sum->ce_seconds += ce->ce_seconds;
	sum->ce_steps += ce->ce_steps;
	sum->ce_reads += ce->ce_reads;
	sum->ce_reseeds += ce->ce_reseeds;
	sum->ce_blocks += ce->ce_blocks;
	for (i = 0; i < CAMPAIGN_CLASSES_MAX; i++)
		sum->ce_by[i] += ce->ce_by[i];
}

/* "random 40 %, pct 40 %"; of what was used. */
static void
print_shares(FILE *out, const struct campaign_result *sum)
{
	uint64_t all = 0;
	unsigned i;
	bool any = false;

	for (i = 0; i < CAMPAIGN_CLASSES_MAX; i++)
		all += sum->ce_by[i];
	fputs("Chosen by:", out);
	for (i = 0; all > 0 && i < strategy_count; i++) {
		if (sum->ce_by[i] == 0)
			continue;
		fprintf(out, "%s %s %.0f %%", any ? "," : "",
		    strategy_classes[i]->sy_name,
		    100.0 * (double)sum->ce_by[i] / (double)all);
		any = true;
	}
	fputs(".\n", out);
}

/* The rule of three, which is not one where n is small. */
static const char *
excluded(char buf[SHARE_SIZE], uint64_t n)
{

	if (n < FEW)
		snprintf(buf, SHARE_SIZE, "1 - 0.05^(1/%" PRIu64 ") = %.2g", n,
		    1 - pow(0.05, 1 / (double)n));
	else
		snprintf(buf, SHARE_SIZE, "3/%" PRIu64 " = %.2g", n,
		    3 / (double)n);
	return (buf);
}

/* What it says that nothing failed. */
static void
meaning(char text[TEXT_SIZE], const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns)
{
	char share[SHARE_SIZE];

	if (sum->ce_exhausted)
		snprintf(text, TEXT_SIZE, "there is no other schedule with at "
		    "most %u preemption%s of this one scenario.",
		    cn->cn_parameter, cn->cn_parameter == 1 ? "" : "s");
	else if (cn->cn_end - cn->cn_first == 1)
		snprintf(text, TEXT_SIZE, "schedule %" PRIu64 " alone, which "
		    "excludes nothing.%s", cn->cn_first, sum->ce_ahead > 0 ?
		    "  Those of its scenario ahead of it were run for its "
		    "strategy to learn from, and are not counted." : "");
	else if (cn->cn_strategy == &strategy_dfs)
		snprintf(text, TEXT_SIZE, "there are more schedules with at "
		    "most %u preemption%s, of which these are no sample.",
		    cn->cn_parameter, cn->cn_parameter == 1 ? "" : "s");
	else
		snprintf(text, TEXT_SIZE, "a fault that shows in more than %s "
		    "of such schedules is excluded at 95 %%%s.",
		    excluded(share, sum->ce_schedules), campaigns > 1 ?
		    ", for each row" : "");
}

void
explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns)
{
	char text[TEXT_SIZE];

	fprintf(out, "\nChecked: %" PRIu64 " reads, %" PRIu64 " reseeds, %"
	    PRIu64 " blocks of keystream.\n", sum->ce_reads, sum->ce_reseeds,
	    sum->ce_blocks);
	print_shares(out, sum);
	meaning(text, cn, sum, campaigns);
	figure_wrap(out, "No failure:", 0, text);
	figure_wrap(out, "", 0, "Orders are those in which locks were taken, "
	    "estimated to 1 %.  Sequentially consistent, ideal ciphers but in "
	    "one scenario of 64: rngsim(7) has what that does not show.");
}

/* The ledger's begins with what stands above it. */
static const char *
detail_of(const struct trial_outcome *to)
{
	char head[TEXT_SIZE];
	int n;

	n = snprintf(head, sizeof(head), "%s: %s: ", to->to_word,
	    to->to_sentence);
	return (strncmp(to->to_detail, head, (size_t)n) == 0 ?
	    to->to_detail + n : to->to_detail);
}

void
explore_print_failure(FILE *out, const struct explore_case *ca,
    const struct trial_outcome *to)
{
	const struct trial_subject *tb = &ca->ca_subject;
	char head[64], text[TEXT_SIZE];
	const char *line = detail_of(to), *end;

	snprintf(head, sizeof(head), "FAILED %s:", to->to_word);
	snprintf(text, sizeof(text), "%s.", to->to_sentence);
	fputc('\n', out);
	figure_wrap(out, head, 2, text);
	/* What is already in lines stays so. */
	for (; *line != '\0'; line = *end == '\0' ? end : end + 1) {
		end = strchr(line, '\n');
		if (end == NULL)
			end = line + strlen(line);
		line += strspn(line, " ");
		snprintf(text, sizeof(text), "%.*s", end > line ?
		    (int)(end - line) : 0, line);
		figure_wrap(out, " ", 4, text);
	}
	snprintf(text, sizeof(text), "design %s, lock %s, %s, %u reader%s; "
	    "seed %" PRIu64 ", schedule %" PRIu64 ", %s.",
	    tb->tb_design->ra_ident, tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name, ca->ca_scenario.sn_readers,
	    ca->ca_scenario.sn_readers == 1 ? "" : "s", ca->ca_seed,
	    ca->ca_number, ca->ca_strategy);
	figure_wrap(out, " ", 4, text);
}

void
explore_print_shrunk(FILE *out, const struct shrink_result *si)
{
	char text[TEXT_SIZE];

	snprintf(text, sizeof(text), "made smaller, in %" PRIu64 " runs: "
	    "%" PRIu64 " choices of before %" PRIu64 ", in %u pieces of "
	    "before %u.", si->si_runs, si->si_steps, si->si_steps_before,
	    si->si_switches, si->si_switches_before);
	figure_wrap(out, " ", 4, text);
}

void
explore_print_timeline(FILE *out, const struct moments *mo)
{

	fputc('\n', out);
	moments_print(out, mo, TIMELINE_MOMENTS);
}
