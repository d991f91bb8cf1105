/*
 * Generators: the contract that every design in fortuna/gen_*.c obeys.
 *
 * A design is one file that ends in its struct random_algorithm, which stands
 * for that in sys/dev/random/randomdev.h.  A line in fortuna/generator.tbl sets
 * its place in lists.
 */
#ifndef FORTUNA_GENERATOR_H
#define FORTUNA_GENERATOR_H

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "fortuna/uio.h"
#include "lib/crypto/cipher.h"
#include "lib/ledger/ledger.h"
#include "lib/lock/lock.h"

enum {
	/* ra_flags */
	RA_FORTUNA_BYTES	= 1u << 0,	/* FreeBSD's output */
	RA_NULL			= 1u << 1,	/* measures the harness */
	RA_MANY_LOCKS		= 1u << 2,	/* needs a lock that excludes */
	RA_NODES		= 1u << 3,	/* has a part for each node */
	RA_NEVER_BLOCKS		= 1u << 4,	/* seeds itself when asked */
	RA_UNCOUNTED		= 1u << 5,	/* its kernel counts no reads */
	RA_UNSEEN		= 1u << 6,	/* pools cannot be seen */
	RA_LOCKS_LITTLE		= 1u << 7,	/* most reads take no lock */
	RA_NO_CALL		= 1u << 8,	/* and are no system call */

	/* ra_knobs: members of struct generator_config that it uses */
	RK_HYBRID_BYTES		= 1u << 0,
	RK_BATCH_EVENTS		= 1u << 1,
	RK_POOL_HASH		= 1u << 2,
	RK_HOLD			= 1u << 3,

	GENERATOR_LINES_MAX	= 64
};

/*
 * Where generators take their locks: rows of the lock profile.  SITE_RESEED is
 * taken once for each reseed that ra_status counts.
 */
enum generator_site {
	SITE_PRE_READ,		/* pre_read without a reseed */
	SITE_RESEED,		/* pre_read that reseeds */
	SITE_READ,		/* a read's first or only critical section */
	SITE_CHUNK,		/* each further page of a locked read */
	SITE_EVENT,		/* one event into its pool */
	SITE_ROOT,		/* a root key, or the second lock of a reseed */
	GENERATOR_SITES
};

extern const char *const generator_site_names[GENERATOR_SITES];

/* FreeBSD's. */
#define	GENERATOR_POOL_HASH	"sha256"

/* The generators' tunables. */
struct generator_config {
	unsigned	minpoolsize;		/* bytes */
	/*
	 * RK_POOL_HASH: the hash of Fortuna's pools, HASH_READY.  Output is
	 * FreeBSD's only with the default.
	 */
	char		pool_hash[TUNABLE_STRING_SIZE];
	bool		block_seeded_status;	/* pretend to be unseeded */
	/* RK_HYBRID_BYTES: largest request that is made under the mutex. */
	unsigned	hybrid_bytes;
	/* RK_BATCH_EVENTS: events absorbed under one acquisition. */
	unsigned	batch_events;
	/* RK_HOLD: what a read does under the lock, of the null design. */
	unsigned	none_hold_ns;
	bool		none_hold_drawn;	/* that is the mean */
	unsigned	none_lines;		/* written */
};

/* Everything a generator is made from. */
struct generator_params {
	const struct cipher	*gp_cipher;
	const struct lock_class	*gp_lock;
	struct lock_config	 gp_lock_config;
	struct lockprof		*gp_prof;	/* the design's rows, or NULL */
	struct generator_config	 gp_config;
	/*
	 * Parts of a design that has one for each CPU or node; 0: as many as
	 * the machine has CPUs or nodes.
	 */
	unsigned		 gp_places;
	/* [FORTUNA_FAILPOINTS], outlive the generator; NULL: no fail points. */
	struct failpoint	*gp_failpoints;
};

struct random_algorithm;

/*
 * Decides whether an event is absorbed: the harvest side's health tests.
 * Called once for each event, with the lock of the design's pools held; in a
 * design of several parts, with that of the first part.
 */
struct event_filter {
	bool		(*ef_accept)(struct event_filter *ef,
			    const struct harvest_event *event);
};

/*
 * A generator; each design's own structure begins with it.  generator_new()
 * fills it.
 */
struct generator {
	const struct random_algorithm *g_algorithm;
	const struct cipher *g_cipher;
	/* Whether reseeds are paced; known-answer scripts clear it. */
	bool		g_paced;
	/* The most events per call of ra_process_events; 1 without it. */
	unsigned	g_batch_events;
	/* NULL: all events are absorbed.  Set before threads start. */
	struct event_filter *g_filter;
	struct failpoint *g_failpoints;	/* gp_failpoints */
};

/* Whether to absorb an event; see struct event_filter. */
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
 * One reader's private part: a key object that it reuses from read to read.
 * gr_place is GENERATOR_PLACE_HERE for the CPU or node that the thread runs on;
 * known-answer scripts set a place below gp_places.
 */
struct generator_reader {
	struct cipher_key	*gr_spare;	/* unkeyed between reads */
	int			 gr_place;
};

/* The state of a generator, for reports. */
struct generator_status {
	uint32_t	gs_reseeds;
	uint32_t	gs_pool0_bytes;
	uint32_t	gs_pool0_needed_bytes;
	bool		gs_seeded;
};

/* The state of a design that has one K and C. */
struct generator_core {
	uint128_t	gc_counter;	/* C */
	uint8_t		gc_key[CIPHER_KEY_BYTES];	/* K */
	const void	*gc_object;	/* the struct cipher_key, or NULL */
	uint32_t	gc_reseeds;
	uint32_t	gc_pool0_bytes;
};

/*
 * What a design offers.  All but ra_init and ra_fini may be called from any
 * thread at any time and own no lock at entry and exit; once the generator is
 * seeded, pre_read, seeded and read do not allocate.
 *
 * ra_init	makes an unseeded generator in g, which generator_new() has
 *		zeroed and whose struct generator it has filled; 0 or an errno
 *		value.
 * ra_fini	releases what ra_init made; generator_free() wipes the rest.
 * ra_pre_read	called before each request; reseeds if a reseed is due.
 * ra_seeded	whether output may be generated; may try a pre_read.
 * ra_read	generates uio_resid bytes.  The generator is seeded.  On return
 *		no key is left that could reproduce them.
 * ra_event_processor
 *		absorbs one event, if generator_accepts() it.
 * ra_process_events
 *		absorbs n events likewise, 1..g_batch_events, from the harvest
 *		thread; NULL in a design that takes one at a time.
 * ra_timer	does what the kernel's timers and work queues do for the design.
 *		Only the harvest thread calls it, with the time since harvesting
 *		was set up, which never goes back.  NULL: no timers.
 * ra_wait_seeded
 *		sleeps until the generator is seeded or timeout_ns have passed.
 * ra_status	fills *gs, consistently.
 * ra_core	gets the state while no other thread uses the generator; set:
 *		changes C to gc_counter first.  NULL: it has no one K and C.
 */
struct random_algorithm {
	const char	*ra_ident;	/* as -d takes it */
	const char	*ra_descr;	/* one line for listings */
	const char	*ra_stands;	/* what it models: a sentence */
	/*
	 * Its security argument, beside FreeBSD's default: what is shared,
	 * what an attacker who learns some state gets, what stalls.
	 */
	const char	*ra_argument;
	unsigned	 ra_flags;
	unsigned	 ra_knobs;
	unsigned	 ra_poolcount;
	/* Names of its own for rows of the lock profile; NULL: the usual. */
	const char *const *ra_sites;
	unsigned	 ra_site_count;
	/*
	 * How many completed reseeds a read's key may be behind: 0 in a design
	 * that checks under the reseed's lock.  GENERATOR_LAG_ANY: no bound.
	 */
	uint32_t	 ra_lag;
	/*
	 * The most bytes that a read may return from output generated by
	 * earlier reads.  GENERATOR_STORED_ANY: no bound.
	 */
	uint64_t	 ra_stored_bytes;
	size_t		 ra_size;	/* of its structure */
	int		(*ra_init)(struct generator *g,
			    const struct generator_params *params);
	void		(*ra_fini)(struct generator *g);
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
	void		(*ra_core)(struct generator *g,
			    struct generator_core *gc, bool set);
};

/* The rows of a design's lock profile. */
static inline unsigned
generator_sites(const struct random_algorithm *ra)
{
	return (ra->ra_sites != NULL ? ra->ra_site_count : GENERATOR_SITES);
}

static inline const char *const *
generator_site_names_of(const struct random_algorithm *ra)
{
	return (ra->ra_sites != NULL ? ra->ra_sites : generator_site_names);
}

#define	RANDOM_ALGORITHM(name)						\
	const struct random_algorithm FLAVOURED(gen_##name)

/*
 * Only the family's own files see its members; other code uses generators[] and
 * is not rebuilt when a member is added.
 */
#ifdef GENERATOR_FAMILY
#define	GENERATOR(name)	extern RANDOM_ALGORITHM(name);
#include "fortuna/generator.tbl"
#undef GENERATOR
#endif

#define	generators	FLAVOURED(generators)
#define	generator_count	FLAVOURED(generator_count)
#define	generator_at	FLAVOURED(generator_at)
#define	generator_find	FLAVOURED(generator_find)
#define	generator_add	FLAVOURED(generator_add)

/* The family, in table order; then those that were added. */
extern const struct random_algorithm *generators[];
extern unsigned generator_count;

/* Adds a design, before threads start; false: there is no room. */
bool generator_add(const struct random_algorithm *ra);

/*
 * Adds designs that take time to load.  Called once, when a name is looked for
 * that no design before has, or all are listed; NULL: there are none.
 */
extern void (*generator_more)(void);

/* The i-th design; NULL when there are no more. */
const struct random_algorithm *generator_at(unsigned i);

/* The design called name; NULL when there is none. */
const struct random_algorithm *generator_find(const char *name);

/*
 * Makes an unseeded generator of design ra.
 *
 * Returns: 0, or an errno value; *g is written only with 0.
 */
int generator_new(const struct random_algorithm *ra, struct generator **g,
    const struct generator_params *params);

/* Wipes and frees a generator that no thread uses any more; or NULL. */
void generator_free(struct generator *g);

/*
 * Makes and wipes a reader's private part.
 *
 * Returns: 0, or an errno value of lib/crypto/cipher.h.
 */
int generator_reader_init(struct generator *g, struct generator_reader *gr);
void generator_reader_fini(struct generator *g, struct generator_reader *gr);

/* Zeroed memory on cache lines of its own, for free(3); NULL: no memory. */
void *generator_alloc(size_t bytes);

/* How many parts a design with one for each CPU has. */
static inline unsigned
generator_places(const struct generator_params *params)
{
	return (params->gp_places != 0 ? params->gp_places :
	    machine_cpu_ids());
}

/* The part that a read uses, below places. */
static inline unsigned
generator_place(const struct generator_reader *gr, unsigned places)
{
	unsigned place = gr->gr_place >= 0 ? (unsigned)gr->gr_place :
	    machine_cpu();

	/* Avoids a division. */
	return (place < places ? place : place % places);
}

/* FreeBSD's defaults, and their table; tn_knob: RK_ bits. */
struct generator_config generator_config_default(void);
extern const struct tunable generator_tunables[];
extern const unsigned generator_tunable_count;

#endif
