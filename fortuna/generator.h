/*
 * Generators: the contract that every design in fortuna/gen_*.c obeys.
 *
 * A design is one file that ends in its struct random_algorithm, plus one line
 * in fortuna/generator.tbl; nothing else lists designs.  Stands for struct
 * random_algorithm in sys/dev/random/randomdev.h.
 */
#ifndef FORTUNA_GENERATOR_H
#define FORTUNA_GENERATOR_H

#include <stdbool.h>

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "fortuna/uio.h"
#include "lib/cipher.h"
#include "lib/flavour.h"
#include "lib/ledger.h"
#include "lib/lock.h"
#include "lib/tunable.h"

enum {
	/* ra_flags */
	RA_FORTUNA_BYTES	= 1u << 0,	/* FreeBSD's output */
	RA_NULL			= 1u << 1,	/* measures the harness */
	RA_FORTUNA_STATE	= 1u << 2,	/* begins with struct fortuna */
	RA_MANY_LOCKS		= 1u << 3,	/* needs a lock that excludes */
	RA_NODES		= 1u << 4,	/* has a part for each node */
	RA_NEVER_BLOCKS		= 1u << 5,	/* seeds itself when asked */
	RA_UNCOUNTED		= 1u << 6,	/* its kernel counts no reads */

	/* ra_knobs: the parts of struct generator_config that few heed */
	RK_HYBRID_BYTES		= 1u << 0,
	RK_BATCH_EVENTS		= 1u << 1,
	RK_POOL_HASH		= 1u << 2
};

/*
 * Where generators take their locks: the profile's rows.  SITE_RESEED is taken
 * once for each reseed that ra_status counts, however many locks that takes.
 */
enum generator_site {
	SITE_PRE_READ,		/* pre_read that finds nothing to do */
	SITE_RESEED,		/* pre_read that reseeds */
	SITE_READ,		/* a read's first or only critical section */
	SITE_CHUNK,		/* each further page of a locked read */
	SITE_EVENT,		/* one event into its pool */
	SITE_ROOT,		/* what keys others, or a reseed keys last */
	GENERATOR_SITES
};

extern const char *const generator_site_names[GENERATOR_SITES];

/* FreeBSD's. */
#define	GENERATOR_POOL_HASH	"sha256"

/* The generators' tunables. */
struct generator_config {
	unsigned	minpoolsize;		/* bytes */
	/*
	 * RK_POOL_HASH: the hash of Fortuna's pools, HASH_READY when a
	 * generator is made; output is FreeBSD's with the default only.
	 */
	char		pool_hash[TUNABLE_STRING_SIZE];
	bool		block_seeded_status;	/* pretend to be unseeded */
	/* RK_HYBRID_BYTES: largest request that is made under the mutex. */
	unsigned	hybrid_bytes;
	/* RK_BATCH_EVENTS: events absorbed under one acquisition. */
	unsigned	batch_events;
};

/* Everything a generator is made from. */
struct generator_params {
	const struct cipher	*gp_cipher;
	const struct lock_class	*gp_lock;
	struct lock_config	 gp_lock_config;
	struct lockprof		*gp_prof;	/* GENERATOR_SITES rows, or
						   NULL */
	struct generator_config	 gp_config;
	/*
	 * Parts of a design that has one for each CPU or node; 0: as many as
	 * the machine has of these.
	 */
	unsigned		 gp_places;
	/* [FORTUNA_FAILPOINTS], outlive the generator; NULL: no fail points. */
	struct failpoint	*gp_failpoints;
};

struct random_algorithm;

/*
 * Who decides whether an event is to be absorbed: the harvest side's health
 * tests.  Called once for each event, with what guards the design's pools held;
 * in a design with pools of several parts, what guards the first.
 */
struct event_filter {
	bool		(*ef_accept)(struct event_filter *ef,
			    const struct harvest_event *event);
};

/* A generator; each design's own structure begins with it. */
struct generator {
	const struct random_algorithm *g_algorithm;
	/* Whether reseeds keep their distance; not in known-answer scripts. */
	bool		g_paced;
	/* Events that ra_process_events wants at a time, at most; or 1. */
	unsigned	g_batch_events;
	/* NULL: all events are absorbed.  Set before there are threads. */
	struct event_filter *g_filter;
	/* gp_failpoints: set by who made it. */
	struct failpoint *g_failpoints;
};

/* Whether a design is to absorb an event; see struct event_filter. */
static inline bool
generator_accepts(struct generator *g, const struct harvest_event *event)
{

	return (g->g_filter == NULL ||
	    g->g_filter->ef_accept(g->g_filter, event));
}

enum {
	GENERATOR_PLACE_HERE	= -1,
	GENERATOR_BATCH_MAX	= 1024	/* events */
};

#define	GENERATOR_LAG_ANY	LEDGER_LAG_ANY
#define	GENERATOR_STORED_ANY	LEDGER_STORED_ANY

/*
 * One reader's private part: buffers and keys it reuses from read to read.
 * ra_reader_init sets gr_place to GENERATOR_PLACE_HERE, where the thread is; a
 * known-answer script says which CPU's or node's part is to be used, below
 * gp_places.
 */
struct generator_reader {
	struct cipher_key	*gr_spare;	/* unkeyed between reads */
	int			 gr_place;
};

/* What a person wants to know about a generator. */
struct generator_status {
	uint32_t	gs_reseeds;
	uint32_t	gs_pool0_bytes;
	uint32_t	gs_pool0_needed_bytes;
	bool		gs_seeded;
};

/*
 * What a design offers.  All but ra_init, ra_fini and the reader's pair may be
 * called from any thread at any time and own no lock at entry and exit; of
 * these, those of readers do not allocate once it is seeded.
 *
 * ra_init	makes an unseeded generator in *g; 0 or an errno value.
 * ra_fini	wipes and frees it; no thread uses it any more.
 * ra_reader_init, ra_reader_fini
 *		make and wipe a reader's private part; 0 or an errno value.
 * ra_pre_read	called before each request; reseeds if it is time.
 * ra_seeded	whether output may be generated; may try a pre_read.
 * ra_read	generates uio_resid bytes.  The generator is seeded.  No key
 *		that could reproduce them is left when it returns.
 * ra_event_processor
 *		absorbs one event, if generator_accepts() it.
 * ra_process_events
 *		absorbs n events likewise, 1..g_batch_events, the harvest
 *		thread's way; NULL in a design that takes one at a time.
 * ra_timer	does what the kernel's timers and work queues do for the design;
 *		the harvest thread calls it, nobody else at the same time, with
 *		the time since harvesting was set up, which never goes back.
 *		NULL where there are none.
 * ra_wait_seeded
 *		sleeps until the generator is unblocked or timeout_ns passed.
 * ra_status	fills *gs, consistently.
 */
struct random_algorithm {
	const char	*ra_ident;	/* as -d takes it */
	const char	*ra_descr;	/* one line for listings */
	const char	*ra_stands;	/* what it stands for: a sentence */
	/*
	 * What has to be argued anew for it, beside FreeBSD's default: what is
	 * shared, what an attacker who learns some state gets, what stalls.
	 */
	const char	*ra_argument;
	unsigned	 ra_flags;
	unsigned	 ra_knobs;
	unsigned	 ra_poolcount;
	/*
	 * Of the reseeds that have ended when a read begins, so many, the last,
	 * may be unknown to the keys that it uses: none in a design that asks
	 * under the lock of the reseed.  GENERATOR_LAG_ANY: no bound.
	 */
	uint32_t	 ra_lag;
	/*
	 * Bytes that a read may return beside what it makes itself: a design
	 * with buffers has made them ahead of time.  GENERATOR_STORED_ANY: no
	 * bound.
	 */
	uint64_t	 ra_stored_bytes;
	int		(*ra_init)(struct generator **g,
			    const struct generator_params *params);
	void		(*ra_fini)(struct generator *g);
	int		(*ra_reader_init)(struct generator *g,
			    struct generator_reader *gr);
	void		(*ra_reader_fini)(struct generator *g,
			    struct generator_reader *gr);
	void		(*ra_pre_read)(struct generator *g);
	bool		(*ra_seeded)(struct generator *g);
	void		(*ra_read)(struct generator *g,
			    struct generator_reader *gr, struct uio *uio);
	void		(*ra_event_processor)(struct generator *g,
			    const struct harvest_event *event);
	void		(*ra_process_events)(struct generator *g,
			    const struct harvest_event *events, unsigned n);
	void		(*ra_timer)(struct generator *g, int64_t now_ns);
	void		(*ra_wait_seeded)(struct generator *g,
			    int64_t timeout_ns);
	void		(*ra_status)(struct generator *g,
			    struct generator_status *gs);
};

#define	RANDOM_ALGORITHM(name)						\
	const struct random_algorithm FLAVOURED(gen_##name)

/*
 * The members, for each other: the Makefile says who is one.  All else has them
 * from generators[], and need not be built anew when there is one more.
 */
#ifdef GENERATOR_FAMILY
#define	GENERATOR(name)	extern RANDOM_ALGORITHM(name);
#include "fortuna/generator.tbl"
#undef GENERATOR
#endif

#define	generators	FLAVOURED(generators)
#define	generator_count	FLAVOURED(generator_count)
#define	generator_find	FLAVOURED(generator_find)

/* The family, in table order. */
extern const struct random_algorithm *const generators[];
extern const unsigned generator_count;

/* The design called name; NULL when there is none. */
const struct random_algorithm *generator_find(const char *name);

/* FreeBSD's defaults, and the table that describes them. */
struct generator_config generator_config_default(void);
extern const struct tunable generator_tunables[];
extern const unsigned generator_tunable_count;

/* The RK_ bit that a generator tunable belongs to; 0: to all. */
unsigned generator_tunable_knob(const char *name);

#endif
