/* Results and cells in words: what was run and where, measured or predicted. */
#pragma once

#include "bench/result/result.h"

/* What two cells can have in common. */
enum cell_part {
	PART_CIPHER,
	PART_CRYPTO,
	PART_LOCK,		/* and its polls */
	PART_LOAD,		/* of each reader */
	PART_ENGINE, PART_HOST, PART_DESIGN, PARTS
};

/* Whether two cells differ in a part; in none but some, which are bits. */
bool cells_differ(const struct result_cell *a, const struct result_cell *b,
    enum cell_part part);
bool cells_alike(const struct result_cell *a, const struct result_cell *b,
    unsigned but);

/* A cell in a group. */
struct grouped_cell {
	const struct result_cell *gc_cell;
	unsigned	 gc_group;
};

/*
 * All cells, to be freed, in groups that are alike in all parts, but perhaps in
 * one, in the order of their first cells; within a group by readers, and with
 * as many readers the design locked first.
 */
struct grouped_cell *cells_group(const struct result *r, enum cell_part but);

/* Lists parts, which are bits: "aes, lock tas, 8 polls, requests of 64 KiB". */
const char *describe_parts(struct text *t, const struct result_cell *cell,
    unsigned parts);

/* Adds the readers and their load: "2 readers of 64 KiB, native crypto". */
void describe_load(struct text *t, const struct result_cell *cell);

/* Adds a cell: "locked, mtx, aes, 2 readers of 64 KiB, predicted". */
const char *describe_cell(struct text *t, const struct result_cell *cell);

/* Adds where, how and when: "measured on Example 9000, 4 CPUs, ...". */
const char *describe_result(struct text *t, const struct result *r);

/* What all cells are. */
enum result_kind {
	RESULT_EMPTY,		/* there is none */
	RESULT_MEASURED, RESULT_PREDICTED, RESULT_BOTH,
	/* Pages: no result, but a run of checks. */
	RESULT_CHECKED, RESULT_FAILED
};

bool provenance_predicted(const struct result_cell *cell);
enum result_kind provenance_of(const struct result *r);

/* "measured" or "predicted", and of a result also both or "no cells". */
const char *provenance_short(const struct result_cell *cell);
const char *provenance_word(const struct result *r);

/* Adds the machine of predicted cells: "epyc-9654-2s, 192 CPUs in 2 nodes". */
const char *provenance_machine(struct text *t, const struct result *r);

/* What intervals of predictions show, and what they do not. */
extern const char provenance_guesses[];

/* Whether figures contain the cost of a ledger: a measured cell had one. */
bool provenance_ledgered(const struct result *r);

/* The least and the most repeats of any cell; 0 without cells. */
void provenance_repeats(const struct result *r, unsigned *least,
    unsigned *most);
