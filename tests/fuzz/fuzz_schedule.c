/*
 * Schedule files of explore --replay.  What is taken is printed so that the
 * same is taken again; a short one is run, twice to the same end.
 */
#include "bench/explore/case.h"
#include "lib/kassert.h"
#include "tests/fuzz/fuzz.h"

/* As tests/sanitizers/lsan.supp. */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{

	return ("leak:bench/explore/trial.c\n");
}

enum {
	/* Runs that one has time for, thousands in a second. */
	BYTES_MAX	= 4096,
	EVENTS_MAX	= 16,
	CHOICES_MAX	= 4096,
	/* What runs that fail leave is there for ever: memory for so many. */
	FAILURES_MAX	= 20000
};

static char *
print(const struct explore_case *ca, size_t *length)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, length);

	FUZZ_CHECK(f != NULL);
	case_print(f, ca);
	FUZZ_CHECK(fclose(f) == 0);
	return (text);
}

static bool
lists_equal(const struct schedule_list *a, const struct schedule_list *b)
{
	unsigned i;

	if (a->sl_count != b->sl_count)
		return (false);
	for (i = 0; i < a->sl_count; i++)
		if (a->sl_piece[i].sp_thread != b->sl_piece[i].sp_thread ||
		    a->sl_piece[i].sp_count != b->sl_piece[i].sp_count)
			return (false);
	return (true);
}

static bool
texts_equal(char *const *a, char *const *b, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return (false);
	return (true);
}

/* Tunables are set in their order. */
static bool
subjects_equal(const struct explore_case *a, const struct explore_case *b)
{
	const struct trial_subject *s = &a->ca_subject, *t = &b->ca_subject;

	return (s->tb_design == t->tb_design && s->tb_lock == t->tb_lock &&
	    s->tb_cipher == t->tb_cipher &&
	    (s->tb_faults == NULL) == (t->tb_faults == NULL) &&
	    a->ca_tunables == b->ca_tunables &&
	    texts_equal(a->ca_tunable, b->ca_tunable, a->ca_tunables) &&
	    a->ca_faults.fl_count == b->ca_faults.fl_count);
}

static bool
cases_equal(const struct explore_case *a, const struct explore_case *b)
{

	return (subjects_equal(a, b) &&
	    a->ca_seed == b->ca_seed && a->ca_number == b->ca_number &&
	    strcmp(a->ca_strategy, b->ca_strategy) == 0 &&
	    a->ca_draws == b->ca_draws &&
	    scenario_equals(&a->ca_scenario, &b->ca_scenario) &&
	    lists_equal(&a->ca_schedule.sd_choices,
	    &b->ca_schedule.sd_choices) &&
	    lists_equal(&a->ca_schedule.sd_answers,
	    &b->ca_schedule.sd_answers) &&
	    strcmp(a->ca_word, b->ca_word) == 0 && a->ca_hash == b->ca_hash);
}

/* What is read again is the same, and what is printed of it. */
static void
check_again(const struct explore_case *ca)
{
	char message[LINES_ERROR_SIZE], *first, *second;
	struct explore_case again;
	size_t length, length2;

	first = print(ca, &length);
	FUZZ_CHECK(case_load(&again, fuzz_file(1, (uint8_t *)first, length),
	    message) == 0);
	FUZZ_CHECK(cases_equal(ca, &again));
	second = print(&again, &length2);
	FUZZ_CHECK(strcmp(first, second) == 0);
	case_free(&again);
	free(second);
	free(first);
}

static bool
is_short(const struct explore_case *ca)
{
	const struct failpoint_spec *fs;
	unsigned bytes = 0, i, k;

	for (i = 0; i < ca->ca_scenario.sn_readers; i++)
		for (k = 0; k < ca->ca_scenario.sn_reads[i]; k++)
			bytes += ca->ca_scenario.sn_read[i][k].ss_amount;
	for (i = 0; i < FAULT_POINTS; i++) {
		fs = &ca->ca_faults.fl_spec[i];
		/* As a debugger would have it, the program ends. */
		for (k = 0; k < fs->fs_terms; k++)
			if (fs->fs_term[k].ft_action == FAILPOINT_BREAK)
				return (false);
	}
	return (bytes <= BYTES_MAX &&
	    scenario_events(&ca->ca_scenario) <= EVENTS_MAX &&
	    schedule_steps(&ca->ca_schedule.sd_choices) <= CHOICES_MAX);
}

static void
run(const struct explore_case *ca)
{
	static unsigned failures;
	static struct trial *tr;
	struct case_result a, b;
	int error;

	if (failures >= FAILURES_MAX)
		return;
	if (tr == NULL)
		FUZZ_CHECK(trial_new(&tr) == 0);
	trial_catch_assertions(true);
	error = case_run(tr, ca, NULL, NULL, &a);
	FUZZ_CHECK(case_run(tr, ca, NULL, NULL, &b) == error);
	trial_catch_assertions(false);
	if (error != 0)
		return;
	failures += a.cr_outcome.to_word != NULL;
	FUZZ_CHECK(a.cr_outcome.to_word == b.cr_outcome.to_word);
	FUZZ_CHECK(a.cr_outcome.to_hash == b.cr_outcome.to_hash);
	FUZZ_CHECK(a.cr_exact == b.cr_exact && a.cr_same == b.cr_same);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[LINES_ERROR_SIZE] = "";
	struct explore_case ca;

	fuzz_begin();
	if (case_load(&ca, fuzz_file(0, data, size), message) != 0) {
		FUZZ_CHECK(message[0] != '\0');
	} else {
		check_again(&ca);
		if (is_short(&ca))
			run(&ca);
	}
	case_free(&ca);
	return (0);
}
