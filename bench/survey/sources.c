#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/result/json_text.h"
#include "bench/survey/sources.h"
#include "lib/machine/tick.h"

/* Throughputs that count as the same. */
static const double saturation_share = 0.95;

/* Of a subject's error: its name in JSON and CSV, and beside first numbers. */
struct status {
	int		 error;
	const char	*name;
	const char	*words;
};

static const struct status *
status_of(const struct survey_subject *su)
{
	static const struct status statuses[] = {
		{ 0, "timed", "" },
		{ ENOTSUP, "absent", " absent: this CPU has no such "
		    "instruction" },
		{ EILSEQ, "wrong", " WRONG: not timed" },
		{ EIO, "dead", " NO NUMBER after many tries" }
	};
	const struct status *st = statuses;

	while (st->error != su->su_error)
		st++;
	return (st);
}

static void
make_subject(const struct survey *sv, struct survey_subject *su,
    const struct number_source *ns, enum number_width width,
    const unsigned *threads)
{
	struct source_reads *nu = su->su_of;

	nu->nu_source = ns;
	nu->nu_width = width;
	snprintf(su->su_name, sizeof(su->su_name), "%s, %u bits", ns->ns_name,
	    number_bits(width));
	su->su_error = number_source_check(ns, width, nu->nu_first);
	for (unsigned i = 0; i < sv->sv_ways; i++)
		su->su_points[i].pt_task = (struct window_task){
			.wt_batch = ns->ns_batch[width],
			.wt_state = ns->ns_state,
			.wt_threads = threads[i]
		};
}

void
sources_make(struct survey *sv, const struct number_source *const *list,
    unsigned count, const bool width[NUMBER_WIDTHS], const unsigned *threads,
    unsigned n)
{
	unsigned subjects = 0;

	for (unsigned i = 0; i < count * NUMBER_WIDTHS; i++)
		subjects += width[i % NUMBER_WIDTHS] && list[i /
		    NUMBER_WIDTHS]->ns_batch[i % NUMBER_WIDTHS] != NULL;
	survey_make(sv, subjects, n, sizeof(struct source_reads));
	subjects = 0;
	for (unsigned i = 0; i < count; i++)
		for (enum number_width w = 0; w < NUMBER_WIDTHS; w++)
			if (width[w] && list[i]->ns_batch[w] != NULL)
				make_subject(sv, &sv->sv_subjects[subjects++],
				    list[i], w, threads);
}

unsigned
sources_enough(const struct survey *sv, const struct survey_subject *su,
    unsigned *most)
{
	const struct survey_point *pt, *end = su->su_points + sv->sv_ways;
	unsigned measured = 0;
	double best = 0;

	*most = 0;
	for (pt = su->su_points; pt < end; pt++)
		if (!survey_oversubscribed(sv, pt) && pt->pt_count > 0) {
			best = fmax(best, pt->pt_per_s);
			*most = pt->pt_task.wt_threads;
			measured++;
		}
	for (pt = su->su_points; pt < end && measured >= 2; pt++)
		if (!survey_oversubscribed(sv, pt) && pt->pt_count > 0 &&
		    pt->pt_per_s >= saturation_share * best)
			return (pt->pt_task.wt_threads);
	return (0);
}

static double
ns_of(const struct survey_point *pt)
{
	return (1e9 / pt->pt_per_s);
}

/* In 10^9 bits. */
static double
gbit_per_s(const struct survey_subject *su, const struct survey_point *pt)
{
	return (pt->pt_per_s * number_bits(sources_reads(su)->nu_width) / 1e9);
}

/* pt is NULL for a subject that was not timed to the end. */
static void
print_csv(FILE *out, const struct survey *sv, const struct survey_subject *su,
    const struct survey_point *pt)
{
	fprintf(out, "%s,%u,%s,", sources_reads(su)->nu_source->ns_name,
	    number_bits(sources_reads(su)->nu_width), status_of(su)->name);
	if (pt == NULL)
		fputs(",,,,,,,,,", out);
	else
		fprintf(out, "%u,%d,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g",
		    pt->pt_task.wt_threads, survey_oversubscribed(sv, pt),
		    pt->pt_count, ns_of(pt), pt->pt_per_s, pt->pt_ci95[0],
		    pt->pt_ci95[1], gbit_per_s(su, pt),
		    pt->pt_failures_percent, pt->pt_cpu_percent);
	fprintf(out, ",%d,%d\n", sv->sv_host.invariants, survey_complete(sv));
}

static void
sources_csv(FILE *out, const struct survey *sv)
{
	fputs("source,bits,status,threads,oversubscribed,repeats,"
	    "ns_per_number,reads_per_s,reads_per_s_ci95_low,"
	    "reads_per_s_ci95_high,gbit_per_s,failures_percent,cpu_percent,"
	    "invariants,complete\n", out);
	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];

		for (unsigned k = 0; k < sv->sv_ways; k++)
			if (su->su_points[k].pt_count > 0)
				print_csv(out, sv, su, &su->su_points[k]);
		if (su->su_error != 0)
			print_csv(out, sv, su, NULL);
	}
}

static json_t *
point_json(const struct survey *sv, const struct survey_subject *su,
    const struct survey_point *pt)
{
	json_t *samples = json_array();

	for (unsigned i = 0; i < pt->pt_count; i++) {
		const struct window_sample *wm = &pt->pt_samples[i];

		json_array_append_new(samples, json_pack("{s:f, s:f, s:I, s:I}",
		    "window_s", wm->wm_window_s, "cpu_s", wm->wm_cpu_s,
		    "reads", (json_int_t)wm->wm_count,
		    "failures", (json_int_t)wm->wm_failures));
	}
	return (json_pack("{s:i, s:b, s:b, s:i, s:f, s:f, s:[f, f], s:f, s:f, "
	    "s:f, s:o}", "threads", (int)pt->pt_task.wt_threads,
	    "oversubscribed", survey_oversubscribed(sv, pt),
	    "bound", !survey_unbound(pt), "repeats", (int)pt->pt_count,
	    "ns_per_number", ns_of(pt),
	    "reads_per_s", pt->pt_per_s,
	    "reads_per_s_ci95", pt->pt_ci95[0], pt->pt_ci95[1],
	    "gbit_per_s", gbit_per_s(su, pt),
	    "failures_percent", pt->pt_failures_percent,
	    "cpu_percent", pt->pt_cpu_percent, "samples", samples));
}

static json_t *
subject_json(const void *of, unsigned number)
{
	const struct survey *sv = of;
	const struct survey_subject *su = &sv->sv_subjects[number];
	const struct source_reads *nu = sources_reads(su);
	const unsigned bits = number_bits(nu->nu_width);
	json_t *first = json_array(), *points = json_array();
	unsigned enough, most;

	for (unsigned i = 0; i < NUMBER_FIRST && su->su_error != ENOTSUP; i++)
		json_array_append_new(first, json_sprintf("%0*" PRIx64,
		    (int)bits / 4, nu->nu_first[i]));
	for (unsigned i = 0; i < sv->sv_ways; i++)
		if (su->su_points[i].pt_count > 0)
			json_array_append_new(points, point_json(sv, su,
			    &su->su_points[i]));
	enough = sources_enough(sv, su, &most);
	return (json_pack("{s:s, s:s, s:b, s:i, s:s, s:b, s:o, s:o, s:{s:o, "
	    "s:b}}", "source", nu->nu_source->ns_name,
	    "descr", nu->nu_source->ns_descr,
	    "hardware", nu->nu_source->ns_has != NULL, "bits", (int)bits,
	    "status", status_of(su)->name,
	    "check_values", nu->nu_source->ns_known != NULL,
	    "first", first, "points", points,
	    "saturation", "threads", enough == 0 ? json_null() :
	    json_integer(enough), "reached", enough > 0 && enough < most));
}

static json_t *
sources_json(const struct survey *sv)
{
	const struct result_host *host = &sv->sv_host;

	return (json_pack("{s:s, s:b, s:s, s:f, s:i, s:{s:s, s:i, s:i, s:f, "
	    "s:s, s:s, s:s, s:s, s:b}, s:o}",
	    "schema", SOURCES_SCHEMA, "complete", survey_complete(sv),
	    "started", sv->sv_started, "time_s", sv->sv_time_s,
	    "repeats", (int)sv->sv_repeats, "host",
	    "cpu_model", host->cpu_model, "cpus", (int)host->cpus,
	    "cpus_machine", (int)host->cpus_machine,
	    "cpu_quota", host->cpu_quota, "kernel", host->kernel,
	    "compiler", host->compiler, "flags", host->flags,
	    "revision", host->revision, "invariants", host->invariants,
	    "sources", json_list(sv->sv_count, subject_json, sv)));
}

static void
print_first(FILE *out, const struct survey *sv)
{
	fputs("\nsource   bit first four numbers\n", out);
	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];
		const struct source_reads *nu = sources_reads(su);
		const unsigned bits = number_bits(nu->nu_width);

		fprintf(out, "%-8s %3u", nu->nu_source->ns_name, bits);
		for (unsigned k = 0; k < NUMBER_FIRST && (su->su_error == 0 ||
		    su->su_error == EILSEQ); k++)
			fprintf(out, " %0*" PRIx64, (int)bits / 4,
			    nu->nu_first[k]);
		fprintf(out, "%s\n", su->su_error == 0 &&
		    nu->nu_source->ns_known != NULL ? " as published" :
		    status_of(su)->words);
	}
}

static const struct column point_columns[] = {
	{ "source", -8 }, { "bit", 3 }, { "threads ", 8 }, { "ns/number", 9 },
	{ "+-%", 5 }, { "M reads/s", 9 }, { "Gbit/s", 8 }, { "failed%", 7 },
	{ "speedup", 7 }, { "CPU%", 5 }
};

/* What rows need below the table. */
enum note {
	NOTE_SPREAD	= 1 << 0,
	NOTE_DISTURBED	= 1 << 1,
	NOTE_SHARED	= 1 << 2,
	NOTE_UNBOUND	= 1 << 3
};

static unsigned
print_point(FILE *out, const struct survey *sv,
    const struct survey_subject *su, const struct survey_point *pt)
{
	const struct survey_point *one = su->su_points;
	const bool shared = survey_oversubscribed(sv, pt);
	const bool unbound = survey_unbound(pt);

	COLUMNS_ROW(out, point_columns, sources_reads(su)->nu_source->ns_name,
	    FORMATF("%u", number_bits(sources_reads(su)->nu_width)),
	    FORMATF("%u%s", pt->pt_task.wt_threads, shared ? "*" :
	    unbound ? "!" : " "), FORMAT(real, ns_of(pt)),
	    FORMAT(spread, pt),
	    FORMAT(real, pt->pt_per_s / 1e6),
	    FORMAT(real, gbit_per_s(su, pt)),
	    FORMAT(percent, pt->pt_failures_percent),
	    one->pt_task.wt_threads > 1 || one->pt_count == 0 ? NULL :
	    FORMATF("%.2f", pt->pt_per_s / one->pt_per_s),
	    FORMAT(percent, pt->pt_cpu_percent));
	return ((pt->pt_count == 1 ? NOTE_SPREAD : 0) | (shared ? NOTE_SHARED :
	    pt->pt_cpu_percent < SOURCES_CPU_PERCENT ? NOTE_DISTURBED : 0) |
	    (unbound ? NOTE_UNBOUND : 0));
}

static void
print_notes(FILE *out, unsigned notes)
{
	format_wrap(out, "", 2, "ns/number, M reads/s and Gbit/s are of all "
	    "threads together; +-% is half the 95 % interval; failed% failed "
	    "reads per number, each repeated after 64 pauses; speedup against "
	    "one thread; CPU% the CPU time that a thread had.");
	if ((notes & NOTE_DISTURBED) != 0)
		format_wrap(out, "", 2, "Other programs used these CPUs: rows "
		    "with CPU% below 95 measure them too; a shorter -t helps.");
	if ((notes & NOTE_SPREAD) != 0)
		survey_print_unknown(out);
	if ((notes & NOTE_SHARED) != 0)
		format_wrap(out, "*", 2, "more threads than CPUs: the "
		    "scheduler is in these numbers.");
	if ((notes & NOTE_UNBOUND) != 0)
		format_wrap(out, "!", 2, "binding a thread to its CPU was "
		    "refused.");
}

static void
print_saturation(FILE *out, const struct survey *sv)
{
	unsigned enough, most;

	fputs("\nthroughput stops growing\n", out);
	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];
		const struct source_reads *nu = sources_reads(su);

		enough = sources_enough(sv, su, &most);
		if (most > 0)
			format_wrap(out, FORMATF("%-8s %3u",
			    nu->nu_source->ns_name, number_bits(nu->nu_width)),
			    14, enough == 0 ?
			    "not known from one number of threads" :
			    FORMATF(enough == most ?
			    "not reached with %u threads" : "at %u thread%s",
			    enough, PLURAL(enough)));
	}
}

static void
sources_table(FILE *out, const struct survey *sv)
{
	const double quota = sv->sv_host.cpu_quota;
	unsigned notes = 0, rows = 0;

	survey_print_head(out, sv, quota <= 0 ? "" :
	    FORMATF("; a cgroup grants %.3g CPUs", quota), "");
	print_first(out, sv);
	for (unsigned i = 0; i < sv->sv_count * sv->sv_ways; i++) {
		const struct survey_subject *su =
		    &sv->sv_subjects[i / sv->sv_ways];
		const struct survey_point *pt =
		    &su->su_points[i % sv->sv_ways];

		if (pt->pt_count == 0)
			continue;
		if (rows++ == 0) {
			putc('\n', out);
			COLUMNS_TITLES(out, point_columns);
		}
		notes |= print_point(out, sv, su, pt);
	}
	if (rows == 0)
		return;
	print_notes(out, notes);
	print_saturation(out, sv);
}

const struct survey_kind sources_kind = {
	.sk_warmup_ns	= 5 * NS_PER_MS,	/* CPUs reach their speed */
	.sk_json	= sources_json,
	.sk_csv		= sources_csv,
	.sk_table	= sources_table,
};
