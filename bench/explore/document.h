/*
 * What explore did, as JSON, and several such documents as one.  The document:
 * schema, argv, seed, complete, started, revision, parts; rows, one for each
 * design, lock and cipher, with counts; failures, each with its schedule as
 * rngsim-schedule(5) has it.
 */
#ifndef BENCH_EXPLORE_DOCUMENT_H
#define BENCH_EXPLORE_DOCUMENT_H

#include <jansson.h>

#include "bench/cli/atomic_file.h"
#include "bench/explore/campaign.h"
#include "bench/options/options.h"

#define	EXPLORE_SCHEMA	"rngsim-explore/1"

/* A new document. */
json_t *document_new(char *const argv[], uint64_t seed);

/* Adds a row, and its failure after it was shrunk. */
void document_row(json_t *doc, const struct campaign *cn,
    const struct campaign_result *ce);
void document_failure(json_t *doc, const struct counterexample *cx,
    const struct outcome *to);

/*
 * Writes a document and frees it; does nothing without a path.  Returns: 0
 * or an exit status after a message.
 */
int document_write(json_t *doc, const char *path, struct atomic_file *of);

/*
 * Whether a job of a plan was done before, by this command line; then *status
 * is what it returned.
 */
bool document_again(const struct options *op, char *const argv[], int *status);

/*
 * Merges the campaigns that the operands name: adds their counts, prints what
 * they exclude, and each failure once.
 *
 * Returns: EXIT_SUCCESS, or EXIT_FAILURE also when a schedule failed.
 */
int merge_campaigns(const struct options *op, struct atomic_file *of);

#endif
