/*
 * What gives a run's random(4) its events: entropy sources, the threads of
 * those that push, and the record of what is delivered.
 *
 * A source is a file harvest/src_*.c that ends in its struct random_source.
 * Its line in harvest/source.tbl sets its place in lists.  Stands for FreeBSD's
 * drivers: the kernel gets those that are polled, one that pushes has a thread.
 */
#pragma once

#include "fortuna/device/randomdev.h"

enum {
	HARVEST_RATE_MAX_HZ	= 1000,
	INTERRUPT_RATE_MAX_HZ	= 1000 * 1000,
	BOOT_ENTROPY_BYTES	= 2048,
	HARVEST_ERROR_SIZE	= 512
};

/* Sysctls of random_harvestq.c. */
#define	NIST_HEALTHTEST_ENABLED	"kern.random.nist_healthtest_enabled"
#define	NIST_HEALTHTEST_ONDEMAND "kern.random.nist_healthtest_ondemand"

/* The harvest side's tunables. */
struct harvest_config {
	unsigned	queue;		/* enum design_queue */
	unsigned	rate_hz;	/* passes of its thread; 0: its own */
	unsigned	boot_entropy_bytes, interrupt_rate_hz;
	char		sources[TUNABLE_STRING_SIZE];	/* comma list */
	char		record_file[TUNABLE_STRING_SIZE]; /* "": no record */
};

/* FreeBSD's defaults where it has them, and the table that describes them. */
struct harvest_config harvest_config_default(void);
extern const struct tunable harvest_tunables[];

/*
 * Recorded events: a text file that a run leaves, "event D T HEX SOURCE" for
 * each.  D is the destination, 0..255, and T the counter, 0..2^32 - 1, both
 * decimal; HEX is 1 to 8 bytes in order; SOURCE is of random_source_names.
 */
enum {
	/* Of a file or a run: 16 MB, minutes at the usual rates. */
	RECORD_EVENTS_MAX	= 1024 * 1024
};

struct record {
	struct random_event *rc_events;
	size_t		 rc_count;
	size_t		 rc_room;	/* events rc_events has room for */
	uint64_t	 rc_lost;	/* events that found it full */
	FILE		*rc_file;	/* where record_finish() writes */
};

/*
 * Starts a record in memory with room for so many events, all of it touched,
 * and creates its file, readable by its owner only; an existing file is
 * replaced.  Returns: 0, or the error of open(2) and why.
 */
int record_create(struct record *r, const char *path, size_t room,
    char why[HARVEST_ERROR_SIZE]);

/*
 * Writes the events to the file of record_create(), if any, and closes it.  A
 * record that was full says so in the file's last line.
 *
 * Returns: 0; EOVERFLOW when events were lost, the file then holds the first
 * rc_room of them; the error of write(2).
 */
int record_finish(struct record *r);

/* Wipes and releases.  What was not finished is not written. */
void record_fini(struct record *r);

/*
 * Appends an event; one thread at a time.  When the record is full the event is
 * dropped and counted in rc_lost.  Does not allocate, does no I/O.
 */
static inline void
record_add(struct record *r, const struct random_event *event)
{
	if (r->rc_count == r->rc_room) {
		r->rc_lost++;
		return;
	}
	r->rc_events[r->rc_count++] = *event;
}

struct harvest;

/*
 * What a source offers; exactly one of rs_read and rs_run.
 *
 * rs_present	whether this machine has it; NULL: every machine does.
 * rs_init, rs_fini
 *		make and release the source's state.  Both NULL when it keeps
 *		none: state is NULL.
 * rs_read	called by the harvest thread: writes at most len bytes at buf
 *		and returns their number, 0 when there is nothing now.  Does not
 *		allocate.
 * rs_run	in a thread of its own: hands its events to the device and
 *		returns when it has no more or when harvest_stopping().
 */
struct random_source {
	const char	*rs_ident;	/* as rngsim.harvest.sources takes it */
	const char	*rs_descr;	/* one line for listings */
	enum random_entropy_source rs_source;	/* what its events say */
	bool		(*rs_present)(void);
	void		*(*rs_init)(const struct harvest_config *config);
	void		(*rs_fini)(void *state);
	randomdev_read_source *rs_read;
	void		(*rs_run)(void *state, struct harvest *hv);
};

static inline bool
random_source_present(const struct random_source *rs)
{
	return (rs->rs_present == NULL || rs->rs_present());
}

#define	RANDOM_SOURCE(name) const struct random_source FLAVOURED(src_##name)

#define	SOURCE(name)	extern RANDOM_SOURCE(name);
#include "harvest/source.tbl"

enum random_source_index {
#define	SOURCE(name)	SOURCE_##name,
#include "harvest/source.tbl"
	RANDOM_SOURCES
};

/* Requested sources, in that order. */
struct random_source_list {
	const struct random_source *rsl_source[RANDOM_SOURCES];
	void		*rsl_state[RANDOM_SOURCES];	/* of each, once made */
	unsigned	 rsl_count;
	const struct random_source *rsl_skipped[RANDOM_SOURCES];
	unsigned	 rsl_skipped_count;	/* absent on this machine */
};

#define	random_sources		FLAVOURED(random_sources)

/* The family, in table order. */
extern const struct random_source *const random_sources[RANDOM_SOURCES];

/*
 * Resolves a comma list of sources and probes them.  Returns: 0; or, with what
 * would be accepted, EINVAL for a name that is unknown, empty or repeated.
 */
int random_source_list_parse(struct random_source_list *sl, const char *names,
    char why[HARVEST_ERROR_SIZE]);

/*
 * rs_read for instructions that make a word at a time and may fail.  step makes
 * one, or could not: after ten times the call ends short.
 * Source: random_ivy_read() of sys/dev/random/ivy.c, FreeBSD 14.
 */
size_t random_source_words(bool (*step)(uint64_t *), void *buf, size_t len);

/* The source of such an instruction, which lib/machine/cpurand.h has. */
#define	RANDOM_INSTRUCTION(name, NAME)					\
static size_t								\
name##_read(void *state __unused, void *buf, size_t len)		\
{									\
	return (random_source_words(cpurand_##name##_64, buf, len));	\
}									\
									\
RANDOM_SOURCE(name) = {							\
	.rs_ident	= #name,					\
	.rs_descr	= #NAME " instruction, polled by the harvest thread", \
	.rs_source	= RANDOM_PURE_##NAME,				\
	.rs_present	= cpurand_has_##name,				\
	.rs_read	= name##_read,					\
}

struct harvest {
	struct randomdev *hv_device;
	struct harvest_config hv_config;
	struct random_source_list hv_sources;
	/* Those of them that push: each needs a thread, for harvest_run(). */
	unsigned	 hv_producer[RANDOM_SOURCES];
	unsigned	 hv_producers;
	/* For record_finish() once threads have been joined. */
	struct record	 hv_record;
	struct m32	 hv_stop;
};

/*
 * Makes those of config's sources that this machine has; creates the record's
 * file, if there is to be one.  Returns: 0; as random_source_list_parse(), or
 * an error of the file, and why.
 */
int harvest_init(struct harvest *hv, const struct harvest_config *config,
    char why[HARVEST_ERROR_SIZE]);

/*
 * Registers those that are polled.  No thread uses the device yet.  hv stays
 * where it is until the harvest thread has ended.
 */
void harvest_attach(struct harvest *hv, struct randomdev *rd);

/* What the device calls: between passes, and to record an event. */
void harvest_params(struct harvest *hv, struct randomdev_params *rp);

/* Wipes and releases; threads have been joined; or zeroed. */
void harvest_fini(struct harvest *hv);

/* Produces, as the i-th of hv_producer. */
void harvest_run(struct harvest *hv, unsigned i);

/* Makes producers end; machine_interrupt() ends a sleep early. */
void harvest_stop(struct harvest *hv);

/* Whether harvest_stop() was called or the caller is interrupted. */
bool harvest_stopping(struct harvest *hv);
