/*
 * FenestrasX: a root, and under it a buffered generator for each CPU, after
 * that of Windows 10.  The bytes are FreeBSD's, sys/dev/random/fenestrasX, with
 * ChaCha20.
 *
 * A key is replaced with every generation of output, by keystream that is drawn
 * before that output, and its counter goes on.  A CPU's key is drawn from the
 * root like any output: four come from one refill, and a reseed leaves the
 * root's buffer as it is, so that up to three CPUs take keys without the new
 * entropy.
 *
 * Departs: a timer fires at its time; every event has entropy, so a source's
 * first event is its first with entropy; sources are tested, and those newer
 * than that generator are good ones if they are hardware.  With AES a request
 * is rounded up to whole blocks, and one of any length has one key.
 */
#ifndef FX_H
#define	FX_H

#include <sys/param.h>
#include <sys/systm.h>
#include <sys/domainset.h>
#include <sys/fail.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/pcpu.h>
#include <sys/random.h>
#include <sys/taskqueue.h>

#include <machine/atomic.h>

#include <contrib/libb2/blake2.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>
#include <dev/random/uint128.h>

#include <random_abi.h>

#define	FX_BUFFER	128	/* bytes; a larger read goes past it */
#define	FX_POOLS	8
#define	FX_DIGEST	BLAKE2B_OUTBYTES

CTASSERT(FX_BUFFER % RANDOM_BLOCKSIZE == 0);
CTASSERT(FX_DIGEST >= RANDOM_KEYSIZE);

struct fx_rng {
	struct mtx	fr_mtx;
	u_int		fr_generation;	/* of fr_key; 0: none */
	uint128_t	fr_counter;
	union randomdev_key fr_key;
	u_int		fr_next;	/* in the buffer; its size: empty */
	uint8_t		fr_buffer[FX_BUFFER];
};

/* Its mutex comes after that of the pools and before those of CPUs. */
extern struct fx_rng fx_root;
extern volatile u_int fx_generation;

/* Mix n bytes, and m more, into the root, whose mutex is owned. */
void fx_reseed(const void *data, size_t n, const void *more, size_t m);
bool fx_seeded(void);
void fx_event(struct harvest_event *event);

#endif
