#include <fcntl.h>

#include "harvest/harvest.h"

int
record_create(struct record *r, const char *path, size_t room,
    char why[HARVEST_ERROR_SIZE])
{
	int fd, rc;

	memset(r, 0, sizeof(*r));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0)
		r->rc_file = fdopen(fd, "w");
	if (r->rc_file == NULL) {
		rc = errno;
		if (fd >= 0)
			close(fd);
		snprintf(why, HARVEST_ERROR_SIZE, "%s: %s", path, strerror(rc));
		return (rc);
	}
	r->rc_events = xreallocarray(NULL, room, sizeof(*r->rc_events));
	r->rc_room = room;
	/* Page faults belong here rather than between two events. */
	wipe(r->rc_events, room * sizeof(*r->rc_events));
	return (0);
}

int
record_finish(struct record *r)
{
	const struct random_event *event;
	int error = 0;

	if (r->rc_file == NULL)
		return (0);
	fprintf(r->rc_file, "# event destination counter bytes source\n");
	for (size_t i = 0; i < r->rc_count; i++) {
		event = &r->rc_events[i];
		fprintf(r->rc_file, "event %u %" PRIu32 " ",
		    event->he_destination, event->he_somecounter);
		for (unsigned b = 0; b < event->he_size; b++)
			fprintf(r->rc_file, "%02x", event->he_entropy[b]);
		fprintf(r->rc_file, " %s\n",
		    random_source_names[event->he_source]);
	}
	if (r->rc_lost > 0)
		fprintf(r->rc_file, "# %" PRIu64 " more were not recorded\n",
		    r->rc_lost);
	errno = 0;
	if (ferror(r->rc_file))
		error = EIO;
	if (fclose(r->rc_file) != 0 && errno != 0)
		error = errno;
	r->rc_file = NULL;
	if (error == 0 && r->rc_lost > 0)
		error = EOVERFLOW;
	return (error);
}

void
record_fini(struct record *r)
{
	if (r->rc_file != NULL)
		fclose(r->rc_file);
	if (r->rc_events != NULL)
		wipe(r->rc_events, r->rc_room * sizeof(*r->rc_events));
	free(r->rc_events);
	memset(r, 0, sizeof(*r));
}
