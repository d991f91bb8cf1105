/* The output of rngsim explore: text, a page and a JSON document. */
#pragma once

#include "bench/explore/campaign.h"
#include "bench/options/options.h"

/* A campaign's row, below the titles. */
void explore_print_row(FILE *out, const struct campaign_result *ce);

/* What follows from schedules without a failure, of each row. */
void explore_print_excluded(FILE *out, uint64_t schedules, bool rows);

/* What follows when none of the campaigns, of which cn is one, has failed. */
void explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns);

/* A counterexample that has failed. */
struct explore_page {
	const char	*eg_path;
	const struct counterexample *eg_case;
	const struct replay *eg_replay;
	unsigned	 eg_turns;	/* before it was shrunk, or 0 */
};

/* The broken property, where it was found, and the last steps if traced. */
void explore_print_failure(FILE *out, const void *explore_page);

/* Its page, with the timeline as a picture. */
void explore_page(FILE *out, const void *explore_page);

#define	EXPLORE_SCHEMA	"rngsim-explore/1"

/* What explore did; rows are one for each design, lock and cipher. */
struct document {
	field_NAME	schema;
	struct result	head;	/* how it was run, and the sources' files */
	struct campaign_row *rows;
	unsigned	row_count;
	/* Objects, each with its schedule as rngsim-schedule(5) has it. */
	json_t		*failures;
};

void document_begin(struct document *doc, uint64_t seed);

/* Adds the failure of a row after it was shrunk. */
void document_failure(struct document *doc, const struct counterexample *cx,
    const struct outcome *to);

/* Writes JSON, unless path is NULL, and frees it.  Returns: a status. */
int document_end(struct document *doc, char *const argv[], const char *path);

/* Whether this command line has done a job of a plan; *status: its result. */
bool document_again(const struct options *op, char *const argv[], int *status);

/*
 * Merges the campaigns that the operands name: adds their counts, prints what
 * they exclude, and each failure once.  Returns: EXIT_SUCCESS, or EXIT_FAILURE
 * also when a schedule failed.
 */
int merge_campaigns(const struct options *op);
