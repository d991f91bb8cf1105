/*
 * What hashes cost, for programs.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "bench/hash/hash_bench.h"
#include "bench/result/json_text.h"
#include "bench/result/result.h"

enum { DIGITS = 9, INDENT = 1 };

static json_t *
cost_json(const struct hash_cost *hc)
{

	return (json_pack("{s:f, s:f, s:f}", "ns", hc->hc_ns, "ns_p25",
	    hc->hc_p25_ns, "ns_p75", hc->hc_p75_ns));
}

static json_t *
messages_json(const struct hash_bench *hb, const struct hash_row *hr)
{
	json_t *all = json_array();
	unsigned i;

	for (i = 0; i < hb->hb_sizes; i++) {
		const struct hash_cost *hc =
		    &hr->hr_cost[HASH_BENCH_MESSAGE + i];

		json_array_append_new(all, json_pack(
		    "{s:i, s:f, s:f, s:f, s:f}", "bytes", (int)hb->hb_size[i],
		    "ns", hc->hc_ns, "ns_p25", hc->hc_p25_ns, "ns_p75",
		    hc->hc_p75_ns, "mb_per_s", hash_bench_mb_per_s(
		    hb->hb_size[i], hc->hc_ns)));
	}
	return (all);
}

static json_t *
rows_json(const struct hash_bench *hb)
{
	json_t *rows = json_array();
	unsigned i;

	/* Without a complete repeat there are no figures. */
	for (i = 0; hb->hb_done > 0 && i < hb->hb_rows; i++) {
		const struct hash_row *hr = &hb->hb_row[i];

		json_array_append_new(rows, json_pack(
		    "{s:s, s:s, s:s, s:i, s:o, s:o, s:o}",
		    "name", hr->hr_hash->ha_name,
		    "algorithm", hr->hr_hash->ha_algorithm,
		    "library", hr->hr_hash->ha_library->hl_name,
		    "output_bytes", (int)hr->hr_hash->ha_bytes,
		    "event", cost_json(&hr->hr_cost[HASH_BENCH_EVENT]),
		    "finish", cost_json(&hr->hr_cost[HASH_BENCH_FINISH]),
		    "messages", messages_json(hb, hr)));
	}
	return (rows);
}

static json_t *
skipped_json(const struct hash_bench *hb)
{
	json_t *skipped = json_array();
	unsigned i;

	for (i = 0; i < hb->hb_skips; i++)
		json_array_append_new(skipped, json_pack("{s:s, s:s}", "name",
		    hb->hb_skip[i].hs_name, "why", hb->hb_skip[i].hs_why));
	return (skipped);
}

static json_t *
libraries_json(void)
{
	json_t *libraries = json_object();
	unsigned i;

	for (i = 0; i < hash_library_count; i++)
		json_object_set_new(libraries, hash_libraries[i]->hl_name,
		    json_string(hash_libraries[i]->hl_version()));
	return (libraries);
}

char *
hash_bench_format_json(const struct hash_bench *hb)
{
	struct result_host host;
	char *text, *ended;
	json_t *top;
	size_t n;

	memset(&host, 0, sizeof(host));
	result_host_fill(&host);
	top = json_pack("{s:s, s:b, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, "
	    "s:f, s:o, s:o, s:o}", "schema", HASH_BENCH_SCHEMA,
	    "complete", hb->hb_done == hb->hb_repeats,
	    "started", hb->hb_started,
	    "crypto", crypto_mode_names[hb->hb_crypto],
	    "cpu_model", host.cpu_model, "kernel", host.kernel,
	    "revision", host.revision, "invariants", host.invariants,
	    "repeats", (int)hb->hb_repeats, "repeats_done", (int)hb->hb_done,
	    "time_s", hb->hb_time_s, "libraries", libraries_json(),
	    "digests", rows_json(hb), "skipped", skipped_json(hb));
	text = json_text(top, JSON_INDENT(INDENT) |
	    JSON_REAL_PRECISION(DIGITS));
	json_decref(top);
	if (text == NULL)
		return (NULL);
	n = strlen(text);
	ended = realloc(text, n + 2);
	if (ended == NULL) {
		free(text);
		return (NULL);
	}
	memcpy(ended + n, "\n", 2);
	return (ended);
}
