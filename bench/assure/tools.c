/* Rows of other programs: models in Promela, and sanitizers' builds. */
#include "bench/assure/evidence.h"
#include "bench/kernel/ksource.h"

enum { WORD_SIZE = 64, SANITIZER_STATUS = 86 };	/* no status of rngsim */

/* Faults in the models and runs of three readers take more time than others. */
static const double mutant_budget_s = 1, big_budget_s = 10;

/* All runs about one thing. */
struct runs {
	unsigned	ru_count;
	unsigned	ru_threads;	/* the most */
	double		ru_states;
	char		ru_wrong[WORD_SIZE];	/* a run; or empty */
};

/* A run's line of model.txt, if its name begins with prefix. */
static void
add_run(const char *line, const char *prefix, struct runs *ru)
{
	char found[WORD_SIZE], name[WORD_SIZE], search[WORD_SIZE];
	char wanted[WORD_SIZE];
	unsigned threads;
	double states;

	if (sscanf(line, "run %63s %*s %u %lf %*f %*f %*f %63s %63s %63s", name,
	    &threads, &states, search, found, wanted) != 6 ||
	    strncmp(name, prefix, strlen(prefix)) != 0)
		return;
	ru->ru_count++;
	ru->ru_states += states;
	ru->ru_threads = MAX(ru->ru_threads, threads);
	if (strcmp(found, wanted) != 0 || strcmp(search, "complete") != 0)
		TEXT_SET(ru->ru_wrong, name);
}

static void
say_runs(struct evidence_row *row, const char *what, const char *threads,
    const struct runs *ru)
{
	if (ru->ru_wrong[0] != '\0')
		row_fails(row, "%s: %s breaks a rule. ", what, ru->ru_wrong);
	else if (ru->ru_count > 0)
		row_says(row, "%s, up to %u %s: all %s million "
		    "states, every rule holds. ", what, ru->ru_threads,
		    threads, FORMAT(real, ru->ru_states / 1e6));
}

static void
say_results(const struct assure_params *ap, FILE *in, struct evidence_row *row)
{
	struct runs design = { .ru_count = 0 }, harvest = { .ru_count = 0 };
	unsigned killed = 0, mutants = 0, unfinished = 0;
	char line[512];

	while (fgets(line, sizeof(line), in) != NULL) {
		/* spin, the compiler or memory failed. */
		if (strstr(line, " broken ") != NULL ||
		    strstr(line, " unfinished ") != NULL) {
			unfinished++;
			continue;
		}
		add_run(line, FORMATF("%s-", ap->ap_design->de_ident), &design);
		add_run(line, "harvest-", &harvest);
		(void)sscanf(line, "mutants %u %u", &killed, &mutants);
	}
	if (design.ru_count == 0) {
		row_says(row, "No model of this design's reads. ");
		evidence_say(row->er_unshown, "every order of a few of its "
		    "reads.");
	}
	say_runs(row, "Reads", "readers", &design);
	say_runs(row, "Event buffers", "producers", &harvest);
	if (mutants > 0)
		row_says(row, "%u of %u faults put into the "
		    "models are found.", killed, mutants);
	else if (ap->ap_budget_s < mutant_budget_s)
		row_says(row, "Too little time to put faults into the models.");
	if (row->er_state == EVIDENCE_HOLDS && (unfinished > 0 ||
	    harvest.ru_count == 0 || (mutants == 0 &&
	    ap->ap_budget_s >= mutant_budget_s)))
		row_missing(row, " %u searches did not finish: are spin(1) and "
		    "a compiler installed?", unfinished);
}

void
model_gather(const struct assure_params *ap, struct evidence_row *row)
{
	char folder[EVIDENCE_PATH_SIZE], script[EVIDENCE_PATH_SIZE + 16];
	char results[EVIDENCE_PATH_SIZE + 16];
	const char *const argv[] = { "python3", "-B", script, ap->ap_scratch,
	    "run", ap->ap_budget_s >= mutant_budget_s ? "mutant" : NULL,
	    ap->ap_budget_s >= big_budget_s ? "big" : NULL, NULL };
	char *text;
	int status;
	FILE *in;

	/* They are of rngsim's own files. */
	if ((ap->ap_design->de_flags & DE_ADDED) != 0) {
		row_none(row, "There is no model of this source.");
		evidence_say(row->er_unshown, "every order of a few of its "
		    "reads.");
		return;
	}
	if (!program_data("spin", "tests/spin", folder)) {
		row_missing(row, "No models beside the program.");
		return;
	}
	snprintf(script, sizeof(script), "%s/model.py", folder);
	snprintf(results, sizeof(results), "%s/model.txt", ap->ap_scratch);
	status = child_output(argv, NULL, true, &text);
	free(text);
	if ((in = fopen(results, "re")) == NULL) {
		row_missing(row, "model.py gave no results: are python3 and "
		    "spin(1) installed? ");
		program_say_end(status, STDERR_FILENO, row);
		return;
	}
	say_results(ap, in, row);
	fclose(in);
	if (status != 0 && row->er_state == EVIDENCE_HOLDS)
		row_fails(row, " A run did not find what it must.");
}

#define	SANITIZER_OPTIONS	"_OPTIONS=exitcode=86:halt_on_error=1"

static const struct sanitizer {
	const char	*sa_flavour;	/* as program_sibling() takes it */
	const char	*sa_name, *sa_env;
} sanitizers[] = {
	{ "asan", "AddressSanitizer", "ASAN" SANITIZER_OPTIONS },
	{ "tsan", "ThreadSanitizer", "TSAN" SANITIZER_OPTIONS },
	{ "ubsan", "UndefinedBehaviorSanitizer", "UBSAN" SANITIZER_OPTIONS },
};

void
sanitizers_gather(const struct assure_params *ap, struct evidence_row *row)
{
	char folder[EVIDENCE_PATH_SIZE], path[EVIDENCE_PATH_SIZE];
	char *said, *text, *typed, words[PROGRAM_SCRIPT_SIZE];
	const char *argv[PROGRAM_WORDS];
	const struct sanitizer *sa;
	unsigned found = 0;
	size_t n, size;
	int status;
	FILE *out;

	for (sa = sanitizers; sa < sanitizers + nitems(sanitizers); sa++) {
		if (!program_sibling(sa->sa_flavour, path)) {
			row_says(row, "%s: not built, see \"make "
			    "check-%s\". ", sa->sa_name, sa->sa_flavour);
			continue;
		}
		found++;
		snprintf(words, sizeof(words), "assure -d %s --only "
		    "schedules,ledger --budget %.0f --seed %" PRIu64,
		    ap->ap_spec, ap->ap_budget_s < nitems(sanitizers) ? 1 :
		    ap->ap_budget_s / nitems(sanitizers), ap->ap_seed);
		/* As it can be typed where the program was started. */
		if (getcwd(folder, sizeof(folder)) == NULL)
			folder[0] = '\0';
		n = strlen(folder);
		out = xmemstream(&typed, &size);
		format_word(out, n > 0 && strncmp(path, folder, n) == 0 &&
		    path[n] == '/' ? path + n + 1 : path);
		xmemclose(out);
		evidence_say(row->er_replay, "%s%s %s", found > 1 ? "\n" : "",
		    typed, words);
		free(typed);
		program_words(path, words, argv);
		status = child_output(argv, sa->sa_env, true, &text);
		said = text == NULL ? NULL : strstr(text, "SUMMARY: ");
		if (status != 0)
			row->er_state = EVIDENCE_FAILS;
		row_says(row, "%s", sa->sa_name);
		if (status == 0)
			row_says(row, ksource_named(ap->ap_design->de_ident) &&
			    strcmp(sa->sa_flavour, "tsan") == 0 ?
			    ": clean except FreeBSD's load of the counter "
			    "without the mutex, which is harmless "
			    "(rngsim-kernel(7)). " : ": clean. ");
		else if (WIFEXITED(status) &&
		    WEXITSTATUS(status) == SANITIZER_STATUS)
			row_says(row, " reports an error%.*s. ",
			    said == NULL ? 0 : (int)strcspn(said, "\n") - 7,
			    said == NULL ? "" : said + 7);
		else if (WIFEXITED(status) &&
		    WEXITSTATUS(status) == EXIT_FAILURE)
			row_says(row, ": the checks fail in that build. ");
		else {
			row_says(row, ": that build fails. ");
			program_say_end(status, STDERR_FILENO, row);
		}
		free(text);
	}
	if (found == 0)
		row->er_state = EVIDENCE_MISSING;
}
