#include "bench/explore/print.h"
#include "bench/page/page.h"

static const char head[] = "No failure:";

void
explore_print_row(FILE *out, const struct campaign_result *ce)
{
	const struct campaign_row *row = &ce->cgr_row;
	const double n = fmax(1, (double)row->schedules);
	const double copied = (double)row->copied_bytes;

	fprintf(out, "%-10s %-12s %-8s %11" PRIu64 " %7s %7s %7" PRIu64 "%s\n",
	    row->design, row->lock, row->cipher, row->schedules, FORMAT(count,
	    row->cpu_s > 0 ? (double)(row->schedules + ce->cgr_ahead) /
	    row->cpu_s : 0), FORMAT(real, (double)row->steps / n),
	    row->steps_most, ce->cgr_failed ? " failed" : "");
	if (row->copied_bytes > 0)
		fprintf(out, "  a copy returns %s bytes, %s of them again "
		    "(%.1f %%), %.2f %% late\n", FORMAT(real, copied / n),
		    FORMAT(real, (double)row->again_bytes / n),
		    100 * (double)row->again_bytes / copied,
		    100 * (double)row->late_bytes / copied);
}

void
explore_print_excluded(FILE *out, uint64_t schedules, bool rows)
{
	const uint64_t n = schedules / CAMPAIGN_BLOCK;

	if (n == 0)
		format_wrapf(out, head, 0, "not all %d schedules of a scenario "
		    "were run, which excludes nothing.", CAMPAIGN_BLOCK);
	else
		format_wrapf(out, head, 0, "a fault that shows in more than "
		    "1 - 0.05^(1/%" PRIu64 ") = %.2g of such scenarios (%d "
		    "schedules each) is excluded at 95 %%%s.", n,
		    1 - pow(0.05, 1 / (double)n), CAMPAIGN_BLOCK,
		    rows ? ", for each row" : "");
}

/* Of a search of all schedules. */
static void
print_all(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns)
{
	const uint64_t n = sum->cgr_row.schedules - sum->cgr_redundant;
	const struct text bound = campaign_bound(cn);
	const char *of = campaigns > 1 ? "one scenario for each row" : bound.s;

	if (sum->cgr_exhausted == campaigns)
		format_wrapf(out, head, 0, "these are all %" PRIu64
		    " executions of %s, but for the order of steps that do "
		    "not affect each other; %" PRIu64 " more were redundant.",
		    n, of, sum->cgr_redundant);
	else
		format_wrapf(out, head, 0, "these are not all: %" PRIu64
		    " executions were run, at least %" PRIu64 " are left, of "
		    "%s; %" PRIu64 " more were redundant.", n, sum->cgr_open,
		    of, sum->cgr_redundant);
}

void
explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns)
{
	static const char *const memories[VM_MEMORIES] = {
		[VM_SC] = "Sequentially consistent",
		[VM_TSO] = "Total store order of atomics and locks",
		[VM_WEAK] = ("Weak memory of atomics and locks, without "
		    "load buffering")
	};
	const uint64_t n = cn->cn_end - cn->cn_first;

	fprintf(out, "\nChecked: %" PRIu64 " reads, %" PRIu64 " reseeds, %"
	    PRIu64 " blocks of keystream.\n", sum->cgr_row.reads,
	    sum->cgr_row.reseeds, sum->cgr_row.blocks);
	if (campaign_is_whole(cn))
		print_all(out, cn, sum, campaigns);
	else if (n == 1)
		format_wrapf(out, head, 0, "schedule %" PRIu64 " alone, which "
		    "excludes nothing.%s", cn->cn_first, sum->cgr_ahead > 0 ?
		    "  The earlier ones of its scenario, which its strategy "
		    "depends on, were run and are not counted." : "");
	else
		explore_print_excluded(out, n, campaigns > 1);
	format_wrapf(out, "", 0, "%s, %s%s ciphers%s: rngsim-explore(1) lists "
	    "what that does not show.", memories[cn->cn_subject.tb_memory],
	    !design_has_modes(cn->cn_subject.tb_design) ? "" :
	    "one value of " DESIGN_MODE ", ",
	    cn->cn_limits.lim_clone != CLONE_NONE ? "real" : "ideal",
	    cn->cn_limits.lim_all ? "" : " except in one scenario of 64");
}

void
explore_print_failure(FILE *out, const void *of)
{
	const struct explore_page *eg = of;
	const struct counterexample *cx = eg->eg_case;
	const struct subject *tb = &cx->cx_subject;
	const struct outcome *to = &eg->eg_replay->ry_outcome;
	const char *line = to->to_detail;

	fputc('\n', out);
	format_wrapf(out, FORMATF("FAILED %s:", to->to_word), 2,
	    "broken rule: %s.", to->to_sentence);
	for (; *line != '\0'; line += *line == '\n') {
		line += strspn(line, " ");
		format_wrapf(out, " ", 4, "%.*s", (int)strcspn(line, "\n"),
		    line);
		line += strcspn(line, "\n");
	}
	format_wrapf(out, " ", 4, "design %s, lock %s, %s, %u reader%s; seed %"
	    PRIu64 ", schedule %" PRIu64 ", %s.", tb->tb_design->de_ident,
	    tb->tb_lock->lc_name, tb->tb_cipher->ci_name,
	    cx->cx_scenario.sn_readers, PLURAL(cx->cx_scenario.sn_readers),
	    cx->cx_seed, cx->cx_number, cx->cx_strategy);
	if (eg->eg_turns > 0)
		fprintf(out, "    shrunk: %u turns of threads to %u\n",
		    eg->eg_turns, schedule_turns(&cx->cx_schedule.sd_choices));
	fputc('\n', out);
	event_trace_print(out, &eg->eg_replay->ry_trace);
}

void
explore_page(FILE *out, const void *of)
{
	const struct explore_page *eg = of;
	char *file = counterexample_text(eg->eg_case);

	page_begin(out, FORMATF("rngsim: %.100s", eg->eg_path),
	    RESULT_FAILED, "in a controlled schedule, not measured: a "
	    "schedule that breaks a property");
	page_printed(out, explore_print_failure, eg);
	page_section(out, "timeline", "Timeline");
	event_trace_draw(out, &eg->eg_replay->ry_trace);
	page_section(out, "replay", "To run it again");
	page_paragraph(out, "p", "Save these lines as FILE, and run \"rngsim "
	    "explore --replay FILE\".");
	page_paragraph(out, "pre tabindex=\"0\"", file);
	page_end(out);
	free(file);
}
