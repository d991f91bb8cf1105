/*
 * Machine profiles: what operations cost on one machine, for the virtual
 * machine (lib/vm/vm.h).  rngsim-profile(5) has the form of their files.
 *
 * A profile is one file lib/profile/NAME.conf plus one line in
 * lib/profile/shipped.tbl; shipped ones are part of the program, and so is
 * common.conf, what they have in common.
 */
#pragma once

#include "lib/base/base.h"

enum {
	/* With the NUL. */
	PROFILE_NAME_SIZE	= 64,
	PROFILE_TEXT_SIZE	= 160,	/* a description, or a source */
	PROFILE_ERROR_SIZE	= 512
};

enum profile_key {
#define	VALUE(name, ...)	PROFILE_##name,
#include "lib/profile/profile.tbl"
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

/* On what machines a value must be there. */
enum profile_need {
	PROFILE_NEED_ALWAYS,
	PROFILE_NEED_SMT,	/* cores have several hardware threads */
	PROFILE_NEED_CACHES,	/* a node has several last-level caches */
	PROFILE_NEED_NODES,	/* several nodes */
	PROFILE_NEED_NEVER	/* 0 if it is not there */
};

/* Where a value comes from, most trusted first; ABSENT: there is no value. */
enum provenance {
	PROVENANCE_MEASURED, PROVENANCE_PUBLISHED, PROVENANCE_FITTED,
	PROVENANCE_GUESSED, PROVENANCE_ABSENT
};

/* A row of lib/profile/profile.tbl. */
struct profile_field {
	const char	*pf_key;
	enum profile_unit pf_unit;
	double		 pf_least, pf_most;
	enum profile_need pf_need;
};

extern const struct profile_field profile_fields[PROFILE_VALUES];

/* Names of units and provenances, as in files. */
const char *profile_unit_name(enum profile_unit unit);
extern const char *const provenance_names[];

struct profile {
	char		 pr_name[PROFILE_NAME_SIZE];
	char		 pr_descr[PROFILE_TEXT_SIZE];
	double		 pr_value[PROFILE_VALUES];	/* in its unit */
	enum provenance	 pr_from[PROFILE_VALUES];
	char		 pr_source[PROFILE_VALUES][PROFILE_TEXT_SIZE];
};

/* Whether a name is that of a file: it has a slash or ends in ".conf". */
bool profile_is_path(const char *name);

/*
 * Loads a profile: a shipped one by name, or a file.  "host" is the file at
 * profile_host_path(), which calibrate writes.  Returns: 0; or with a message
 * ESRCH for a name that is not shipped, or no host profile yet; EINVAL for
 * contents; another errno value.
 */
int profile_load(struct profile *pr, const char *name,
    char error[PROFILE_ERROR_SIZE]);

/*
 * Reads a profile from text.  Messages are "NAME:LINE: KEY: what is wrong;
 * expected ...".  All keys must be there once and in range, except those for
 * which profile_used() is false.  Returns: 0 or EINVAL.
 */
int profile_parse(struct profile *pr, const char *name, const char *text,
    char error[PROFILE_ERROR_SIZE]);

/* Prints a struct profile as profile_parse() reads it; out is not checked. */
void profile_write(FILE *out, const void *profile);

/*
 * The file of this user's host profile: $RNGSIM_HOST_PROFILE, else
 * $XDG_CONFIG_HOME/rngsim/host.conf, else $HOME/.config/rngsim/host.conf.
 * Returns: 0; ENOENT when none of them is set; ENAMETOOLONG.
 */
int profile_host_path(char *path, size_t size);

/* The shipped profiles, in table order; NULL ends. */
struct profile_shipped {
	const char	*ps_name, *ps_text;
};

extern const struct profile_shipped profile_shipped[];

/* The text of one; NULL: there is none with that name. */
const char *profile_text(const char *name);

/* The values that they have in common; like = "common" takes them. */
extern const char *const profile_common;

/* Of the 99th percentile of a quantity its median, not above it; else key. */
enum profile_key profile_median(enum profile_key key);

/* Whether a machine of that topology needs a value, or has one regardless. */
bool profile_used(const struct profile *pr, enum profile_key key);

/* Share of used values with a provenance, but topology and model.*; 0..1. */
double profile_share(const struct profile *pr, enum provenance from);

/* A time in picoseconds (per byte, where the unit has it), rounded. */
uint64_t profile_ps(const struct profile *pr, enum profile_key key);

/*
 * Draws the uncertain values anew: guessed ones within +-50 %, fitted and
 * published ones within +-15 %.  Measured ones, topology and switches stay.
 * The samples i = 0..n - 1 are a Latin hypercube; the same (i, n, seed) gives
 * the same values.  Percentiles of one quantity that both vary keep their
 * ratio; where one is fixed the other does not pass it.
 */
void profile_sample(const struct profile *from, unsigned i, unsigned n,
    uint64_t seed, struct profile *to);

/* The place of sample i in the range of a key, in units of 2^-32. */
uint64_t profile_place(uint64_t seed, enum profile_key key, unsigned i,
    unsigned n);

/* Whether profile_sample() varies a value. */
bool profile_varies(const struct profile *pr, enum profile_key key);
