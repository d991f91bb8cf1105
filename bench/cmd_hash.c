/*
 * rngsim hash: what digests cost, of messages and as conditioners.
 */
#include <stdlib.h>

#include "bench/cli/stop.h"
#include "bench/cmd.h"
#include "bench/survey/hash_survey.h"

/* The sizes in the table unless -s is given. */
static const unsigned sizes_shown[] = { 16, 8192 };

static int
check(struct options *op)
{
	if (op->op_sizes.ol_count > HASH_SURVEY_SIZES_MAX)
		return (usage_error("-s: more than %d members",
		    HASH_SURVEY_SIZES_MAX));
	return (0);
}

static bool
is_skipped(const struct survey_subject *su, const char *why)
{
	return (su->su_error != 0 &&
	    strcmp(hash_survey_hash(su)->ha_why, why) == 0);
}

/* One line for each reason, in their order. */
static void
print_skipped(const struct survey *sv)
{
	const struct survey_subject *su = sv->sv_subjects;
	struct text names;
	const char *why;
	unsigned k;

	for (unsigned i = 0; i < sv->sv_count; i++) {
		if (su[i].su_error == 0)
			continue;
		why = hash_survey_hash(&su[i])->ha_why;
		for (k = 0; !is_skipped(&su[k], why); k++)
			continue;
		if (k < i)
			continue;
		names.s[0] = '\0';
		for (; k < sv->sv_count; k++)
			if (is_skipped(&su[k], why))
				text_list(&names, "%s", su[k].su_name);
		(void)run_error("skipped, as %s: %s", why, names.s);
	}
}

static void
choose_sizes(const struct options *op, struct hash_survey *hv)
{
	hv->hv_sizes = op->op_sizes.ol_count;
	for (unsigned i = 0; i < hv->hv_sizes; i++) {
		hv->hv_size[i] = (unsigned)op->op_sizes.ol_value[i];
		hv->hv_show[i] = GIVEN(op, MESSAGE_SIZE);
		for (unsigned k = 0;
		    k < sizeof(sizes_shown) / sizeof(*sizes_shown); k++)
			hv->hv_show[i] |= hv->hv_size[i] == sizes_shown[k];
	}
}

static int
run(struct options *op)
{
	const struct option_list *chosen = &op->op_digests;
	struct hash_survey hv = { .hv_crypto = op->op_crypto, .hv_survey = {
	    .sv_kind = &hash_kind, .sv_repeats = op->op_repeats,
	    .sv_time_s = op->op_time_s } };
	unsigned left = 0;
	bool wrong = false;
	int status;

	status = command_crypto_mode(op->op_crypto);
	if (status != 0)
		return (status);
	stop_catch_signals();
	choose_sizes(op, &hv);
	hash_survey_make(&hv, chosen->ol_count > 0 ? chosen->ol_value : NULL,
	    chosen->ol_count);
	print_skipped(&hv.hv_survey);
	for (unsigned i = 0; i < hv.hv_survey.sv_count; i++) {
		const int error = hv.hv_survey.sv_subjects[i].su_error;

		left += error == 0;
		wrong |= error == EILSEQ;
	}
	status = left > 0 ? survey_command(&hv.hv_survey, op) :
	    run_error("no digest is left to be timed");
	hash_survey_free(&hv);
	return (wrong ? EXIT_FAILURE : status);
}

const struct command cmd_hash = { check, run, NEEDS_THREAD };
