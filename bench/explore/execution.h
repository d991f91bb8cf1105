/* One execution of a scenario in a chosen order, all properties checked. */
#pragma once

#include "bench/cell/failpoints.h"
#include "bench/explore/event_trace.h"
#include "bench/explore/scenario.h"
#include "bench/explore/schedule.h"

/* Properties that are checked besides the ledger's. */
enum execution_property {
#define	EXECUTION_PROPERTY(name, word, text)	EXECUTION_##name,
#include "bench/explore/explore.tbl"
	EXECUTION_PROPERTIES
};

extern const struct ledger_property_text
    execution_properties[EXECUTION_PROPERTIES];

enum {
	EXECUTION_STEPS_MAX	= 200 * 1000,	/* mostly; more: a livelock */
	EXECUTION_AGED_STEPS	= 20,	/* times as many, before others start */
	DETAIL_SIZE		= 2560,
	/* So that few events make a reseed: the least that Fortuna takes. */
	EXECUTION_MINPOOLSIZE	= 16
};

/* What is run, with a lock of the simulated machine. */
struct subject {
	const struct design	*tb_design;
	const struct lock_class	*tb_lock;
	const struct cipher	*tb_cipher;
	unsigned		 tb_memory;	/* enum vm_memory */
	struct kern_setting	 tb_setting[DESIGN_SETTINGS_MAX];
	unsigned		 tb_settings;
	struct lock_config	 tb_lock_config;
	const struct failpoint_list	*tb_faults;	/* or NULL */
	/* Set by a signal handler: end soon, with EINTR; or NULL. */
	const volatile sig_atomic_t *tb_stop;
};

/* The outcome of one run. */
struct outcome {
	/* The broken property, its word and sentence; or NULL. */
	const char	*to_word, *to_sentence;
	char		 to_detail[DETAIL_SIZE];	/* for messages */
	/* The schedule that was run; valid until the next run. */
	const struct schedule *to_made;
	uint64_t	 to_hash;	/* of all steps and their threads */
	unsigned	 to_weight;	/* so many short runs take as long */
	uint64_t	 to_steps, to_reads, to_reseeds;
	uint64_t	 to_blocks;	/* of keystream */
	/*
	 * Bytes that reads of the second of two machines returned after the
	 * copy; of them those that the first one did, too; and of these those
	 * of reads that began after EXECUTION_OWN events of its own.
	 */
	uint64_t	 to_copied, to_again, to_late;
	struct failpoint_outcome to_faults;	/* if the subject has any */
};

/* Memory that runs of one host thread share. */
struct execution;

/* Locks of the simulated machine: lib/lock/lock.h in its flavour. */
extern const struct lock_class *const virtual_lock_classes[];
extern const unsigned virtual_lock_class_count;
const struct lock_class *virtual_lock_class_find(const char *name);

/*
 * Where all executions are run: the lock whose acquisition is one step, if
 * spin_polls is 0; spin mutexes are it, too.  A spinner that yields takes more.
 */
#define	EXECUTION_ALL_LOCK	"one-step"

/* FreeBSD's defaults, but for EXECUTION_MINPOOLSIZE. */
void subject_default(struct subject *tb);

struct execution *execution_new(void);
void execution_free(struct execution *ex);

/*
 * Runs it once, by the choices of vh, with a seed of the simulated hardware.
 * *trace, all zero before, takes the last events; it may be NULL.  If sn_copied
 * is reached, the second copy is run after that, from there on by further
 * choices of vh; *trace has its events then.
 *
 * Returns: 0, also when a property is broken; EINTR; ENOMEM; EPROTO: the second
 * copy did not repeat the first one's choices; what randomdev_new() returned.
 */
int execution_run(struct execution *ex, const struct subject *tb,
    const struct scenario *sn, const struct vm_control *vh, uint64_t seed,
    struct event_trace *trace, struct outcome *to);

/* Whether a KASSERT(9) that fails in a run ends that run, not the program. */
void execution_catch_assertions(bool on);
