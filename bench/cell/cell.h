/*
 * One repeat of one cell on one engine, which is this interface compiled for
 * one machine (lib/machine/flavour.h).
 */
#pragma once

#include "bench/cell/failpoints.h"
#include "bench/workload/workload.h"
#include "bench/result/result.h"

/* The program's own tunables. */
struct program_config {
	unsigned	seed_timeout_ms;	/* longest wait for seeding */
	unsigned	end_timeout_ms;		/* for threads to end */
	unsigned	warmup_ms;		/* before each window */
	bool		controls;		/* a sweep measures them too */
	unsigned	virtual_threads;	/* runs at a time; 0: CPUs */
	/* FreeBSD's spellings of -d and -c; they count only if set. */
	bool		concurrent_read, use_chacha20_cipher;
	char		pool_hash[TUNABLE_STRING_SIZE];	/* "": the source's */
	unsigned	spinmutex;	/* what MTX_SPIN is; 0: FreeBSD's */
};

/* NULL-terminated, by that. */
extern const char *const program_spin_names[];

/* Everything that tunables set, of all layers together. */
struct bench_config {
	struct lock_config	bc_lock;
	struct harvest_config	bc_harvest;
	struct program_config	bc_program;
	/* Sysctls of sources, as they were given. */
	struct kern_setting	bc_setting[DESIGN_SETTINGS_MAX];
	unsigned		bc_settings;
};

/* Defaults: FreeBSD's for a machine of ncpus. */
void bench_config_default(struct bench_config *bc, unsigned ncpus);

/* Each layer's table, up to a NULL; and where its structure is in that one. */
extern const struct bench_tunables {
	const struct tunable *btu_table;
	size_t		 btu_base;
} bench_tunables[];

/* The tunable of a name, and that place; NULL: there is none. */
const struct tunable *bench_tunable(const char *name, size_t *base);

/*
 * Sets a tunable from "name=value"; *error is what tunable_set_text() returned;
 * *value is where the value begins, or NULL: text is something else.  Returns:
 * the tunable; NULL: there is none of that name.
 */
const struct tunable *bench_config_set(struct bench_config *bc,
    const char *text, const char **value, int *error);

enum { PINNING_ERROR_SIZE = 160 };

/* The CPU of each thread of a cell. */
struct pinning {
	unsigned	*pl_ranks;	/* of readers, in turn; NULL: float */
	unsigned	 pl_count;
	int		 pl_harvest;	/* rank; -1: any */
	unsigned	 pl_cpus;	/* of the machine */
};

/*
 * Reads the argument of --place: "compact", "scatter" or "smt-first", orders of
 * all usable CPUs (lib/machine/cpu.h); "none", no thread is bound; or a list of
 * CPUs with ranges, and after a slash the harvest thread's: "0-3,8/9".  vt is
 * the simulated machine, which numbers CPUs by rank; NULL: the host, with the
 * operating system's numbers.  Returns: 0, or EINVAL with what is wrong.
 */
int pinning_parse(struct pinning *pl, const char *text,
    const struct vm_topology *vt, char error[PINNING_ERROR_SIZE]);

void pinning_free(struct pinning *pl);

/*
 * The rank of reader i's CPU, and of the harvest thread's: the given one, else
 * one that no reader has.  MACHINE_CPU_ANY: the thread floats, as the harvest
 * thread does when readers have all CPUs.
 */
int pinning_reader(const struct pinning *pl, unsigned i);
int pinning_harvest(const struct pinning *pl, unsigned readers);

enum {
	CELL_ERROR_SIZE		= 512 + VM_STUCK_SIZE,
	CELL_INTERVALS		= 10,	/* parts of a window kept apart */
	CELL_ROLES		= 3,
	CELL_READERS_MAX	= 1024
};

/* What to measure. */
struct cell {
	const char	*ce_design, *ce_lock;
	const struct cipher *ce_cipher;
	unsigned	 ce_readers;
	uint64_t	 ce_request_bytes;	/* or as ce_workload says */
	/* NULL: one request after the other, all of that size. */
	const struct workload *ce_workload;
	/* The null design's critical section alone; a request has one byte. */
	bool		 ce_lock_loop;
	/* Threads that queue events; 0: none, and then NULL. */
	unsigned	 ce_producers;
	const struct producing *ce_producing;
	bool		 ce_until_seeded;	/* from boot to a first seed */
};

struct cell_params {
	struct cell	 cp_cell;
	const struct bench_config *cp_config;
	const struct pinning *cp_place;	/* not NULL */
	double		 cp_time_s;
	uint64_t	 cp_seed;	/* of what the workload draws */
	/* The machine to simulate; NULL on an engine that does not. */
	const struct machine_config *cp_machine;
	bool		 cp_bytes;	/* simulated: make the bytes, too */
	const struct failpoint_list *cp_faults;	/* NULL: none */
	bool		 cp_ledger;	/* a ledger for each generator */
	FILE		*cp_ledger_log;	/* of the shared one; or NULL */
	const volatile sig_atomic_t *cp_stop;	/* a signal asks to end */
	struct slice_arm *cp_arm;	/* bench/cell/slices.h; NULL: alone */
};

/* A row without what its histograms show. */
struct cell_row {
	struct result_row cr_row;
	bool		 cr_spin_mutex;
	struct hist_small cr_hold, cr_spin, cr_block;
};

/* What one repeat measured.  Histograms are in the engine's cycles. */
struct cell_measure {
	struct result_sample cm_sample;
	struct hist	 cm_latency;
	struct hist	 cm_uncorrected;	/* empty in a closed loop */
	struct hist	 cm_harvest_latency;
	struct hist	 cm_call;	/* of producers, to queue an event */
	struct cell_row	*cm_rows;
	unsigned	 cm_row_count;
	struct result_wait *cm_waits;
	unsigned	 cm_wait_count;
	double		 cm_acquisitions;	/* by readers */
	double		 cm_backlog;	/* requests due and never begun */
	bool		 cm_unbound;	/* a binding was refused */
	bool		 cm_displaced;	/* or did not last */
	struct machine_outcome cm_outcome;
	/* With fail points; also after a failure with ETIMEDOUT. */
	struct failpoint_outcome cm_faults;
	struct result_ledger cm_ledger;	/* all ledgers together */
	/* Sources that were tested and had an event; this repeat alone. */
	unsigned	 cm_health_count;
	struct result_health *cm_health;
};

struct engine {
	const char	*en_name;	/* as --engine takes it */
	bool		 en_profiled;
	bool		 en_simulated;	/* needs cp_machine */
	/* Its lock of that name, for its flags; NULL: has none. */
	const struct lock_class *(*en_lock_find)(const char *name);
	int64_t		(*en_cycles_to_ns)(uint64_t cycles);
	/*
	 * Runs one repeat.  Returns: 0, and cm is filled in; else the reason is
	 * in error: EINTR when *cp_stop was set; ETIMEDOUT when never seeded;
	 * EAGAIN or ENOMEM when the host refused a thread or memory; EDEADLK
	 * when simulated threads could not go on; EPROTO: see the ledger.
	 */
	int		(*en_run)(const struct cell_params *cp,
			struct cell_measure *cm, char error[CELL_ERROR_SIZE]);
	/* ns of n uncontended lock and unlock pairs. */
	double		(*en_lock_pairs)(unsigned n);
};

/*
 * Whether each reader has a device of its own: the lock excludes no thread, and
 * the design has a state, or the lock is "none".
 */
bool cell_apart(const char *design, const char *lock);

/* The quantiles of a histogram of an engine's cycles, in ns. */
struct result_latency cell_latency(const struct engine *en,
    const struct hist *cycles);

/* Frees its arrays, the sample's too. */
void cell_measure_free(struct cell_measure *cm);

/*
 * Makes n bytes of entropy as a boot loader would hand over, to be freed: from
 * the host's generator or, repeatable and not for keys, from *seed.  Returns:
 * NULL with errno set: ENOMEM, or getentropy(3)'s.
 */
uint8_t *prime_bytes(size_t n, const uint64_t *seed);

#define	ENGINE(flavour)	FLAVOUR_PASTE(flavour, engine)

/* The real machine, with lock profiling and without; a simulated one. */
extern const struct engine ENGINE(real);
extern const struct engine ENGINE(bare);
extern const struct engine ENGINE(virtual);
