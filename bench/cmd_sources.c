/*
 * rngsim sources: what random numbers cost, by source.
 */
#include <stdlib.h>

#include "bench/cmd.h"
#include "bench/survey/sources.h"

static const char *
source_name(unsigned i)
{
	return (i < number_source_count ? number_sources[i].ns_name : NULL);
}

static const char *
source_descr(unsigned i)
{
	static char text[160];

	snprintf(text, sizeof(text), "%s%s", number_sources[i].ns_descr,
	    number_source_has(&number_sources[i]) ? "" : " (absent here)");
	return (text);
}

const struct family family_number_sources = { .fa_name = source_name,
    .fa_descr = source_descr, .fa_title = "Sources" };

static int
ascending(const void *a, const void *b)
{
	return ((*(const unsigned *)a > *(const unsigned *)b) -
	    (*(const unsigned *)a < *(const unsigned *)b));
}

/* A number alone stands for all up to it. */
static void
choose_threads(const struct options *op, struct sources *sr)
{
	const struct option_list *ol = &op->op_readers;
	const char *text = op->op_text[OPTION_THREADS];
	const bool list = text != NULL && strpbrk(text, ",-") != NULL;
	unsigned i;

	sr->sr_thread_counts = list ? ol->ol_count : text != NULL ?
	    (unsigned)ol->ol_value[0] : cpu_count();
	if (sr->sr_thread_counts > SOURCES_THREADS_MAX)
		sr->sr_thread_counts = SOURCES_THREADS_MAX;
	for (i = 0; i < sr->sr_thread_counts; i++)
		sr->sr_threads[i] = list ? (unsigned)ol->ol_value[i] : i + 1;
	qsort(sr->sr_threads, i, sizeof(sr->sr_threads[0]), ascending);
}

static void
choose(const struct options *op, struct sources *sr)
{
	const struct option_list *ol = &op->op_sources;

	KASSERT(number_source_count <= SOURCES_MAX, ("too many sources"));
	sr->sr_sources = ol->ol_count > 0 ? ol->ol_count : number_source_count;
	for (unsigned i = 0; i < sr->sr_sources; i++)
		sr->sr_source[i] = &number_sources[ol->ol_count > 0 ?
		    ol->ol_value[i] : i];
	for (unsigned i = 0; i < op->op_bits.ol_count; i++)
		sr->sr_width[op->op_bits.ol_value[i]] = true;
	choose_threads(op, sr);
}

/* Wrong or dead sources are a failure; absent ones are not. */
static int
judge(const struct sources *sr)
{
	unsigned absent = 0;
	int status = EXIT_SUCCESS;

	for (unsigned i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];
		const char *name = sc->sc_source->ns_name;
		const unsigned bits = number_bits[sc->sc_width];

		absent += sc->sc_status == SOURCES_ABSENT;
		if (sc->sc_status == SOURCES_WRONG)
			status = run_error("%s, %u bits: the first numbers are "
			    "wrong: %s", name, bits, sc->sc_source->ns_known !=
			    NULL ? "others are published" : "all are the same");
		else if (sc->sc_status == SOURCES_DEAD)
			status = run_error("%s, %u bits: gave no number in %d "
			    "tries", name, bits, NUMBER_TRIES);
	}
	if (absent == sr->sr_count)
		return (run_error("nothing was timed: this machine has none of "
		    "these sources, or they have no such reads"));
	return (status);
}

static int
run(struct options *op)
{
	static struct sources sr;
	int status;

	sr = (struct sources){ .sr_survey = { .sy_kind = &sources_kind,
	    .sy_repeats = op->op_repeats, .sy_time_s = op->op_time_s } };
	choose(op, &sr);
	status = survey_command(&sr.sr_survey, op);
	/* Without curves nothing was tried; survey_command() printed why. */
	if (sr.sr_curves != NULL && judge(&sr) != EXIT_SUCCESS)
		status = EXIT_FAILURE;
	sources_free(&sr);
	return (status);
}

const struct command cmd_sources = { NULL, run, NEEDS_STOP | NEEDS_THREAD };
