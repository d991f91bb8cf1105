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
 * Cache lines that a critical section touches of a pool with its hash: about
 * the size of union randomdev_hash in the kernel.
 */
enum { FORTUNA_POOL_LINES = 2 };

/*
 * A generator whose state one mutex protects.  A design that needs more begins
 * its own structure with this one.
 */
struct fortuna {
	struct generator	f_generator;
	struct generator_config	f_config;
	/*
	 * Whether C != 0, readable without the mutex; written with it held.
	 * The store-release that sets it publishes K and C.
	 */
	struct m32		f_seeded;
	struct lock		f_mtx;
	struct fortuna_state	f_state;	/* f_mtx */
	/* See random_fortuna_note_due(); FORTUNA_NEVER_DUE if unused. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m64		f_due_ns;
};

/* f_due_ns while pool 0 has too little. */
#define	FORTUNA_NEVER_DUE	UINT64_MAX

#define	random_fortuna_init_alg		FLAVOURED(random_fortuna_init_alg)
#define	random_fortuna_deinit_alg	FLAVOURED(random_fortuna_deinit_alg)
#define	random_fortuna_pre_read		FLAVOURED(random_fortuna_pre_read)
#define	random_fortuna_seeded		FLAVOURED(random_fortuna_seeded)
#define	random_fortuna_process_event	FLAVOURED(random_fortuna_process_event)
#define	random_fortuna_process_noted	FLAVOURED(random_fortuna_process_noted)
#define	random_fortuna_wait_seeded	FLAVOURED(random_fortuna_wait_seeded)
#define	random_fortuna_status		FLAVOURED(random_fortuna_status)
#define	random_fortuna_core		FLAVOURED(random_fortuna_core)
#define	random_fortuna_reseed_due	FLAVOURED(random_fortuna_reseed_due)
#define	random_fortuna_maybe_due	FLAVOURED(random_fortuna_maybe_due)
#define	random_fortuna_note_due		FLAVOURED(random_fortuna_note_due)
#define	random_fortuna_absorb		FLAVOURED(random_fortuna_absorb)
#define	random_fortuna_charge_reseed	FLAVOURED(random_fortuna_charge_reseed)
#define	random_fortuna_publish		FLAVOURED(random_fortuna_publish)
#define	random_fortuna_seed_part	FLAVOURED(random_fortuna_seed_part)
#define	random_fortuna_read_concurrent					\
	FLAVOURED(random_fortuna_read_concurrent)

/* The members of struct random_algorithm; contracts there. */
int random_fortuna_init_alg(struct generator *g,
    const struct generator_params *params);
void random_fortuna_deinit_alg(struct generator *g);
void random_fortuna_pre_read(struct generator *g);
bool random_fortuna_seeded(struct generator *g);
void random_fortuna_process_event(struct generator *g,
    const struct harvest_event *event);
void random_fortuna_wait_seeded(struct generator *g, int64_t timeout_ns);
void random_fortuna_status(struct generator *g, struct generator_status *gs);
void random_fortuna_core(struct generator *g, struct generator_core *gc,
    bool set);

/* gen_concurrent.c's read, for other designs that generate outside it. */
void random_fortuna_read_concurrent(struct generator *g,
    struct generator_reader *gr, struct uio *uio);

/*
 * Updates f_seeded after a change of C and wakes the threads that wait for the
 * first seeding.  f_mtx owned.
 */
void random_fortuna_publish(struct fortuna *f);

/*
 * Reseeds one part of a design with 32 bytes of another part's output, so that
 * no two parts have the same key.  from is seeded; no lock is owned.
 */
void random_fortuna_seed_part(struct generator *to, struct generator *from);

/* Takes the mutex and reseeds f if a reseed is due. */
void random_fortuna_reseed_due(struct fortuna *f, bool paced);

/*
 * For designs whose pre_read looks before it locks.  After each event and each
 * reseed, with the pools' lock owned, they note from which uptime on the next
 * reseed is due; pre_read loads that word without a lock.  The word is a hint:
 *
 * - Stale positive: a reseed happened meanwhile.  Recheck under the lock.
 * - Stale negative: an event has just filled pool 0.  The read uses the present
 *   K, as if its pre_read had come before the event, an order that FreeBSD's
 *   mutex also allows.  A read that the event happens-before sees the new word.
 *
 * A reseed notes as its last step, so a pre_read during a reseed finds it due
 * and waits for the lock.
 */
bool random_fortuna_maybe_due(struct fortuna *f, int64_t now_ns, bool paced);
void random_fortuna_note_due(struct fortuna *f);

/* random_fortuna_process_event() of designs that note. */
void random_fortuna_process_noted(struct generator *g,
    const struct harvest_event *event);

/* Absorbs and charges one event, if f accepts it.  Pools' lock owned. */
void random_fortuna_absorb(struct fortuna *f,
    const struct harvest_event *event);

/* Charges for a reseed that has drained that many pools.  All locks owned. */
void random_fortuna_charge_reseed(struct fortuna *f, unsigned pools);

/* The whole of f, from its first member. */
static inline struct fortuna *
fortuna_of(struct generator *g)
{
	return ((struct fortuna *)(void *)g);
}

/*
 * Charges for the lines that a critical section which changes K touches.  As in
 * FreeBSD's struct, K begins beside C.  AES also writes K's end, and pre_read
 * looks at that line.
 */
static inline void
random_fortuna_touch_key(const struct fortuna *f)
{
	const struct fortuna_state *fs = &f->f_state;
	const unsigned lines = fs->fs_key->ck_cipher->ci_key_lines;

	machine_access(&fs->fs_counter, sizeof(fs->fs_counter), false);
	machine_fetch(&fs->fs_key, lines, lines);
	machine_access(&fs->fs_counter, sizeof(fs->fs_counter), true);
	if (lines > 1)
		machine_access(&fs->fs_lasttime_ns, sizeof(int64_t), true);
}

static inline void
random_fortuna_touch_pace(const struct fortuna *f)
{
	machine_fetch(&f->f_state.fs_lasttime_ns, 1, 0);
	machine_access(&f->f_state.fs_lasttime_ns, sizeof(int64_t), false);
}

#endif
