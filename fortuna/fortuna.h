/*
 * Fortuna under one mutex: what the designs with Fortuna's state share.
 *
 * Stands for the corresponding functions of sys/dev/random/fortuna.c; the mutex
 * is fs_mtx, "reseed mutex".
 */
#ifndef FORTUNA_FORTUNA_H
#define FORTUNA_FORTUNA_H

#include "fortuna/generator.h"
#include "fortuna/state.h"

/*
 * Cache lines that a critical section uses of K with its key schedule, and of a
 * pool with its hash: about what union randomdev_key and union randomdev_hash
 * take in the kernel.
 */
enum {
	FORTUNA_KEY_LINES	= 10,
	FORTUNA_POOL_LINES	= 2
};

/* A generator whose state one mutex protects. */
struct fortuna {
	struct generator	f_generator;
	struct generator_config	f_config;
	/*
	 * Whether C != 0, for those who ask without the mutex; changes with
	 * it held.  The release that makes it true publishes K and C.
	 */
	struct m32		f_seeded;
	struct lock		f_mtx;
	struct fortuna_state	f_state;	/* f_mtx */
	/* random_fortuna_note_due()'s, or FORTUNA_NEVER_DUE throughout. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m64		f_due_ns;
};

/* f_due_ns while pool 0 has too little. */
#define	FORTUNA_NEVER_DUE	UINT64_MAX

#define	random_fortuna_init_alg		FLAVOURED(random_fortuna_init_alg)
#define	random_fortuna_init_size	FLAVOURED(random_fortuna_init_size)
#define	random_fortuna_deinit_alg	FLAVOURED(random_fortuna_deinit_alg)
#define	random_fortuna_reader_init	FLAVOURED(random_fortuna_reader_init)
#define	random_fortuna_reader_fini	FLAVOURED(random_fortuna_reader_fini)
#define	random_fortuna_pre_read		FLAVOURED(random_fortuna_pre_read)
#define	random_fortuna_seeded		FLAVOURED(random_fortuna_seeded)
#define	random_fortuna_process_event	FLAVOURED(random_fortuna_process_event)
#define	random_fortuna_wait_seeded	FLAVOURED(random_fortuna_wait_seeded)
#define	random_fortuna_status		FLAVOURED(random_fortuna_status)
#define	random_fortuna_reseed_due	FLAVOURED(random_fortuna_reseed_due)
#define	random_fortuna_maybe_due	FLAVOURED(random_fortuna_maybe_due)
#define	random_fortuna_note_due		FLAVOURED(random_fortuna_note_due)
#define	random_fortuna_absorb		FLAVOURED(random_fortuna_absorb)
#define	random_fortuna_charge_reseed	FLAVOURED(random_fortuna_charge_reseed)
#define	random_fortuna_publish		FLAVOURED(random_fortuna_publish)
#define	random_fortuna_read_concurrent					\
	FLAVOURED(random_fortuna_read_concurrent)

/* The members of struct random_algorithm; contracts there. */
int random_fortuna_init_alg(struct generator **g,
    const struct generator_params *params);
void random_fortuna_deinit_alg(struct generator *g);
int random_fortuna_reader_init(struct generator *g,
    struct generator_reader *gr);
void random_fortuna_reader_fini(struct generator *g,
    struct generator_reader *gr);
void random_fortuna_pre_read(struct generator *g);
bool random_fortuna_seeded(struct generator *g);
void random_fortuna_process_event(struct generator *g,
    const struct harvest_event *event);
void random_fortuna_wait_seeded(struct generator *g, int64_t timeout_ns);
void random_fortuna_status(struct generator *g, struct generator_status *gs);

/* What gen_concurrent.c reads with, and others outside their mutex too. */
void random_fortuna_read_concurrent(struct generator *g,
    struct generator_reader *gr, struct uio *uio);

/*
 * As random_fortuna_init_alg(), for a design whose structure begins with struct
 * fortuna.
 *
 *   size  in  bytes of that structure; what follows the first member is zeroed,
 *             and not wiped at the end
 */
int random_fortuna_init_size(struct generator **g,
    const struct generator_params *params, size_t size);

/*
 * Brings f_seeded up to date with C, after a change of C; wakes those who wait
 * for the first seeding.  f_mtx owned.
 */
void random_fortuna_publish(struct fortuna *f);

/* A pre_read of one of several: reseeds f if it is time. */
void random_fortuna_reseed_due(struct fortuna *f, bool paced);

/*
 * For designs whose pre_read takes no lock to find that it is not time, as most
 * do.  They note after each event and each reseed from which uptime on the next
 * is due, with what guards the pools owned, and look at that word without.  It
 * decides nothing:
 *
 * - It says due and is out of date, because somebody reseeded meanwhile.  The
 *   lock is taken, the question asked anew, and nothing done.
 * - It says not due and is out of date, because an event has just filled pool
 *   0.  The reader goes on with the K there is, as it would have had its
 *   pre_read come before the event: an order that FreeBSD's mutex allows too.
 *   Who knows of the event, by having fed it or heard of it, sees the word that
 *   it left, so what is read after it in that sense is after it here.
 *
 * A reseed notes as its last step, so whoever looks while one is under way
 * finds it due and waits for it.
 */
bool random_fortuna_maybe_due(struct fortuna *f, int64_t now_ns, bool paced);
void random_fortuna_note_due(struct fortuna *f);

/*
 * One event into its pool, if f accepts it, and what that costs; what guards
 * pools is owned.
 */
void random_fortuna_absorb(struct fortuna *f,
    const struct harvest_event *event);

/* Pays for a reseed that has drained that many pools.  All is owned. */
void random_fortuna_charge_reseed(struct fortuna *f, unsigned pools);

/* The whole of f, from its first member. */
static inline struct fortuna *
fortuna_of(struct generator *g)
{

	return ((struct fortuna *)(void *)g);
}

#endif
