/* Fortuna's sizes and its mutex, fs_mtx of a variable called fortuna_state. */
#ifndef DEV_RANDOM_FORTUNA_H
#define	DEV_RANDOM_FORTUNA_H

#include <sys/param.h>
#include <sys/lock.h>
#include <sys/mutex.h>

#define	RANDOM_FORTUNA_NPOOLS		32
#define	RANDOM_FORTUNA_DEFPOOLSIZE	64	/* bytes of pool 0 */

typedef struct mtx mtx_t;

#define	RANDOM_RESEED_INIT_LOCK(x)					\
	mtx_init(&fortuna_state.fs_mtx, "reseed mutex", NULL, MTX_DEF)
#define	RANDOM_RESEED_DEINIT_LOCK(x)					\
	mtx_destroy(&fortuna_state.fs_mtx)
#define	RANDOM_RESEED_LOCK(x)						\
	mtx_lock(&fortuna_state.fs_mtx)
#define	RANDOM_RESEED_UNLOCK(x)						\
	mtx_unlock(&fortuna_state.fs_mtx)
#define	RANDOM_RESEED_ASSERT_LOCK_OWNED(x)				\
	mtx_assert(&fortuna_state.fs_mtx, MA_OWNED)
#define	RANDOM_RESEED_ASSERT_LOCK_NOT_OWNED(x)				\
	mtx_assert(&fortuna_state.fs_mtx, MA_NOTOWNED)

#endif
