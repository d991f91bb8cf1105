#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "harvest/mask.h"

CTASSERT(MASK_DEFAULT == 7135);

const char *const random_source_names[ENTROPYSOURCE] = {
	[RANDOM_CACHED]		= "CACHED",
	[RANDOM_ATTACH]		= "ATTACH",
	[RANDOM_KEYBOARD]	= "KEYBOARD",
	[RANDOM_MOUSE]		= "MOUSE",
	[RANDOM_NET_TUN]	= "NET_TUN",
	[RANDOM_NET_ETHER]	= "NET_ETHER",
	[RANDOM_NET_NG]		= "NET_NG",
	[RANDOM_INTERRUPT]	= "INTERRUPT",
	[RANDOM_SWI]		= "SWI",
	[RANDOM_FS_ATIME]	= "FS_ATIME",
	[RANDOM_UMA]		= "UMA",
	[RANDOM_CALLOUT]	= "CALLOUT",
	[RANDOM_RANDOMDEV]	= "RANDOMDEV",
	[RANDOM_PURE_TPM]	= "PURE_TPM",
	[RANDOM_PURE_RDRAND]	= "PURE_RDRAND",
	[RANDOM_PURE_RDSEED]	= "PURE_RDSEED",
	[RANDOM_PURE_NEHEMIAH]	= "PURE_NEHEMIAH",
	[RANDOM_PURE_RNDTEST]	= "PURE_RNDTEST",
	[RANDOM_PURE_VIRTIO]	= "PURE_VIRTIO",
	[RANDOM_PURE_BROADCOM]	= "PURE_BROADCOM",
	[RANDOM_PURE_CCP]	= "PURE_CCP",
	[RANDOM_PURE_DARN]	= "PURE_DARN",
	[RANDOM_PURE_VMGENID]	= "PURE_VMGENID",
	[RANDOM_PURE_QUALCOMM]	= "PURE_QUALCOMM",
	[RANDOM_PURE_ARMV8]	= "PURE_ARMV8",
	[RANDOM_PURE_ARM_TRNG]	= "PURE_ARM_TRNG",
	[RANDOM_PURE_SAFE]	= "PURE_SAFE",
	[RANDOM_PURE_GLXSB]	= "PURE_GLXSB",
	[RANDOM_PURE_HIFN]	= "PURE_HIFN",
};

int
random_source_number(const char *name, uint8_t *source)
{
	uint8_t i;

	for (i = 0; i < ENTROPYSOURCE; i++) {
		if (strcmp(random_source_names[i], name) == 0) {
			*source = i;
			return (0);
		}
	}
	return (ENOENT);
}

uint32_t
mask_default(uint32_t registered, uint32_t compiled)
{

	KASSERT((registered & ~MASK_PURE) == 0 &&
	    (compiled & ~MASK_COSTLY) == 0, ("registered %x, compiled %x",
	    (unsigned)registered, (unsigned)compiled));
	return (MASK_DEFAULT | registered | compiled);
}

int
mask_write(uint32_t *mask, uint32_t value)
{

	if ((value & ~MASK_ALL) != 0)
		return (EINVAL);
	*mask = (*mask & MASK_IMMUTABLE) | (value & ~MASK_IMMUTABLE);
	return (0);
}

void
mask_bin(uint32_t mask, char buf[MASK_BIN_SIZE])
{
	unsigned i;

	for (i = ENTROPYSOURCE; i-- > 0;)
		*buf++ = (mask & MASK_BIT(i)) != 0 ? '1' : '0';
	*buf = '\0';
}

void
mask_symbolic(uint32_t mask, char buf[MASK_SYMBOLIC_SIZE])
{
	size_t used = 0;
	unsigned i;
	bool on;

	for (i = ENTROPYSOURCE; i-- > 0;) {
		on = (mask & MASK_BIT(i)) != 0;
		if (!on && i >= RANDOM_PURE_START)
			continue;
		KASSERT(used + strlen(random_source_names[i]) + 4 <=
		    MASK_SYMBOLIC_SIZE, ("names need more than %d bytes",
		    MASK_SYMBOLIC_SIZE));
		if (used > 0)
			buf[used++] = ',';
		if (!on)
			buf[used++] = '[';
		strcpy(buf + used, random_source_names[i]);
		used += strlen(random_source_names[i]);
		if (!on)
			buf[used++] = ']';
	}
	buf[used] = '\0';
}
