/* What an algorithm, sources of entropy and random(4) offer each other. */
#ifndef DEV_RANDOM_RANDOMDEV_H
#define	DEV_RANDOM_RANDOMDEV_H

#include <sys/types.h>
#include <sys/errno.h>
#include <sys/malloc.h>
#include <sys/random.h>
#include <sys/sysctl.h>

#include <dev/random/random_harvestq.h>

SYSCTL_DECL(_kern_random);
MALLOC_DECLARE(M_ENTROPY);

/* The handler of a sysctl that stands for a u_int of min to max. */
#define	RANDOM_CHECK_UINT(name, min, max)				\
static int								\
random_check_uint_##name(SYSCTL_HANDLER_ARGS)				\
{									\
	u_int value = *(u_int *)arg1;					\
	int error;							\
									\
	error = sysctl_handle_int(oidp, &value, 0, req);		\
	if (error != 0 || req->newptr == NULL)				\
		return (error);						\
	if (value < (min) || value > (max))				\
		return (EINVAL);					\
	*(u_int *)arg1 = value;						\
	return (0);							\
}

typedef void random_alg_pre_read_t(void);
typedef void random_alg_read_t(uint8_t *, size_t);
typedef bool random_alg_seeded_t(void);
typedef void random_alg_eventprocessor_t(struct harvest_event *);
typedef u_int random_source_read_t(void *, u_int);

/*
 * An algorithm.
 *
 * ra_pre_read	called before each request; reseeds if a reseed is due.
 * ra_read	writes that many bytes; the algorithm is seeded.  On return no
 *		key is left that could reproduce them.
 * ra_seeded	whether it may be read; may try a ra_pre_read.
 * ra_event_processor
 *		absorbs an event, if random_harvest_healthtest() accepts it.
 *
 * They own no lock at entry and exit.
 */
struct random_algorithm {
	const char	*ra_ident;
	u_int		 ra_poolcount;
	random_alg_pre_read_t *ra_pre_read;
	random_alg_read_t *ra_read;
	random_alg_seeded_t *ra_seeded;
	random_alg_eventprocessor_t *ra_event_processor;
};

extern const struct random_algorithm random_alg_context;
#define	p_random_alg_context	(&random_alg_context)

/* A source that the harvest thread reads; or one that queues its events. */
struct random_source {
	const char	*rs_ident;
	enum random_entropy_source rs_source;
	random_source_read_t *rs_read;	/* NULL: it queues them */
	u_int		 rs_min_entropy;	/* bits of a sample; 0: unknown */
};

void random_source_register(const struct random_source *);
void random_source_deregister(const struct random_source *);

/* Wakes what waits for the first seed. */
void randomdev_unblock(void);

#endif
