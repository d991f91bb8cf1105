/* A run: execution.c has its threads, execution_run.c the checks. */
#pragma once

#include "bench/explore/execution.h"
#include "bench/explore/output_check.h"

enum {
	EXECUTION_CPUS		= 8,	/* as many as threads there can be */
	EXECUTION_POLLED	= 2,	/* the first goes, the last comes */
	EXECUTION_SCANS		= 6,	/* one run of so many has scans */
	EXECUTION_GIVEN		= 64,	/* events that are remembered */
	/* Events for pool 0 that make a reseed; a generation ID has as many. */
	EXECUTION_OWN		= EXECUTION_MINPOOLSIZE / 8
};

struct execution_reader {
	struct execution *xrd_execution;
	bool		 xrd_served;	/* a read of it was */
	struct mthread	 xrd_td;
	uint8_t		*xrd_buf;
	size_t		 xrd_bytes;
};

/* A source, as it is polled. */
struct execution_source {
	struct execution *xs_execution;
	uint32_t	 xs_given;	/* by it */
	uint32_t	 xs_first;	/* ex_ended then, the first time */
	uint32_t	 xs_events;	/* that the algorithm was given */
	uint32_t	 xs_bytes, xs_sized;	/* by it, and in these events */
	bool		 xs_gone;	/* it is deregistered */
};

struct execution {
	/* Kept from run to run. */
	struct vm	*ex_store;
	struct ledger	*ex_ledger;
	/* The design whose rules it has; NULL: it is for one run. */
	const struct design *ex_ledger_design;
	struct execution_reader ex_reader[SCENARIO_READERS_MAX];
	struct output_check ex_output;	/* of runs with real ciphers */
	struct failpoints ex_faults;
	struct schedule	 ex_made;	/* of both copies, one after another */
	struct clone	 ex_clone;	/* of runs that copy the machine */
	const struct subject *ex_subject;
	const struct scenario *ex_scenario;
	const struct vm_control *ex_control;
	struct event_trace *ex_trace;
	struct outcome	*ex_outcome;
	uint64_t	 ex_seed;
	/* Of one machine's run; all zero before it. */
	struct cipher	 ex_cipher;
	void		(*ex_keystream)(struct cipher_key *ck, uint128_t *ctr,
			    uint8_t *out, size_t n);
	uint64_t	 ex_steps, ex_reads;
	uint64_t	 ex_begun;	/* reads */
	bool		 ex_copied;	/* the machine was */
	bool		 ex_second;	/* copy; until then it follows */
	struct schedule_follower ex_first;
	unsigned	 ex_own;	/* events for pool 0 since the copy */
	uint64_t	 ex_own_reseeds;	/* before the last of these */
	uint64_t	 ex_repeated;	/* bytes, by a renewed second copy */
	uint32_t	 ex_events;	/* made */
	int		 ex_error;
	bool		 ex_faulted;	/* ex_faults is made */
	bool		 ex_seeded;
	bool		 ex_finishing;	/* only the ledger's end is left */
	uint32_t	 ex_oncpu;	/* threads, a bit each */
	uint32_t	 ex_alone;	/* the last to wake; others slept */
	struct randomdev *ex_device;
	uint64_t	 ex_loaded[EXECUTION_GIVEN];	/* a loader's */
	unsigned	 ex_passes;	/* of the harvest thread */
	uint32_t	 ex_ended;	/* of all these */
	uint64_t	 ex_pending;	/* then, after the last event */
	unsigned	 ex_stalls;	/* passes that left as many */
	bool		 ex_tested;	/* sources have health tests */
	bool		 ex_masked;	/* a source of events is */
	bool		 ex_unlocked;	/* masks are set without a mutex */
	bool		 ex_jumps;	/* its count of reseeds can be set */
	struct execution_source ex_source[EXECUTION_POLLED];
	/* Of each source: the last event's pool, events in a row, and all. */
	struct execution_pool {
		uint8_t	 xp_last, xp_events;
		uint16_t xp_all;
		uint32_t xp_pools;	/* that they were for, bits */
	}		 ex_pool[ENTROPYSOURCE];
	uint64_t	 ex_given[EXECUTION_GIVEN];	/* the last events */
	uint64_t	 ex_mark[EXECUTION_GIVEN];	/* before the first */
	unsigned	 ex_gives;
	struct mthread	 ex_harvest, ex_producer;
	struct mthread	 ex_pair;	/* the second producer */
	struct mthread	 ex_timer;	/* if ex_timed */
	bool		 ex_timers;	/* the source has any */
	bool		 ex_timed;
	struct m32	 ex_ticks;	/* of it */
	struct m32	 ex_produced, ex_aged;
	uint32_t	 ex_holds;	/* of locks, ever */
	unsigned	 ex_locks;
	struct {
		const void	*lock;
		int		 holder;	/* -1: none */
	}		 ex_lock[EVENT_TRACE_LOCKS_MAX];
};

/* Gives one; until the device is seeded; those that a source's tests need. */
void execution_feed(struct execution *ex);
void execution_seed(struct execution *ex);
void execution_pass_tests(struct execution *ex);

/* Threads that give events, and what the harvest thread does between passes. */
void execution_producer(void *arg);
void execution_pair(void *arg);
void execution_harvest(void *arg);
void execution_idle(void *arg, int64_t *timeout_ns);

/* Callouts and tasks are to run; the last time. */
void execution_tick(struct execution *ex, bool last);

/* The machine's first thread, whose argument is the execution. */
void execution_main(void *arg);

/* Records a broken property, if it is the first, and ends the run. */
void execution_fail(struct execution *ex, enum execution_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));

/* What events begin with that are larger than the queue's. */
#define	EXECUTION_LARGE	UINT64_C(0x4c61726765206576)

/* Registers one; the first; an event was given; at the end. */
void execution_sources_come(struct execution *ex, unsigned i);
void execution_sources_begin(struct execution *ex);
void execution_sources_event(void *arg, const struct random_event *event);
void execution_sources_loaded(struct execution *ex);
void execution_sources_end(struct execution *ex);

/* What programs do beside reads, before the k-th of the i-th reader. */
void execution_calls(struct execution *ex, unsigned i, unsigned k);

/* A cipher under the run's ledger, with choices before and after it. */
const struct cipher *execution_cipher(struct execution *ex,
    const struct cipher *cipher);

/* How a reader makes its k-th read; where there are signals: reads_as(). */
enum read_as { READ_SIGNALLED, READ_NONBLOCK, READ_USUAL, READ_KERNEL };

static inline enum read_as
reads_as(unsigned reader, unsigned k)
{
	return (reader % 2 == 0 ? READ_SIGNALLED : k % 2 == 0 ? READ_NONBLOCK :
	    READ_USUAL);
}
