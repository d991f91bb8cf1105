/* "rngsim sweep --ledger", on this machine and on many simulated CPUs. */
#include <jansson.h>

#include "bench/assure/evidence.h"

enum {
	CELLS		= 10,	/* of each engine and cipher */
	READERS_MAX	= 8
};

static const double least_s = 0.05, virtual_s = 0.01;

/* The source's own, or each of both. */
static const struct mode {
	const char *md_option, *md_text;
} modes_of[] = {
	{ "", "" },
	{ " -S " DESIGN_MODE "=1", " with concurrent_read=1" },
	{ " -S " DESIGN_MODE "=0", " with concurrent_read=0" }
};

/* A member of "ledger", summed over all cells. */
static double
sum(json_t *cells, const char *name)
{
	double v = 0;
	json_t *cell;
	size_t i;

	json_array_foreach(cells, i, cell)
		v += json_number_value(json_object_get(json_object_get(cell,
		    "ledger"), name));
	return (v);
}

static void
say(json_t *cells, const char *engine, unsigned readers, unsigned cpus,
    unsigned n, const struct mode *md, struct evidence_row *row)
{
	const bool waived = (ledger_allowed & (1u << LEDGER_KEPT |
	    1u << LEDGER_WIPED)) != 0;
	const bool wiped = sum(cells, "wipes") == sum(cells, "keys");

	if (json_array_size(cells) != CELLS * n || (!wiped && !waived))
		row->er_state = EVIDENCE_FAILS;
	row_says(row, "On the %s engine%s %s million blocks of %s million keys "
	    "in %s million reads, %.0f reseeds, %.0f events: no property "
	    "broken, %s. ", engine, md->md_text, FORMAT(real, sum(cells,
	    "blocks") / 1e6), FORMAT(real, sum(cells, "keys") / 1e6),
	    FORMAT(real, sum(cells, "reads") / 1e6), sum(cells, "reseeds"),
	    sum(cells, "events"), wiped ? "every key wiped" : waived ?
	    "not every key wiped" : "BUT NOT EVERY KEY WIPED");
	evidence_say(row->er_bounds, "%s engine%s, %u readers on %u CPUs, %zu "
	    "cells; ", engine, md->md_text, readers, cpus,
	    json_array_size(cells));
}

/* Returns: whether nothing is wrong. */
static bool
check(const struct assure_params *ap, const char *engine, unsigned readers,
    unsigned cpus, double time_s, const struct mode *md,
    struct evidence_row *row)
{
	const bool simulated = strcmp(engine, "virtual") == 0;
	const char *argv[PROGRAM_WORDS];
	char words[PROGRAM_SCRIPT_SIZE], *text;
	json_t *json;
	int status;
	bool said;

	snprintf(words, sizeof(words), "sweep --format json --ledger -d %s -l "
	    "mtx,mtx-spin -r %u -s 17,512,4k,64k,1048593 -n 1 -t %g -S "
	    "rngsim.warmup_ms=0 --crypto native --place none --seed %" PRIu64
	    " --engine %s%s%s", ap->ap_spec, readers, time_s, ap->ap_seed,
	    engine, simulated ? FORMATF(" --cpus %u --nodes 2 "
	    "--profile epyc-9654-2s", cpus) : "", md->md_option);
	program_words(ap->ap_program, words, argv);
	status = child_output(argv, NULL, true, &text);
	json = status != 0 || text == NULL ? NULL : json_loads(text, 0, NULL);
	if (json != NULL) {
		say(json_object_get(json, "cells"), engine, readers, cpus,
		    design_info(ap->ap_design).di_ciphers, md, row);
	} else {
		if (text != NULL)
			text[strcspn(text, "\n")] = '\0';
		said = text != NULL && text[0] != '\0';
		row->er_text[0] = '\0';
		row_fails(row, "%s engine, %u readers%s: %s. ", engine,
		    readers, md->md_text, said ? text : "no answer");
		evidence_say(row->er_replay, "rngsim sweep%s",
		    words + strlen("sweep --format json"));
		if (!said || WIFSIGNALED(status))
			program_say_end(status, STDERR_FILENO, row);
	}
	json_decref(json);
	free(text);
	return (row->er_state == EVIDENCE_HOLDS);
}

void
ledger_gather(const struct assure_params *ap, struct evidence_row *row)
{
	const unsigned n = design_info(ap->ap_design).di_ciphers;
	/* Each cell runs with the ledger and without, besides controls. */
	const bool modes = design_has_modes(ap->ap_design);
	const double time_s = ap->ap_budget_s / (3 * CELLS * n) / (1 + modes);
	/* With a sanitizer, 64 of a design that scales take many minutes. */
	const unsigned simulated = strstr(RNGSIM_FLAGS, "-fsanitize") != NULL ?
	    8 : 64;
	/* More than CPUs, so that one has none. */
	unsigned cpus = cpu_count(), readers = MIN(cpus + 1, READERS_MAX);

	for (unsigned i = 0; i <= modes; i++)
		if (!check(ap, "real", readers, cpus, MAX(time_s, least_s),
		    &modes_of[modes + i], row) || !check(ap, "virtual",
		    simulated, simulated, virtual_s, &modes_of[modes + i], row))
			break;
	if (row->er_bounds[0] != '\0')
		evidence_say(row->er_bounds, "mtx and mtx-spin, %s, "
		    "reads of 17 to 1048593 bytes.", EVIDENCE_CIPHERS(n));
	if (row->er_replay[0] == '\0')
		evidence_say(row->er_replay, "rngsim sweep -d %s --ledger",
		    ap->ap_spec);
}
