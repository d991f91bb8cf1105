#include <errno.h>
#include <string.h>

#include "fortuna/device/event.h"

const char *const random_source_names[ENTROPYSOURCE] = {
#define	EVENT_SOURCE(name)	#name,
#include "fortuna/device/event.tbl"
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
