/*
 * One run of a scenario in a chosen order, on the simulated machine, with all
 * that is checked of it.
 */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cell/faults.h"
#include "bench/explore/moments.h"
#include "bench/explore/scenario.h"
#include "bench/explore/schedule.h"
#include "fortuna/generator.h"
#include "lib/ledger.h"

/* What is checked beside the ledger's properties. */
enum trial_property {
#define	TRIAL_PROPERTY(name, word, text)	TRIAL_##name,
#include "bench/explore/explore.tbl"
#undef TRIAL_PROPERTY
	TRIAL_PROPERTIES
};

extern const struct ledger_property_text trial_properties[TRIAL_PROPERTIES];

/* Whether it is the word of one of these, or of the ledger's. */
bool trial_has_property(const char *word);

enum {
	TRIAL_STEPS_MAX		= 200 * 1000,	/* then it is a livelock */
	TRIAL_DETAIL_SIZE	= 2560,
	/* So that few events make a reseed; see RANDOM_FORTUNA_MINPOOLSIZE. */
	TRIAL_MINPOOLSIZE	= 16
};

/*
 * Whose runs they are.  Design and lock are those of the simulated machine, see
 * trial_design() and trial_lock().
 */
struct trial_subject {
	const struct random_algorithm *tb_design;
	const struct lock_class	*tb_lock;
	const struct cipher	*tb_cipher;
	/* The harvest queue's; NULL: FreeBSD's. */
	const struct lock_class	*tb_queue_lock;
	struct generator_config	 tb_generator;
	struct lock_config	 tb_lock_config;
	const struct fault_list	*tb_faults;	/* or NULL */
	/* Set by a signal handler: end soon, with EINTR; or NULL. */
	const volatile sig_atomic_t *tb_stop;
};

/* What came of one. */
struct trial_outcome {
	/* What is wrong: the property's word and sentence; NULL: nothing. */
	const char	*to_word;
	const char	*to_sentence;
	char		 to_detail[TRIAL_DETAIL_SIZE];	/* for people */
	uint64_t	 to_hash;	/* of all that was done, and by whom */
	uint64_t	 to_order;	/* of who had which lock, in order */
	uint64_t	 to_steps;
	uint64_t	 to_reads;
	uint64_t	 to_reseeds;
	uint64_t	 to_blocks;	/* of keystream */
	/* Of the fail points, where the subject has any; as fault_def(). */
	uint64_t	 to_evaluated[FAULT_POINTS];
	uint64_t	 to_executed[FAULT_POINTS];
};

/* Who chooses. */
struct trial_chooser {
	unsigned	(*tc_choose)(void *context, const struct vm_choice *vo);
	bool		(*tc_running)(void *context);
	void		*tc_context;
};

/* A strategy, which has begun; see bench/explore/strategy.h. */
struct strategy;
struct trial_chooser trial_chooser_of(struct strategy *st);

/* What runs need and leave to the next; for one host thread. */
struct trial;

/* The family members of the simulated machine; NULL: there is none. */
const struct random_algorithm *trial_design(const char *name);
const struct lock_class *trial_lock(const char *name);

/* The i-th lock there; NULL: there are no more. */
const struct lock_class *trial_lock_at(unsigned i);

/* FreeBSD's defaults, but for TRIAL_MINPOOLSIZE. */
void trial_subject_default(struct trial_subject *tb);

/* Returns: 0 or ENOMEM. */
int trial_new(struct trial **trp);
void trial_free(struct trial *tr);

/*
 * Runs it once.
 *
 *   seed      in   of what hardware would give
 *   made      out  the schedule, or NULL
 *   moments   out  what happened, or NULL
 *
 * Returns: 0, something wrong included; EINTR; ENOMEM; what the design's
 * constructor said.
 */
int trial_run(struct trial *tr, const struct trial_subject *tb,
    const struct scenario *sn, const struct trial_chooser *tc, uint64_t seed,
    struct schedule *made, struct moments *moments, struct trial_outcome *to);

/*
 * While this is on, a KASSERT(9) that fails in a run is an outcome of that and
 * does not end the program.
 */
void trial_catch_assertions(bool on);

#endif
