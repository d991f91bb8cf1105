/* A random(4) that runs, inside. */
#pragma once

#include "fortuna/device/randomdev.h"

/* What a thread does; it alone writes its counts. */
struct caller {
	_Alignas(MACHINE_CACHE_LINE) struct m64 cl_queued[ENTROPYSOURCE];
	struct m64	 cl_dropped;
	uint64_t	 cl_began_cycles;	/* of a delivery */
	uint8_t		 cl_source;		/* what is delivered */
	bool		 cl_delivering;	/* by ra_event_processor() */
	uint64_t	 cl_tests, cl_given;	/* of events, not a loader's */
	enum { NO_READ, READ_WAITS, READ_POLLS } cl_read;	/* its call */
	bool		 cl_blocked;	/* it sleeps since it was not seeded */
	unsigned	 cl_deaf;	/* sleeps that ended after a signal */
};

/* Of one kind of source. */
struct kind {
	struct m64	 kd_delivered;
	struct m64	 kd_direct;	/* of these, by randomdev_deliver() */
	struct m64	 kd_discarded, kd_passed;
	struct m64	 kd_repetitions, kd_proportions;
	enum random_tested kd_tested;	/* the last one */
};

struct source {
	randomdev_read_source *src_read;
	void		*src_state;
};

struct randomdev {
	struct kernel	*rd_kernel;
	const struct random_object *rd_object;
	struct random_host rd_host;
	struct randomdev_params rd_params;
	struct kern_setting rd_setting[DESIGN_SETTINGS_MAX + 2];
	struct caller	*rd_caller;	/* [threads] */
	struct kind	 rd_kind[ENTROPYSOURCE];
	struct source	 rd_source[RANDOM_ABI_SOURCES_MAX];
	unsigned	 rd_sources;
	int64_t		 rd_start_ns;	/* uptime */
	struct m32	 rd_window;	/* is open */
	bool		 rd_served;	/* explored: a read was */
	_Alignas(MACHINE_CACHE_LINE) struct m32 rd_unblocked;
	uint64_t	 rd_seeded_cycles;	/* once that is not 0 */
};

static inline struct caller *
caller_of(struct randomdev *rd)
{
	return (&rd->rd_caller[machine_curthread()->mt_index]);
}

static inline void
count(struct m64 *n)
{
	machine_note_store_64(n, machine_note_load_64(n) + 1);
}

/* The bytes of pool 0 that a reseed needs, if the source has them. */
static inline unsigned
minpoolsize(const struct randomdev *rd)
{
	struct kern_sysctl *kx = kern_sysctl_find(randomdev_object(rd),
	    "kern.random.fortuna.minpoolsize");

	return (kx != NULL ? (unsigned)kx->kx_get(kx) : 0);
}
