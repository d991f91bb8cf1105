#include "bench/survey/sources.h"

/* Throughputs that count as the same. */
static const double saturation_share = 0.95;

/* Of a subject's error: its name in JSON and CSV, and beside first numbers. */
static const struct status {
	int		 error;
	const char	*name, *words;
} statuses[] = {
	{ 0, "timed", "" },
	{ ENOTSUP, "absent", " absent: this CPU has no such instruction" },
	{ EILSEQ, "wrong", " WRONG: not timed" },
	{ EIO, "dead", " NO NUMBER after many tries" }
};

static const struct status *
status_of(const struct survey_subject *su)
{
	const struct status *st = statuses;

	while (st->error != su->su_error)
		st++;
	return (st);
}

static const struct source_reads *
reads(const struct survey_subject *su)
{
	return (su->su_of);
}

void
sources_make(struct survey *sv, const struct number_source *const *list,
    unsigned count, const bool width[NUMBER_WIDTHS], const unsigned *threads,
    unsigned n)
{
	struct source_reads *nu;
	struct survey_subject *su;

	survey_make(sv, count * NUMBER_WIDTHS, n, sizeof(*nu));
	sv->sv_count = 0;
	for (unsigned i = 0; i < count * NUMBER_WIDTHS; i++) {
		const enum number_width w = i % NUMBER_WIDTHS;
		const struct number_source *ns = list[i / NUMBER_WIDTHS];

		if (!width[w] || ns->ns_batch[w] == NULL)
			continue;
		su = &sv->sv_subjects[sv->sv_count++];
		nu = su->su_of;
		nu->nu_source = ns;
		nu->nu_bits = w == NUMBER_32 ? 32 : 64;
		snprintf(su->su_name, sizeof(su->su_name), "%s, %u bits",
		    ns->ns_name, nu->nu_bits);
		su->su_error = number_source_check(ns, w, nu->nu_first);
		for (unsigned k = 0; k < n; k++)
			su->su_points[k].pt_task = (struct window_task){
				.wtk_batch = ns->ns_batch[w],
				.wtk_state = ns->ns_state,
				.wtk_threads = threads[k]
			};
	}
}

/* Whether threads share CPUs. */
static bool
oversubscribed(const struct survey *sv, const struct survey_point *pt)
{
	return (pt->pt_task.wtk_threads > sv->sv_host.cpus);
}

/* Whether binding a thread to its CPU was refused. */
static bool
unbound(const struct survey_point *pt)
{
	for (unsigned i = 0; i < pt->pt_count; i++)
		if (pt->pt_samples[i].wm_unbound)
			return (true);
	return (false);
}

/*
 * The fewest threads whose median is at least 95 % of the greatest, where
 * threads do not share CPUs; 0 if fewer than two numbers were measured.  most:
 * the most threads that were measured.
 */
static unsigned
enough_threads(const struct survey *sv, const struct survey_subject *su,
    unsigned *most)
{
	const struct survey_point *pt, *end = su->su_points + sv->sv_ways;
	unsigned measured = 0;
	double best = 0;

	*most = 0;
	for (pt = su->su_points; pt < end; pt++)
		if (!oversubscribed(sv, pt) && pt->pt_count > 0) {
			best = fmax(best, pt->pt_per_s);
			*most = pt->pt_task.wtk_threads;
			measured++;
		}
	for (pt = su->su_points; pt < end && measured >= 2; pt++)
		if (!oversubscribed(sv, pt) && pt->pt_count > 0 &&
		    pt->pt_per_s >= saturation_share * best)
			return (pt->pt_task.wtk_threads);
	return (0);
}

static double
ns_of(const struct survey_point *pt)
{
	return (1e9 / pt->pt_per_s);
}

static double
gbit_per_s(const struct survey_subject *su, const struct survey_point *pt)
{
	return (pt->pt_per_s * reads(su)->nu_bits / 1e9);
}

static void
sources_csv(FILE *out, const struct survey *sv)
{
	fputs("source,bits,status,threads,oversubscribed,repeats,"
	    "ns_per_number,reads_per_s,reads_per_s_ci95_low,"
	    "reads_per_s_ci95_high,gbit_per_s,failures_percent,cpu_percent,"
	    "invariants,complete\n", out);
	/* The last line of a subject says that it was not timed to the end. */
	for (unsigned i = 0; i < sv->sv_count * (sv->sv_ways + 1); i++) {
		const struct survey_subject *su =
		    &sv->sv_subjects[i / (sv->sv_ways + 1)];
		const unsigned way = i % (sv->sv_ways + 1);
		const struct survey_point *pt = &su->su_points[way];

		if (way == sv->sv_ways ? su->su_error == 0 : pt->pt_count == 0)
			continue;
		fprintf(out, "%s,%u,%s,", reads(su)->nu_source->ns_name,
		    reads(su)->nu_bits, status_of(su)->name);
		if (way == sv->sv_ways)
			fputs(",,,,,,,,,", out);
		else
			fprintf(out, "%u,%d,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,"
			    "%.9g", pt->pt_task.wtk_threads, oversubscribed(sv,
			    pt), pt->pt_count, ns_of(pt), pt->pt_per_s,
			    pt->pt_ci95[0], pt->pt_ci95[1], gbit_per_s(su, pt),
			    pt->pt_failures_percent, pt->pt_cpu_percent);
		fprintf(out, ",%d,%d\n", sv->sv_host.invariants,
		    survey_complete(sv));
	}
}

static json_t *
sample_json(const void *of, unsigned i)
{
	const struct window_sample *wm = (const struct window_sample *)of + i;

	return (json_pack("{s:f, s:f, s:I, s:I}", "window_s", wm->wm_window_s,
	    "cpu_s", wm->wm_cpu_s, "reads", (json_int_t)wm->wm_count,
	    "failures", (json_int_t)wm->wm_failures));
}

static json_t *
point_json(const struct survey *sv, const struct survey_subject *su,
    const struct survey_point *pt)
{
	return (json_pack("{s:i, s:b, s:b, s:i, s:f, s:f, s:[f, f], s:f, s:f, "
	    "s:f, s:o}", "threads", (int)pt->pt_task.wtk_threads,
	    "oversubscribed", oversubscribed(sv, pt), "bound", !unbound(pt),
	    "repeats", (int)pt->pt_count, "ns_per_number", ns_of(pt),
	    "reads_per_s", pt->pt_per_s, "reads_per_s_ci95", pt->pt_ci95[0],
	    pt->pt_ci95[1], "gbit_per_s", gbit_per_s(su, pt),
	    "failures_percent", pt->pt_failures_percent, "cpu_percent",
	    pt->pt_cpu_percent, "samples", json_list(pt->pt_count, sample_json,
	    pt->pt_samples)));
}

static json_t *
subject_json(const void *of, unsigned number)
{
	const struct survey *sv = of;
	const struct survey_subject *su = &sv->sv_subjects[number];
	const struct source_reads *nu = reads(su);
	const int bits = (int)nu->nu_bits;
	json_t *first = json_array(), *points = json_array();
	unsigned enough, most;

	for (unsigned i = 0; i < NUMBER_FIRST && su->su_error != ENOTSUP; i++)
		json_array_append_new(first, json_sprintf("%0*" PRIx64,
		    bits / 4, nu->nu_first[i]));
	for (unsigned i = 0; i < sv->sv_ways; i++)
		if (su->su_points[i].pt_count > 0)
			json_array_append_new(points, point_json(sv, su,
			    &su->su_points[i]));
	enough = enough_threads(sv, su, &most);
	return (json_pack("{s:s, s:s, s:b, s:i, s:s, s:b, s:o, s:o, s:{s:o, "
	    "s:b}}", "source", nu->nu_source->ns_name, "descr",
	    nu->nu_source->ns_descr, "hardware", nu->nu_source->ns_has != NULL,
	    "bits", bits, "status", status_of(su)->name, "check_values",
	    nu->nu_source->ns_known != NULL, "first", first, "points", points,
	    "saturation", "threads", enough == 0 ? json_null() :
	    json_integer(enough), "reached", enough > 0 && enough < most));
}

static json_t *
sources_json(const struct survey *sv)
{
	const struct result_host *host = &sv->sv_host;

	return (json_pack("{s:s, s:b, s:s, s:f, s:i, s:{s:s, s:i, s:i, s:f, "
	    "s:s, s:s, s:s, s:s, s:b}, s:o}", "schema", SOURCES_SCHEMA,
	    "complete", survey_complete(sv), "started", sv->sv_started,
	    "time_s", sv->sv_time_s, "repeats", (int)sv->sv_repeats, "host",
	    "cpu_model", host->cpu_model, "cpus", (int)host->cpus,
	    "cpus_machine", (int)host->cpus_machine, "cpu_quota",
	    host->cpu_quota, "kernel", host->kernel, "compiler", host->compiler,
	    "flags", host->flags, "revision", host->revision, "invariants",
	    host->invariants, "sources", json_list(sv->sv_count, subject_json,
	    sv)));
}

static void
print_first(FILE *out, const struct survey *sv)
{
	fputs("\nsource   bit first four numbers\n", out);
	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];
		const struct source_reads *nu = reads(su);

		fprintf(out, "%-8s %3u", nu->nu_source->ns_name, nu->nu_bits);
		for (unsigned k = 0; k < NUMBER_FIRST && (su->su_error == 0 ||
		    su->su_error == EILSEQ); k++)
			fprintf(out, " %0*" PRIx64, (int)nu->nu_bits / 4,
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

static void
print_point(FILE *out, const struct survey *sv,
    const struct survey_subject *su, const struct survey_point *pt)
{
	const struct survey_point *one = su->su_points;

	COLUMNS_ROW(out, point_columns, reads(su)->nu_source->ns_name,
	    FORMATF("%u", reads(su)->nu_bits), FORMATF("%u%s",
	    pt->pt_task.wtk_threads, oversubscribed(sv, pt) ? "*" :
	    unbound(pt) ? "!" : " "), FORMAT(real, ns_of(pt)),
	    FORMAT(spread, pt), FORMAT(real, pt->pt_per_s / 1e6),
	    FORMAT(real, gbit_per_s(su, pt)),
	    FORMAT(percent, pt->pt_failures_percent),
	    one->pt_task.wtk_threads > 1 || one->pt_count == 0 ? NULL :
	    FORMATF("%.2f", pt->pt_per_s / one->pt_per_s),
	    FORMAT(percent, pt->pt_cpu_percent));
}

static void
print_saturation(FILE *out, const struct survey *sv)
{
	unsigned enough, most;

	fputs("\nthroughput stops growing\n", out);
	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];

		enough = enough_threads(sv, su, &most);
		if (most > 0)
			format_wrap(out, FORMATF("%-8s %3u",
			    reads(su)->nu_source->ns_name, reads(su)->nu_bits),
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
	bool disturbed = false, shared = false, single = false;
	bool refused = false, rows = false;

	survey_print_head(out, sv, quota <= 0 ? "" :
	    FORMATF("; a cgroup grants %.3g CPUs", quota), "");
	print_first(out, sv);
	for (unsigned i = 0; i < sv->sv_count * sv->sv_ways; i++) {
		const struct survey_subject *su =
		    &sv->sv_subjects[i / sv->sv_ways];
		const struct survey_point *pt = &su->su_points[i % sv->sv_ways];

		if (pt->pt_count == 0)
			continue;
		if (!rows) {
			putc('\n', out);
			COLUMNS_TITLES(out, point_columns);
		}
		rows = true;
		print_point(out, sv, su, pt);
		single |= pt->pt_count == 1;
		shared |= oversubscribed(sv, pt);
		disturbed |= !oversubscribed(sv, pt) &&
		    pt->pt_cpu_percent < SOURCES_CPU_PERCENT;
		refused |= unbound(pt);
	}
	if (!rows)
		return;
	format_wrap(out, "", 2, "ns/number, M reads/s and Gbit/s are of all "
	    "threads together; +-% is half the 95 % interval; failed% failed "
	    "reads per number, each repeated after 64 pauses; speedup against "
	    "one thread; CPU% the CPU time that a thread had.");
	if (disturbed)
		format_wrap(out, "", 2, "Other programs used these CPUs: rows "
		    "with CPU% below 95 measure them too; a shorter -t helps.");
	if (single)
		survey_print_unknown(out);
	if (shared)
		format_wrap(out, "*", 2, "more threads than CPUs: the "
		    "scheduler is in these numbers.");
	if (refused)
		format_wrap(out, "!", 2, "binding a thread to its CPU was "
		    "refused.");
	print_saturation(out, sv);
}

/* CPUs reach their speed first. */
const struct survey_kind sources_kind = { 5 * NS_PER_MS, false, sources_json,
    sources_csv, sources_table };
