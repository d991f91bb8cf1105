/*
 * rngsim hash: what digests cost, of messages and as conditioners.
 */
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/cmd.h"
#include "bench/survey/hash_survey.h"
#include "lib/base/parse_number.h"

enum { SORT_UNKNOWN = -2 };	/* beside HASH_BY_NAME and figures */

/* The sizes in the table unless -s is given. */
static const unsigned sizes_shown[] = { 16, 8192 };

/* What to sort by; SORT_UNKNOWN: no such size. */
static int
find_sort(const struct options *op)
{
	uint64_t v;

	if (strcmp(op->op_sort, "name") == 0)
		return (HASH_BY_NAME);
	if (strcmp(op->op_sort, "event") == 0)
		return (HASH_EVENT);
	if (strcmp(op->op_sort, "finish") == 0)
		return (HASH_FINISH);
	if (parse_size(op->op_sort, &v) == 0)
		for (unsigned i = 0; i < op->op_sizes.ol_count; i++)
			if (op->op_sizes.ol_value[i] == v)
				return ((int)(HASH_MESSAGE + i));
	return (SORT_UNKNOWN);
}

static int
check(struct options *op)
{
	if (op->op_sizes.ol_count > HASH_SURVEY_SIZES_MAX)
		return (usage_error("-s: more than %d members",
		    HASH_SURVEY_SIZES_MAX));
	if (find_sort(op) == SORT_UNKNOWN)
		return (usage_error("--sort: \"%s\": expected name, event, "
		    "finish or a size of -s", op->op_sort));
	return (0);
}

/* One line for each reason, in their order. */
static void
print_skipped(const struct hash_survey *hv)
{
	struct text names;
	const char *why;
	unsigned k;

	for (unsigned i = 0; i < hv->hv_skips; i++) {
		why = hv->hv_skip[i]->ha_why;
		for (k = 0; strcmp(hv->hv_skip[k]->ha_why, why) != 0; k++)
			continue;
		if (k < i)
			continue;
		names.s[0] = '\0';
		for (k = i; k < hv->hv_skips; k++)
			if (strcmp(hv->hv_skip[k]->ha_why, why) == 0)
				text_list(&names, "%s",
				    hv->hv_skip[k]->ha_name);
		(void)run_error("skipped, as %s: %s", why, names.s);
	}
}

/*
 * Loads the chosen digests; prints and leaves out those that cannot be loaded.
 *
 *   wrong  out  set when a digest fails its known answers
 */
static int
load(const struct option_list *chosen, struct hash_survey *hv, bool *wrong)
{
	unsigned count;
	struct hash *ha;

	count = chosen->ol_count > 0 ? chosen->ol_count : hash_count();
	hv->hv_row = xcalloc(count, sizeof(*hv->hv_row));
	hv->hv_skip = xcalloc(count, sizeof(*hv->hv_skip));
	for (unsigned i = 0; i < count; i++) {
		ha = hash_get(chosen->ol_count > 0 ?
		    (unsigned)chosen->ol_value[i] : i);
		if (hash_load(ha) == HASH_READY)
			hv->hv_row[hv->hv_rows++].hr_hash = ha;
		else
			hv->hv_skip[hv->hv_skips++] = ha;
		*wrong |= ha->ha_state == HASH_WRONG;
	}
	print_skipped(hv);
	if (hv->hv_rows == 0)
		return (run_error("no digest is left to be timed"));
	return (EXIT_SUCCESS);
}

/* The table's sizes: all that -s gave, or a few and that of --sort. */
static void
choose_sizes(const struct options *op, struct hash_survey *hv)
{
	hv->hv_sizes = op->op_sizes.ol_count;
	for (unsigned i = 0; i < hv->hv_sizes; i++) {
		hv->hv_size[i] = (unsigned)op->op_sizes.ol_value[i];
		hv->hv_show[i] = GIVEN(op, MESSAGE_SIZE) ||
		    hv->hv_by == (int)(HASH_MESSAGE + i);
		for (unsigned k = 0;
		    k < sizeof(sizes_shown) / sizeof(*sizes_shown); k++)
			hv->hv_show[i] |= hv->hv_size[i] == sizes_shown[k];
	}
}

static int
run(struct options *op)
{
	static struct hash_survey hv;
	bool wrong = false;
	int status;

	hv = (struct hash_survey){
		.hv_survey = { .sy_kind = &hash_kind,
		    .sy_repeats = op->op_repeats, .sy_time_s = op->op_time_s },
		.hv_crypto = op->op_crypto,
		.hv_by = find_sort(op),
	};
	choose_sizes(op, &hv);
	status = command_crypto_mode(op->op_crypto);
	if (status == 0) {
		stop_catch_signals();
		status = load(&op->op_digests, &hv, &wrong);
	}
	if (status == 0)
		status = survey_command(&hv.hv_survey, op);
	free(hv.hv_row);
	free(hv.hv_skip);
	return (wrong ? EXIT_FAILURE : status);
}

const struct command cmd_hash = { check, run, 0 };
