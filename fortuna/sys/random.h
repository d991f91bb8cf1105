/*
 * Where entropy comes from, with the numbers of FreeBSD 15, and who takes it.
 */
#ifndef SYS_RANDOM_H
#define	SYS_RANDOM_H

#include <sys/types.h>

struct uio;

enum random_entropy_source {
	RANDOM_START = 0,
	/* Something in the environment happens. */
	RANDOM_CACHED = RANDOM_START,
	RANDOM_ATTACH,
	RANDOM_KEYBOARD,
	RANDOM_MOUSE,
	RANDOM_NET_TUN,
	RANDOM_NET_ETHER,
	RANDOM_NET_NG,
	RANDOM_INTERRUPT,
	RANDOM_SWI,
	RANDOM_FS_ATIME,
	RANDOM_UMA,
	RANDOM_CALLOUT,
	RANDOM_RANDOMDEV,
	RANDOM_ENVIRONMENTAL_END = RANDOM_RANDOMDEV,
	/* A generator is asked. */
	RANDOM_PURE_START,
	RANDOM_PURE_TPM = RANDOM_PURE_START,
	RANDOM_PURE_RDRAND,
	RANDOM_PURE_RDSEED,
	RANDOM_PURE_NEHEMIAH,
	RANDOM_PURE_RNDTEST,
	RANDOM_PURE_VIRTIO,
	RANDOM_PURE_BROADCOM,
	RANDOM_PURE_CCP,
	RANDOM_PURE_DARN,
	RANDOM_PURE_VMGENID,
	RANDOM_PURE_QUALCOMM,
	RANDOM_PURE_ARMV8,
	RANDOM_PURE_ARM_TRNG,
	RANDOM_PURE_SAFE,
	RANDOM_PURE_GLXSB,
	RANDOM_PURE_HIFN,
	ENTROPYSOURCE
};

#define	RANDOM_CACHED_BOOT_ENTROPY_MODULE	"boot_entropy_cache"
#define	RANDOM_PLATFORM_BOOT_ENTROPY_MODULE	"boot_entropy_platform"

/* A bit for each source that is harvested. */
extern u_int hc_source_mask;

/* Queues an event; mixes it into the fast accumulator; absorbs it at once. */
void random_harvest_queue_(const void *entropy, u_int size,
    enum random_entropy_source origin);
void random_harvest_fast_(const void *entropy, u_int size);
void random_harvest_direct_(const void *entropy, u_int size,
    enum random_entropy_source origin);

static __inline void
random_harvest_queue(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	if ((hc_source_mask & (1 << origin)) != 0)
		random_harvest_queue_(entropy, size, origin);
}

static __inline void
random_harvest_fast(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	if ((hc_source_mask & (1 << origin)) != 0)
		random_harvest_fast_(entropy, size);
}

static __inline void
random_harvest_direct(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	if ((hc_source_mask & (1 << origin)) != 0)
		random_harvest_direct_(entropy, size, origin);
}

bool is_random_seeded(void);
void read_random(void *buf, u_int len);
int read_random_uio(struct uio *uio, bool nonblock);

#endif
