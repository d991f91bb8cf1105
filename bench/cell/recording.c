#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/recording.h"
#include "lib/kassert.h"

enum { ROOM_FIRST = 16 };

struct recording_stream *
recording_add_stream(struct recording *rec, const char *name)
{
	struct recording_stream *grown, *rm;

	grown = realloc(rec->rec_streams, (rec->rec_count + 1) *
	    sizeof(*grown));
	if (grown == NULL)
		return (NULL);
	rec->rec_streams = grown;
	rm = &grown[rec->rec_count++];
	*rm = (struct recording_stream){ .rm_count = 0 };
	snprintf(rm->rm_name, sizeof(rm->rm_name), "%s", name);
	return (rm);
}

int
recording_add(struct recording_stream *rm, uint64_t at_ns, uint64_t bytes)
{
	struct recording_request *grown;
	size_t room;

	KASSERT(bytes >= 1 && bytes <= RECORDING_BYTES_MAX,
	    ("%" PRIu64 " bytes", bytes));
	KASSERT(rm->rm_count == 0 ||
	    at_ns >= rm->rm_requests[rm->rm_count - 1].rq_at_ns,
	    ("%" PRIu64 " ns is back in time", at_ns));
	if (rm->rm_count == rm->rm_room) {
		room = rm->rm_room == 0 ? ROOM_FIRST : 2 * rm->rm_room;
		grown = realloc(rm->rm_requests, room * sizeof(*grown));
		if (grown == NULL)
			return (ENOMEM);
		rm->rm_requests = grown;
		rm->rm_room = room;
	}
	rm->rm_requests[rm->rm_count++] = (struct recording_request){
	    .rq_at_ns = at_ns, .rq_bytes = bytes };
	return (0);
}

size_t
recording_requests(const struct recording *rec)
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < rec->rec_count; i++)
		n += rec->rec_streams[i].rm_count;
	return (n);
}

/* FNV-1a, a byte at a time so that every machine gets the same. */
static uint64_t
hash_number(uint64_t hash, uint64_t v)
{
	unsigned i;

	for (i = 0; i < 8; i++)
		hash = (hash ^ (v >> (8 * i) & 0xff)) *
		    UINT64_C(0x100000001b3);
	return (hash);
}

uint32_t
recording_hash(const struct recording *rec)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	unsigned i;
	size_t k;

	hash = hash_number(hash, rec->rec_length_ns);
	for (i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];

		hash = hash_number(hash, rm->rm_count);
		for (k = 0; k < rm->rm_count; k++) {
			hash = hash_number(hash, rm->rm_requests[k].rq_at_ns);
			hash = hash_number(hash, rm->rm_requests[k].rq_bytes);
		}
	}
	return ((uint32_t)(hash ^ hash >> 32));
}

void
recording_print(FILE *out, const struct recording *rec, const char *comment)
{
	uint64_t last_ns;
	unsigned i;
	size_t k;

	fprintf(out, RECORDING_MAGIC "\n%slength %" PRIu64 "\n", comment,
	    rec->rec_length_ns);
	for (i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];

		fprintf(out, "stream %s\n", rm->rm_name);
		for (k = 0, last_ns = 0; k < rm->rm_count; k++) {
			fprintf(out, "%" PRIu64 " %" PRIu64 "\n",
			    rm->rm_requests[k].rq_at_ns - last_ns,
			    rm->rm_requests[k].rq_bytes);
			last_ns = rm->rm_requests[k].rq_at_ns;
		}
	}
}

void
recording_free(struct recording *rec)
{
	unsigned i;

	for (i = 0; i < rec->rec_count; i++)
		free(rec->rec_streams[i].rm_requests);
	free(rec->rec_streams);
	*rec = (struct recording){ .rec_count = 0 };
}
