/* Designs: algorithms as files of the kernel, of design.tbl or added. */
#pragma once

#include "lib/kern/object.h"
#include "lib/ledger/ledger.h"

enum {
	/* de_flags */
	DE_FORTUNA_BYTES	= 1u << 0,	/* FreeBSD's output */
	DE_NULL			= 1u << 1,	/* measures the harness */
	DE_MANY_LOCKS		= 1u << 2,	/* needs a lock that excludes */
	DE_ADDED		= 1u << 3,	/* no part of the program */

	DESIGN_SETTINGS_MAX	= 32,
	DESIGN_SYSCTLS_MAX	= 64,
	DESIGN_RANGE_SIZE	= 48,
	/* Least time between two reseeds of a source whose C can be seen. */
	DESIGN_RESEED_NS	= 100 * 1000 * 1000
};

/* Fail points of sources, which ask for them by name, and of their locks. */
enum failpoint_index {
#define	FAILPOINT(name, where, descr)	FAILPOINT_##name,
#include "fortuna/device/failpoint.tbl"
	FAILPOINTS,
	/* The first that needs a queue, and one of health tests. */
	FAILPOINT_QUEUE = FAILPOINT_harvest_ring_full,
	FAILPOINT_HEALTH = FAILPOINT_healthtest_force_fail
};

extern const struct failpoint_def failpoint_defs[FAILPOINTS];

/* Which random_harvestq.c an object is linked with. */
enum design_queue {
#define	HARVEST_MODEL(name, word)	HARVEST_MODEL_##name,
#include "fortuna/device/queue.tbl"
	HARVEST_MODELS
};

/* NULL-terminated, as tunables take it. */
extern const char *const design_queue_names[HARVEST_MODELS + 1];

/* What a machine needs: as compiled, or reporting its memory accesses. */
enum design_machine { DESIGN_REAL, DESIGN_SIMULATED, DESIGN_MACHINES };

/* Objects of a design, by machine and queue. */
enum { DESIGN_VARIANTS = DESIGN_MACHINES * HARVEST_MODELS };

/* This flavour's, beside lib/machine/machine.h. */
#define	DESIGN_MACHINE	(MACHINE_SIMULATED ? DESIGN_SIMULATED : DESIGN_REAL)

struct design {
	const char	*de_ident;	/* as -d and results have it */
	const char	*de_descr;	/* one line for listings */
	const char	*de_stands;	/* what it models: a sentence */
	const char	*de_argument;	/* sentences */
	unsigned	 de_flags;
	struct design_object *de_object;
	/* What makes it of its object; kv_name "": nothing. */
	struct kern_setting de_setting;
};

/* What is known of an object that was opened. */
struct design_info {
	unsigned	di_poolcount;
	uint32_t	di_lag;		/* as lgo_lag */
	uint64_t	di_stored_bytes;	/* as lgo_stored_bytes */
	/* As its struct random_claims. */
	bool		di_never_blocks, di_clones;
	bool		di_cored;	/* it is known where its K is */
	bool		di_probed;	/* and the rest of its state */
	bool		di_held;	/* critical sections, pins and such */
	bool		di_queued;	/* a random_harvestq.c of its own */
	/* A bit for each row of failpoint_defs that its sources have. */
	uint32_t	di_points;
	unsigned	di_ciphers;	/* of ciphers[]: 1 is AES alone */
};

/* The i-th design; NULL: there are no more. */
const struct design *design_at(size_t i);

/* The design called name; NULL: there is none. */
const struct design *design_find(const char *name);

/*
 * Adds a design called "kernel:WORD", of files with its objects.  A path that
 * is NULL: the queue of the source is in that of HARVEST_MODEL_newest.
 * Returns: 0, or EINVAL with what is wrong with an object.
 */
int design_add(const char *name, const char *const path[DESIGN_VARIANTS],
    char error[KERN_ERROR_SIZE]);

/*
 * The object for a machine, opened at its first use.  Returns: NULL with errno
 * set, EFBIG if a limit on the size of files is the reason.
 */
struct kern_file *design_file(const struct design *de,
    enum design_machine machine, enum design_queue queue);

/* Opens it, if it was not; all zeros when that fails. */
struct design_info design_info(const struct design *de);

/* Reads "name=value"; what is no number becomes a value that none takes. */
void design_setting(struct kern_setting *set, const char *text);

/*
 * Whether the design has a sysctl, kv_name in full, and whether it takes the
 * value.  Returns: 0; ENOENT; EINVAL, with range, what it takes, as
 * "16..2147483647"; or an error of design_file().
 */
int design_check(const struct design *de, enum design_queue queue,
    const struct kern_setting *set, char range[DESIGN_RANGE_SIZE]);

/* Whether the design is a kernel source with both of Fortuna's modes. */
#define	DESIGN_MODE	"kern.random.fortuna.concurrent_read"
bool design_has_modes(const struct design *de);

/* A sysctl that can be set, and its value at boot. */
struct design_sysctl {
	char		 dy_name[KERN_NAME_SIZE], dy_descr[KERN_NAME_SIZE];
	char		 dy_range[DESIGN_RANGE_SIZE];
	int64_t		 dy_value;
};

/*
 * Lists the design's sysctls, with the newest queue.  Returns: their number; 0
 * with errno set, maybe to 0.
 */
unsigned design_sysctls(const struct design *de,
    struct design_sysctl list[DESIGN_SYSCTLS_MAX]);
