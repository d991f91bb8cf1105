#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/workload/recording.h"
#include "lib/base/kassert.h"

enum { PID_NONE = 0, FRACTION_DIGITS = 9, NS_PER_SECOND = 1000000000 };

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

enum call {
	CALL_NONE,
	CALL_RANDOM,		/* random bytes */
	CALL_READ_UNKNOWN,
	CALL_READ_OTHER,
	CALL_OTHER
};

struct thread {
	uint64_t	 th_pid;	/* PID_NONE: strace has not named it */
	uint64_t	 th_start_ns;
	uint64_t	 th_end_ns;	/* UINT64_MAX: it has not ended */
	enum call	 th_call;	/* begun on an earlier line */
	uint64_t	 th_call_ns;	/* when */
	uint64_t	 th_call_line;
	struct recording_stream th_requests;
};

struct import {
	struct lines	 im_lines;
	struct strace_summary *im_summary;
	struct thread	*im_threads;	/* by start */
	size_t		*im_running;	/* indices, by start */
	size_t		 im_count, im_running_count, im_room;
	uint64_t	 im_at_ns;	/* of the line */
};

static bool
begins(const char *text, const char *with)
{
	return (strncmp(text, with, strlen(with)) == 0);
}

static const char *
skip_blanks(const char *p)
{
	return (p + strspn(p, " \t"));
}

static int
refuse_line(struct import *im)
{
	return (lines_refuse(&im->im_lines, "\"%.40s\" is not of strace: "
	    "expected \"[PID] SECONDS getrandom(...) = BYTES\" and the like; "
	    "strace -o FILE keeps the program's own output out",
	    im->im_lines.li_text));
}

/* Parses "0.000123" and moves p behind it. */
static int
parse_gap(struct import *im, const char **p, uint64_t *gap_ns)
{
	char digits[13], fraction[FRACTION_DIGITS + 1];
	uint64_t seconds;
	int used = 0;

	if (sscanf(*p, "%12[0-9]%n", digits, &used) != 1 || (*p)[used] != '.')
		return (lines_refuse(&im->im_lines, "no time since the line "
		    "before: expected a trace of \"strace -r\""));
	*p += used;
	if (sscanf(*p, ".%9[0-9]%n", fraction, &used) != 1 ||
	    ((*p)[used] != ' ' && (*p)[used] != '\t'))
		return (refuse_line(im));
	*p += used;
	seconds = strtoull(digits, NULL, 10);
	if (seconds > RECORDING_LENGTH_MAX_NS / NS_PER_SECOND)
		return (lines_refuse(&im->im_lines, "%" PRIu64 " s since the "
		    "line before: expected at most %" PRId64 "; is this a time "
		    "of day, not a trace of \"strace -r\"?", seconds,
		    RECORDING_LENGTH_MAX_NS / NS_PER_SECOND));
	*gap_ns = strtoull(fraction, NULL, 10);
	for (size_t n = strlen(fraction); n < FRACTION_DIGITS; n++)
		*gap_ns *= 10;
	*gap_ns += seconds * NS_PER_SECOND;
	return (0);
}

/* Parses "[pid 17] ", or "17 " of strace -o, or nothing. */
static int
parse_pid(struct import *im, const char **p, uint64_t *pid)
{
	char digits[19];
	int used = 0;

	*p = skip_blanks(*p);
	if (begins(*p, "[pid")) {
		if (sscanf(*p, "[pid %18[0-9]]%n", digits, &used) != 1 ||
		    used == 0)
			return (refuse_line(im));
	} else if (sscanf(*p, "%18[0-9]%n", digits, &used) != 1 ||
	    ((*p)[used] != ' ' && (*p)[used] != '\t')) {
		used = 0;
	}
	*pid = used == 0 ? PID_NONE : strtoull(digits, NULL, 10);
	*p = skip_blanks(*p + used);
	return (0);
}

static struct thread *
add_thread(struct import *im, uint64_t pid)
{
	if (im->im_count == im->im_room) {
		im->im_room = im->im_room == 0 ? 16 : 2 * im->im_room;
		im->im_threads = xreallocarray(im->im_threads, im->im_room,
		    sizeof(*im->im_threads));
		im->im_running = xreallocarray(im->im_running, im->im_room,
		    sizeof(*im->im_running));
	}
	im->im_running[im->im_running_count++] = im->im_count;
	im->im_threads[im->im_count] = (struct thread){ .th_pid = pid,
	    .th_start_ns = im->im_at_ns, .th_end_ns = UINT64_MAX };
	return (&im->im_threads[im->im_count++]);
}

/*
 * The thread of a line.  On standard error strace names no thread while there
 * is only one, and announces all but the first.
 */
static struct thread *
find_thread(struct import *im, uint64_t pid)
{
	struct thread *th;

	for (size_t i = 0; i < im->im_running_count; i++) {
		th = &im->im_threads[im->im_running[i]];
		if (th->th_pid == pid)
			return (th);
	}
	if (im->im_running_count > 0) {
		th = &im->im_threads[im->im_running[0]];
		if (th->th_pid == PID_NONE)
			th->th_pid = pid;
		if (pid == PID_NONE || th->th_pid == pid)
			return (th);
	}
	return (add_thread(im, pid));
}

static void
end_thread(struct import *im, struct thread *th)
{
	size_t i, which = (size_t)(th - im->im_threads);

	th->th_end_ns = im->im_at_ns;
	for (i = 0; im->im_running[i] != which; i++)
		KASSERT(i + 1 < im->im_running_count, ("it ended before"));
	im->im_running_count--;
	memmove(&im->im_running[i], &im->im_running[i + 1],
	    (im->im_running_count - i) * sizeof(*im->im_running));
}

/* text is a call's name and arguments, as far as the line has them. */
static enum call
classify(const char *text)
{
	size_t n;

	if (begins(text, "getrandom("))
		return (CALL_RANDOM);
	if (!begins(text, "read("))
		return (CALL_OTHER);
	text += 5;
	text += strspn(text, "0123456789");
	if (*text != '<')
		return (CALL_READ_UNKNOWN);
	n = begins(text, "</dev/urandom") ? 13 : 12;
	return (begins(text, n == 13 ? "</dev/urandom" : "</dev/random") &&
	    (text[n] == '>' || text[n] == '<') ? CALL_RANDOM : CALL_READ_OTHER);
}

/* The text behind the last ") = ", which buffers can show too; or NULL. */
static const char *
result_of(const char *text)
{
	const char *p, *q, *result = NULL;

	for (p = strchr(text, ')'); p != NULL; p = strchr(p + 1, ')')) {
		q = skip_blanks(p + 1);
		if (q > p + 1 && q[0] == '=' && q[1] == ' ')
			result = q + 2;
	}
	return (result);
}

/* A call that has ended; text is the end of it. */
static int
end_call(struct import *im, struct thread *th, enum call call,
    uint64_t began_ns, const char *text)
{
	struct strace_summary *ss = im->im_summary;
	const char *result;
	char *rest;
	uint64_t bytes;

	ss->ss_reads_unknown += call == CALL_READ_UNKNOWN;
	ss->ss_reads_other += call == CALL_READ_OTHER;
	ss->ss_calls_other += call == CALL_OTHER;
	if (call != CALL_RANDOM)
		return (0);
	result = result_of(text);
	if (result == NULL)
		return (lines_refuse(&im->im_lines, "a call without its "
		    "result: expected \") = BYTES\" or \"<unfinished ...>\"; "
		    "is the line cut off?"));
	errno = 0;
	bytes = strtoull(result, &rest, 10);
	if (result[0] == '?' || result[0] == '-')
		bytes = 0;
	else if (!isdigit((unsigned char)result[0]) || errno != 0 ||
	    (*rest != '\0' && *rest != ' ') || bytes > RECORDING_BYTES_MAX)
		return (lines_refuse(&im->im_lines, "result \"%.20s\": "
		    "expected bytes, 0..%d, -1 or ?", result,
		    RECORDING_BYTES_MAX));
	if (bytes == 0) {
		ss->ss_failed++;
		return (0);
	}
	if (ss->ss_requests++ == RECORDING_REQUESTS_MAX)
		return (lines_refuse(&im->im_lines, "more than %d requests",
		    RECORDING_REQUESTS_MAX));
	ss->ss_threads += th->th_requests.rm_count == 0;
	recording_add(&th->th_requests, began_ns, bytes);
	return (0);
}

/* A call that begins, or all of one.  A thread makes one at a time. */
static int
begin_call(struct import *im, struct thread *th, const char *text)
{
	static const char unfinished[] = "<unfinished ...>";
	size_t n = strlen(text), tail = sizeof(unfinished) - 1;

	if (th->th_call != CALL_NONE)
		return (lines_refuse(&im->im_lines, "another call of a thread "
		    "whose call of line %" PRIu64 " is unfinished: expected "
		    "\"<... NAME resumed>\" before it", th->th_call_line));
	if (n < tail || strcmp(text + n - tail, unfinished) != 0)
		return (end_call(im, th, classify(text), im->im_at_ns, text));
	th->th_call = classify(text);
	th->th_call_ns = im->im_at_ns;
	th->th_call_line = im->im_lines.li_number;
	return (0);
}

/* "<... read resumed>" and the end of the call. */
static int
resume(struct import *im, struct thread *th, const char *text)
{
	const char *name = text + 5, *rest = strstr(text, " resumed>");
	enum call call = th->th_call;
	uint64_t began_ns = th->th_call_ns;

	if (rest == NULL || text[4] != ' ')
		return (refuse_line(im));
	th->th_call = CALL_NONE;
	if (call == CALL_NONE) {
		/* It began before strace did: no better time is known. */
		began_ns = im->im_at_ns;
		call = begins(name, "getrandom ") ? CALL_RANDOM :
		    begins(name, "read ") ? CALL_READ_UNKNOWN : CALL_OTHER;
	}
	return (end_call(im, th, call, began_ns, rest + 9));
}

static int
import_event(struct import *im, uint64_t pid, const char *text)
{
	struct thread *th;
	size_t n;

	if (im->im_at_ns > RECORDING_LENGTH_MAX_NS)
		return (lines_refuse(&im->im_lines, "later than a week from "
		    "the first line: expected a shorter trace"));
	th = find_thread(im, pid);
	if (begins(text, "---"))
		return (0);
	if (begins(text, "+++")) {
		end_thread(im, th);
		return (0);
	}
	if (begins(text, "<..."))
		return (resume(im, th, text));
	n = strspn(text, name_letters);
	if (n == 0 || text[n] != '(')
		return (refuse_line(im));
	return (begin_call(im, th, text));
}

static int
import_line(struct import *im)
{
	const char *p = im->im_lines.li_text;
	uint64_t gap_ns = 0, pid;
	int error, used = 0;

	if (p[0] == '\0')
		return (0);
	if (begins(p, "strace: ")) {
		if (sscanf(p, "strace: Process %" SCNu64 " attached%n", &pid,
		    &used) == 1 && used > 0 && p[used] == '\0' &&
		    pid != PID_NONE)
			(void)add_thread(im, pid);
		return (0);
	}
	error = parse_pid(im, &p, &pid);
	if (error != 0)
		return (error);
	if (!isdigit((unsigned char)*p) && p[strspn(p, name_letters)] != '(' &&
	    !begins(p, "+++") && !begins(p, "---") && !begins(p, "<..."))
		return (refuse_line(im));
	error = parse_gap(im, &p, &gap_ns);
	if (error != 0)
		return (error);
	im->im_at_ns += gap_ns;
	return (import_event(im, pid, skip_blanks(p)));
}

/* Threads become streams; a thread continues one that ended before it. */
static int
make_streams(struct import *im, struct recording *rec)
{
	uint64_t ends_ns[RECORDING_STREAMS_MAX];
	char name[RECORDING_NAME_SIZE];
	struct recording_stream *rm;
	unsigned s;

	for (size_t i = 0; i < im->im_count; i++) {
		const struct thread *th = &im->im_threads[i];
		const struct recording_request *rq =
		    th->th_requests.rm_requests;

		if (th->th_requests.rm_count == 0)
			continue;
		for (s = 0; s < rec->rec_count; s++)
			if (ends_ns[s] <= th->th_start_ns)
				break;
		if (s == RECORDING_STREAMS_MAX)
			return (lines_refuse_file(&im->im_lines, "more than %d "
			    "threads at the same time", RECORDING_STREAMS_MAX));
		snprintf(name, sizeof(name), "pid-%" PRIu64, th->th_pid);
		if (s == rec->rec_count)
			recording_add_stream(rec, name);
		rm = &rec->rec_streams[s];
		if (rm->rm_count > 0)
			snprintf(rm->rm_name, sizeof(rm->rm_name),
			    "processes-%u", s + 1);
		for (size_t k = 0; k < th->th_requests.rm_count; k++)
			recording_add(rm, rq[k].rq_at_ns, rq[k].rq_bytes);
		ends_ns[s] = th->th_end_ns;
	}
	return (0);
}

/* The busiest first: reader 0 plays stream 0. */
static int
busier(const void *a, const void *b)
{
	const struct recording_stream *ra = a, *rb = b;

	if (ra->rm_count != rb->rm_count)
		return (ra->rm_count < rb->rm_count ? 1 : -1);
	/* qsort(3) is not stable. */
	if (ra->rm_requests[0].rq_at_ns != rb->rm_requests[0].rq_at_ns)
		return (ra->rm_requests[0].rq_at_ns <
		    rb->rm_requests[0].rq_at_ns ? -1 : 1);
	return (strcmp(ra->rm_name, rb->rm_name));
}

static void
finish(struct import *im, struct recording *rec)
{
	if (im->im_summary->ss_requests == 0) {
		lines_refuse_file(&im->im_lines, "no request for random bytes: "
		    "expected getrandom(...) = BYTES, or read(N</dev/urandom>"
		    "...) = BYTES, which strace -y writes");
	} else if (im->im_at_ns == 0) {
		lines_refuse_file(&im->im_lines, "all of it happens at the "
		    "same time: expected a trace of \"strace -r\"");
	} else if (make_streams(im, rec) == 0) {
		qsort(rec->rec_streams, rec->rec_count,
		    sizeof(*rec->rec_streams), busier);
		rec->rec_length_ns = im->im_at_ns;
	}
}

int
strace_import(const char *path, struct recording *rec,
    struct strace_summary *ss, char message[LINES_ERROR_SIZE])
{
	struct import im = { .im_summary = ss };
	int error;

	*rec = (struct recording){ .rec_count = 0 };
	*ss = (struct strace_summary){ .ss_requests = 0 };
	lines_open(&im.im_lines, path, message);
	while (lines_next(&im.im_lines) && import_line(&im) == 0)
		continue;
	if (im.im_lines.li_error == 0)
		finish(&im, rec);
	error = im.im_lines.li_error;
	lines_close(&im.im_lines);
	for (size_t i = 0; i < im.im_count; i++)
		free(im.im_threads[i].th_requests.rm_requests);
	free(im.im_threads);
	free(im.im_running);
	if (error != 0)
		recording_free(rec);
	return (error);
}
