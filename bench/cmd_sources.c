/* rngsim sources: what random numbers cost, by source. */
#include <gsl/gsl_sort_uint.h>

#include "bench/cmd.h"
#include "bench/survey/sources.h"

static const char *
source_descr(unsigned i)
{
	static char text[160];

	snprintf(text, sizeof(text), "%s%s", number_sources[i].ns_descr,
	    number_source_has(&number_sources[i]) ? "" : " (absent here)");
	return (text);
}

FAMILY(sources_names, number_source_count, number_sources[i].ns_name,
    .fa_descr = source_descr, .fam_title = "Sources");

static void
choose(const struct options *op, struct survey *sv)
{
	const struct option_list *ol = &op->op_sources, *counts =
	    &op->op_readers;
	const unsigned n = ol->ol_count > 0 ? ol->ol_count :
	    number_source_count;
	const struct number_source **list = xcalloc(n, sizeof(*list));
	const char *text = op->op_text[OPTION_THREADS];
	/* A number alone stands for all up to it. */
	const bool several = text != NULL && strpbrk(text, ",-") != NULL;
	unsigned threads[SOURCES_THREADS_MAX], k = several ? counts->ol_count :
	    text != NULL ? (unsigned)counts->ol_value[0] : cpu_count();
	bool width[NUMBER_WIDTHS] = { false };

	k = MIN(k, SOURCES_THREADS_MAX);
	for (unsigned i = 0; i < k; i++)
		threads[i] = several ? (unsigned)counts->ol_value[i] : i + 1;
	gsl_sort_uint(threads, 1, k);
	for (unsigned i = 0; i < n; i++)
		list[i] = &number_sources[ol->ol_count > 0 ?
		    ol->ol_value[i] : i];
	for (unsigned i = 0; i < op->op_bits.ol_count; i++)
		width[op->op_bits.ol_value[i]] = true;
	sources_make(sv, list, n, width, threads, k);
	free(list);
}

/* Wrong or dead sources are a failure; absent ones are not. */
static int
judge(const struct survey *sv)
{
	unsigned absent = 0;
	int status = EXIT_SUCCESS;

	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];

		absent += su->su_error == ENOTSUP;
		if (su->su_error == EILSEQ)
			status = run_error("%s: the first numbers are wrong: "
			    "%s", su->su_name, ((const struct source_reads *)
			    su->su_of)->nu_source->ns_known != NULL ? "others "
			    "are published" : "all are the same");
		else if (su->su_error == EIO)
			status = run_error("%s: gave no number in %d tries",
			    su->su_name, NUMBER_TRIES);
	}
	if (absent == sv->sv_count)
		return (run_error("nothing was timed: this machine has none of "
		    "these sources, or they have no such reads"));
	return (status);
}

static int
run(struct options *op)
{
	struct survey sv = { .sv_kind = &sources_kind,
	    .sv_repeats = op->op_repeats, .sv_time_s = op->op_time_s };
	int status;

	choose(op, &sv);
	status = survey_command(&sv, op);
	/* Where the file was refused, nothing was tried. */
	if (sv.sv_started[0] != '\0' && judge(&sv) != EXIT_SUCCESS)
		status = EXIT_FAILURE;
	survey_free(&sv);
	return (status);
}

const struct command cmd_sources = { NULL, run, NEEDS_STOP | NEEDS_THREAD };
