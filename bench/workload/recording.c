#include "bench/workload/recording.h"

struct recording_stream *
recording_add_stream(struct recording *rec, const char *name)
{
	struct recording_stream *rm = ARRAY_ADD(rec->rec_streams,
	    rec->rec_count);

	*rm = (struct recording_stream){ .rcs_count = 0 };
	TEXT_SET(rm->rcs_name, name);
	return (rm);
}

void
recording_add(struct recording_stream *rm, uint64_t at_ns, uint64_t bytes)
{
	KASSERT(bytes >= 1 && bytes <= RECORDING_BYTES_MAX,
	    ("%" PRIu64 " bytes", bytes));
	KASSERT(rm->rcs_count == 0 || at_ns >= rm->rcs_requests[rm->rcs_count -
	    1].rq_at_ns, ("%" PRIu64 " ns is back in time", at_ns));
	*ARRAY_ADD(rm->rcs_requests, rm->rcs_count) =
	    (struct recording_request){ at_ns, (uint32_t)bytes };
}

size_t
recording_requests(const struct recording *rec)
{
	size_t n = 0;

	for (unsigned i = 0; i < rec->rec_count; i++)
		n += rec->rec_streams[i].rcs_count;
	return (n);
}

/* FNV-1a, a byte at a time so that every machine gets the same. */
static uint64_t
hash_number(uint64_t hash, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		hash = (hash ^ (v >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
	return (hash);
}

uint32_t
recording_hash(const struct recording *rec)
{
	uint64_t hash = hash_number(UINT64_C(0xcbf29ce484222325),
	    rec->rec_length_ns);

	for (unsigned i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];

		hash = hash_number(hash, rm->rcs_count);
		for (size_t k = 0; k < rm->rcs_count; k++) {
			hash = hash_number(hash, rm->rcs_requests[k].rq_at_ns);
			hash = hash_number(hash, rm->rcs_requests[k].rq_bytes);
		}
	}
	return ((uint32_t)(hash ^ hash >> 32));
}

void
recording_print(FILE *out, const struct recording *rec, const char *comment)
{
	uint64_t last_ns;

	fprintf(out, RECORDING_MAGIC "\n%slength %" PRIu64 "\n", comment,
	    rec->rec_length_ns);
	for (unsigned i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];
		const struct recording_request *rq = rm->rcs_requests;

		fprintf(out, "stream %s\n", rm->rcs_name);
		for (last_ns = 0; rq < rm->rcs_requests + rm->rcs_count; rq++) {
			fprintf(out, "%" PRIu64 " %" PRIu32 "\n",
			    rq->rq_at_ns - last_ns, rq->rq_bytes);
			last_ns = rq->rq_at_ns;
		}
	}
}

void
recording_free(struct recording *rec)
{
	for (unsigned i = 0; i < rec->rec_count; i++)
		free(rec->rec_streams[i].rcs_requests);
	free(rec->rec_streams);
	*rec = (struct recording){ .rec_count = 0 };
}

#define	REFUSE(...)	lines_refuse(&ld->ld_lines, __VA_ARGS__)

struct loading {
	struct lines	 ld_lines;
	struct recording *ld_rec;
	struct recording_stream *ld_stream;	/* or NULL before the first */
	uint64_t	 ld_at_ns;	/* of the stream's last request */
	uint64_t	 ld_latest_ns;	/* of all streams */
	size_t		 ld_requests;
};

/* The stream that ends here must have a request. */
static int
end_stream(struct loading *ld)
{
	return (ld->ld_stream == NULL || ld->ld_stream->rcs_count > 0 ? 0 :
	    REFUSE("stream \"%s\" ends without a request: expected lines "
	    "\"GAP_NS BYTES\" in it", ld->ld_stream->rcs_name));
}

static int
add_request(struct loading *ld, const char *gap, const char *bytes)
{
	uint64_t gap_ns, n;

	if (parse_number(gap, &gap_ns) != 0 || gap_ns >
	    RECORDING_LENGTH_MAX_NS || parse_number(bytes, &n) != 0 || n < 1 ||
	    n > RECORDING_BYTES_MAX)
		return (REFUSE("\"%.40s %.40s\": expected nanoseconds since "
		    "the stream's request before, 0..%" PRId64 ", and bytes, "
		    "1..%d", gap, bytes, RECORDING_LENGTH_MAX_NS,
		    RECORDING_BYTES_MAX));
	if (ld->ld_stream == NULL)
		return (REFUSE("a request before the first stream: expected "
		    "\"stream NAME\""));
	if (ld->ld_requests++ == RECORDING_REQUESTS_MAX)
		return (REFUSE("expected at most %d requests",
		    RECORDING_REQUESTS_MAX));
	ld->ld_at_ns += gap_ns;
	if (ld->ld_at_ns > RECORDING_LENGTH_MAX_NS)
		return (REFUSE("the stream's gaps come to %" PRIu64 " ns: "
		    "expected at most %" PRId64, ld->ld_at_ns,
		    RECORDING_LENGTH_MAX_NS));
	ld->ld_latest_ns = MAX(ld->ld_latest_ns, ld->ld_at_ns);
	recording_add(ld->ld_stream, ld->ld_at_ns, n);
	return (0);
}

static int
load_line(struct loading *ld)
{
	static const char blanks[] = " \t";
	struct recording *rec = ld->ld_rec;
	char *rest, *first = strtok_r(ld->ld_lines.li_text, blanks, &rest);
	char *second = first == NULL ? NULL : strtok_r(NULL, blanks, &rest);
	const bool two = second != NULL &&
	    strtok_r(NULL, blanks, &rest) == NULL;

	if (first == NULL || first[0] == '#')
		return (0);
	if (two && strcmp(first, "stream") == 0) {
		if (end_stream(ld) != 0)
			return (EINVAL);
		if (strlen(second) >= RECORDING_NAME_SIZE)
			return (REFUSE("stream \"%.20s...\": expected a name "
			    "of at most %d characters", second,
			    RECORDING_NAME_SIZE - 1));
		if (rec->rec_count == RECORDING_STREAMS_MAX)
			return (REFUSE("expected at most %d streams",
			    RECORDING_STREAMS_MAX));
		ld->ld_stream = recording_add_stream(rec, second);
		ld->ld_at_ns = 0;
		return (0);
	}
	if (two && strcmp(first, "length") == 0) {
		if (rec->rec_length_ns != 0)
			return (REFUSE("a second length: expected one"));
		if (parse_number(second, &rec->rec_length_ns) != 0 ||
		    rec->rec_length_ns < 1 ||
		    rec->rec_length_ns > RECORDING_LENGTH_MAX_NS)
			return (REFUSE("length \"%.40s\": expected "
			    "nanoseconds, 1..%" PRId64, second,
			    RECORDING_LENGTH_MAX_NS));
		return (0);
	}
	if (two && first[0] >= '0' && first[0] <= '9')
		return (add_request(ld, first, second));
	return (REFUSE("\"%.40s\"%s: expected \"GAP_NS BYTES\", \"stream "
	    "NAME\", \"length NS\" or a # comment", first, second != NULL ?
	    " and what follows" : ""));
}

/* Checks that need the whole file. */
static void
load_end(struct loading *ld)
{
	struct recording *rec = ld->ld_rec;

	if (end_stream(ld) != 0)
		return;
	if (rec->rec_length_ns == 0)
		rec->rec_length_ns = ld->ld_latest_ns;
	if (rec->rec_count == 0)
		lines_refuse_file(&ld->ld_lines, "no stream: expected "
		    "\"stream NAME\" and requests after it");
	else if (rec->rec_length_ns == 0)
		lines_refuse_file(&ld->ld_lines, "it takes no time: "
		    "expected gaps above 0, or \"length NS\"");
	else if (rec->rec_length_ns < ld->ld_latest_ns)
		lines_refuse_file(&ld->ld_lines, "length %" PRIu64
		    ": expected at least %" PRIu64 ", the last request's time",
		    rec->rec_length_ns, ld->ld_latest_ns);
}

int
recording_load(const char *path, struct recording *rec,
    char message[LINES_ERROR_SIZE])
{
	struct loading ld = { .ld_rec = rec };
	struct lines *li = &ld.ld_lines;

	*rec = (struct recording){ .rec_count = 0 };
	lines_open(li, path, message);
	if (!lines_next(li))
		lines_refuse_file(li, "empty: expected \"" RECORDING_MAGIC
		    "\" in the first line");
	else if (strcmp(li->li_text, RECORDING_MAGIC) != 0)
		lines_refuse(li, "no workload file: expected \""
		    RECORDING_MAGIC "\" in the first line; \"rngsim workload "
		    "import\" makes one from a trace of strace");
	while (lines_next(li) && load_line(&ld) == 0)
		continue;
	if (li->li_error == 0)
		load_end(&ld);
	lines_close(li);
	if (li->li_error != 0)
		recording_free(rec);
	return (li->li_error);
}
