/*
 * A spin mutex.
 */
#define	FORTUNA_MTX		MTX_SPIN
#define	FORTUNA_LOCK()		mtx_lock_spin(&fortuna_state.fs_mtx)
#define	FORTUNA_UNLOCK()	mtx_unlock_spin(&fortuna_state.fs_mtx)
#include "fortuna.c"
