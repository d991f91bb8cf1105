/*
 * Command lines: one table of options for all commands, options.tbl, and what
 * it reads them into.  Options stand anywhere among operands; "--" ends them.
 * Long names are written in full: later options would make others ambiguous.
 */
#pragma once

#include "bench/cell/virtual.h"
#include "bench/cli/command.h"
#include "bench/options/family.h"

enum {
	OPTIONS_CELLS_MAX	= 100000,
	OPTIONS_SIZE_MAX_BYTES	= 1 << 30,
	OPTIONS_REPEATS_MAX	= 10000,
	OPTIONS_FAIL_IF_MAX	= 32,
	OPTIONS_PARTS_MAX	= OPTIONS_CELLS_MAX,
	OPTION_LABEL_SIZE	= 32
};

enum command_id {
#define	COMMAND(name, operands, usage, line, text)	COMMAND_##name,
#include "bench/options/command.tbl"
	COMMANDS
};

struct command_text {
	const char	*ct_name;
	int		 ct_operands;	/* at most */
	const char	*ct_usage;
	const char	*ct_line;	/* for "rngsim --help" */
	const char	*ct_text;	/* for its own --help */
};

extern const struct command_text command_texts[COMMANDS];

/* What commands take as their first operand; they set it, as other families. */
extern struct family operand_families[COMMANDS];

enum option_id {
#define	OPTION(id, letter, name, value, type, flags, commands, ...) OPTION_##id,
#include "bench/options/options.tbl"
	OPTIONS
};

/* A list of names or numbers; each member once. */
struct option_list {
	uint64_t	*ol_value;	/* indexes into a family, or numbers */
	unsigned	 ol_count;
};

/* What a command was asked for, defaults included. */
struct options {
	enum command_id	 op_cmd;
	/* Each option's value as given, "" for a switch; NULL: not given. */
	const char	*op_text[OPTIONS];
	unsigned	 op_given;	/* how many were */
	const char	**op_operand;
	int		 op_operands;
	bool		 op_help;

	struct option_list op_designs;	/* design_at() */
	struct option_list op_locks;	/* into lock_classes[] */
	struct option_list op_ciphers;	/* into ciphers[] */
	struct option_list op_readers;
	struct option_list op_sizes;	/* bytes */
	struct workload	 op_workload;
	bool		 op_lock_loop;	/* critical sections, no reads */
	bool		 op_until_seeded;	/* windows end then */
	double		 op_rate_per_s;	/* 0: closed loop */
	unsigned	 op_arrivals;	/* into family_arrivals */
	struct option_list op_producers;	/* {0}: none */
	struct producing op_producing;
	double		 op_time_s, op_hold_ns;
	unsigned	 op_repeats;	/* with op_until the most */
	double		 op_until;	/* width of intervals, share; or 0 */
	unsigned	 op_until_repeats;	/* the least with it */
	double		 op_time_limit_s;
	enum crypto_mode op_crypto;
	uint64_t	 op_seed;
	bool		 op_seed_given;
	/* File names, here and below, may be NULL. */
	const char	*op_output, *op_plan;
	const char	*op_resume;	/* or NULL; then op_output, too */
	unsigned	 op_parts;	/* 0: not given */
	unsigned	 op_part, op_part_of;	/* from 1; 0: all is measured */
	unsigned	 op_format;	/* enum format */
	const char	*op_place_text;
	struct pinning	 op_place;
	bool		 op_simulated;	/* on op_machine */
	struct virtual_machine op_machine;
	const char	*op_profile;
	unsigned	 op_cpus, op_nodes;	/* 0: not given */
	bool		 op_pretended;	/* --nodes on no simulated machine */
	bool		 op_verify;	/* make the bytes too */
	unsigned	 op_uncertainty;	/* profiles to draw; 0: none */
	const char	*op_trace;
	uint64_t	 op_trace_from_ps, op_trace_to_ps; /* of the window */
	const struct vm_observer *op_observer;	/* of --trace, or NULL */
	struct failpoint_list op_faults;
	bool		 op_ledger;	/* check all that is done */
	const char	*op_ledger_path;
	FILE		*op_ledger_log;	/* the caller opens it, or NULL */
	struct bench_config op_config;
	char		**op_tunables;	/* "name=value" */
	unsigned	 op_tunable_count;

	/* cat */
	uint64_t	 op_bytes;	/* 0: endless */
	uint64_t	 op_interleave_bytes;	/* of each reader in a row */
	/* report, compare */
	const char	*op_plot, *op_html, *op_title;
	unsigned	 op_width;
	struct option_list op_quantities, op_panels;
	const char	*op_base;
	unsigned	 op_by;		/* into family_comparisons */
	const char	*op_fail_if[OPTIONS_FAIL_IF_MAX];
	unsigned	 op_fail_ifs;
	double		 op_margin;	/* share */
	/* hash, sources */
	struct option_list op_digests, op_sources;
	struct option_list op_bits;	/* into family_bits */
	/* reproduce */
	const char	*op_published, *op_map;
	bool		 op_predict;	/* rows without a value */
	unsigned	 op_loop, op_units;	/* into family_published_... */
	/* validate, explore, assure */
	const char	*op_from, *op_replay, *op_json;
	unsigned	 op_jobs;	/* 0: not given */
	uint64_t	 op_schedules, op_only;
	const char	*op_strategy;
	bool		 op_exhaustive;
	unsigned	 op_reads, op_reseeds;
	unsigned	 op_memory;	/* enum vm_memory */
	unsigned	 op_clone;	/* enum clone_mode */
	struct option_list op_allowed;	/* enum ledger_property */
	struct option_list op_rows;	/* into family_evidences */
};

/* Whether the option OPTION_id was given. */
#define	GIVEN(op, id)	((op)->op_text[OPTION_##id] != NULL)

/* What an option's value is. */
enum option_type {
	TYPE_SWITCH, TYPE_NUMBER, TYPE_BYTES, TYPE_REAL,
	TYPE_PERCENT,	/* with or without a "%"; the member is a share */
	TYPE_NAME,	/* index into od_family */
	TYPE_TEXT, TYPE_FILENAME,
	TYPE_NAMES, TYPE_NUMBERS, TYPE_SIZES,	/* lists */
	TYPE_SPECIAL	/* as od_set reads it */
};

enum {
	REPEATS		= 1 << 0,	/* may be given more than once */
	SIMULATED	= 1 << 1,	/* needs --engine virtual */
	ALL		= 1 << 2,	/* "all" may stand for a list */
	READS		= 1 << 3,	/* the value names a file to read */
	WRITES		= 1 << 4,	/* ... to write */
	ZERO		= 1 << 5	/* run and sweep take 0 in it, too */
};

/* A row of options.tbl. */
struct option_def {
	char		 od_letter;
	const char	*od_name;
	const char	*od_value;	/* in help; NULL: takes none */
	enum option_type od_type;
	size_t		 od_offset;	/* in struct options */
	size_t		 od_size;
	uint64_t	 od_min, od_max; /* of a family: a mask, 0 for all */
	double		 od_low, od_high;
	const char	*od_what;
	const struct family *od_family;
	int		(*od_set)(struct options *op, const char *label,
			    const char *text);
	unsigned	 od_flags;
	unsigned	 od_commands;	/* bit COMMAND_name */
	const char	*od_descr;
	struct {
		unsigned	 df_commands;
		const char	*df_text;
	}		 od_default[4];
};

extern const struct option_def option_defs[OPTIONS];

bool option_takes(enum command_id cm, unsigned id);

/* The command's option that a word begins with, "-x", "--name="; or OPTIONS. */
unsigned option_find(enum command_id cm, const char *word);

/* The label of the first of these, up to OPTIONS, that was given; or NULL. */
const char *options_given_of(const struct options *op,
    const enum option_id ids[]);

/* How messages call the option: "-r", or "--rate" without a letter. */
const char *option_label(unsigned id);

/* The default of a command: a value, "(...)" in words, or NULL. */
const char *option_default(const struct option_def *od, enum command_id cm);

/* Add the range of a row's numbers, "0.01..86400"; what the row accepts. */
const char *option_range(struct text *t, const struct option_def *od);
const char *option_accepted(struct text *t, const struct option_def *od,
    enum command_id cm);

/*
 * Functions below that return int print a message when something is wrong, and
 * return an exit status, or 0.
 *
 * Reads a command's arguments, or those before --help, and sets defaults.
 * Messages name that command.  options_free() op also after a failure.
 */
int options_read(struct options *op, enum command_id cm, char *const argv[]);

/*
 * For run, sweep and cat: checks that the options go together and makes what
 * follows from several of them, the simulated machine and CPUs included.
 */
int options_finish(struct options *op);

/* options_read() and options_finish(), which --help does not need. */
int options_parse(struct options *op, enum command_id cm, char *const argv[]);

/*
 * Checks the operands against the usage, where each alternative begins with a
 * word in lower case, and may have one operand behind it.
 */
int options_action(struct options *op);

void options_free(struct options *op);

/* Prints the --help of a command. */
void options_help(enum command_id cm);

/*
 * Prints what the last of these words after "rngsim" may become, each on a line
 * with a tab and a description; nothing where any text or file may stand.
 */
void options_complete(int words, char *const word[]);

/* Chooses op_seed unless it was given. */
int options_seed(struct options *op);

/* Whether -S has set the tunable. */
bool options_tunable_seen(const struct options *op, const char *name);

/*
 * Passes each sysctl of designs that no table of tunables has, once, with the
 * first design that has it; NULL and errno for a design that cannot be loaded.
 */
void options_sysctls(void (*each)(void *context, const struct design *de,
    const struct design_sysctl *dy), void *context);

/* Loads the hash of the pools; crypto_init() was called. */
int options_load_hash(const struct options *op);

/*
 * Makes the options of a run that continues: argv and seed it was begun with,
 * but for --format, the only one that may be given beside --resume.
 */
int options_resume(struct options *op, const struct options *given,
    char *const argv[], uint64_t seed);

/* Adds a value to a list, once; label and item are for the message. */
int option_list_add(struct option_list *ol, const char *label, const char *item,
    uint64_t value);
/* The largest number of a list; 0: it is empty. */
uint64_t option_list_max(const struct option_list *ol);

/* Refuse outputs that are the file of an input or of another output; */
int options_check_files(const struct options *op);
/* --crypto source where it has no effect, or is not seen; */
int options_check_crypto(const struct options *op);
/* a cipher that a design's release lacks, and drops it from a default; */
int options_check_ciphers(struct options *op);
/* what an option needs, or may not stand beside. */
int options_check_relations(const struct options *op);
/* For options_finish(). */
int options_check(const struct options *op);
int options_check_simulated_locks(const struct options *op);

#define	OPTIONS_LOCK_NODES	"rngsim.lock.nodes"
#define	PS_PER_MS		1e9

/* I/N of --part, from 1/1; false: it is none. */
bool option_read_part(const char *text, unsigned *part, unsigned *parts);

/* Setters of options with a syntax of their own. */
int option_failpoint(struct options *op, const char *label, const char *text);
int option_tunable(struct options *op, const char *label, const char *text);
