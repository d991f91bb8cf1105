/* Counterexamples, with all that a replay needs; rngsim-schedule(5). */
#pragma once

#include "lib/base/lines.h"
#include "bench/explore/execution.h"

#define	COUNTEREXAMPLE_SCHEMA	"rngsim-schedule/1"

enum { COUNTEREXAMPLE_WORD_SIZE = 16 };

/* A tunable or a fail point that was set. */
struct setting {
	bool		 gv_failpoint;
	char		*gv_text;	/* "name=value" */
};

struct counterexample {
	struct subject cx_subject;
	struct setting	*cx_setting;
	unsigned	 cx_settings;
	struct failpoint_list cx_faults;	/* of a file */
	/* Its origin. */
	uint64_t	 cx_seed;	/* of the campaign */
	uint64_t	 cx_number;	/* of the schedule in it, from 0 */
	char		 cx_strategy[COUNTEREXAMPLE_WORD_SIZE];
	/* Its input. */
	uint64_t	 cx_draws;	/* seed of the simulated hardware */
	struct scenario	 cx_scenario;
	struct schedule	 cx_schedule;
	/* Its outcome. */
	char		 cx_word[COUNTEREXAMPLE_WORD_SIZE];
	uint64_t	 cx_hash;
};

/* Frees what it points to. */
void counterexample_free(struct counterexample *cx);

/* Adds a setting of its subject.  Returns: its text, which stays. */
const char *counterexample_add(struct counterexample *cx, bool failpoint,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A file's text, to be freed. */
char *counterexample_text(const struct counterexample *cx);

/*
 * Reads one; counterexample_free() is due either way.  Returns: 0; EINVAL;
 * ENOMEM; or what read(2) returned; what is wrong is in message.
 */
int counterexample_load(struct counterexample *cx, const char *path,
    char message[LINES_ERROR_SIZE]);

/* Sets a tunable from "name=value".  Returns: 0, or EINVAL and why. */
int counterexample_set_tunable(struct subject *tb, const char *text, char *why,
    size_t size);

struct replay {
	struct outcome	 ry_outcome;
	struct event_trace ry_trace;	/* empty, unless it was traced */
	bool		 ry_exact;	/* the schedule was followed */
	bool		 ry_same;	/* and the outcome is as recorded */
};

/* Runs it.  Returns: as execution_run(). */
int counterexample_run(struct execution *ex, const struct counterexample *cx,
    bool traced, struct replay *ry);

/*
 * Replaces it by the smallest that is found, in the time of so many short runs,
 * to break the same property: a smaller scenario, then fewer switches.
 * Returns: 0; ENOMEM; EINTR; EPROTO: its outcome is not the recorded one.
 */
int shrink(struct execution *ex, struct counterexample *cx, uint64_t runs_max);

/*
 * Sets et_lost of its trace: the first choice after which all of some hundred
 * drawn continuations break a property; of a long run, fewer.
 */
void find_lost(struct execution *ex, const struct counterexample *cx,
    struct replay *ry);

/*
 * Shrinks a schedule alone.  fails() runs one and returns: 1: it fails, and may
 * be replaced by the one that was really run; 0: not; -1: no more are tried.
 */
void shrink_schedule(struct schedule *sd,
    int (*fails)(void *context, struct schedule *sd), void *context);
