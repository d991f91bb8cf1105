/*
 * Machine profiles: what operations cost on one machine, for the virtual
 * machine (lib/vm.h).
 *
 * A profile is one file lib/profiles/NAME.conf plus one line in
 * lib/profiles/profile.tbl; shipped ones are part of the program.  The file is
 * in libconfig's format: name, descr, and for each key of lib/profile.tbl
 *
 *	key = (NUMBER, "UNIT", "PROVENANCE", "SOURCE");
 *
 * with the parts of a key nested as groups.
 */
#ifndef LIB_PROFILE_H
#define LIB_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	/* With the NUL. */
	PROFILE_NAME_SIZE	= 64,
	PROFILE_TEXT_SIZE	= 160,	/* a description, or a source */
	PROFILE_ERROR_SIZE	= 512
};

enum profile_key {
#define	PROFILE_VALUE(name, key, unit, least, most, descr)	PROFILE_##name,
#include "lib/profile.tbl"
#undef PROFILE_VALUE
	PROFILE_VALUES
};

enum profile_unit {
	PROFILE_COUNT,		/* "", an integer */
	PROFILE_SWITCH,		/* "", 0 or 1 */
	PROFILE_RATIO,		/* "" */
	PROFILE_NS,		/* "ns" */
	PROFILE_US,		/* "us" */
	PROFILE_MS,		/* "ms" */
	PROFILE_NS_PER_BYTE	/* "ns/B" */
};

/* Where a value comes from, most trusted first; the last is no value. */
enum provenance {
	PROVENANCE_MEASURED,
	PROVENANCE_PUBLISHED,
	PROVENANCE_FITTED,
	PROVENANCE_GUESSED,
	PROVENANCE_ABSENT
};

/* A row of lib/profile.tbl. */
struct profile_field {
	const char	*pf_key;
	enum profile_unit pf_unit;
	double		 pf_least;
	double		 pf_most;
	const char	*pf_descr;
};

extern const struct profile_field profile_fields[PROFILE_VALUES];

/* Names of units as files have them, and of provenances. */
const char *profile_unit_name(enum profile_unit unit);
const char *provenance_name(enum provenance from);

struct profile {
	char		 pr_name[PROFILE_NAME_SIZE];
	char		 pr_descr[PROFILE_TEXT_SIZE];
	double		 pr_value[PROFILE_VALUES];	/* in its unit */
	enum provenance	 pr_from[PROFILE_VALUES];
	char		 pr_source[PROFILE_VALUES][PROFILE_TEXT_SIZE];
};

/*
 * Loads a profile: a shipped one by name, or a file where name has a slash or
 * ends in ".conf".  "host" is this user's own, written by calibrating
 * (profile_host_path()), and the shipped one where there is none.
 *
 *   pr     out
 *   error  out  on failure: for people, with file, line and key where there
 *               are any
 *
 * Values that the topology makes meaningless (lat.smt without SMT, lat.sock
 * with one cache a node, lat.remote, lat.cong and line.invalidate with one
 * node) may be absent; all others must be there, within their range, and in
 * their unit, and no others.
 *
 * Returns: 0; ENOENT; EINVAL for contents; another errno value.
 */
int profile_load(struct profile *pr, const char *name,
    char error[PROFILE_ERROR_SIZE]);

/*
 * The same from text; name stands for the file in messages, which are
 * "NAME:LINE: KEY: what is wrong; expected ...".
 */
int profile_parse(struct profile *pr, const char *name, const char *text,
    char error[PROFILE_ERROR_SIZE]);

/*
 * Writes a profile as profile_parse() reads it.
 *
 * Returns: 0, or an errno value.
 */
int profile_write(const struct profile *pr, FILE *out);

/*
 * Where this user's host profile is: $RNGSIM_HOST_PROFILE, else
 * $XDG_CONFIG_HOME/rngsim/host.conf, else $HOME/.config/rngsim/host.conf.
 *
 * Returns: 0; ENOENT when none of them is set.
 */
int profile_host_path(char *path, size_t size);

/* The shipped profiles, in table order. */
unsigned profile_shipped_count(void);
const char *profile_shipped_name(unsigned i);
const char *profile_shipped_text(unsigned i);

/* Whether a value is part of the model at all on a machine of that shape. */
bool profile_used(const struct profile *pr, enum profile_key key);

/*
 * Shares of the values in use, topology excepted, that have a provenance; 0..1.
 */
double profile_share(const struct profile *pr, enum provenance from);

/*
 * The value in picoseconds (per byte, where it is), rounded to nearest; key is
 * one with a unit of time.
 */
uint64_t profile_ps(const struct profile *pr, enum profile_key key);

/*
 * A profile whose uncertain values are drawn anew: guessed ones within +-50 %,
 * fitted and published ones within +-15 %, measured ones, topology and
 * switches as they are.  The i-th of a Latin hypercube of n; the same (i, n,
 * seed) gives the same values.  Percentiles of one quantity that both vary keep
 * their ratio; where one is fixed the other does not pass it.
 *
 *   from  in
 *   i     in   0..n - 1
 *   to    out
 */
void profile_sample(const struct profile *from, unsigned i, unsigned n,
    uint64_t seed, struct profile *to);

/* Whether profile_sample() varies a value. */
bool profile_varies(const struct profile *pr, enum profile_key key);

#endif
