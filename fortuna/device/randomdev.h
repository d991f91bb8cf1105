/*
 * random(4) of one design on one machine: a kernel that was booted, and its
 * entry points.
 *
 * Threads that use it have an mt_index below kp_lock_config.threads.
 */
#pragma once

#include "fortuna/device/design.h"
#include "fortuna/device/event.h"
#include "lib/kern/kernel.h"

/* What read(2) makes between two checks for a signal. */
enum { RANDOMDEV_PIECE_BYTES = 16 * 1024 * 1024 };

struct randomdev;

/* Everything a device is made from. */
struct randomdev_params {
	const struct design *rp_design;
	enum design_queue rp_queue;
	/* Without file, name and layer above; kp_cpus 0: the machine's. */
	struct kernel_params rp_kernel;
	/* FAILPOINTS of them; outlive it; NULL: none. */
	struct failpoint *rp_failpoints;
	/* Cycles of each delivery while a window is open; or NULL. */
	struct hist	*rp_delivery;
	void		*rp_arg;	/* of these, which may be NULL */
	/* Called with each event that is delivered, before it is. */
	void		 (*rp_record)(void *arg,
			    const struct random_event *event);
	/* The harvest thread will sleep, for a time that this may change. */
	void		 (*rp_idle)(void *arg, int64_t *timeout_ns);
	/*
	 * A thread slept on in a read, until its time was over, after the
	 * device was unblocked or had served a read.
	 */
	void		 (*rp_missed)(void *arg);
	/* A read that is not to block, or has a signal, waits for the seed. */
	void		 (*rp_blocked)(void *arg, bool signalled);
	/*
	 * Kinds of sources, by bit, that options of the kernel compile in: on,
	 * unless kern.random.harvest.mask is set and says otherwise.
	 */
	uint32_t	 rp_included;
	bool		 rp_timed;	/* rp_idle() has timers run */
	bool		 rp_stamps;	/* for randomdev_seeded_cycles() */
};

/* A source that the harvest thread reads; writes at most n bytes. */
typedef size_t randomdev_read_source(void *state, void *buf, size_t n);

/*
 * Since boot, of all events:
 * ht_in == ht_processed + ht_pending + ht_dropped + ht_discarded.
 */
struct harvest_totals {
	uint64_t	ht_in;
	uint64_t	ht_processed;	/* absorbed by the algorithm */
	uint64_t	ht_pending, ht_dropped, ht_discarded;
	uint64_t	ht_delivered;	/* given to the algorithm */
};

/* A source under health tests, as seen from outside them. */
struct source_health {
	uint64_t	shl_discarded;
	uint64_t	shl_passed;	/* times that it was accepted again */
	/* Failures, if it is probed. */
	uint64_t	shl_repetitions, shl_proportions;
	bool		shl_excluded;	/* failed, if it is probed */
};

/* The state of a design, for reports. */
struct device_status {
	uint32_t	ds_reseeds, ds_pool0_bytes, ds_pool0_needed_bytes;
	bool		ds_seeded;
};

/*
 * Makes a device: loads its kernel and boots it.  Returns: 0; ENXIO if the
 * release lacks a kind of rp_included; or an errno value of kernel_load() or
 * design_file().  *rd is written only with 0.
 */
int randomdev_new(struct randomdev **rd, const struct randomdev_params *rp);

/* No thread uses it any more; or NULL. */
void randomdev_free(struct randomdev *rd);

/* Its kernel; and of that, its object. */
struct kernel *randomdev_kernel(const struct randomdev *rd);
#define	randomdev_object(rd)	kernel_object(randomdev_kernel(rd))

/*
 * read(2) of /dev/random, getrandom(2), on the reader's CPU or KERNEL_CPU_HERE.
 * left: bytes that were not read.  Returns: 0, also after a part when
 * interrupted; EWOULDBLOCK when unseeded and nonblock; EINTR when interrupted
 * while waiting; EIO, with nothing left in the buffer, once crypto_failed().
 */
int randomdev_read(struct randomdev *rd, int cpu, void *buf, size_t n,
    size_t *left, bool nonblock);

/* read_random(9); before it is seeded it gives zeros if this is set. */
#define	RANDOMDEV_BYPASS "kern.random.initial_seeding.bypass_before_seeding"
void randomdev_read_kernel(struct randomdev *rd, void *buf, size_t n);

/*
 * write(2) of n > 0, or at NULL; sysctl(8) of what is MPSAFE, which is read and
 * set.  1: to what it is, but for switches and what a handler keeps.  2, alone:
 * these to another value and back, the rest as with 1.  3: then all to -1.
 */
void randomdev_use(struct randomdev *rd, const void *buf, size_t n, int writes);

/* The algorithm's functions; randomdev_generate() of a seeded one. */
void randomdev_generate(struct randomdev *rd, int cpu, void *buf, size_t n);
void randomdev_pre_read(struct randomdev *rd);
bool randomdev_seeded(struct randomdev *rd);
void randomdev_deliver(struct randomdev *rd, const struct random_event *event);

/*
 * Delivers n bytes, rounded down to whole events, to its pools in turn.  Beside
 * kp_preload the events' counters do not depend on the time.
 */
void randomdev_prime(struct randomdev *rd, const uint8_t *bytes, size_t n);

/* When it was seeded first; 0: not yet.  Does not try to. */
uint64_t randomdev_seeded_cycles(struct randomdev *rd);

/* Sleeps until it is seeded or timeout_ns have passed. */
void randomdev_wait_seeded(struct randomdev *rd, int64_t timeout_ns);

/* What became of an event. */
enum random_fate { RANDOM_TAKEN, RANDOM_FULL, RANDOM_MASKED, RANDOM_FATES };

/* random_harvest_queue() and its like, of a source of that kind. */
enum random_fate randomdev_harvest(struct randomdev *rd,
    enum random_entry entry, const void *entropy, size_t n,
    enum random_entropy_source source);

/*
 * Registers a source, which stays until the harvest thread has ended, for it
 * to read: up to RANDOM_ABI_SOURCES_MAX.  NULL: there is nothing to read.
 */
void randomdev_register(struct randomdev *rd, const char *ident,
    enum random_entropy_source source, randomdev_read_source *read,
    void *state);

/* The i-th that was registered to be read; it may end when this returns. */
void randomdev_deregister(struct randomdev *rd, unsigned i);

/* Sets a sysctl, if the source has it. */
void randomdev_set(struct randomdev *rd, const struct kern_setting *set);

/*
 * The harvest thread, rand_harvestq: runs the source's until
 * randomdev_harvest_stop(), which another thread calls; that ends its sleep,
 * and lets it empty the queue once more.
 */
#define	randomdev_harvest_run(rd)	kernel_process(randomdev_kernel(rd))
#define	randomdev_harvest_stop(rd)	kernel_shutdown(randomdev_kernel(rd))

/*
 * Runs what the kernel's timers do for the design; harvest thread or tests.
 * Returns: false if the design has no timers.
 */
#define	randomdev_timer(rd, now_ns) kernel_timer(randomdev_kernel(rd), now_ns)

/* Times deliveries while a window is open. */
void randomdev_window(struct randomdev *rd, bool open);

/* At any time. */
struct harvest_totals randomdev_totals(struct randomdev *rd);
struct source_health randomdev_health(struct randomdev *rd,
    enum random_entropy_source source);

/* Consistent enough for reports, at any time. */
void randomdev_status(struct randomdev *rd, struct device_status *ds);

/*
 * K and C, while no other thread uses the device; set: changes C to rst_counter
 * first, and the number of reseeds unless rst_reseeds is 0.
 *
 * Returns: false in a design whose K and C cannot be seen.
 */
bool randomdev_core(struct randomdev *rd, struct random_state *rs, bool set);

/* What its hash.c gives for one input; false: its functions are others. */
bool randomdev_hash(struct randomdev *rd, uint8_t out[RANDOM_ABI_HASH_BYTES]);
