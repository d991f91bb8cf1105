/* The evidence that a safety case rests on, a row each. */
#pragma once

#include "bench/cli/child.h"
#include "bench/explore/strategy.h"
#include "fortuna/device/design.h"
#include "lib/lock/lock.h"

enum {
	EVIDENCE_TEXT_SIZE	= 2048,
	EVIDENCE_PATH_SIZE	= PROGRAM_PATH_SIZE,
	EVIDENCE_ROWS		= 17
};

enum evidence_state {
	EVIDENCE_HOLDS,		/* checked, nothing wrong found */
	EVIDENCE_FAILS,		/* something is wrong */
	EVIDENCE_MISSING,	/* cannot be gathered here; the text says why */
	EVIDENCE_NONE		/* does not exist for such a design; likewise */
};

struct assure_params {
	const struct design *ap_design;	/* a lock's page: that it is under */
	const char	*ap_spec;	/* as -d takes it in another process */
	/* Of a lock's page; NULL: there is no such flavour. */
	const struct lock_class *ap_lock, *ap_simulated_lock;
	uint64_t	 ap_seed;
	double		 ap_budget_s;	/* of the row that is gathered */
	unsigned	 ap_jobs;	/* host threads to use */
	char		 ap_program[EVIDENCE_PATH_SIZE];	/* or empty */
	/* An empty folder, removed afterwards; for rows with ev_scratch. */
	char		 ap_scratch[EVIDENCE_PATH_SIZE];
	const struct evidence *ap_evidence;	/* evidence_gather()'s */
	/* Called some times a second while a row is gathered; or NULL. */
	void		(*ap_waiting)(void *context, double elapsed_s);
	void		*ap_context;
};

/* Sentences for people, or empty strings. */
struct evidence_row {
	enum evidence_state er_state;
	char		 er_text[EVIDENCE_TEXT_SIZE];	/* done and found */
	char		 er_bounds[EVIDENCE_TEXT_SIZE];	/* readers, sizes... */
	/* What this row shows of other designs but not of this one. */
	char		 er_unshown[EVIDENCE_TEXT_SIZE];
	char		 er_replay[EVIDENCE_TEXT_SIZE];	/* shell commands */
};

/* Fills a zeroed row, in about ap_budget_s or the time of its least work. */
typedef void	evidence_gatherer(const struct assure_params *ap,
		    struct evidence_row *row);

struct evidence {
	const char	*ev_name;	/* of its row; as --only takes it */
	const char	*ev_descr;	/* one line for help */
	bool		 ev_lock;	/* of a lock's page; else a design's */
	double		 ev_share;	/* of the page's budget; the sum is 1 */
	bool		 ev_tool;	/* that runs, not the design */
	bool		 ev_scratch;
	evidence_gatherer *ev_gather;
};

/* In the order of the page. */
extern const struct evidence evidences[EVIDENCE_ROWS];

evidence_gatherer model_gather, schedules_gather, exhaustive_gather,
	ledger_gather, arithmetic_gather, faults_gather, answers_gather,
	sanitizers_gather, statistics_gather, exclusion_gather,
	executions_gather, order_gather, fairness_gather, trylock_gather,
	misuse_gather, starvation_gather, oversubscription_gather;

/*
 * Explores a lock under FreeBSD's design, by drawn strategies if sy is NULL.
 * Any failure fails the row, also of another row's matter, which may miss it.
 */
void lock_explore(const struct assure_params *ap,
    const struct strategy_class *sy, struct evidence_row *row);

/* Appends to one of a row's texts; what does not fit is cut. */
#define	evidence_say(text, ...)	APPEND(text, EVIDENCE_TEXT_SIZE, __VA_ARGS__)
#define	row_says(row, ...)	evidence_say((row)->er_text, __VA_ARGS__)

/* The same with er_text, and sets er_state. */
#define	evidence_end(row, state, ...)					\
	(row_says(row, __VA_ARGS__), (void)((row)->er_state = (state)))
#define	row_fails(row, ...)	evidence_end(row, EVIDENCE_FAILS, __VA_ARGS__)
#define	row_missing(row, ...)	evidence_end(row, EVIDENCE_MISSING, __VA_ARGS__)
#define	row_none(row, ...)	evidence_end(row, EVIDENCE_NONE, __VA_ARGS__)

/* Makes one line of a report that has one for each thread. */
static inline void
row_lines(struct evidence_row *row)
{
	for (char *p = row->er_text; (p = strchr(p, '\n')) != NULL;)
		*p = ',';
}

/*
 * Gathers one row in a process of its own, and leaves no process behind.  A row
 * that crashes, hangs or fails an assertion fails, or is missing if ev_tool is
 * set.  Returns: 0; EINTR when a signal asked to stop; EALREADY after a
 * message; or what fork(2) or pipe(2) returned.
 */
int evidence_gather(const struct evidence *ev, const struct assure_params *ap,
    double patience_s, struct evidence_row *row);

/* In a sentence, with as many ciphers as a design has. */
#define	EVIDENCE_CIPHERS(n)	((n) == 1 ? "AES" : "both ciphers")

enum { PROGRAM_WORDS = 5, PROGRAM_SCRIPT_SIZE = 4 * PROGRAM_PATH_SIZE };

/* An argv, until the next call: path, with words as sh(1) reads them. */
void program_words(const char *path, const char *words,
    const char *argv[PROGRAM_WORDS]);

/*
 * Says how a program ended, with the status of child_output(), and the last
 * line that it wrote to stderr, if that is a file.
 */
void program_say_end(int status, int err, struct evidence_row *row);

/* A page: the rows in order, NULL for those that were not asked for. */
struct page {
	const struct assure_params *pg_params;
	const char	*pg_subject;	/* its name */
	const struct design *pg_design;	/* NULL: a lock's */
	struct evidence_row *pg_rows[EVIDENCE_ROWS];
	double		 pg_budget_s;	/* of all rows */
	double		 pg_took_s;
	const char	*pg_revision;	/* of the program */
	const char	*pg_when;	/* RFC 3339 */
	const char	*pg_host;
	const char	*pg_command;	/* that makes this page again */
};

/* The worst state of all rows. */
enum evidence_state page_verdict(const struct page *pg);

/* Prints a struct page.  Returns: 0. */
void page_print(FILE *out, const void *page);
