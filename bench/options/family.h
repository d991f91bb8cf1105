/* Families of names that options take: designs, locks, formats and so on. */
#pragma once

struct text;

struct family {
	/* The i-th name, from 0; NULL after the last. */
	const char	*(*fa_name)(unsigned i);
	/* One line on the i-th for help, or NULL. */
	const char	*(*fa_descr)(unsigned i);
	const char	*fam_title;	/* in help's list of values, or NULL */
	/* Too many to name in a message: the topic of "rngsim list". */
	const char	*fam_topic;
};

/* Makes a family: names of those i that are below count, or a line on each. */
#define	FAMILY(which, count, name, ...)					\
	static const char *						\
	which##_name(unsigned i)					\
	{								\
		return (i < (count) ? (name) : NULL);			\
	}								\
	const struct family which = { .fa_name = which##_name, __VA_ARGS__ }
#define	FAMILY_DESCR(which, descr)					\
	static const char *						\
	which##_descr(unsigned i)					\
	{								\
		return (descr);						\
	}

extern const struct family family_arrivals, family_bits, family_ciphers,
    family_clones, family_commands, family_comparisons, family_crypto,
    family_designs, family_engines, family_formats, family_hashes, family_locks,
    family_loops, family_memories, family_properties;

/* Families of one command, which sets them: struct command, bench/cmd.h. */
extern struct family family_benchmarks, family_evidences, family_number_sources,
    family_panels, family_quantities, family_simulated_locks, family_strategies,
    family_units;

/* Indexes into family_formats, of stdout, of all commands. */
enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MINISTAT,
    FORMAT_SENTENCES, FORMATS };

/* The index of a name; -1: there is none. */
int family_find(const struct family *fa, const char *name);

/* Complains.  Without accepted that is the family, which else may be NULL. */
int family_refuse(const struct family *fa, const char *label, const char *text,
    const char *accepted);

/*
 * Joins names, "a, b or c", or says which list has them: those of mask, bit i
 * the i-th, or of mask 0 all; and also, or NULL.  Into a new text: TEXT_OF().
 */
const char *family_join(struct text *t, const struct family *fa, unsigned mask,
    const char *also);
