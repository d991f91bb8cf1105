#include <inttypes.h>
#include <math.h>

#include "bench/cli/format.h"
#include "bench/explore/print.h"

enum { FEW = 100 };

void
explore_print_row(FILE *out, const struct campaign *cn,
    const struct campaign_result *ce)
{
	const struct subject *tb = &cn->cn_subject;
	const double n = ce->ce_schedules > 0 ? (double)ce->ce_schedules : 1;

	fprintf(out, "%-10s %-12s %-8s %11" PRIu64 " %9s %7s %7s %7" PRIu64
	    "%s\n", tb->tb_design->ra_ident, tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name, ce->ce_schedules,
	    FORMAT(count, ce->ce_distinct), FORMAT(count, ce->ce_seconds > 0 ?
	    (double)(ce->ce_schedules + ce->ce_ahead) / ce->ce_seconds : 0),
	    FORMAT(real, (double)ce->ce_steps / n), ce->ce_steps_most,
	    ce->ce_failed ? " *" : "");
}

/* "random 40 %, pct 40 %"; of the schedules that were run. */
static void
print_shares(FILE *out, const struct campaign_result *sum)
{
	const char *before = "";
	uint64_t all = 0;

	for (unsigned i = 0; i < strategy_count; i++)
		all += sum->ce_by[i];
	fputs("Chosen by:", out);
	for (unsigned i = 0; i < strategy_count; i++) {
		if (sum->ce_by[i] == 0)
			continue;
		fprintf(out, "%s %s %.0f %%", before,
		    strategy_classes[i]->sy_name,
		    100.0 * (double)sum->ce_by[i] / (double)all);
		before = ",";
	}
	fputs(".\n", out);
}

void
explore_add(struct campaign_result *sum, const struct campaign_result *ce)
{
	const struct campaign_result before = *sum;
	const bool first = before.ce_schedules == 0;

	campaign_add(sum, ce);
	sum->ce_schedules = first || ce->ce_schedules < before.ce_schedules ?
	    ce->ce_schedules : before.ce_schedules;
	sum->ce_ahead = first || ce->ce_ahead > before.ce_ahead ?
	    ce->ce_ahead : before.ce_ahead;
	sum->ce_exhausted = ce->ce_exhausted && (first || before.ce_exhausted);
}

void
explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns)
{
	static const char head[] = "No failure:";
	static const char *const memories[VM_MEMORIES] = {
		[VM_SC] = "Sequentially consistent",
		[VM_TSO] = "Total store order",
		[VM_WEAK] = "Weak memory without load buffering"
	};
	const uint64_t n = sum->ce_schedules;

	fprintf(out, "\nChecked: %" PRIu64 " reads, %" PRIu64 " reseeds, %"
	    PRIu64 " blocks of keystream.\n", sum->ce_reads, sum->ce_reseeds,
	    sum->ce_blocks);
	print_shares(out, sum);
	if (sum->ce_exhausted)
		format_wrapf(out, head, 0, "there is no other schedule with at "
		    "most %u preemption%s of this one scenario.",
		    cn->cn_parameter, PLURAL(cn->cn_parameter));
	else if (cn->cn_end - cn->cn_first == 1)
		format_wrapf(out, head, 0, "schedule %" PRIu64 " alone, which "
		    "excludes nothing.%s", cn->cn_first, sum->ce_ahead > 0 ?
		    "  The earlier ones of its scenario, which its strategy "
		    "depends on, were run and are not counted." : "");
	else if (cn->cn_strategy == &strategy_dfs)
		format_wrapf(out, head, 0, "there are more schedules with at "
		    "most %u preemption%s, of which these are no sample.",
		    cn->cn_parameter, PLURAL(cn->cn_parameter));
	else
		/* The rule of three, which does not hold for few. */
		format_wrapf(out, head, 0, "a fault that shows in more than %s"
		    "%" PRIu64 "%s = %.2g of such schedules is excluded at 95 "
		    "%%%s.", n < FEW ? "1 - 0.05^(1/" : "3/", n, n < FEW ? ")" :
		    "", n < FEW ? 1 - pow(0.05, 1 / (double)n) : 3 / (double)n,
		    campaigns > 1 ? ", for each row" : "");
	format_wrapf(out, "", 0, "Orders are those in which locks were taken, "
	    "estimated to 1 %%.  %s, ideal ciphers except in one scenario of "
	    "64: rngsim-explore(1) lists what that does not show.",
	    memories[cn->cn_subject.tb_memory]);
}

void
explore_print_failure(FILE *out, const struct counterexample *cx,
    const struct outcome *to)
{
	const struct subject *tb = &cx->cx_subject;
	const char *head = FORMATF("%s: %s: ", to->to_word, to->to_sentence);
	const char *line = to->to_detail;

	fputc('\n', out);
	format_wrapf(out, FORMATF("FAILED %s:", to->to_word), 2, "%s.",
	    to->to_sentence);
	/* The ledger's detail begins with the same. */
	if (strncmp(line, head, strlen(head)) == 0)
		line += strlen(head);
	for (; *line != '\0'; line += *line == '\n') {
		line += strspn(line, " ");
		format_wrapf(out, " ", 4, "%.*s", (int)strcspn(line, "\n"),
		    line);
		line += strcspn(line, "\n");
	}
	format_wrapf(out, " ", 4, "design %s, lock %s, %s, %u reader%s; seed %"
	    PRIu64 ", schedule %" PRIu64 ", %s.", tb->tb_design->ra_ident,
	    tb->tb_lock->lc_name, tb->tb_cipher->ci_name,
	    cx->cx_scenario.sn_readers, PLURAL(cx->cx_scenario.sn_readers),
	    cx->cx_seed, cx->cx_number, cx->cx_strategy);
}
