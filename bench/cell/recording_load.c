/*
 * Reading rngsim-workload(5) files.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/recording.h"
#include "lib/number.h"

static const char blanks[] = " \t";

/* A file being read. */
struct loading {
	struct lines	 ld_lines;
	struct recording *ld_rec;
	struct recording_stream *ld_stream;	/* or NULL before the first */
	uint64_t	 ld_at_ns;	/* of the stream's last request */
	uint64_t	 ld_latest_ns;	/* of all streams */
	uint64_t	 ld_length_ns;	/* as the file says; 0: it does not */
	size_t		 ld_requests;
};

/*
 * Splits a line at blanks, in place.
 *
 * Returns: the number of words, of which the first max are in words.
 */
static unsigned
split(char *text, char **words, unsigned max)
{
	unsigned n = 0;
	char *rest = NULL, *word;

	for (word = strtok_r(text, blanks, &rest); word != NULL;
	    word = strtok_r(NULL, blanks, &rest)) {
		if (n < max)
			words[n] = word;
		n++;
	}
	return (n);
}

/* The stream that was being read has to have something in it. */
static int
end_stream(struct loading *ld)
{

	if (ld->ld_stream != NULL && ld->ld_stream->rm_count == 0)
		return (lines_refuse(&ld->ld_lines, "stream \"%s\" ends "
		    "without a request: expected lines \"GAP_NS BYTES\" in it",
		    ld->ld_stream->rm_name));
	return (0);
}

static int
begin_stream(struct loading *ld, const char *name)
{

	if (end_stream(ld) != 0)
		return (EINVAL);
	if (strlen(name) >= RECORDING_NAME_SIZE)
		return (lines_refuse(&ld->ld_lines, "stream \"%.20s...\": "
		    "expected a name of at most %d characters", name,
		    RECORDING_NAME_SIZE - 1));
	if (ld->ld_rec->rec_count == RECORDING_STREAMS_MAX)
		return (lines_refuse(&ld->ld_lines, "expected at most %d "
		    "streams", RECORDING_STREAMS_MAX));
	ld->ld_stream = recording_add_stream(ld->ld_rec, name);
	ld->ld_at_ns = 0;
	return (ld->ld_stream == NULL ? lines_no_memory(&ld->ld_lines) : 0);
}

static int
set_length(struct loading *ld, const char *text)
{
	uint64_t v;

	if (ld->ld_length_ns != 0)
		return (lines_refuse(&ld->ld_lines, "a second length: "
		    "expected one"));
	if (number_parse(text, &v) != 0 || v < 1 ||
	    v > RECORDING_LENGTH_MAX_NS)
		return (lines_refuse(&ld->ld_lines, "length \"%.40s\": "
		    "expected nanoseconds, 1..%" PRId64, text,
		    RECORDING_LENGTH_MAX_NS));
	ld->ld_length_ns = v;
	return (0);
}

static int
add_request(struct loading *ld, const char *gap, const char *bytes)
{
	uint64_t gap_ns, n;

	if (number_parse(gap, &gap_ns) != 0 ||
	    gap_ns > RECORDING_LENGTH_MAX_NS)
		return (lines_refuse(&ld->ld_lines, "gap \"%.40s\": expected "
		    "nanoseconds since the stream's request before, "
		    "0..%" PRId64, gap, RECORDING_LENGTH_MAX_NS));
	if (number_parse(bytes, &n) != 0 || n < 1 || n > RECORDING_BYTES_MAX)
		return (lines_refuse(&ld->ld_lines, "size \"%.40s\": expected "
		    "bytes, 1..%d", bytes, RECORDING_BYTES_MAX));
	if (ld->ld_stream == NULL)
		return (lines_refuse(&ld->ld_lines, "a request before the "
		    "first stream: expected \"stream NAME\""));
	if (ld->ld_requests++ == RECORDING_REQUESTS_MAX)
		return (lines_refuse(&ld->ld_lines, "expected at most %d "
		    "requests", RECORDING_REQUESTS_MAX));
	ld->ld_at_ns += gap_ns;
	if (ld->ld_at_ns > RECORDING_LENGTH_MAX_NS)
		return (lines_refuse(&ld->ld_lines, "the stream's gaps come to "
		    "%" PRIu64 " ns: expected at most %" PRId64, ld->ld_at_ns,
		    RECORDING_LENGTH_MAX_NS));
	if (ld->ld_at_ns > ld->ld_latest_ns)
		ld->ld_latest_ns = ld->ld_at_ns;
	if (recording_add(ld->ld_stream, ld->ld_at_ns, n) != 0)
		return (lines_no_memory(&ld->ld_lines));
	return (0);
}

static int
load_line(struct loading *ld)
{
	char *words[2] = { NULL, NULL };
	unsigned n;

	n = split(ld->ld_lines.li_text, words, 2);
	if (n == 0 || words[0][0] == '#')
		return (0);
	if (n == 2 && strcmp(words[0], "stream") == 0)
		return (begin_stream(ld, words[1]));
	if (n == 2 && strcmp(words[0], "length") == 0)
		return (set_length(ld, words[1]));
	if (n == 2 && words[0][0] >= '0' && words[0][0] <= '9')
		return (add_request(ld, words[0], words[1]));
	return (lines_refuse(&ld->ld_lines, "\"%.40s\"%s: expected \"GAP_NS "
	    "BYTES\", \"stream NAME\", \"length NS\" or a # comment", words[0],
	    n > 1 ? " and what follows" : ""));
}

/* What can be said of the whole only. */
static int
load_end(struct loading *ld)
{
	struct recording *rec = ld->ld_rec;

	if (end_stream(ld) != 0)
		return (EINVAL);
	if (rec->rec_count == 0)
		return (lines_refuse_file(&ld->ld_lines, "no stream: expected "
		    "\"stream NAME\" and requests after it"));
	rec->rec_length_ns = ld->ld_length_ns != 0 ? ld->ld_length_ns :
	    ld->ld_latest_ns;
	if (rec->rec_length_ns == 0)
		return (lines_refuse_file(&ld->ld_lines, "it takes no time: "
		    "expected gaps above 0, or \"length NS\""));
	if (rec->rec_length_ns < ld->ld_latest_ns)
		return (lines_refuse_file(&ld->ld_lines, "length %" PRIu64
		    ": expected at least %" PRIu64 ", the last request's time",
		    rec->rec_length_ns, ld->ld_latest_ns));
	return (0);
}

int
recording_load(const char *path, struct recording *rec,
    char message[LINES_ERROR_SIZE])
{
	struct loading ld = { .ld_rec = rec };
	int error;

	*rec = (struct recording){ .rec_count = 0 };
	lines_open(&ld.ld_lines, path, message);
	if (lines_next(&ld.ld_lines)) {
		if (strcmp(ld.ld_lines.li_text, RECORDING_MAGIC) != 0)
			lines_refuse(&ld.ld_lines, "no workload file: expected "
			    "\"" RECORDING_MAGIC "\" in the first line; "
			    "\"rngsim workload import\" makes one of what "
			    "strace wrote");
	} else {
		lines_refuse_file(&ld.ld_lines, "empty: expected \""
		    RECORDING_MAGIC "\" in the first line");
	}
	while (lines_next(&ld.ld_lines) && load_line(&ld) == 0)
		continue;
	if (ld.ld_lines.li_error == 0)
		load_end(&ld);
	error = ld.ld_lines.li_error;
	lines_close(&ld.ld_lines);
	if (error != 0)
		recording_free(rec);
	return (error);
}
