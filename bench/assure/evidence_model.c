/*
 * The models in Promela of FreeBSD's two read modes and of its event buffers,
 * each order of a small case looked at by spin(1).
 */
#include <sys/wait.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	unsigned equivalent, faults, killed, of, undone = 0;
	char line[512], prefix[WORD_SIZE];
	bool mutants = false;

	snprintf(prefix, sizeof(prefix), "%s-", ap->ap_design);
	while (fgets(line, sizeof(line), in) != NULL) {
		/* That is spin's or the compiler's fault, or memory's. */
		if (strstr(line, " broken ") != NULL ||
		    strstr(line, " unfinished ") != NULL) {
			undone++;
			continue;
		}
		note_run(line, prefix, &design);
		note_run(line, "harvest-", &harvest);
		mutants |= sscanf(line, "mutants %u %u %u %u", &killed, &of,
		    &faults, &equivalent) >= 2;
	}
	if (design.fo_runs == 0) {
		evidence_say(row, "There is none of this design's reads. ");
		evidence_unshown(row, "every order in which its reads can go "
		    "on, of few.");
	}
	say_found(row, "Reads", "readers", &design);
	say_found(row, "Event buffers", "producers", &harvest);
	if (mutants)
		evidence_say(row, "%u of %u faults put into the models are "
		    "found.", killed, of);
	if (row->er_state == EVIDENCE_HOLDS && (undone > 0 ||
	    harvest.fo_runs == 0 || !mutants)) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, " %u searches did not come to their end: are "
		    "spin(1) and a compiler installed?", undone);
	}
}

static void
run_models(const struct assure_params *ap, const char *folder,
    struct evidence_row *row)
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
	snprintf(into, sizeof(into), "%s", ap->ap_scratch);
	snprintf(results, sizeof(results), "%s/model.txt",
	    ap->ap_scratch);
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
	char folder[EVIDENCE_PATH_SIZE];

	if (share_find(ap, "spin", "tests/spin", folder)) {
		run_models(ap, folder, row);
		return;
	}
	row->er_state = EVIDENCE_MISSING;
	evidence_say(row, "No models beside the program.");
}

const struct evidence evidence_model = {
	.ev_name	= "model",
	.ev_descr	= "models of the read modes, every order of few",
	.ev_share	= 0.2,
	.ev_tool	= true,
	.ev_scratch	= true,
	.ev_gather	= gather,
};
