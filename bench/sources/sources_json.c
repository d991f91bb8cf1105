#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/sources/published.h"
#include "bench/sources/sources_print.h"

enum { JSON_DIGITS = 12 };

/* The array becomes NULL, which json_pack() refuses, once memory is lacking. */
static void
append(json_t **array, json_t *element)
{

	if (json_array_append_new(*array, element) != 0) {
		json_decref(*array);
		*array = NULL;
	}
}

static json_t *
samples_json(const struct sources_point *sp)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; i < sp->sp_count; i++) {
		const struct sources_sample *sm = &sp->sp_samples[i];

		append(&list, json_pack("{s:i, s:i, s:f, s:f, s:I, s:I}",
		    "order", (int)sm->ss_order,
		    "tries", (int)sm->ss_tries, "window_s", sm->ss_window_s,
		    "cpu_s", sm->ss_cpu_s,
		    "reads", (json_int_t)sm->ss_reads,
		    "failures", (json_int_t)sm->ss_failures));
	}
	return (list);
}

static json_t *
point_json(const struct sources_curve *sc, const struct sources_point *sp)
{

	return (json_pack("{s:i, s:b, s:b, s:i, s:f, s:f, s:[f, f], s:f, s:f, "
	    "s:f, s:o}", "threads", (int)sp->sp_threads,
	    "oversubscribed", sp->sp_oversubscribed,
	    "bound", !sp->sp_unbound, "repeats", (int)sp->sp_count,
	    "ns_per_number", sources_ns(sp->sp_reads_per_s),
	    "reads_per_s", sp->sp_reads_per_s,
	    "reads_per_s_ci95", sp->sp_ci95[0], sp->sp_ci95[1],
	    "gbit_per_s", sources_gbit_per_s(sc, sp->sp_reads_per_s),
	    "failures_percent", sp->sp_failures_percent,
	    "cpu_percent", sp->sp_cpu_percent,
	    "samples", samples_json(sp)));
}

/* A number of threads, null where there is none. */
static json_t *
threads_json(unsigned threads)
{

	return (threads == 0 ? json_null() : json_integer(threads));
}

static json_t *
first_json(const struct sources_curve *sc)
{
	char hex[SOURCES_HEX_SIZE];
	json_t *list = json_array();
	unsigned i;

	if (sc->sc_status == SOURCES_ABSENT)
		return (list);
	for (i = 0; i < NUMBER_FIRST; i++) {
		sources_hex(sc, i, hex);
		append(&list, json_string(hex));
	}
	return (list);
}

static json_t *
curve_json(const struct sources *sr, const struct sources_curve *sc)
{
	const struct saturation *sa = &sc->sc_saturation;
	json_t *points = json_array();
	unsigned i;

	for (i = 0; i < sr->sr_options.so_thread_counts; i++)
		if (sc->sc_points[i].sp_count > 0)
			append(&points, point_json(sc, &sc->sc_points[i]));
	return (json_pack("{s:s, s:s, s:b, s:i, s:s, s:b, s:o, s:o, s:{s:s, "
	    "s:o, s:o, s:o}}", "source", sc->sc_source->ns_name,
	    "descr", sc->sc_source->ns_descr,
	    "hardware", sc->sc_source->ns_hardware,
	    "bits", (int)number_bits[sc->sc_width],
	    "status", sources_status_names[sc->sc_status],
	    "check_values", sc->sc_source->ns_known != NULL,
	    "first", first_json(sc), "points", points,
	    "saturation", "verdict", saturation_names[sa->sa_verdict],
	    "threads", threads_json(sa->sa_threads),
	    "least", threads_json(sa->sa_least),
	    "most", threads_json(sa->sa_most)));
}

static json_t *
machine_json(const struct published_machine *pm)
{
	json_t *times = json_object();
	unsigned i;

	for (i = 0; i < PUBLISHED_SOURCES; i++)
		if (json_object_set_new(times, published_sources[i],
		    json_pack("[f, f]", pm->pm_time[i].pt_one_ns,
		    pm->pm_time[i].pt_all_ns)) != 0) {
			json_decref(times);
			return (NULL);
		}
	return (json_pack("{s:s, s:o, s:[f, f]}", "machine", pm->pm_machine,
	    "ns_per_number", times, "rdseed_failures_percent",
	    pm->pm_failures_percent[0], pm->pm_failures_percent[1]));
}

static json_t *
published_json(void)
{
	json_t *machines = json_array();
	unsigned i;

	for (i = 0; i < published_machine_count; i++)
		append(&machines, machine_json(&published_machines[i]));
	return (json_pack("{s:o, s:{s:s, s:f, s:f, s:s}}", "machines",
	    machines, "peak", "source", "rdrand", "reads_per_s",
	    published_peak_reads_per_s, "gbit_per_s",
	    published_peak_gbit_per_s, "from", published_peak_from));
}

char *
sources_format_json(const struct sources *sr)
{
	const struct result_host *host = &sr->sr_host;
	json_t *curves = json_array(), *root;
	char *text = NULL;
	size_t len;
	unsigned i;
	FILE *out;
	bool whole;

	for (i = 0; i < sr->sr_count; i++)
		append(&curves, curve_json(sr, &sr->sr_curves[i]));
	root = json_pack("{s:s, s:b, s:s, s:f, s:i, s:{s:s, s:i, s:i, s:f, "
	    "s:s, s:s, s:s, s:s, s:b}, s:{s:s, s:s, s:s}, s:o, s:o}",
	    "schema", SOURCES_SCHEMA, "complete", sr->sr_complete,
	    "started", sr->sr_started, "time_s", sr->sr_options.so_time_s,
	    "repeats", (int)sr->sr_options.so_repeats, "host",
	    "cpu_model", host->cpu_model, "cpus", (int)host->cpus,
	    "cpus_machine", (int)host->cpus_machine,
	    "cpu_quota", host->cpu_quota, "kernel", host->kernel,
	    "compiler", host->compiler, "flags", host->flags,
	    "revision", host->revision, "invariants", host->invariants,
	    "mitigation", "name", "srbds", "state",
	    mitigation_state_names[sr->sr_mitigation.mi_state],
	    "text", sr->sr_mitigation.mi_text,
	    "sources", curves, "published", published_json());
	out = root == NULL ? NULL : open_memstream(&text, &len);
	if (out != NULL) {
		whole = json_dumpf(root, out, JSON_INDENT(2) |
		    JSON_REAL_PRECISION(JSON_DIGITS)) == 0 &&
		    putc('\n', out) != EOF;
		if (fclose(out) != 0 || !whole) {
			free(text);
			text = NULL;
		}
	}
	json_decref(root);
	return (text);
}
