#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/strace_import.h"
#include "lib/kassert.h"

enum {
	PID_NONE	= 0,	/* of a thread that strace has not named */
	FRACTION_DIGITS	= 9,	/* of a second */
	NS_PER_SECOND	= 1000000000
};

/* What a call is to us. */
enum call {
	CALL_NONE,
	CALL_RANDOM,		/* random bytes */
	CALL_READ_UNKNOWN,
	CALL_READ_OTHER,
	CALL_OTHER
};

struct thread {
	uint64_t	 th_pid;
	uint64_t	 th_born_ns;
	uint64_t	 th_died_ns;	/* UINT64_MAX: it has not */
	enum call	 th_call;	/* begun on an earlier line */
	uint64_t	 th_call_ns;	/* when */
	uint64_t	 th_call_line;
	/* Its requests; only its own recording's first stream is used. */
	struct recording_stream th_requests;
};

struct import {
	struct lines	 im_lines;
	struct strace_summary *im_summary;
	struct thread	*im_threads;	/* by birth */
	size_t		 im_count;
	size_t		 im_room;
	size_t		*im_alive;	/* indexes, by birth */
	size_t		 im_alive_count;
	uint64_t	 im_at_ns;	/* of the line */
};

/* A line without what strace puts before the call. */
struct event {
	uint64_t	 ev_pid;
	uint64_t	 ev_gap_ns;
	const char	*ev_text;
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
	    "expected \"[PID] SECONDS getrandom(...) = BYTES\" and its like; "
	    "strace -o FILE keeps the program's own output out",
	    im->im_lines.li_text));
}

/* "0.000123"; p is moved behind it. */
static int
parse_gap(struct import *im, const char **p, uint64_t *gap_ns)
{
	uint64_t seconds = 0, fraction = 0;
	const char *c = *p;
	unsigned digits = 0;

	for (; isdigit((unsigned char)*c) && digits < 12; c++, digits++)
		seconds = seconds * 10 + (uint64_t)(*c - '0');
	if (digits == 0 || *c != '.')
		return (lines_refuse(&im->im_lines, "no time since the line "
		    "before: expected what \"strace -r\" writes"));
	for (c++, digits = 0; isdigit((unsigned char)*c) &&
	    digits < FRACTION_DIGITS; c++, digits++)
		fraction = fraction * 10 + (uint64_t)(*c - '0');
	if (digits == 0 || (*c != ' ' && *c != '\t'))
		return (refuse_line(im));
	for (; digits < FRACTION_DIGITS; digits++)
		fraction *= 10;
	if (seconds > RECORDING_LENGTH_MAX_NS / NS_PER_SECOND)
		return (lines_refuse(&im->im_lines, "%" PRIu64 " s since the "
		    "line before: expected at most %" PRId64 "; is this a time "
		    "of day, and not what \"strace -r\" writes?", seconds,
		    RECORDING_LENGTH_MAX_NS / NS_PER_SECOND));
	*gap_ns = seconds * NS_PER_SECOND + fraction;
	*p = c;
	return (0);
}

/* "[pid 17] ", or "17 " where -o was given, or nothing. */
static int
parse_pid(struct import *im, const char **p, uint64_t *pid)
{
	const char *c = skip_blanks(*p);
	const char *digits;
	bool brackets = begins(c, "[pid");
	size_t n;

	*pid = PID_NONE;
	digits = brackets ? skip_blanks(c + 4) : c;
	n = strspn(digits, "0123456789");
	if (brackets && (n == 0 || digits[n] != ']'))
		return (refuse_line(im));
	if (brackets || (n > 0 && (digits[n] == ' ' || digits[n] == '\t'))) {
		if (n > 18)
			return (refuse_line(im));
		*pid = strtoull(digits, NULL, 10);
		c = digits + n + (brackets ? 1 : 0);
	}
	*p = skip_blanks(c);
	return (0);
}

static int
parse_event(struct import *im, struct event *ev)
{
	const char *p = im->im_lines.li_text;
	int error;

	error = parse_pid(im, &p, &ev->ev_pid);
	if (error != 0)
		return (error);
	if (!isdigit((unsigned char)*p) && p[strspn(p,
	    "abcdefghijklmnopqrstuvwxyz_0123456789")] != '(' &&
	    !begins(p, "+++") && !begins(p, "---") && !begins(p, "<..."))
		return (refuse_line(im));
	error = parse_gap(im, &p, &ev->ev_gap_ns);
	ev->ev_text = skip_blanks(p);
	return (error);
}

/* Returns NULL after saying that there is no memory. */
static struct thread *
add_thread(struct import *im, uint64_t pid)
{
	struct thread *threads, *th;
	size_t *alive, room;

	if (im->im_count == im->im_room) {
		room = im->im_room == 0 ? 16 : 2 * im->im_room;
		threads = realloc(im->im_threads, room * sizeof(*threads));
		if (threads != NULL)
			im->im_threads = threads;
		alive = realloc(im->im_alive, room * sizeof(*alive));
		if (alive != NULL)
			im->im_alive = alive;
		if (threads == NULL || alive == NULL) {
			lines_no_memory(&im->im_lines);
			return (NULL);
		}
		im->im_room = room;
	}
	im->im_alive[im->im_alive_count++] = im->im_count;
	th = &im->im_threads[im->im_count++];
	*th = (struct thread){ .th_pid = pid, .th_born_ns = im->im_at_ns,
	    .th_died_ns = UINT64_MAX };
	return (th);
}

/*
 * Whose line it is.  On standard error strace names no thread as long as there
 * is only one, and announces all but the first.
 */
static struct thread *
find_thread(struct import *im, uint64_t pid)
{
	struct thread *th;
	size_t i;

	for (i = 0; i < im->im_alive_count; i++) {
		th = &im->im_threads[im->im_alive[i]];
		if (th->th_pid == pid)
			return (th);
	}
	if (im->im_alive_count > 0) {
		th = &im->im_threads[im->im_alive[0]];
		if (pid == PID_NONE)
			return (th);
		if (th->th_pid == PID_NONE) {
			th->th_pid = pid;
			return (th);
		}
	}
	return (add_thread(im, pid));
}

static void
bury(struct import *im, struct thread *th)
{
	size_t i, which = (size_t)(th - im->im_threads);

	th->th_died_ns = im->im_at_ns;
	for (i = 0; im->im_alive[i] != which; i++)
		KASSERT(i + 1 < im->im_alive_count, ("a second death"));
	im->im_alive_count--;
	memmove(&im->im_alive[i], &im->im_alive[i + 1],
	    (im->im_alive_count - i) * sizeof(*im->im_alive));
}

/* strace's own words: "strace: Process 17 attached". */
static int
announcement(struct import *im)
{
	static const char process[] = "strace: Process ";
	const char *text = im->im_lines.li_text;
	char *rest;
	uint64_t pid;

	if (!begins(text, process))
		return (0);
	pid = strtoull(text + sizeof(process) - 1, &rest, 10);
	if (strcmp(rest, " attached") == 0 && pid != PID_NONE &&
	    add_thread(im, pid) == NULL)
		return (ENOMEM);
	return (0);
}

/* text is a call's name and arguments, as far as the line has them. */
static enum call
classify(const char *text)
{
	static const char *const devices[] = { "/dev/urandom", "/dev/random" };
	const char *p;
	size_t n;
	unsigned i;

	if (begins(text, "getrandom("))
		return (CALL_RANDOM);
	if (!begins(text, "read("))
		return (CALL_OTHER);
	p = text + 5;
	p += strspn(p, "0123456789");
	if (*p != '<')
		return (CALL_READ_UNKNOWN);
	for (i = 0; i < 2; i++) {
		n = strlen(devices[i]);
		if (strncmp(p + 1, devices[i], n) == 0 &&
		    (p[1 + n] == '>' || p[1 + n] == '<'))
			return (CALL_RANDOM);
	}
	return (CALL_READ_OTHER);
}

/*
 * What stands behind the last ") = ": buffers may show one too.  NULL when
 * there is none.
 */
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
	if (result[0] == '?' || result[0] == '-') {
		ss->ss_failed++;
		return (0);
	}
	errno = 0;
	bytes = strtoull(result, &rest, 10);
	if (!isdigit((unsigned char)result[0]) || errno != 0 ||
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
	if (recording_add(&th->th_requests, began_ns, bytes) != 0)
		return (lines_no_memory(&im->im_lines));
	return (0);
}

/*
 * A call that begins, or all of one; text has its name and arguments.  A thread
 * makes one at a time.
 */
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
		/* Under way when strace came; no better time is known. */
		began_ns = im->im_at_ns;
		call = begins(name, "getrandom ") ? CALL_RANDOM :
		    begins(name, "read ") ? CALL_READ_UNKNOWN : CALL_OTHER;
	}
	return (end_call(im, th, call, began_ns, rest + 9));
}

static int
import_event(struct import *im, const struct event *ev)
{
	const char *text = ev->ev_text;
	struct thread *th;
	size_t n;

	im->im_at_ns += ev->ev_gap_ns;
	if (im->im_at_ns > RECORDING_LENGTH_MAX_NS)
		return (lines_refuse(&im->im_lines, "later than a week from "
		    "the first line: expected a shorter trace"));
	th = find_thread(im, ev->ev_pid);
	if (th == NULL)
		return (ENOMEM);
	if (begins(text, "---"))
		return (0);
	if (begins(text, "+++")) {
		bury(im, th);
		return (0);
	}
	if (begins(text, "<..."))
		return (resume(im, th, text));
	n = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
	if (n == 0 || text[n] != '(')
		return (refuse_line(im));
	return (begin_call(im, th, text));
}

static int
import_line(struct import *im)
{
	struct event ev = { .ev_text = "" };
	int error;

	if (im->im_lines.li_text[0] == '\0')
		return (0);
	if (begins(im->im_lines.li_text, "strace: "))
		return (announcement(im));
	error = parse_event(im, &ev);
	return (error != 0 ? error : import_event(im, &ev));
}

/* Threads become streams: each goes on where one has ended before its birth. */
static int
make_streams(struct import *im, struct recording *rec)
{
	uint64_t ends_ns[RECORDING_STREAMS_MAX];
	struct recording_stream *rm;
	char name[RECORDING_NAME_SIZE];
	unsigned s;
	size_t i, k;

	for (i = 0; i < im->im_count; i++) {
		const struct thread *th = &im->im_threads[i];

		if (th->th_requests.rm_count == 0)
			continue;
		for (s = 0; s < rec->rec_count; s++)
			if (ends_ns[s] <= th->th_born_ns)
				break;
		if (s == RECORDING_STREAMS_MAX)
			return (lines_refuse_file(&im->im_lines, "more than %d "
			    "threads at the same time", RECORDING_STREAMS_MAX));
		snprintf(name, sizeof(name), "pid-%" PRIu64, th->th_pid);
		if (s == rec->rec_count &&
		    recording_add_stream(rec, name) == NULL)
			return (lines_no_memory(&im->im_lines));
		rm = &rec->rec_streams[s];
		if (rm->rm_count > 0)
			snprintf(rm->rm_name, sizeof(rm->rm_name),
			    "processes-%u", s + 1);
		for (k = 0; k < th->th_requests.rm_count; k++)
			if (recording_add(rm,
			    th->th_requests.rm_requests[k].rq_at_ns,
			    th->th_requests.rm_requests[k].rq_bytes) != 0)
				return (lines_no_memory(&im->im_lines));
		ends_ns[s] = th->th_died_ns;
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
	/* qsort(3) keeps no order of its own. */
	if (ra->rm_requests[0].rq_at_ns != rb->rm_requests[0].rq_at_ns)
		return (ra->rm_requests[0].rq_at_ns <
		    rb->rm_requests[0].rq_at_ns ? -1 : 1);
	return (strcmp(ra->rm_name, rb->rm_name));
}

static void
finish(struct import *im, struct recording *rec)
{
	const struct strace_summary *ss = im->im_summary;

	if (ss->ss_requests == 0) {
		lines_refuse_file(&im->im_lines, "no request for random bytes: "
		    "expected getrandom(...) = BYTES, or read(N</dev/urandom>"
		    "...) = BYTES, which strace -y writes");
		return;
	}
	if (im->im_at_ns == 0) {
		lines_refuse_file(&im->im_lines, "all of it happens at the "
		    "same time: expected what \"strace -r\" writes");
		return;
	}
	if (make_streams(im, rec) != 0)
		return;
	qsort(rec->rec_streams, rec->rec_count, sizeof(*rec->rec_streams),
	    busier);
	rec->rec_length_ns = im->im_at_ns;
}

int
strace_import(const char *path, struct recording *rec,
    struct strace_summary *ss, char message[LINES_ERROR_SIZE])
{
	struct import im = { .im_summary = ss };
	size_t i;
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
	for (i = 0; i < im.im_count; i++)
		free(im.im_threads[i].th_requests.rm_requests);
	free(im.im_threads);
	free(im.im_alive);
	if (error != 0)
		recording_free(rec);
	return (error);
}
