/*
 * The command line of the measuring commands, and what is wrong with one.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/cell/cell.h"
#include "bench/cell/config.h"
#include "bench/cell/virtual.h"
#include "bench/cell/workload.h"
#include "bench/console/usage.h"
#include "bench/report/report.h"
#include "bench/timeline/timeline.h"
#include "lib/crypto.h"

enum {
	OPTIONS_LIST_MAX	= 4096,	/* members of one list */
	OPTIONS_CELLS_MAX	= 100000,
	OPTIONS_SIZE_MAX_BYTES	= 1 << 30,
	OPTIONS_LABEL_SIZE	= 40
};

/* Which options a command takes. */
enum options_kind {
	OPTIONS_RUN	= 1u << 0,	/* one cell: no lists */
	OPTIONS_SWEEP	= 1u << 1,
	OPTIONS_CAT	= 1u << 2
};

/* A list of names or numbers; each member once. */
struct option_list {
	uint64_t	*ol_value;	/* indexes into a family, or numbers */
	unsigned	 ol_count;
};

struct options {
	const char	*op_command;
	unsigned	 op_kind;
	struct option_list op_designs;	/* into generators[] */
	struct option_list op_locks;	/* into lock_classes[] */
	struct option_list op_ciphers;	/* into ciphers[] */
	struct option_list op_readers;
	struct option_list op_sizes;	/* bytes */
	struct workload	 op_workload;
	double		 op_rate_per_s;	/* 0: closed loop */
	enum workload_arrivals op_arrivals;	/* ARRIVALS_CLOSED: not given */
	double		 op_time_s;
	unsigned	 op_repeats;
	enum crypto_mode op_crypto;
	uint64_t	 op_seed;
	bool		 op_seed_given;
	const char	*op_output;	/* or NULL */
	const char	*op_resume;	/* or NULL; then op_output, too */
	enum report_format op_format;
	bool		 op_format_given;
	const char	*op_place_text;
	struct place	 op_place;
	uint64_t	 op_bytes;	/* cat -n; 0: endless */
	uint64_t	 op_interleave_bytes;	/* of each reader in a row */
	int		 op_stream;	/* the only reader to show; -1: all */
	bool		 op_simulated;	/* on op_machine */
	struct virtual_machine op_machine;
	const char	*op_profile;	/* as asked for, or NULL */
	unsigned	 op_cpus;	/* likewise, or 0 */
	unsigned	 op_nodes;
	bool		 op_pretended;	/* --nodes on no simulated machine */
	bool		 op_verify;	/* make the bytes too */
	unsigned	 op_uncertainty;	/* profiles to draw; 0: none */
	/* The first option that asks for a simulated machine, or empty. */
	char		 op_virtual_option[OPTIONS_LABEL_SIZE];
	const char	*op_trace;	/* or NULL */
	/* option_trace_finish() makes it; ts_to_ps 0: not given. */
	struct timeline_span op_trace_span;
	const struct vm_observer *op_observer;	/* trace_begin()'s, or NULL */
	struct fault_list op_faults;
	bool		 op_ledger;	/* check all that is done */
	const char	*op_ledger_path;	/* or NULL */
	FILE		*op_ledger_log;	/* whoever measures opens it, or NULL */
	struct bench_config op_config;
	char		**op_tunables;	/* "name=value", NULL-terminated */
	unsigned	 op_tunable_count;
	bool		 op_help;
	/* What members point into, where that is its own; or NULL. */
	char		**op_words;
};

/* An option as it was given, not looked at. */
struct option_given {
	const char	*og_name;	/* long */
	const char	*og_label;	/* as the user is told of it: "-r" */
	const char	*og_value;	/* NULL for one that takes none */
	bool		 og_repeats;
};

/*
 * Reads a command's arguments, argv[0] being its name.  Prints one message to
 * stderr when something is wrong: the option, its value, and what it takes.
 *
 * Returns: 0, EXIT_USAGE, or EXIT_FAILURE when there is no memory.
 */
int options_parse(struct options *op, enum options_kind kind, int argc,
    char *argv[]);

/*
 * Splits a command's arguments, likewise, without reading any value.
 *
 *   given  out  room for argc
 *   count  out
 *   help   out  whether it was asked for
 */
int options_given(enum options_kind kind, int argc, char *argv[],
    struct option_given *given, unsigned *count, bool *help);

/* Frees a NULL-terminated array of words; or none, for NULL. */
void options_free_words(char **words);

/*
 * Makes ready what pools hash with; crypto_init() was called.
 *
 * Returns: 0, or an exit status after saying why it cannot be used.
 */
int options_load_hash(const struct options *op);

/* Frees what op points to. */
void options_free(struct options *op);

/* Prints the options that a kind of command takes, families included. */
void options_help(enum options_kind kind);

#endif
