/*
 * Fail points: decisions that a run can change, with fail(9)'s grammar.
 *
 *	SPEC	TERM { "->" TERM }
 *	TERM	{ PERCENT "%" | COUNT "*" } ACTION [ "(" ARGUMENT ")" ]
 *
 * Terms are tried in order until one executes; print with an argument other
 * than 0 does not end that.  The probability is drawn before the count is used,
 * from a stream of the run's seed and the point's name.  A point returns only
 * answers that the code could have reached itself.
 *
 * Stands for sys/kern/kern_fail.c, FreeBSD 14.  Departs: a percentage above 100
 * is an error; there is no [pid N]; sleep and pause work under any lock; pause
 * may have a limit.
 */
#pragma once

#include <stdatomic.h>

#include "lib/base/base.h"

enum {
	FAILPOINT_TERMS_MAX	= 20,
	FAILPOINT_ERROR_SIZE	= 256,
	/* A probability of 1, in ten thousandths of a percent. */
	FAILPOINT_ALWAYS	= 1000000
};

enum failpoint_action {
	FAILPOINT_OFF,
	FAILPOINT_RETURN,	/* answer with the argument */
	FAILPOINT_SLEEP,	/* ms */
	FAILPOINT_PANIC,	/* end the program, as an assertion does */
	FAILPOINT_BREAK,	/* SIGTRAP */
	FAILPOINT_PRINT,	/* a line on stderr */
	FAILPOINT_PAUSE,	/* until failpoint_release() */
	FAILPOINT_YIELD,
	FAILPOINT_DELAY,	/* us, awake */
	FAILPOINT_ACTIONS
};

extern const char *const failpoint_action_names[FAILPOINT_ACTIONS];

struct failpoint_term {
	enum failpoint_action fpt_action;
	int		 fpt_argument;	/* 0 where none is given */
	uint32_t	 fpt_probability;	/* of FAILPOINT_ALWAYS */
	uint32_t	 fpt_count;	/* times at most; 0: any number */
};

struct failpoint_spec {
	unsigned	 fps_terms;
	struct failpoint_term fps_term[FAILPOINT_TERMS_MAX];
};

/* A point as its table declares it. */
struct failpoint_def {
	const char	*fd_name;	/* as --failpoint takes it */
	const char	*fd_where;
	const char	*fd_descr;	/* a sentence */
};

/* The actions on the machine of the run. */
struct failpoint_machine {
	int		(*fpm_sleep)(int64_t ns);
	void		(*fpm_delay)(int64_t ns);
	void		(*fpm_yield)(void);
	/* Sleeps while *gate is 0, or for that long, or -1 for ever. */
	void		(*fpm_wait)(uint32_t *gate, int64_t ns);
	void		(*fpm_open)(uint32_t *gate);	/* *gate = 1; wakes */
};

/* A point of a run. */
struct failpoint {
	const struct failpoint_def *fp_def;
	const struct failpoint_spec *fp_spec;	/* NULL: evaluated only */
	const struct failpoint_machine *fp_machine;
	uint64_t	 fp_seed;
	int64_t		 fp_pause_ns;	/* the longest pause; -1: no limit */
	_Atomic uint64_t fp_draws, fp_evaluated;
	_Atomic uint64_t fp_executed;	/* terms, off excepted */
	_Atomic uint32_t fp_left[FAILPOINT_TERMS_MAX];	/* of their counts */
	atomic_bool	 fp_released;
	uint32_t	 fp_gate;	/* fp_machine's: 1 once released */
};

/* Returns: 0, or EINVAL and in error where and what was expected. */
int failpoint_parse(struct failpoint_spec *fs, const char *text,
    char error[FAILPOINT_ERROR_SIZE]);

/* spec: NULL only counts evaluations.  All arguments outlive fp. */
void failpoint_init(struct failpoint *fp, const struct failpoint_def *def,
    const struct failpoint_spec *spec, const struct failpoint_machine *fm,
    uint64_t seed);

/* Ends all pauses at fp, now and later.  Called on fp's machine. */
void failpoint_release(struct failpoint *fp);

/*
 * Evaluates a point, with any locks held.  Returns: its return's value, or 0.
 */
int failpoint_eval(struct failpoint *fp);
