/*
 * A reproduction as a table and as JSON.
 */
#include <inttypes.h>

#include "bench/cli/format.h"
#include "bench/predict/reproduce.h"
#include "bench/result/json_text.h"

enum { JSON_DIGITS = 6 };

#define	ROW_FORMAT	"s:s, s:f, s:f, s:s, s:b, s:s, s:[f, f]"

static const char *const roles[] = {
	[REPRODUCE_FITTED] = "fitted",
	[REPRODUCE_INPUT] = "input",
	[REPRODUCE_PREDICTED] = "predicted",
};

static const struct column columns[] = {
	{ "", -34 }, { "publ.", 7 }, { "accepted", 11 }, { "pred.", 7 },
	{ "", -5 }, { " within", 0 }
};

static double
guessed(const struct reproducing *rg)
{
	return (profile_share(&rg->rg_profile, PROVENANCE_GUESSED));
}

void
reproduce_print(FILE *out, const struct reproducing *rg)
{
	const struct reproduction *rd = rg->rg_what;
	const enum profile_key key = rd->rd_fits[0].ft_key;
	const char *unit = profile_unit_name(profile_fields[key].pf_unit);
	const struct reproduce_words *rw;
	const struct reproduce_row *rr;

	fprintf(out, "%s: %s\n", rd->rd_name, rd->rd_descr);
	format_wrapf(out, "predicted", 2, "for %s, %s %% of its values "
	    "guessed; medians of %d runs, seeds from %" PRIu64,
	    rg->rg_profile.pr_name, FORMAT(percent, 100 * guessed(rg)),
	    REPRODUCE_SEEDS, rg->rg_seed);
	format_wrapf(out, "fitted   ", 2, "%s = %.4g%s%s; the profile has "
	    "%.4g", profile_fields[key].pf_key, rg->rg_profile.pr_value[key],
	    *unit != '\0' ? " " : "", unit, rg->rg_given);
	putc('\n', out);
	COLUMNS_TITLES(out, columns);
	for (unsigned i = 0; i < rd->rd_row_count; i++) {
		rr = &rd->rd_rows[i];
		COLUMNS_ROW(out, columns, rr->rr_name,
		    rr->rr_published_high > 0 ? FORMATF("%.4g-%.4g",
		    rr->rr_published, rr->rr_published_high) :
		    FORMATF("%.4g", rr->rr_published),
		    FORMATF("%.4g-%.4g", rr->rr_low, rr->rr_high),
		    FORMAT(real, reproduce_value(rg, &rr->rr_figure)),
		    rr->rr_unit, FORMATF(" %s",
		    !reproduce_within(rg, i) ? "NO" : rr->rr_role ==
		    REPRODUCE_PREDICTED ? "yes" : roles[rr->rr_role]));
	}
	if (rd->rd_word_count > 0)
		fputs("\nin words\n", out);
	for (unsigned i = 0; i < rd->rd_word_count; i++) {
		rw = &rd->rd_words[i];
		format_wrapf(out, " ", 4, "%s: \"%s\": %s %s", rw->rw_name,
		    rw->rw_said, FORMAT(real, reproduce_value(rg,
		    &rw->rw_figure)), rw->rw_unit);
	}
	putc('\n', out);
	for (unsigned i = 0; rd->rd_remarks[i] != NULL; i++)
		format_wrap(out, "*", 2, rd->rd_remarks[i]);
}

static json_t *
json_row(const void *of, unsigned i)
{
	const struct reproducing *rg = of;
	const struct reproduce_row *rr = &rg->rg_what->rd_rows[i];

	/* Arguments that the format does not name are not read. */
	return (json_pack(rr->rr_published_high > 0 ?
	    "{" ROW_FORMAT ", s:f, s:f}" : "{" ROW_FORMAT "}",
	    "name", rr->rr_name, "published", rr->rr_published,
	    "predicted", reproduce_value(rg, &rr->rr_figure),
	    "unit", rr->rr_unit, "within", reproduce_within(rg, i),
	    "role", roles[rr->rr_role], "accepted", rr->rr_low, rr->rr_high,
	    "published_low", rr->rr_published,
	    "published_high", rr->rr_published_high));
}

static json_t *
json_words(const void *of, unsigned i)
{
	const struct reproducing *rg = of;
	const struct reproduce_words *rw = &rg->rg_what->rd_words[i];

	return (json_pack("{s:s, s:s, s:f, s:s}", "name", rw->rw_name,
	    "published", rw->rw_said, "predicted",
	    reproduce_value(rg, &rw->rw_figure), "unit", rw->rw_unit));
}

static json_t *
json_remark(const void *of, unsigned i)
{
	return (json_string(((const char *const *)of)[i]));
}

void
reproduce_print_json(FILE *out, const struct reproducing *rg)
{
	const struct reproduction *rd = rg->rg_what;
	const enum profile_key key = rd->rd_fits[0].ft_key;
	unsigned remarks = 0;

	while (rd->rd_remarks[remarks] != NULL)
		remarks++;
	json_print(out, json_pack("{s:s, s:s, s:s, s:f, s:{s:s, "
	    "s:f, s:s, s:f}, s:I, s:b, s:o, s:o, s:o}", "reproduction",
	    rd->rd_name, "claim", "predicted", "profile",
	    rg->rg_profile.pr_name, "guessed_share", guessed(rg), "fitted",
	    "key", profile_fields[key].pf_key, "value",
	    rg->rg_profile.pr_value[key], "unit",
	    profile_unit_name(profile_fields[key].pf_unit), "profile_value",
	    rg->rg_given, "seed", (json_int_t)rg->rg_seed, "holds",
	    reproduce_missed(rg) == 0,
	    "rows", json_list(rd->rd_row_count, json_row, rg),
	    "words", json_list(rd->rd_word_count, json_words, rg),
	    "remarks", json_list(remarks, json_remark, rd->rd_remarks)),
	    JSON_DIGITS);
}
