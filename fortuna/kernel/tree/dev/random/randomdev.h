/*
 * What an algorithm and random(4) offer each other.
 */
#ifndef DEV_RANDOM_RANDOMDEV_H
#define	DEV_RANDOM_RANDOMDEV_H

#include <sys/types.h>
#include <sys/errno.h>
#include <sys/sysctl.h>

#include <dev/random/random_harvestq.h>

SYSCTL_DECL(_kern_random);

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

struct random_algorithm {
	const char	*ra_ident;
	u_int		 ra_poolcount;
	random_alg_pre_read_t *ra_pre_read;
	random_alg_read_t *ra_read;
	random_alg_seeded_t *ra_seeded;
	random_alg_eventprocessor_t *ra_event_processor;
};

extern const struct random_algorithm random_alg_context;

/* Wakes what waits for the first seed. */
void randomdev_unblock(void);

#endif
