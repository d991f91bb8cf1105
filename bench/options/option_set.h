/*
 * One function for each option: reads its value into struct options, or says
 * what is wrong with it.  For bench/options/options.c.
 */
#ifndef BENCH_OPTION_SET_H
#define BENCH_OPTION_SET_H

#include "bench/console/choice.h"
#include "bench/options/options.h"

enum { OPTION_ENGINES = 2 };

/*
 *   name  in  the option as the user is told of it: "-r"
 *   text  in  its value
 *
 * Returns: 0, or what usage_error() returned.
 */
typedef int option_setter(struct options *op, const char *name,
    const char *text);

option_setter option_arrivals;
option_setter option_ciphers;
option_setter option_count;
option_setter option_cpus;
option_setter option_crypto;
option_setter option_designs;
option_setter option_engine;
option_setter option_failpoint;
option_setter option_format;
option_setter option_interleave;
option_setter option_ledger;
option_setter option_ledger_log;
option_setter option_locks;
option_setter option_nodes;
option_setter option_output;
option_setter option_place;
option_setter option_profile;
option_setter option_rate;
option_setter option_readers;
option_setter option_resume;
option_setter option_seed;
option_setter option_sizes;
option_setter option_stream;
option_setter option_time;
option_setter option_trace;
option_setter option_trace_time;
option_setter option_tunable;
option_setter option_uncertainty;
option_setter option_verify;
option_setter option_workload;

/* The time that is traced unless --trace-time says otherwise, ms. */
enum { OPTION_TRACE_MS = 10 };

/*
 * Whether --trace and --trace-time can be had, once all else is known; makes
 * op_trace_span.
 *
 * Returns: 0, or what usage_error() returned.
 */
int option_trace_finish(struct options *op);

/* What --ledger-log can go with.  Returns: 0, or what usage_error() did. */
int option_ledger_finish(const struct options *op);

/*
 * Refuses what a run with fail points has nothing to write to.
 *
 * Returns: 0, or what usage_error() returned.
 */
int option_failpoint_finish(const struct options *op);

/*
 * Whether -s, --workload, --rate and --arrivals go together; makes the workload
 * of what they say.
 *
 * Returns: 0, or what usage_error() returned.
 */
int option_workload_finish(struct options *op);

/*
 * Makes the machine to be simulated, if one is, and the defaults that follow
 * from it.
 *
 * Returns: 0, or what usage_error() or run_error() returned.
 */
int option_virtual_finish(struct options *op);

/*
 * What of cat's options does not go together, --place included.
 *
 * Returns: 0, or what usage_error() returned.
 */
int option_cat_finish(struct options *op);

/* Finds the CPUs that --place names, on the machine that is used; likewise. */
int option_place_finish(struct options *op);

/* Whether -S has set the tunable called name. */
bool option_tunable_seen(const struct options *op, const char *name);

/*
 * Refuses a design with several locks where a chosen lock excludes nobody, and
 * tunables of locks and designs that none of the chosen ones heeds.
 *
 * Returns: 0, or what usage_error() returned.
 */
int option_check_choices(const struct options *op);

/*
 * Refuses a hash for pools that there is not, or that the engine has no costs
 * of.
 *
 * Returns: 0, or what usage_error() returned.
 */
int option_check_hash(const struct options *op);

/* The i-th name of each family, for lists of what would be accepted. */
const char *option_cipher_name(unsigned i);
const char *option_crypto_name(unsigned i);
const char *option_design_name(unsigned i);
const char *option_engine_name(unsigned i);
const char *option_format_name(unsigned i);
const char *option_lock_name(unsigned i);

#endif
