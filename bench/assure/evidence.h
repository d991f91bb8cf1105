/*
 * What a safety case rests on: a family, one file evidence_NAME.c and one line
 * in evidence.tbl each.
 *
 * A piece of evidence is gathered in a process of its own: the design under
 * test may crash, hang or fail an assertion, and that is an answer too.
 */
#ifndef BENCH_ASSURE_EVIDENCE_H
#define BENCH_ASSURE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "fortuna/generator.h"

enum {
	EVIDENCE_TEXT_SIZE	= 2048,
	EVIDENCE_BOUNDS_SIZE	= 512,
	EVIDENCE_PATH_SIZE	= 4096
};

enum evidence_state {
	EVIDENCE_HOLDS,		/* looked for and not found wrong */
	EVIDENCE_FAILS,		/* found wrong */
	EVIDENCE_MISSING,	/* could not be had here; the text says why */
	EVIDENCE_NONE		/* there is none for such a design; likewise */
};

/* What to gather it about, and at what expense. */
struct assure_params {
	const char	*ap_design;
	uint64_t	 ap_seed;
	double		 ap_budget_s;	/* this piece's share of time */
	unsigned	 ap_jobs;	/* threads of the host to use */
	/* Of this program, for its siblings and the source; or empty. */
	char		 ap_program[EVIDENCE_PATH_SIZE];
	/* A folder that is empty and goes away, where ev_scratch is. */
	char		 ap_scratch[EVIDENCE_PATH_SIZE];
	/* Called now and then with how long it has taken; or NULL. */
	void		(*ap_waiting)(void *context, double elapsed_s);
	void		*ap_context;
};

/* One row: what was done and what came of it, sentences for people. */
struct evidence_row {
	enum evidence_state er_state;
	char		 er_text[EVIDENCE_TEXT_SIZE];
	/* Within which readers, sizes, locks and so on; or empty. */
	char		 er_bounds[EVIDENCE_BOUNDS_SIZE];
	/* What such a row shows of other designs, and not of this; or empty. */
	char		 er_unshown[EVIDENCE_BOUNDS_SIZE];
	/* How to see it again, a command; or empty. */
	char		 er_replay[EVIDENCE_TEXT_SIZE];
};

struct evidence {
	const char	*ev_name;	/* of its row; as --only takes it */
	const char	*ev_descr;	/* one line for help */
	double		 ev_share;	/* of the whole budget; all are 1 */
	/*
	 * What runs is a tool and not the design: when it dies or takes too
	 * long, the evidence is missing, and the design has not failed.
	 */
	bool		 ev_tool;
	bool		 ev_scratch;	/* wants ap_scratch */
	/*
	 * Gathers it.  Prints nothing; takes about ap_budget_s, and much more
	 * only where it hangs.
	 *
	 *   row  out  zeroed before
	 */
	void		(*ev_gather)(const struct assure_params *ap,
			    struct evidence_row *row);
};

#define	EVIDENCE(name)	extern const struct evidence evidence_##name;
#include "bench/assure/evidence.tbl"
#undef EVIDENCE

/* The family, in table order. */
extern const struct evidence *const evidences[];
extern const unsigned evidence_count;

/* Adds to a row's text. */
void evidence_say(struct evidence_row *row, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, and it fails. */
void evidence_fail(struct evidence_row *row, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds to what its row of bounds says. */
void evidence_bound(struct evidence_row *row, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same to what the page says is not shown. */
void evidence_unshown(struct evidence_row *row, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Gathers one piece in a process of its own.
 *
 * A process that dies, or takes longer than patience_s, makes a row that fails,
 * or is missing if ev_tool is set, and says how.  None is left behind.
 *
 *   row  out
 *
 * Returns: 0; EINTR when a signal asked to stop, and then row is unused; or
 * what fork(2), pipe(2) or mkdtemp(3) said.
 */
int evidence_gather(const struct evidence *ev, const struct assure_params *ap,
    double patience_s, struct evidence_row *row);

/* The design, on the real and on the simulated machine. */
const struct random_algorithm *evidence_design_real(
    const struct assure_params *ap);

#endif
