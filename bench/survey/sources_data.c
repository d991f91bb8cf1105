/*
 * CSV and JSON of "rngsim sources"; rngsim-result(5) describes them.
 */
#include <inttypes.h>

#include "bench/result/json_text.h"
#include "bench/survey/sources.h"

/* sp is NULL for a curve that was not timed. */
static void
print_row(FILE *out, const struct sources *sr, const struct sources_curve *sc,
    const struct sources_point *sp)
{
	fprintf(out, "%s,%u,%s", sc->sc_source->ns_name,
	    number_bits[sc->sc_width], sources_status_names[sc->sc_status]);
	if (sp == NULL)
		fputs(",,,,,,,,,,", out);
	else
		fprintf(out, ",%u,%d,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g",
		    sp->sp_threads, sp->sp_oversubscribed, sp->sp_count,
		    sources_ns(sp->sp_reads_per_s), sp->sp_reads_per_s,
		    sp->sp_ci95[0], sp->sp_ci95[1],
		    sources_gbit_per_s(sc, sp->sp_reads_per_s),
		    sp->sp_failures_percent, sp->sp_cpu_percent);
	putc(',', out);
	format_quoted(out, sr->sr_srbds);
	fprintf(out, ",%d,%d\n", sr->sr_survey.sy_host.invariants,
	    survey_complete(&sr->sr_survey));
}

void
sources_csv(FILE *out, const struct survey *sy)
{
	const struct sources *sr = (const struct sources *)sy;
	const struct sources_curve *sc;

	fputs("source,bits,status,threads,oversubscribed,repeats,"
	    "ns_per_number,reads_per_s,reads_per_s_ci95_low,"
	    "reads_per_s_ci95_high,gbit_per_s,failures_percent,cpu_percent,"
	    "srbds,invariants,complete\n", out);
	for (unsigned i = 0; i < sy->sy_points; i++) {
		sc = sources_curve(sr, i);
		if (sr->sr_points[i].sp_count > 0)
			print_row(out, sr, sc, &sr->sr_points[i]);
		if (sc->sc_status != SOURCES_TIMED &&
		    (i + 1) % sr->sr_thread_counts == 0)
			print_row(out, sr, sc, NULL);
	}
}

static json_t *
point_json(const struct sources_curve *sc, const struct sources_point *sp)
{
	json_t *samples = json_array();

	for (unsigned i = 0; i < sp->sp_count; i++) {
		const struct sources_sample *sm = &sp->sp_samples[i];

		json_array_append_new(samples, json_pack("{s:f, "
		    "s:f, s:I, s:I}", "window_s", sm->ss_window_s, "cpu_s",
		    sm->ss_cpu_s, "reads", (json_int_t)sm->ss_reads, "failures",
		    (json_int_t)sm->ss_failures));
	}
	return (json_pack("{s:i, s:b, s:b, s:i, s:f, s:f, s:[f, f], s:f, s:f, "
	    "s:f, s:o}", "threads", (int)sp->sp_threads,
	    "oversubscribed", sp->sp_oversubscribed,
	    "bound", !sp->sp_unbound, "repeats", (int)sp->sp_count,
	    "ns_per_number", sources_ns(sp->sp_reads_per_s),
	    "reads_per_s", sp->sp_reads_per_s,
	    "reads_per_s_ci95", sp->sp_ci95[0], sp->sp_ci95[1],
	    "gbit_per_s", sources_gbit_per_s(sc, sp->sp_reads_per_s),
	    "failures_percent", sp->sp_failures_percent,
	    "cpu_percent", sp->sp_cpu_percent, "samples", samples));
}

static json_t *
curve_json(const void *of, unsigned number)
{
	const struct sources *sr = of;
	const struct sources_curve *sc = &sr->sr_curves[number];
	const unsigned bits = number_bits[sc->sc_width];
	json_t *first = json_array(), *points = json_array();

	for (unsigned i = 0;
	    i < NUMBER_FIRST && sc->sc_status != SOURCES_ABSENT; i++)
		json_array_append_new(first,
		    json_sprintf("%0*" PRIx64, (int)bits / 4, sc->sc_first[i]));
	for (unsigned i = 0; i < sr->sr_thread_counts; i++)
		if (sc->sc_points[i].sp_count > 0)
			json_array_append_new(points,
			    point_json(sc, &sc->sc_points[i]));
	return (json_pack("{s:s, s:s, s:b, s:i, s:s, s:b, s:o, s:o, s:{s:o, "
	    "s:b}}", "source", sc->sc_source->ns_name,
	    "descr", sc->sc_source->ns_descr,
	    "hardware", sc->sc_source->ns_hardware, "bits", (int)bits,
	    "status", sources_status_names[sc->sc_status],
	    "check_values", sc->sc_source->ns_known != NULL,
	    "first", first, "points", points,
	    "saturation", "threads", sc->sc_enough == 0 ? json_null() :
	    json_integer(sc->sc_enough),
	    "reached", sc->sc_enough < sc->sc_most && sc->sc_enough > 0));
}

json_t *
sources_json(const struct survey *sy)
{
	const struct sources *sr = (const struct sources *)sy;
	const struct result_host *host = &sy->sy_host;

	return (json_pack("{s:s, s:b, s:s, s:f, s:i, s:{s:s, s:i, s:i, s:f, "
	    "s:s, s:s, s:s, s:s, s:b}, s:{s:s, s:s}, s:o}",
	    "schema", SOURCES_SCHEMA, "complete", survey_complete(sy),
	    "started", sy->sy_started, "time_s", sy->sy_time_s,
	    "repeats", (int)sy->sy_repeats, "host",
	    "cpu_model", host->cpu_model, "cpus", (int)host->cpus,
	    "cpus_machine", (int)host->cpus_machine,
	    "cpu_quota", host->cpu_quota, "kernel", host->kernel,
	    "compiler", host->compiler, "flags", host->flags,
	    "revision", host->revision, "invariants", host->invariants,
	    "mitigation", "name", "srbds", "text", sr->sr_srbds,
	    "sources", json_list(sr->sr_count, curve_json, sr)));
}
