/*
 * The same evidence again in builds that watch memory, threads and undefined
 * behaviour.
 */
#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/share.h"

enum { SANITIZER_STATUS = 86 };	/* none of the program's own */

static const struct sanitizer {
	const char	*sa_flavour;	/* as share_sibling() takes it */
	const char	*sa_name;
	const char	*sa_variable;
} sanitizers[] = {
	{ "asan", "AddressSanitizer", "ASAN_OPTIONS" },
	{ "tsan", "ThreadSanitizer", "TSAN_OPTIONS" },
	{ "ubsan", "UndefinedBehaviorSanitizer", "UBSAN_OPTIONS" },
};

enum { SANITIZERS = sizeof(sanitizers) / sizeof(sanitizers[0]) };

static void
run_sibling(const struct assure_params *ap, const struct sanitizer *sa,
    const char *path, struct evidence_row *row)
{
	char budget[32], design[128], only[] = "schedules,ledger", seed[32];
	char assure[] = "assure", d[] = "-d", b[] = "--budget", o[] = "--only";
	char name[EVIDENCE_PATH_SIZE], watch[64], s[] = "--seed";
	char *argv[] = { name, assure, d, design, b, budget, o, only, s, seed,
	    NULL };
	int status;

	snprintf(name, sizeof(name), "%s", path);
	snprintf(design, sizeof(design), "%s", ap->ap_design);
	snprintf(budget, sizeof(budget), "%.0f", ap->ap_budget_s < SANITIZERS ?
	    1 : ap->ap_budget_s / SANITIZERS);
	snprintf(seed, sizeof(seed), "%ju", (uintmax_t)ap->ap_seed);
	snprintf(watch, sizeof(watch), "exitcode=%d:halt_on_error=1",
	    SANITIZER_STATUS);
	status = share_run(argv, sa->sa_variable, watch);
	if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		evidence_say(row, "%s: clean. ", sa->sa_name);
	else if (status != -1 && WIFEXITED(status) &&
	    WEXITSTATUS(status) == SANITIZER_STATUS)
		evidence_fail(row, "%s has something to report. ", sa->sa_name);
	else if (status != -1 && WIFEXITED(status) &&
	    WEXITSTATUS(status) == EXIT_FAILURE)
		evidence_fail(row, "%s: the checks fail in that build. ",
		    sa->sa_name);
	else
		evidence_fail(row, "%s: that build ended with wait(2) status "
		    "0x%x. ", sa->sa_name, (unsigned)status);
	snprintf(row->er_replay + strlen(row->er_replay),
	    sizeof(row->er_replay) - strlen(row->er_replay),
	    "%sbuild/%s/rngsim assure -d %s --only %s --budget %s --seed %s",
	    row->er_replay[0] == '\0' ? "" : "\n", sa->sa_flavour, design,
	    only, budget, seed);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	char path[EVIDENCE_PATH_SIZE];
	unsigned found = 0, i;

	for (i = 0; i < SANITIZERS; i++) {
		if (!share_sibling(ap, sanitizers[i].sa_flavour, path))
			continue;
		found++;
		run_sibling(ap, &sanitizers[i], path, row);
	}
	for (i = 0; i < SANITIZERS; i++)
		if (!share_sibling(ap, sanitizers[i].sa_flavour, path))
			evidence_say(row, "%s: not built, see \"make "
			    "check-%s\". ", sanitizers[i].sa_name,
			    sanitizers[i].sa_flavour);
	if (found == 0)
		row->er_state = EVIDENCE_MISSING;
}

const struct evidence evidence_sanitizers = {
	.ev_name	= "sanitizers",
	.ev_descr	= "schedules and ledger again in sanitizers' builds",
	.ev_share	= 0.13,
	.ev_tool	= true,
	.ev_gather	= gather,
};
