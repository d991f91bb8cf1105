/*
 * A read counts its bytes under the pools' mutex while it has K's; a reseed
 * takes the two in the other order.
 */
#include <sys/types.h>

#define	FORTUNA_COUNT(n)	random_fortuna_count(n)
static void random_fortuna_count(size_t);
#include "split.c"

static u_long fortuna_bytes;	/* the pools' mutex */

static void
random_fortuna_count(size_t n)
{
	mtx_lock(&fortuna_pools_mtx);
	fortuna_bytes += n;
	mtx_unlock(&fortuna_pools_mtx);
}
