#include <fcntl.h>

#include "harvest/record.h"
#include "lib/base/lines.h"
#include "lib/crypto/wipe.h"

enum { WORD_SIZE = 24, RECORD_ROOM_FIRST = 256 };

_Static_assert((int)HARVEST_ERROR_SIZE >= (int)LINES_ERROR_SIZE, "room");

static const char blanks[] = " \t\n";

static int
parse_decimal(const char *word, uint64_t max, uint64_t *value)
{
	return (word[strspn(word, "0123456789")] != '\0' ||
	    parse_number(word, value) != 0 || *value > max ? EINVAL : 0);
}

int
record_parse(const char *line, struct random_event *event,
    const char **expected)
{
	char word[6][WORD_SIZE];
	uint64_t v;
	size_t n;

	memset(event, 0, sizeof(*event));
	/* No field takes a word that has to be cut. */
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++, line += n) {
		line += strspn(line, blanks);
		n = strcspn(line, blanks);
		snprintf(word[i], WORD_SIZE, "%.*s", (int)n, line);
	}
	*expected = "\"event D T HEX [SOURCE]\" or a # comment";
	if (strcmp(word[0], "event") != 0)
		return (EINVAL);
	*expected = "a destination, 0..255, after \"event\"";
	if (parse_decimal(word[1], UINT8_MAX, &v) != 0)
		return (EINVAL);
	event->he_destination = (uint8_t)v;
	*expected = "a counter, 0..4294967295, after the destination";
	if (parse_decimal(word[2], UINT32_MAX, &v) != 0)
		return (EINVAL);
	event->he_somecounter = (uint32_t)v;
	*expected = "1 to 8 bytes in hexadecimal after the counter";
	if (parse_hex(word[3], event->he_entropy, HARVEST_ENTROPY_BYTES, &n) !=
	    0)
		return (EINVAL);
	event->he_size = (uint8_t)n;
	*expected = "a source such as INTERRUPT, or nothing, after the bytes";
	if (word[4][0] == '\0')
		return (0);
	if (random_source_number(word[4], &event->he_source) != 0)
		return (EINVAL);
	*expected = "nothing after the source";
	return (word[5][0] == '\0' ? 0 : EINVAL);
}

/* Keeps the event of a line, unless it is empty or a comment. */
static void
load_line(struct record *r, struct lines *li)
{
	const char *line = li->li_text + strspn(li->li_text, blanks), *expected;
	struct random_event event;

	if (*line == '\0' || *line == '#')
		return;
	if (record_parse(line, &event, &expected) != 0) {
		lines_refuse(li, "expected %s", expected);
		return;
	}
	if (r->rc_count == RECORD_EVENTS_MAX) {
		lines_fail(li, EFBIG, false, "%s", strerror(EFBIG));
		return;
	}
	if (r->rc_count == r->rc_room) {
		r->rc_room = r->rc_room == 0 ? RECORD_ROOM_FIRST : r->rc_room *
		    2;
		r->rc_events = xreallocarray(r->rc_events, r->rc_room,
		    sizeof(event));
	}
	record_add(r, &event);
}

int
record_load(struct record *r, const char *path, struct harvest_error *error)
{
	struct lines li;

	memset(r, 0, sizeof(*r));
	lines_open(&li, path, error->text);
	while (lines_next(&li))
		load_line(r, &li);
	if (li.li_text != NULL)
		wipe(li.li_text, LINES_BYTES_MAX);
	lines_close(&li);
	if (li.li_error != 0)
		record_fini(r);
	return (li.li_error);
}

int
record_create(struct record *r, const char *path, size_t room,
    struct harvest_error *error)
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
		snprintf(error->text, sizeof(error->text), "%s: %s", path,
		    strerror(rc));
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
