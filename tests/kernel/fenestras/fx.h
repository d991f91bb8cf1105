/*
 * FenestrasX in the kernel's dialect, for tests of kernel sources: a root, and
 * under it a buffered generator for each CPU.  Its bytes are those of FreeBSD.
 *
 * Variants are flags of the compiler: FX_CPU, whose generator a read uses;
 * FX_CHURN, each read makes one of its own and frees it; FX_STORED, how much
 * stored output is declared.
 */
#ifndef FX_H
#define	FX_H

#include <sys/param.h>
#include <sys/systm.h>
#include <sys/domainset.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/pcpu.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/taskqueue.h>
#include <sys/vdso.h>

#include <machine/atomic.h>

#include <vm/vm_phys.h>

#define	CHACHA_EMBED
#define	KEYSTREAM_ONLY
#define	CHACHA_NONCE0_CTR128
#include <crypto/chacha20/chacha.h>
#include <contrib/libb2/blake2.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>
#include <dev/random/uint128.h>

#define	FX_BUFFER	128	/* bytes; a larger read goes past it */
#define	FX_POOLS	8
#define	FX_DIGEST	BLAKE2B_OUTBYTES

#ifndef FX_STORED
#define	FX_STORED	FX_BUFFER
#endif
#define	KERNEL_STORED_BYTES	FX_STORED

struct fx_rng {
	struct mtx	fr_mtx;
	struct chacha_ctx fr_key;	/* with its counter */
	uint64_t	fr_generation;	/* of fr_key; 0: none */
	u_int		fr_next;	/* in the buffer */
	uint8_t		fr_buffer[FX_BUFFER];
};

/* Its lock comes after that of the pools and before those of CPUs. */
extern struct fx_rng fx_root;
extern volatile uint64_t fx_generation;

/* Mix n bytes, and m more, into the root, whose mutex is owned. */
void fx_reseed(const void *data, size_t n, const void *more, size_t m);
void fx_init(struct fx_rng *fr, const char *name);
bool fx_seeded(void);
void fx_event(struct harvest_event *event);
void fx_pools_init(void);

#endif
