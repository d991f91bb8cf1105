#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/assure/share.h"

/* The folder above the program's own, and room for what is below it. */
static bool
parent(const struct assure_params *ap, char path[EVIDENCE_PATH_SIZE])
{
	char *slash;
	unsigned i;

	snprintf(path, EVIDENCE_PATH_SIZE, "%s", ap->ap_program);
	for (i = 0; i < 2; i++) {
		slash = strrchr(path, '/');
		if (slash == NULL)
			return (false);
		*slash = '\0';
	}
	return (true);
}

static bool
below(const struct assure_params *ap, const char *prefix, const char *rest,
    int access_mode, char path[EVIDENCE_PATH_SIZE])
{
	size_t room, used;

	if (!parent(ap, path))
		return (false);
	used = strlen(path);
	room = EVIDENCE_PATH_SIZE - used;
	return ((size_t)snprintf(path + used, room, "%s%s", prefix, rest) <
	    room && access(path, access_mode) == 0);
}

bool
share_find(const struct assure_params *ap, const char *shared,
    const char *source, char path[EVIDENCE_PATH_SIZE])
{

	return (below(ap, "/share/rngsim/", shared, R_OK | X_OK, path) ||
	    below(ap, "/", source, R_OK | X_OK, path));
}

bool
share_sibling(const struct assure_params *ap, const char *flavour,
    char path[EVIDENCE_PATH_SIZE])
{
	char rest[EVIDENCE_PATH_SIZE];

	snprintf(rest, sizeof(rest), "%s/rngsim", flavour);
	return (below(ap, "/build-", rest, X_OK, path));
}
