#include <errno.h>
#include <string.h>

#include "harvest/mask.h"

CTASSERT(MASK_DEFAULT == 7135);

const char *const random_source_names[ENTROPYSOURCE] = {
#define	EVENT_SOURCE(name)	#name,
#include "fortuna/event.tbl"
#undef EVENT_SOURCE
};

int
random_source_number(const char *name, uint8_t *source)
{
	for (uint8_t i = 0; i < ENTROPYSOURCE; i++) {
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
