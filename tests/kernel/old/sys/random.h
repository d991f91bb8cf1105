/*
 * Sources of entropy, as releases had them before 12: a producer says how many
 * bits its event has, and the queue tests the mask.
 */
#ifndef SYS_RANDOM_H
#define	SYS_RANDOM_H

#include <sys/types.h>

struct uio;

enum random_entropy_source {
	RANDOM_START = 0,
	RANDOM_CACHED = 0,
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
	RANDOM_ENVIRONMENTAL_END = RANDOM_UMA,
	RANDOM_PURE_OCTEON, RANDOM_PURE_SAFE, RANDOM_PURE_GLXSB,
	RANDOM_PURE_UBSEC, RANDOM_PURE_HIFN, RANDOM_PURE_RDRAND,
	RANDOM_PURE_NEHEMIAH, RANDOM_PURE_VIRTIO, RANDOM_PURE_BROADCOM,
	RANDOM_PURE_CCP, RANDOM_PURE_DARN,
	ENTROPYSOURCE
};

void random_harvest_queue(const void *, u_int, u_int,
    enum random_entropy_source);
void random_harvest_fast(const void *, u_int, u_int,
    enum random_entropy_source);
void random_harvest_direct(const void *, u_int, u_int,
    enum random_entropy_source);

u_int read_random(void *, u_int);
int read_random_uio(struct uio *, bool);

#endif
