/*
 * Schedule files of explore --replay.  An accepted file is printed and read
 * again, with the same content; a short one is run twice, with the same
 * outcome.
 */
#include "bench/explore/counterexample.h"
#include "lib/base/base.h"
#include "tests/fuzz/fuzz.h"

/* As tests/sanitizers/lsan.supp. */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return ("leak:bench/explore/execution.c\n");
}

enum {
	/* Short runs, thousands in a second. */
	BYTES_MAX	= 4096,
	EVENTS_MAX	= 16,
	CHOICES_MAX	= 4096,
	/* A run that fails does not free its memory. */
	FAILURES_MAX	= 20000
};

static bool
lists_equal(const struct schedule_list *a, const struct schedule_list *b)
{
	return (a->sq_count == b->sq_count && (a->sq_count == 0 ||
	    memcmp(a->sq_number, b->sq_number, a->sq_count) == 0));
}

/* Whether nothing is missing; the texts are compared too. */
static bool
cases_equal(const struct counterexample *a, const struct counterexample *b)
{
	const struct subject *s = &a->cx_subject, *t = &b->cx_subject;

	return (s->tb_design == t->tb_design && s->tb_lock == t->tb_lock &&
	    s->tb_cipher == t->tb_cipher &&
	    (s->tb_faults == NULL) == (t->tb_faults == NULL) &&
	    a->cx_settings == b->cx_settings &&
	    a->cx_faults.fl_count == b->cx_faults.fl_count &&
	    a->cx_seed == b->cx_seed && a->cx_number == b->cx_number &&
	    strcmp(a->cx_strategy, b->cx_strategy) == 0 &&
	    a->cx_draws == b->cx_draws &&
	    memcmp(&a->cx_scenario, &b->cx_scenario,
	    sizeof(a->cx_scenario)) == 0 &&
	    lists_equal(&a->cx_schedule.sd_choices,
	    &b->cx_schedule.sd_choices) &&
	    lists_equal(&a->cx_schedule.sd_answers,
	    &b->cx_schedule.sd_answers) &&
	    strcmp(a->cx_word, b->cx_word) == 0 && a->cx_hash == b->cx_hash);
}

/* Its text reads as the same, and that prints the same text. */
static void
check_again(const struct counterexample *cx)
{
	char message[LINES_ERROR_SIZE], *first, *second;
	struct counterexample again;

	first = counterexample_text(cx);
	FUZZ_CHECK(counterexample_load(&again, fuzz_file(1, (uint8_t *)first,
	    strlen(first)), message) == 0);
	FUZZ_CHECK(cases_equal(cx, &again));
	second = counterexample_text(&again);
	FUZZ_CHECK(strcmp(first, second) == 0);
	counterexample_free(&again);
	free(second);
	free(first);
}

static bool
is_short(const struct counterexample *cx)
{
	const struct failpoint_spec *fs;
	unsigned bytes = 0, events = 0;

	for (unsigned i = 0; i < cx->cx_scenario.sn_readers; i++)
		for (unsigned k = 0; k < cx->cx_scenario.sn_reads[i]; k++)
			bytes += cx->cx_scenario.sn_read[i][k].stp_amount;
	for (unsigned i = 0; i < cx->cx_scenario.sn_bursts; i++)
		events += cx->cx_scenario.sn_burst[i].stp_amount;
	for (unsigned i = 0; i < FAILPOINTS; i++) {
		fs = &cx->cx_faults.fl_spec[i];
		/* It ends the program, as a debugger expects. */
		for (unsigned k = 0; k < fs->fps_terms; k++)
			if (fs->fps_term[k].fpt_action == FAILPOINT_BREAK)
				return (false);
	}
	return (bytes <= BYTES_MAX && events <= EVENTS_MAX &&
	    cx->cx_schedule.sd_choices.sq_count <= CHOICES_MAX);
}

static void
run(const struct counterexample *cx)
{
	static unsigned failures;
	static struct execution *ex;
	struct replay a, b;
	int error;

	if (failures >= FAILURES_MAX)
		return;
	if (ex == NULL)
		ex = execution_new();
	/* A sanitizer's frames have gaps, where earlier calls left bytes. */
	ledger_allowed |= 1u << LEDGER_RESIDUE;
	execution_catch_assertions(true);
	error = counterexample_run(ex, cx, false, &a);
	FUZZ_CHECK(counterexample_run(ex, cx, false, &b) == error);
	execution_catch_assertions(false);
	if (error != 0)
		return;
	failures += a.ry_outcome.to_word != NULL;
	FUZZ_CHECK(a.ry_outcome.to_word == b.ry_outcome.to_word);
	FUZZ_CHECK(a.ry_outcome.to_hash == b.ry_outcome.to_hash);
	FUZZ_CHECK(a.ry_exact == b.ry_exact && a.ry_same == b.ry_same);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[LINES_ERROR_SIZE] = "";
	struct counterexample cx;

	fuzz_begin();
	if (counterexample_load(&cx, fuzz_file(0, data, size), message) != 0) {
		FUZZ_CHECK(message[0] != '\0');
	} else {
		check_again(&cx);
		if (is_short(&cx))
			run(&cx);
	}
	counterexample_free(&cx);
	return (0);
}
