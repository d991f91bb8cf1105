/*
 * Kernels: sources that were compiled as an object (lib/kern/abi.h), with the
 * kernel around them, on one machine.
 *
 * A kernel is loaded, then booted, and used by threads of the machine whose
 * mt_index is below kp_lock_config.threads.
 */
#pragma once

#include "lib/crypto/cipher.h"
#include "lib/crypto/digest.h"
#include "lib/kern/object.h"
#include "lib/ledger/ledger.h"
#include "lib/lock/lock.h"

/* Where the caller is; there as an interrupt, or in write(2) of the device. */
enum { KERNEL_CPU_HERE = -1, KERNEL_CPU_INTERRUPT = -2, KERNEL_CPU_WRITE = -3 };

/* What a booted kernel asks of the layer above. */
struct kernel_above {
	/* Evaluates a fail point; 0: nothing to do. */
	int		(*ka_failpoint)(void *above, const char *name);
	/* The uptime that the source gets for now_ns. */
	int64_t		(*ka_clock)(void *above, int64_t now_ns);
	/* A process sleeps for timeout_ns: what it does before that. */
	void		(*ka_idle)(void *above, int64_t *timeout_ns);
	/* A thread begins to sleep; it was woken, or its time is over. */
	void		(*ka_sleeping)(void *above);
	void		(*ka_slept)(void *above, bool woken);
	/* Of the ledger's core, when the source's pools are there. */
	struct ledger_core_rule (*ka_core_rule)(void *above, unsigned pools);
};

struct kernel_params {
	struct kern_file *kp_file;
	const char	*kp_name;	/* in messages; outlives the kernel */
	const struct kernel_above *kp_above;
	void		*kp_above_arg;
	const struct cipher *kp_cipher;	/* of all keys */
	const struct hash *kp_pool_hash;	/* NULL: the source's */
	const struct lock_class *kp_lock;	/* what MTX_DEF is */
	struct lock_config kp_lock_config;
	const struct lock_faults *kp_spin_faults;	/* or NULL */
	struct lockprof	*kp_prof;	/* a row for each site; or NULL */
	bool		 kp_scarce;	/* M_NOWAIT fails in a third of calls */
	struct ledger	*kp_ledger;	/* or NULL */
	/* With it: secrets, of a stub, and leaks, on a simulated machine. */
	bool		 kp_scans;
	const struct kern_setting *kp_settings;	/* applied before boot */
	unsigned	 kp_setting_count;
	unsigned	 kp_cpus;	/* that the kernel has */
	unsigned	 kp_domains;	/* 0: its CPUs alternate between two */
	/* Each look at the clock is long after the last: reseeds are due. */
	bool		 kp_unpaced;
	/* What the loader left as "boot_entropy_cache"; wiped by the source. */
	void		*kp_preload;
	size_t		 kp_preload_bytes;
	/* What MTX_SPIN is, with kp_lock_config's polls; NULL: mtx-spin. */
	const struct lock_class *kp_spin;
};

/*
 * Loads a copy of the object: its variables are as loaded, no function has run.
 * Returns: 0; EMFILE when no more copies can be loaded; ENOEXEC.
 */
int kernel_load(struct kernel **k, const struct kernel_params *kp);

/*
 * Sets the settings and runs SYSINIT(9) in order.  key: where the source's K
 * is, or NULL; counter: its C, with the mutex of both, then reseeds are paced.
 */
void kernel_boot(struct kernel *k, const void *(*key)(void),
    uint128_t (*counter)(void));

/* No thread uses it any more; or NULL.  Wipes the source's variables. */
void kernel_free(struct kernel *k);

const struct kern_object *kernel_object(const struct kernel *k);

/*
 * Around a call of the source on a CPU, or KERNEL_CPU_HERE and so on.  On
 * return it has no lock and is in no section, or the run ends.  Returns: the
 * bytes that the call hashed.
 */
void kernel_enter(struct kernel *k, int cpu);
size_t kernel_leave(struct kernel *k);

/*
 * Whether the call has stored an event: on this machine, where its stores are
 * not seen, whether it has read the cycle counter.
 */
bool kernel_stored(struct kernel *k);

/*
 * The thread is about to give the source an event, or has done so.  Returns:
 * then the pool that took it, or -1.
 */
int kernel_delivering(struct kernel *k, bool delivering);

/*
 * Runs the timers and tasks that are due, from one thread at a time.  Returns:
 * false if the source has none.
 */
bool kernel_timer(struct kernel *k, int64_t now_ns);

/* Runs the kernel's process until it ends. */
void kernel_process(struct kernel *k);

/*
 * Runs SYSUNINIT(9), first what waits for the process, then all from the last
 * to the first.  The process's sleeps are short from now on, but it first does
 * once more all that it does between two.
 */
void kernel_shutdown(struct kernel *k);

/* The thread's event was tested: a pool's lock that it takes later is late. */
void kernel_tested(struct kernel *k);

/*
 * How the last two threads met that were on one CPU in calls at the same time,
 * the first one outside of a critical section.  Returns: false if none were.
 */
bool kernel_shared_cpu(const struct kernel *k, char *text, size_t n);

/* A read has returned this: looks for parts of it in the source's variables. */
void kernel_served(struct kernel *k, const void *out, size_t n);

/* Ends the run at a place of the source, as panic(9). */
void kernel_stop(struct kernel *k, const struct kern_site *site,
    const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));
