#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "bench/console/figure.h"
#include "bench/reproduce/beside.h"
#include "bench/result/json_text.h"

enum { JSON_DIGITS = 6, RANGE_SIZE = 2 * FIGURE_SIZE };

static const char *
range(char buf[RANGE_SIZE], double low, double high)
{

	snprintf(buf, RANGE_SIZE, "%.4g-%.4g", low, high);
	return (buf);
}

static void
print_head(FILE *out, const struct reproducing *rg)
{
	const struct reproduction *rd = rg->rg_what;
	const struct profile_field *pf = &profile_fields[rd->rd_key];
	const char *unit = profile_unit_name(pf->pf_unit);
	char share[FIGURE_SIZE], text[512];

	fprintf(out, "%s: %s\n", rd->rd_name, rd->rd_descr);
	snprintf(text, sizeof(text), "for %s, %s %% of its values guessed; "
	    "medians of %d runs, seeds from %" PRIu64, rg->rg_profile.pr_name,
	    figure_percent(share, 100 * profile_share(&rg->rg_profile,
	    PROVENANCE_GUESSED)), REPRODUCE_SEEDS, rg->rg_seed);
	figure_wrap(out, "predicted", 2, text);
	snprintf(text, sizeof(text), "%s = %.4g%s%s; the profile has %.4g",
	    pf->pf_key, rg->rg_profile.pr_value[rd->rd_key], *unit != '\0' ?
	    " " : "", unit, rg->rg_given);
	figure_wrap(out, "fitted   ", 2, text);
}

static void
print_row(FILE *out, const struct reproducing *rg, unsigned i)
{
	const struct reproduce_row *rr = &rg->rg_what->rd_rows[i];
	char accepted[RANGE_SIZE], predicted[FIGURE_SIZE];
	char published[RANGE_SIZE];

	if (rr->rr_published_high > 0)
		range(published, rr->rr_published, rr->rr_published_high);
	else
		snprintf(published, sizeof(published), "%.4g",
		    rr->rr_published);
	if (rr->rr_role == REPRODUCE_OPEN)
		snprintf(predicted, sizeof(predicted), "-");
	else
		figure_real(predicted, rg->rg_predicted[i]);
	fprintf(out, "%-34s %7s %11s %7s %-5s  %s\n", rr->rr_name, published,
	    rr->rr_role == REPRODUCE_OPEN ? "-" : range(accepted, rr->rr_low,
	    rr->rr_high), predicted, rr->rr_unit,
	    rr->rr_role == REPRODUCE_OPEN ? "open" :
	    !reproduce_within(rg, i) ? "NO" :
	    rr->rr_role == REPRODUCE_PREDICTED ? "yes" :
	    reproduce_role_name(rr->rr_role));
}

void
beside_print(FILE *out, const struct reproducing *rg)
{
	const struct reproduction *rd = rg->rg_what;
	char text[RANGE_SIZE], line[512];
	unsigned i;

	print_head(out, rg);
	fprintf(out, "\n%-34s %7s %11s %7s %-5s  %s\n", "", "publ.", "accepted",
	    "pred.", "", "within");
	for (i = 0; i < rd->rd_row_count; i++)
		print_row(out, rg, i);
	if (rd->rd_word_count > 0)
		fputs("\nin words\n", out);
	for (i = 0; i < rd->rd_word_count; i++) {
		const struct reproduce_words *rw = &rd->rd_words[i];

		snprintf(line, sizeof(line), "%s: \"%s\": %s %s",
		    rw->rw_name, rw->rw_said, figure_real(text,
		    rg->rg_worded[i]), rw->rw_unit);
		figure_wrap(out, " ", 4, line);
	}
	putc('\n', out);
	for (i = 0; rd->rd_remarks[i] != NULL; i++)
		figure_wrap(out, "*", 2, rd->rd_remarks[i]);
}

void
beside_print_csv(FILE *out, const struct reproducing *rg)
{
	const struct reproduction *rd = rg->rg_what;
	unsigned i;

	fputs("name,unit,role,published,published_low,published_high,"
	    "accepted_low,accepted_high,predicted,within,profile,"
	    "guessed_share\n", out);
	for (i = 0; i < rd->rd_row_count; i++) {
		const struct reproduce_row *rr = &rd->rd_rows[i];

		fprintf(out, "%s,%s,%s,%.6g,", rr->rr_name, rr->rr_unit,
		    reproduce_role_name(rr->rr_role), rr->rr_published);
		if (rr->rr_published_high > 0)
			fprintf(out, "%.6g,%.6g,", rr->rr_published,
			    rr->rr_published_high);
		else
			fputs(",,", out);
		fprintf(out, "%.6g,%.6g,", rr->rr_low, rr->rr_high);
		if (rr->rr_role != REPRODUCE_OPEN)
			fprintf(out, "%.6g", rg->rg_predicted[i]);
		fprintf(out, ",%s,", rr->rr_role == REPRODUCE_OPEN ? "" :
		    reproduce_within(rg, i) ? "true" : "false");
		/* A profile may be called anything. */
		figure_quoted(out, rg->rg_profile.pr_name);
		fprintf(out, ",%.6g\n", profile_share(&rg->rg_profile,
		    PROVENANCE_GUESSED));
	}
}

static json_t *
json_row(const struct reproducing *rg, unsigned i)
{
	const struct reproduce_row *rr = &rg->rg_what->rd_rows[i];
	json_t *row;

	row = json_pack("{s:s, s:f, s:o, s:s, s:o, s:s, s:[f, f]}", "name",
	    rr->rr_name, "published", rr->rr_published, "predicted",
	    rr->rr_role == REPRODUCE_OPEN ? json_null() :
	    json_real(rg->rg_predicted[i]), "unit", rr->rr_unit, "within",
	    rr->rr_role == REPRODUCE_OPEN ? json_null() :
	    json_boolean(reproduce_within(rg, i)), "role",
	    reproduce_role_name(rr->rr_role), "accepted", rr->rr_low,
	    rr->rr_high);
	if (row != NULL && rr->rr_published_high > 0 &&
	    (json_object_set_new(row, "published_low",
	    json_real(rr->rr_published)) != 0 || json_object_set_new(row,
	    "published_high", json_real(rr->rr_published_high)) != 0)) {
		json_decref(row);
		row = NULL;
	}
	return (row);
}

static json_t *
json_words(const struct reproducing *rg, unsigned i)
{
	const struct reproduce_words *rw = &rg->rg_what->rd_words[i];

	return (json_pack("{s:s, s:s, s:f, s:s}", "name", rw->rw_name,
	    "published", rw->rw_said, "predicted", rg->rg_worded[i], "unit",
	    rw->rw_unit));
}

static json_t *
json_array_of(const struct reproducing *rg, unsigned n,
    json_t *(*element)(const struct reproducing *rg, unsigned i))
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < n; i++) {
		/* Refuses the NULL of an element without memory. */
		if (json_array_append_new(array, element(rg, i)) != 0) {
			json_decref(array);
			array = NULL;
		}
	}
	return (array);
}

static json_t *
json_remark(const struct reproducing *rg, unsigned i)
{

	return (json_string(rg->rg_what->rd_remarks[i]));
}

static unsigned
remark_count(const struct reproducing *rg)
{
	unsigned n;

	for (n = 0; rg->rg_what->rd_remarks[n] != NULL; n++)
		;
	return (n);
}

int
beside_print_json(FILE *out, const struct reproducing *rg)
{
	const struct reproduction *rd = rg->rg_what;
	const struct profile_field *pf = &profile_fields[rd->rd_key];
	char *text = NULL;
	json_t *top;

	top = json_pack("{s:s, s:s, s:s, s:f, s:{s:s, s:f, s:s, s:f}, s:I, "
	    "s:b, s:o, s:o, s:o}", "reproduction", rd->rd_name, "claim",
	    "predicted", "profile", rg->rg_profile.pr_name, "guessed_share",
	    profile_share(&rg->rg_profile, PROVENANCE_GUESSED), "fitted",
	    "key", pf->pf_key, "value", rg->rg_profile.pr_value[rd->rd_key],
	    "unit", profile_unit_name(pf->pf_unit), "profile_value",
	    rg->rg_given, "seed", (json_int_t)rg->rg_seed, "holds",
	    reproduce_holds(rg), "rows", json_array_of(rg, rd->rd_row_count,
	    json_row), "words", json_array_of(rg, rd->rd_word_count,
	    json_words), "remarks", json_array_of(rg, remark_count(rg),
	    json_remark));
	if (top != NULL)
		text = json_text(top, JSON_INDENT(1) |
		    JSON_REAL_PRECISION(JSON_DIGITS));
	json_decref(top);
	if (text == NULL)
		return (ENOMEM);
	fprintf(out, "%s\n", text);
	free(text);
	return (0);
}
