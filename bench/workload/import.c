#include "bench/workload/recording.h"

#define	REFUSE(...)	lines_refuse(&im->im_lines, __VA_ARGS__)

/* A thread that has not ended. */
struct import_thread {
	uint64_t	 imt_pid, imt_start_ns;
	unsigned	 imt_stream;	/* RECORDING_STREAMS_MAX: none yet */
	enum import_call imt_call;	/* begun before; IMPORT_CALLS: none */
	uint64_t	 imt_call_ns;
};

struct import {
	struct lines	 im_lines;
	struct recording *im_rec;
	struct import_summary *im_summary;
	struct import_thread *im_threads;
	unsigned	 im_count;	/* of threads */
	/* When the last thread of each stream ended; UINT64_MAX: not yet. */
	uint64_t	 im_ended_ns[RECORDING_STREAMS_MAX];
	uint64_t	 im_at_ns;	/* of the line */
};

static bool
begins(const char *text, const char *with)
{
	return (strncmp(text, with, strlen(with)) == 0);
}

static int
refuse_line(struct import *im, const char *text)
{
	return (REFUSE("\"%.40s\": expected \"PID SECONDS getrandom(...) = "
	    "BYTES\" and the like, as \"strace -f -r -y -o FILE\" writes them",
	    text));
}

static struct import_thread *
find_thread(struct import *im, uint64_t pid)
{
	struct import_thread *ip;

	for (unsigned i = 0; i < im->im_count; i++)
		if (im->im_threads[i].imt_pid == pid)
			return (&im->im_threads[i]);
	ip = ARRAY_ADD(im->im_threads, im->im_count);
	*ip = (struct import_thread){ .imt_pid = pid,
	    .imt_start_ns = im->im_at_ns, .imt_stream = RECORDING_STREAMS_MAX,
	    .imt_call = IMPORT_CALLS };
	return (ip);
}

/* text is a call's name and arguments, as far as the line has them. */
static enum import_call
classify(const char *text)
{
	const char *file = text + strcspn(text, "<,");

	if (begins(text, "getrandom"))
		return (IMPORT_RANDOM);
	if (!begins(text, "read("))
		return (IMPORT_OTHER);
	if (*file != '<')
		return (IMPORT_READ_UNKNOWN);
	return (begins(file, "</dev/random>") ||
	    begins(file, "</dev/random<") || begins(file, "</dev/urandom>") ||
	    begins(file, "</dev/urandom<") ? IMPORT_RANDOM : IMPORT_READ_OTHER);
}

/* A thread continues the stream of one that ended before it started. */
static int
add_request(struct import *im, struct import_thread *ip, uint64_t began_ns,
    uint64_t bytes)
{
	struct recording *rec = im->im_rec;
	struct recording_stream *rm;
	char name[RECORDING_NAME_SIZE];
	unsigned s = 0;

	if (ip->imt_stream == RECORDING_STREAMS_MAX) {
		while (s < rec->rec_count &&
		    im->im_ended_ns[s] > ip->imt_start_ns)
			s++;
		if (s == RECORDING_STREAMS_MAX)
			return (REFUSE("more than %d threads at the same time",
			    RECORDING_STREAMS_MAX));
		snprintf(name, sizeof(name), "pid-%" PRIu64, ip->imt_pid);
		if (s == rec->rec_count)
			recording_add_stream(rec, name);
		else
			snprintf(rec->rec_streams[s].rcs_name, sizeof(name),
			    "processes-%u", s + 1);
		im->im_ended_ns[s] = UINT64_MAX;
		im->im_summary->iu_threads++;
		ip->imt_stream = s;
	}
	rm = &rec->rec_streams[ip->imt_stream];
	/* It may end after one that began later, if lines were lost. */
	if (rm->rcs_count > 0)
		began_ns = MAX(began_ns,
		    rm->rcs_requests[rm->rcs_count - 1].rq_at_ns);
	recording_add(rm, began_ns, bytes);
	return (0);
}

/* A call that has ended; text is the end of it. */
static int
end_call(struct import *im, struct import_thread *ip, enum import_call call,
    uint64_t began_ns, const char *text)
{
	uint64_t *count = im->im_summary->iu_count, bytes;
	const char *result = "";
	size_t digits;

	if (call != IMPORT_RANDOM) {
		count[call]++;
		return (0);
	}
	/* The last one: buffers can show it too. */
	while ((text = strstr(text, " = ")) != NULL)
		result = text += 3;
	digits = strspn(result, "0123456789");
	bytes = strtoull(result, NULL, 10);
	if (result[0] == '?' || result[0] == '-') {
		count[IMPORT_FAILED]++;
		return (0);
	}
	if (digits == 0 || (result[digits] != '\0' && result[digits] != ' ') ||
	    bytes > RECORDING_BYTES_MAX)
		return (REFUSE("result \"%.20s\": expected bytes, 0..%d, -1 or "
		    "?; is the line cut off?", result, RECORDING_BYTES_MAX));
	if (bytes > 0 && count[IMPORT_RANDOM] == RECORDING_REQUESTS_MAX)
		return (REFUSE("more than %d requests",
		    RECORDING_REQUESTS_MAX));
	count[bytes == 0 ? IMPORT_FAILED : IMPORT_RANDOM]++;
	return (bytes == 0 ? 0 : add_request(im, ip, began_ns, bytes));
}

static int
import_line(struct import *im)
{
	static const char unfinished[] = "<unfinished ...>";
	char *text = im->im_lines.li_text, *word = parse_word(&text), *name;
	struct import_thread *ip;
	enum import_call call;
	uint64_t began_ns, pid = 0;	/* none without -f */
	double ns;

	if (word[0] == '\0')
		return (0);
	if (parse_number(word, &pid) == 0)
		word = parse_word(&text);
	if (strchr(word, '.') == NULL || parse_real(word, &ns) != 0)
		return (refuse_line(im, word));
	ns = ns * 1e9 + 0.5;
	if (ns > (double)RECORDING_LENGTH_MAX_NS - (double)im->im_at_ns)
		return (REFUSE("later than a week from the first line: "
		    "expected a shorter trace of \"strace -r\""));
	im->im_at_ns += (uint64_t)ns;
	ip = find_thread(im, pid);
	text += strspn(text, " \t");
	if (begins(text, "---"))
		return (0);
	if (begins(text, "+++")) {
		if (ip->imt_stream < RECORDING_STREAMS_MAX)
			im->im_ended_ns[ip->imt_stream] = im->im_at_ns;
		*ip = im->im_threads[--im->im_count];
		return (0);
	}
	call = classify(text);
	began_ns = im->im_at_ns;
	if (begins(text, "<... ")) {
		/* If it began before strace did, no better time is known. */
		call = classify(text + strlen("<... "));
		if (ip->imt_call != IMPORT_CALLS) {
			call = ip->imt_call;
			began_ns = ip->imt_call_ns;
		}
		ip->imt_call = IMPORT_CALLS;
		return (end_call(im, ip, call, began_ns, text));
	}
	name = text + strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
	if (name == text || *name != '(')
		return (refuse_line(im, text));
	name = strstr(text, unfinished);
	if (name == NULL || strcmp(name, unfinished) != 0)
		return (end_call(im, ip, call, began_ns, text));
	ip->imt_call = call;
	ip->imt_call_ns = began_ns;
	return (0);
}

/* The busiest first: reader 0 plays stream 0. */
static int
busier(const void *a, const void *b)
{
	const struct recording_stream *ra = a, *rb = b;

	return (ra->rcs_count != rb->rcs_count ?
	    (ra->rcs_count < rb->rcs_count) - (ra->rcs_count > rb->rcs_count) :
	    strcmp(ra->rcs_name, rb->rcs_name));
}

int
import_load(const char *path, struct recording *rec, struct import_summary *iu,
    char message[LINES_ERROR_SIZE])
{
	struct import im = { .im_rec = rec, .im_summary = iu };
	struct lines *li = &im.im_lines;

	*rec = (struct recording){ .rec_count = 0 };
	*iu = (struct import_summary){ .iu_threads = 0 };
	lines_open(li, path, message);
	while (lines_next(li) && import_line(&im) == 0)
		continue;
	if (li->li_error == 0 && rec->rec_count == 0)
		lines_refuse_file(li, "no request for random bytes: expected "
		    "getrandom(...) = BYTES, or read(N</dev/urandom>...) = "
		    "BYTES, which strace -y writes");
	else if (li->li_error == 0 && im.im_at_ns == 0)
		lines_refuse_file(li, "all of it happens at the same time: "
		    "expected a trace of \"strace -r\"");
	rec->rec_length_ns = im.im_at_ns;
	lines_close(li);
	free(im.im_threads);
	if (li->li_error != 0)
		recording_free(rec);
	else
		qsort(rec->rec_streams, rec->rec_count,
		    sizeof(*rec->rec_streams), busier);
	return (li->li_error);
}
