/*
 * A CPU's generation is stored before its key is there, and its mutex is
 * released in between.  Readers share one CPU's key, so that they meet.
 */
#define	FORTUNA_CPU		0
#define	OWN_DRAW
#include "percpu.c"

static void
random_fortuna_draw(struct fortuna_cpu *fc)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	fc->fc_generation = atomic_load_acq_int(&fortuna_generation);
	mtx_unlock(&fc->fc_mtx);
	random_fortuna_root(newkey);
	mtx_lock(&fc->fc_mtx);
	randomdev_encrypt_init(&fc->fc_key, newkey);
	explicit_bzero(newkey, sizeof(newkey));
}
