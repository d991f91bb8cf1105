/*
 * The models in Promela of FreeBSD's two read modes and of its event buffers,
 * each order of a small case looked at by spin(1).
 */
#include <sys/wait.h>

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/assure/share.h"
#include "bench/console/figure.h"

enum { WORD_SIZE = 64 };

/* Runs of three readers take some ten seconds each. */
static const double big_budget_s = 10;

/* What the runs about one thing found. */
struct found {
	unsigned	fo_runs;
	unsigned	fo_readers;	/* the most */
	double		fo_states;
	char		fo_wrong[WORD_SIZE];	/* a run; or empty */
};

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{

	(void)st;
	(void)kind;
	(void)at;
	return (remove(path));
}

/* A run's line of model.txt, if it is about what is called prefix. */
static void
note_run(const char *line, const char *prefix, struct found *fo)
{
	char found[WORD_SIZE], model[WORD_SIZE], name[WORD_SIZE];
	char readers[WORD_SIZE], search[WORD_SIZE], wanted[WORD_SIZE];
	double depth, memory, seconds, states;

	if (sscanf(line, "run %63s %63s %63s %lf %lf %lf %lf %63s %63s %63s",
	    name, model, readers, &states, &depth, &memory, &seconds, search,
	    found, wanted) != 10 || strncmp(name, prefix, strlen(prefix)) != 0)
		return;
	fo->fo_runs++;
	fo->fo_states += states;
	if ((unsigned)atoi(readers) > fo->fo_readers)
		fo->fo_readers = (unsigned)atoi(readers);
	if (strcmp(found, wanted) != 0 || strcmp(search, "complete") != 0)
		snprintf(fo->fo_wrong, sizeof(fo->fo_wrong), "%s", name);
}

static void
say_found(struct evidence_row *row, const char *what, const char *who,
    const struct found *fo)
{
	char states[FIGURE_SIZE];

	if (fo->fo_wrong[0] != '\0')
		evidence_fail(row, "%s: %s breaks a rule. ", what,
		    fo->fo_wrong);
	else if (fo->fo_runs > 0)
		evidence_say(row, "%s, up to %u %s: all %s million states, "
		    "every rule holds. ", what, fo->fo_readers, who,
		    figure_real(states, fo->fo_states / 1e6));
}

/* What a file of results says about the design. */
static void
say_results(const struct assure_params *ap, FILE *in, struct evidence_row *row)
{
	struct found design = { .fo_runs = 0 }, harvest = { .fo_runs = 0 };
	unsigned equivalent, faults, killed, of;
	char line[512], prefix[WORD_SIZE];
	bool mutants = false;

	snprintf(prefix, sizeof(prefix), "%s-", ap->ap_design);
	while (fgets(line, sizeof(line), in) != NULL) {
		note_run(line, prefix, &design);
		note_run(line, "harvest-", &harvest);
		mutants |= sscanf(line, "mutants %u %u %u %u", &killed, &of,
		    &faults, &equivalent) >= 2;
	}
	if (design.fo_runs == 0)
		evidence_say(row, "There is none of this design's reads. ");
	say_found(row, "Reads", "readers", &design);
	say_found(row, "Event buffers", "producers", &harvest);
	if (mutants)
		evidence_say(row, "%u of %u faults put into the models are "
		    "found.", killed, of);
	if (harvest.fo_runs == 0 || !mutants)
		evidence_fail(row, "The models' results are incomplete.");
}

static void
run_models(const struct assure_params *ap, const char *folder,
    const char *scratch, struct evidence_row *row)
{
	char big[] = "big", mutant[] = "mutant", once[] = "-B", run[] = "run";
	char python[] = "python3", script[EVIDENCE_PATH_SIZE + 16];
	char into[EVIDENCE_PATH_SIZE], results[EVIDENCE_PATH_SIZE + 16];
	char *argv[] = { python, once, script, into, run, mutant, NULL, NULL };
	int status;
	FILE *in;

	if (ap->ap_budget_s >= big_budget_s)
		argv[6] = big;
	snprintf(script, sizeof(script), "%s/model.py", folder);
	snprintf(into, sizeof(into), "%s", scratch);
	snprintf(results, sizeof(results), "%s/model.txt", scratch);
	status = share_run(argv, NULL, NULL);
	in = fopen(results, "re");
	if (in == NULL) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "model.py gave no results (wait(2) status "
		    "0x%x): is spin(1) installed?", (unsigned)status);
		return;
	}
	say_results(ap, in, row);
	fclose(in);
	if (status != 0 && row->er_state == EVIDENCE_HOLDS)
		evidence_fail(row, " A run did not find what it must.");
	snprintf(row->er_replay, sizeof(row->er_replay), "make model");
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	char folder[EVIDENCE_PATH_SIZE], scratch[EVIDENCE_PATH_SIZE];
	const char *temp = getenv("TMPDIR");

	if (!share_find(ap, "spin", "tests/spin", folder)) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "No models beside the program.");
		return;
	}
	snprintf(scratch, sizeof(scratch), "%s/rngsim-model-XXXXXX",
	    temp == NULL || temp[0] == '\0' ? "/tmp" : temp);
	if (mkdtemp(scratch) == NULL) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "No folder to work in: %s.", scratch);
		return;
	}
	run_models(ap, folder, scratch, row);
	nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const struct evidence evidence_model = {
	.ev_name	= "model",
	.ev_descr	= "models of the read modes, every order of small cases",
	.ev_share	= 0.2,
	.ev_gather	= gather,
};
