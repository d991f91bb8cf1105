/*
 * Fail points: places where a run can be made to decide otherwise, with
 * fail(9)'s grammar.
 *
 *	SPEC	TERM { "->" TERM }
 *	TERM	{ PERCENT "%" | COUNT "*" } ACTION [ "(" ARGUMENT ")" ]
 *
 * The first term that executes is the last to be looked at, unless it is
 * print with an argument other than 0.  A term's probability is asked before
 * its count; one without a count executes any number of times.
 *
 * A point injects a decision, never a state: what it returns is an answer that
 * the code might have come to itself.  The points of a run are the run's own,
 * and each draws from a stream of its own, made of the run's seed and the
 * point's name: setting one changes no other.
 *
 * Each room of the source has a table of its points, failpoint.tbl.  Code asks
 * with FAILPOINT(), which is one branch where a run has none.
 *
 * Stands for sys/kern/kern_fail.c, FreeBSD 14.  Departs: a percentage above 100
 * is refused, not taken for 100; there is no [pid N]; sleep and pause suit any
 * lock here, so none becomes a delay; pause may have an end.
 */
#ifndef LIB_FAILPOINT_H
#define LIB_FAILPOINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	enum failpoint_action ft_action;
	int		 ft_argument;	/* 0 where none is given */
	uint32_t	 ft_probability;	/* of FAILPOINT_ALWAYS */
	uint32_t	 ft_count;	/* times at most; 0: any number */
};

struct failpoint_spec {
	unsigned	 fs_terms;
	struct failpoint_term fs_term[FAILPOINT_TERMS_MAX];
};

/* A point as its room's table declares it. */
struct failpoint_def {
	const char	*fd_name;	/* as --failpoint takes it */
	const char	*fd_where;
	const char	*fd_descr;	/* a sentence */
};

/* What actions are on the machine that a run is on. */
struct failpoint_machine {
	void		(*fm_sleep)(int64_t ns);
	void		(*fm_delay)(int64_t ns);
	void		(*fm_yield)(void);
	/* Sleeps while *gate is 0, or for that long, or -1 for ever. */
	void		(*fm_wait)(uint32_t *gate, int64_t ns);
	void		(*fm_open)(uint32_t *gate);	/* *gate = 1; wakes */
};

/* A point of a run. */
struct failpoint {
	const struct failpoint_def *fp_def;
	const struct failpoint_spec *fp_spec;	/* NULL: evaluated only */
	const struct failpoint_machine *fp_machine;
	uint64_t	 fp_seed;
	int64_t		 fp_pause_ns;	/* the longest pause; -1: no limit */
	_Atomic uint64_t fp_draws;
	_Atomic uint64_t fp_evaluated;
	_Atomic uint64_t fp_executed;	/* terms, off excepted */
	_Atomic uint32_t fp_left[FAILPOINT_TERMS_MAX];	/* of their counts */
	atomic_bool	 fp_released;
	uint32_t	 fp_gate;	/* fp_machine's: 1 once released */
};

/* The points of lib. */
enum lib_failpoint {
#define	FAILPOINT(name, where, descr)	FAILPOINT_##name,
#include "lib/failpoint.tbl"
#undef FAILPOINT
	LIB_FAILPOINTS
};

extern const struct failpoint_def lib_failpoints[LIB_FAILPOINTS];

/*
 * Reads a specification.
 *
 *   error  out  on failure: at which character, what is there, what is accepted
 *
 * Returns: 0 or EINVAL.
 */
int failpoint_parse(struct failpoint_spec *fs, const char *text,
    char error[FAILPOINT_ERROR_SIZE]);

/*
 * Makes a point of a run.
 *
 *   spec  in  or NULL: it executes nothing, and is counted
 *   seed  in  the run's
 *
 * All outlive fp.
 */
void failpoint_init(struct failpoint *fp, const struct failpoint_def *def,
    const struct failpoint_spec *spec, const struct failpoint_machine *fm,
    uint64_t seed);

/*
 * Who pauses there goes on, and nobody pauses there again; the other actions
 * stay.  Called on fp's machine.
 */
void failpoint_release(struct failpoint *fp);

/*
 * Asks a point: from any thread of its machine, whatever locks it holds.
 *
 * Returns: the argument of the return that executed, else 0.
 */
int failpoint_eval(struct failpoint *fp);

/* The same for member i of an array that a run may not have. */
static inline int
failpoint_ask(struct failpoint *points, unsigned i)
{

	return (__builtin_expect(points != NULL, 0) ?
	    failpoint_eval(&points[i]) : 0);
}

#endif
