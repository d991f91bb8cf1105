#include <math.h>

#include "bench/survey/hash_survey.h"

enum {
	NAME_WIDTH	= 20,
	CELL_WIDTH	= 8,
	SPREAD_WIDTH	= 6,
	BLOCK_FIRST	= 2,	/* sizes beside event and finish */
	BLOCK_OTHER	= 3
};

CTASSERT(NAME_WIDTH + 5 + (2 + 2 * BLOCK_FIRST) * CELL_WIDTH + SPREAD_WIDTH <=
    (int)FORMAT_COLUMNS);
CTASSERT((int)FORMAT_WIDTH < (int)CELL_WIDTH);

/* The figures of one part of the table. */
struct block {
	unsigned	bl_figure[HASH_MESSAGE + BLOCK_OTHER];
	unsigned	bl_figures;
};

static const char *const figure_names[HASH_MESSAGE + 1] = {
	[HASH_EVENT]	= "event",
	[HASH_FINISH]	= "finish",
	[HASH_MESSAGE]	= "message"
};

/* MB/s of a message. */
static double
mb_per_s(const struct hash_survey *hv, unsigned figure, double ns)
{
	return (ns > 0 ? hv->hv_size[figure - HASH_MESSAGE] * 1e3 / ns : 0);
}

/* Half of the range of the middle half of the repeats, in percent. */
static double
spread(const struct hash_cost *hc)
{
	return (hc->hc_ns > 0 ? 50 * (hc->hc_p75_ns - hc->hc_p25_ns) /
	    hc->hc_ns : 0);
}

static void
print_head(FILE *out, const struct hash_survey *hv, const struct block *bl)
{
	char bytes[32];
	unsigned f;

	fprintf(out, "\n%-*s %4s", NAME_WIDTH, "", "");
	for (unsigned i = 0; i < bl->bl_figures; i++) {
		f = bl->bl_figure[i];
		if (f >= HASH_MESSAGE)
			snprintf(bytes, sizeof(bytes), "%u bytes",
			    hv->hv_size[f - HASH_MESSAGE]);
		fprintf(out, "%*s", f < HASH_MESSAGE ? CELL_WIDTH :
		    2 * CELL_WIDTH, f < HASH_MESSAGE ? figure_names[f] : bytes);
	}
	fprintf(out, "\n%-*s %4s", NAME_WIDTH, "digest", "out");
	for (unsigned i = 0; i < bl->bl_figures; i++)
		fprintf(out, bl->bl_figure[i] < HASH_MESSAGE ? "%*s" :
		    "%*s%*s", CELL_WIDTH, "ns", CELL_WIDTH, "MB/s");
	fprintf(out, "%*s\n", SPREAD_WIDTH, "+- %");
}

static void
print_block(FILE *out, const struct hash_survey *hv, const struct block *bl)
{
	char buf[FORMAT_SIZE];
	unsigned f;
	double widest;

	print_head(out, hv, bl);
	for (unsigned row = 0; row < hv->hv_rows; row++) {
		const struct hash_row *hr = &hv->hv_row[row];

		widest = 0;
		fprintf(out, "%-*s %4u", NAME_WIDTH, hr->hr_hash->ha_name,
		    hr->hr_hash->ha_bytes);
		for (unsigned i = 0; i < bl->bl_figures; i++) {
			f = bl->bl_figure[i];
			fprintf(out, "%*s", CELL_WIDTH, format_real(buf,
			    hr->hr_cost[f].hc_ns));
			if (f >= HASH_MESSAGE)
				fprintf(out, "%*s", CELL_WIDTH,
				    format_real(buf, mb_per_s(hv, f,
				    hr->hr_cost[f].hc_ns)));
			widest = fmax(widest, spread(&hr->hr_cost[f]));
		}
		fprintf(out, "%*s\n", SPREAD_WIDTH, hv->hv_survey.sy_done ==
		    1 ? "?" : format_percent(buf, widest));
	}
}

static void
print_heading(FILE *out, const struct hash_survey *hv)
{
	const struct survey *sy = &hv->hv_survey;
	struct text more = { .s = "" }, t = { .s = "" };

	for (unsigned i = 0; i < hash_library_count; i++)
		text_add(&more, "%s %s", i == 0 ? ";" : ",",
		    hash_libraries[i]->hl_version());
	survey_print_host(out, sy, more.s);
	survey_add_repeats(&t, sy);
	format_wrapf(out, "medians", 2, "%s, crypto %s, INVARIANTS %s; +- is "
	    "half of the range of the middle half of the repeats, the widest "
	    "of the line", t.s, crypto_mode_names[hv->hv_crypto],
	    sy->sy_host.invariants ? "on" : "off");
}

void
hash_table(FILE *out, const struct survey *sy)
{
	const struct hash_survey *hv = (const struct hash_survey *)sy;
	struct block bl = { { HASH_EVENT, HASH_FINISH }, HASH_MESSAGE };
	unsigned most = HASH_MESSAGE + BLOCK_FIRST;

	if (sy->sy_done == 0)
		return;
	print_heading(out, hv);
	for (unsigned i = 0; i < hv->hv_sizes; i++) {
		if (!hv->hv_show[i])
			continue;
		if (bl.bl_figures == most) {
			print_block(out, hv, &bl);
			bl.bl_figures = 0;
			most = BLOCK_OTHER;
		}
		bl.bl_figure[bl.bl_figures++] = HASH_MESSAGE + i;
	}
	print_block(out, hv, &bl);
	if (sy->sy_done == 1)
		format_wrap(out, "?", 2, "too few repeats: the spread between "
		    "them is not known.");
}

void
hash_csv(FILE *out, const struct survey *sy)
{
	const struct hash_survey *hv = (const struct hash_survey *)sy;
	unsigned f;

	fputs("digest,library,output_bytes,what,message_bytes,ns,ns_p25,"
	    "ns_p75,mb_per_s,repeats,invariants,complete\n", out);
	for (unsigned i = 0; sy->sy_done > 0 && i < sy->sy_points; i++) {
		const struct hash_row *hr = &hv->hv_row[i / hv->hv_figures];
		const struct hash_cost *hc;
		const bool message = (f = i % hv->hv_figures) >= HASH_MESSAGE;

		hc = &hr->hr_cost[f];
		fprintf(out, "%s,%s,%u,%s,%s,%.6g,%.6g,%.6g,%s,%u,%d,%d\n",
		    hr->hr_hash->ha_name, hr->hr_hash->ha_library->hl_name,
		    hr->hr_hash->ha_bytes,
		    figure_names[message ? HASH_MESSAGE : f], !message ? "" :
		    FORMATF("%u", hv->hv_size[f - HASH_MESSAGE]), hc->hc_ns,
		    hc->hc_p25_ns, hc->hc_p75_ns, !message ? "" :
		    FORMATF("%.6g", mb_per_s(hv, f, hc->hc_ns)), sy->sy_done,
		    sy->sy_host.invariants, survey_complete(sy));
	}
}

static json_t *
cost_json(const struct hash_cost *hc)
{
	return (json_pack("{s:f, s:f, s:f}", "ns", hc->hc_ns, "ns_p25",
	    hc->hc_p25_ns, "ns_p75", hc->hc_p75_ns));
}

static json_t *
row_json(const struct hash_survey *hv, const struct hash_row *hr)
{
	json_t *message, *messages = json_array();

	for (unsigned k = HASH_MESSAGE; k < hv->hv_figures; k++) {
		const struct hash_cost *hc = &hr->hr_cost[k];

		message = json_pack("{s:i}", "bytes",
		    (int)hv->hv_size[k - HASH_MESSAGE]);
		if (json_object_update_new(message, cost_json(hc)) != 0 ||
		    json_object_set_new(message, "mb_per_s", json_real(
		    mb_per_s(hv, k, hc->hc_ns))) != 0) {
			json_decref(message);
			message = NULL;
		}
		json_array_append_new(messages, message);
	}
	return (json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}",
	    "name", hr->hr_hash->ha_name,
	    "algorithm", hr->hr_hash->ha_algorithm,
	    "library", hr->hr_hash->ha_library->hl_name,
	    "output_bytes", (int)hr->hr_hash->ha_bytes,
	    "event", cost_json(&hr->hr_cost[HASH_EVENT]),
	    "finish", cost_json(&hr->hr_cost[HASH_FINISH]),
	    "messages", messages));
}

json_t *
hash_json(const struct survey *sy)
{
	const struct hash_survey *hv = (const struct hash_survey *)sy;
	json_t *libraries = json_object(), *rows = json_array();
	json_t *skipped = json_array();

	/* Without a complete repeat there are no figures. */
	for (unsigned i = 0; sy->sy_done > 0 && i < hv->hv_rows; i++)
		json_array_append_new(rows, row_json(hv, &hv->hv_row[i]));
	for (unsigned i = 0; i < hv->hv_skips; i++)
		json_array_append_new(skipped, json_pack("{s:s, s:s}", "name",
		    hv->hv_skip[i]->ha_name, "why", hv->hv_skip[i]->ha_why));
	for (unsigned i = 0; i < hash_library_count; i++)
		json_object_set_new(libraries, hash_libraries[i]->hl_name,
		    json_string(hash_libraries[i]->hl_version()));
	return (json_pack("{s:s, s:b, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, "
	    "s:f, s:o, s:o, s:o}", "schema", HASH_SURVEY_SCHEMA,
	    "complete", survey_complete(sy), "started", sy->sy_started,
	    "crypto", crypto_mode_names[hv->hv_crypto],
	    "cpu_model", sy->sy_host.cpu_model, "kernel", sy->sy_host.kernel,
	    "revision", sy->sy_host.revision,
	    "invariants", sy->sy_host.invariants,
	    "repeats", (int)sy->sy_repeats, "repeats_done", (int)sy->sy_done,
	    "time_s", sy->sy_time_s, "libraries", libraries,
	    "digests", rows, "skipped", skipped));
}
