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
guessed(const struct reproducing *ri)
{
	return (profile_share(&ri->ri_profile, PROVENANCE_GUESSED));
}

void
reproduce_print(FILE *out, const struct reproducing *ri)
{
	const struct reproduction *rn = ri->ri_what;
	const enum profile_key key = rn->rn_fits[0].ff_key;
	const char *unit = profile_unit_name(profile_fields[key].pf_unit);
	const struct reproduce_row *rr = rn->rn_rows;

	fprintf(out, "%s: %s\n", rn->rn_name, rn->rn_descr);
	format_wrapf(out, "predicted", 2, "for %s, %s %% of its values "
	    "guessed; medians of %d runs, seeds from %" PRIu64,
	    ri->ri_profile.pr_name, FORMAT(percent, 100 * guessed(ri)),
	    REPRODUCE_SEEDS, ri->ri_seed);
	format_wrapf(out, "fitted   ", 2, "%s = %.4g%s%s; the profile has "
	    "%.4g", profile_fields[key].pf_key, ri->ri_profile.pr_value[key],
	    *unit != '\0' ? " " : "", unit, ri->ri_given);
	putc('\n', out);
	COLUMNS_TITLES(out, columns);
	for (unsigned i = 0; i < rn->rn_row_count; i++, rr++)
		COLUMNS_ROW(out, columns, rr->rr_name,
		    rr->rr_published_high > 0 ? FORMATF("%.4g-%.4g",
		    rr->rr_published, rr->rr_published_high) :
		    FORMATF("%.4g", rr->rr_published),
		    FORMATF("%.4g-%.4g", rr->rr_low, rr->rr_high),
		    FORMAT(real, reproduce_value(ri, &rr->rr_figure)),
		    rr->rr_unit, FORMATF(" %s",
		    !reproduce_within(ri, i) ? "NO" : rr->rr_role ==
		    REPRODUCE_PREDICTED ? "yes" : roles[rr->rr_role]));
	if (rn->rn_word_count > 0)
		fputs("\nin words\n", out);
	for (unsigned i = 0; i < rn->rn_word_count; i++, rr++)
		format_wrapf(out, " ", 4, "%s: \"%s\": %s %s", rr->rr_name,
		    rr->rr_said, FORMAT(real, reproduce_value(ri,
		    &rr->rr_figure)), rr->rr_unit);
	putc('\n', out);
	for (unsigned i = 0; rn->rn_remarks[i] != NULL; i++)
		format_wrap(out, "*", 2, rn->rn_remarks[i]);
}

static json_t *
json_row(const void *of, unsigned i)
{
	const struct reproducing *ri = of;
	const struct reproduce_row *rr = &ri->ri_what->rn_rows[i];

	/* Arguments that the format does not name are not read. */
	return (json_pack(rr->rr_published_high > 0 ?
	    "{" ROW_FORMAT ", s:f, s:f}" : "{" ROW_FORMAT "}",
	    "name", rr->rr_name, "published", rr->rr_published,
	    "predicted", reproduce_value(ri, &rr->rr_figure),
	    "unit", rr->rr_unit, "within", reproduce_within(ri, i),
	    "role", roles[rr->rr_role], "accepted", rr->rr_low, rr->rr_high,
	    "published_low", rr->rr_published,
	    "published_high", rr->rr_published_high));
}

static json_t *
json_words(const void *of, unsigned i)
{
	const struct reproducing *ri = of;
	const struct reproduction *rn = ri->ri_what;
	const struct reproduce_row *rr = &rn->rn_rows[rn->rn_row_count + i];

	return (json_pack("{s:s, s:s, s:f, s:s}", "name", rr->rr_name,
	    "published", rr->rr_said, "predicted",
	    reproduce_value(ri, &rr->rr_figure), "unit", rr->rr_unit));
}

static json_t *
json_remark(const void *of, unsigned i)
{
	return (json_string(((const char *const *)of)[i]));
}

void
reproduce_print_json(FILE *out, const struct reproducing *ri)
{
	const struct reproduction *rn = ri->ri_what;
	const enum profile_key key = rn->rn_fits[0].ff_key;
	unsigned remarks = 0;

	while (rn->rn_remarks[remarks] != NULL)
		remarks++;
	json_print(out, json_pack("{s:s, s:s, s:s, s:f, s:{s:s, "
	    "s:f, s:s, s:f}, s:I, s:b, s:o, s:o, s:o}", "reproduction",
	    rn->rn_name, "claim", "predicted", "profile",
	    ri->ri_profile.pr_name, "guessed_share", guessed(ri), "fitted",
	    "key", profile_fields[key].pf_key, "value",
	    ri->ri_profile.pr_value[key], "unit",
	    profile_unit_name(profile_fields[key].pf_unit), "profile_value",
	    ri->ri_given, "seed", (json_int_t)ri->ri_seed, "holds",
	    reproduce_missed(ri) == 0,
	    "rows", json_list(rn->rn_row_count, json_row, ri),
	    "words", json_list(rn->rn_word_count, json_words, ri),
	    "remarks", json_list(remarks, json_remark, rn->rn_remarks)),
	    JSON_DIGITS);
}
