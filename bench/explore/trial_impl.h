/*
 * The two parts of a run: trial.c has what its threads do, trial_run.c what is
 * made of that.
 */
#ifndef BENCH_TRIAL_IMPL_H
#define BENCH_TRIAL_IMPL_H

#include <setjmp.h>

#include "bench/explore/origin.h"
#include "bench/explore/residue.h"
#include "bench/explore/trial.h"
#include "fortuna/randomdev.h"
#include "harvest/harvestq.h"

struct trial_reader {
	struct trial	*r_trial;
	struct mthread	 r_td;
	struct generator_reader r_gr;
	uint8_t		*r_buf;
	size_t		 r_bytes;
	bool		 r_reading;	/* within a read */
	struct residue	 r_residue;
};

struct trial {
	/* From run to run. */
	struct vm_store	*tr_store;
	struct ledger	*tr_ledger;	/* of the run: one of the two */
	struct ledger	*tr_plain;	/* or NULL */
	uint32_t	 tr_lag;	/* its */
	uint64_t	 tr_stored;	/* its lc_stored_bytes */
	bool		 tr_keyless;	/* its lc_keyless */
	struct ledger	*tr_logged;	/* or NULL */
	FILE		*tr_log;	/* its */
	char		*tr_log_text;
	size_t		 tr_log_bytes;
	size_t		 tr_log_done;	/* bytes taken over */
	struct trial_reader tr_reader[SCENARIO_READERS_MAX];
	struct origin	 tr_origin;	/* of runs with real ciphers */
	/* Of this run. */
	const struct trial_subject *tr_subject;
	const struct scenario *tr_scenario;
	const struct trial_chooser *tr_chooser;
	struct schedule	*tr_made;
	struct moments	*tr_moments;
	struct trial_outcome *tr_outcome;
	struct faults	 tr_faults;
	bool		 tr_faulted;	/* it is made */
	struct cipher	 tr_cipher;
	void		(*tr_keystream)(struct cipher_key *ck, uint128_t *ctr,
			    uint8_t *out, size_t n);
	uint64_t	 tr_seed;
	uint64_t	 tr_steps;
	uint64_t	 tr_order;
	uint64_t	 tr_reads;
	uint64_t	 tr_delivered;	/* events to the generator */
	uint32_t	 tr_events;	/* made */
	int		 tr_error;
	bool		 tr_seeded;
	bool		 tr_residue;	/* is looked for */
	bool		 tr_finishing;	/* all that is left is to be asked */
	uint32_t	 tr_oncpu;	/* threads, a bit each */
	struct randomdev tr_dev;
	struct harvestq	*tr_queue;	/* or NULL */
	unsigned	 tr_readers;	/* made */
	struct mthread	 tr_harvest;
	struct mthread	 tr_producer;
	struct m32	 tr_produced;
	unsigned	 tr_locks;
	struct {
		const void	*lock;
		int		 holder;	/* -1: nobody */
		bool		 excludes;
	}		 tr_lock[MOMENTS_LOCKS_MAX];
};

/* trial.c */
void trial_main(void *arg);
void trial_machine(struct machine_config *mc);

/* trial_run.c */

/* Notes that something is wrong, if it is the first, and ends the run. */
void trial_fail(struct trial *tr, enum trial_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));

/* Makes the next event; two of three are for the first pool. */
void trial_event(struct trial *tr, struct harvest_event *event);

/* A cipher that tells the run's ledger, and lets others go on meanwhile. */
const struct cipher *trial_cipher(struct trial *tr,
    const struct cipher *cipher);

/* Makes a reader's buffer large enough: 0 or ENOMEM. */
int trial_buffer(struct trial_reader *r, size_t bytes);

#endif
