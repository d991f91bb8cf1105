#include <sys/queue.h>

#include <ctype.h>

#include "bench/workload/recording.h"

enum { PID_NONE = 0 };

#define	NS_PER_SECOND	1e9
#define	REFUSE(...)	lines_refuse(&im->im_lines, __VA_ARGS__)

static const char digits[] = "0123456789";
static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

enum call {
	CALL_NONE, CALL_RANDOM, CALL_READ_UNKNOWN, CALL_READ_OTHER, CALL_OTHER
};

struct import_thread {
	TAILQ_ENTRY(import_thread) imt_all;	/* by start */
	TAILQ_ENTRY(import_thread) imt_alive;	/* not ended */
	uint64_t	 imt_pid, imt_start_ns;
	uint64_t	 imt_end_ns;	/* UINT64_MAX: it has not ended */
	struct recording_stream imt_requests;
	enum call	 imt_call;	/* that began on an earlier line */
	uint64_t	 imt_call_ns, imt_call_line;
};

TAILQ_HEAD(import_threads, import_thread);

struct import {
	struct lines	 im_lines;
	struct import_summary *im_summary;
	struct import_threads im_all, im_alive;
	uint64_t	 im_at_ns;	/* of the line */
};

static struct import_thread *
add_thread(struct import *im, uint64_t pid)
{
	struct import_thread *ip = xcalloc(1, sizeof(*ip));

	ip->imt_pid = pid;
	ip->imt_start_ns = im->im_at_ns;
	ip->imt_end_ns = UINT64_MAX;
	TAILQ_INSERT_TAIL(&im->im_all, ip, imt_all);
	TAILQ_INSERT_TAIL(&im->im_alive, ip, imt_alive);
	return (ip);
}

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
	return (REFUSE("\"%.40s\" is not of strace: expected \"[PID] SECONDS "
	    "getrandom(...) = BYTES\" and the like; strace -o FILE keeps the "
	    "program's own output out", im->im_lines.li_text));
}

/* Parses "0.000123" and moves p behind it. */
static int
parse_gap(struct import *im, const char **p)
{
	const double most = RECORDING_LENGTH_MAX_NS / NS_PER_SECOND;
	const char *end = *p + strspn(*p, digits);
	size_t fraction;
	double seconds;

	if (end == *p || *end != '.')
		return (REFUSE("no time since the line before: expected a "
		    "trace of \"strace -r\""));
	fraction = strspn(end + 1, digits);
	end += 1 + fraction;
	if (fraction == 0 || (*end != ' ' && *end != '\t'))
		return (refuse_line(im));
	seconds = strtod(*p, NULL);
	if (seconds > most)
		return (REFUSE("%.0f s since the line before: expected at most "
		    "%.0f; is this a time of day, not a trace of \"strace "
		    "-r\"?", floor(seconds), most));
	im->im_at_ns += (uint64_t)llround(seconds * NS_PER_SECOND);
	*p = end;
	return (0);
}

/* Parses "[pid 17] ", or "17 " of strace -o, or nothing. */
static int
parse_pid(struct import *im, const char **p, uint64_t *pid)
{
	int used = 0;

	*pid = PID_NONE;
	*p = skip_blanks(*p);
	if (begins(*p, "[pid")) {
		if (sscanf(*p, "[pid %18" SCNu64 "]%n", pid, &used) != 1 ||
		    used == 0)
			return (refuse_line(im));
	} else if (isdigit((unsigned char)**p) && (sscanf(*p, "%18" SCNu64 "%n",
	    pid, &used) != 1 || ((*p)[used] != ' ' && (*p)[used] != '\t'))) {
		*pid = PID_NONE;
		used = 0;
	}
	*p = skip_blanks(*p + used);
	return (0);
}

/* The line's thread; on stderr strace names none while there is only one. */
static struct import_thread *
find_thread(struct import *im, uint64_t pid)
{
	struct import_thread *ip;

	TAILQ_FOREACH(ip, &im->im_alive, imt_alive)
		if (ip->imt_pid == pid)
			return (ip);
	ip = TAILQ_FIRST(&im->im_alive);
	if (ip != NULL && ip->imt_pid == PID_NONE)
		ip->imt_pid = pid;
	return (ip != NULL && (pid == PID_NONE || ip->imt_pid == pid) ? ip :
	    add_thread(im, pid));
}

/* text is a call's name and arguments, as far as the line has them. */
static enum call
classify(const char *text)
{
	if (begins(text, "getrandom("))
		return (CALL_RANDOM);
	if (!begins(text, "read("))
		return (CALL_OTHER);
	text += strlen("read(");
	text += strspn(text, digits);
	if (*text != '<')
		return (CALL_READ_UNKNOWN);
	text++;
	if (!begins(text, "/dev/random") && !begins(text, "/dev/urandom"))
		return (CALL_READ_OTHER);
	text = strstr(text, "random") + strlen("random");
	return (*text == '>' || *text == '<' ? CALL_RANDOM : CALL_READ_OTHER);
}

/* A call that has ended; text is the end of it. */
static int
end_call(struct import *im, struct import_thread *ip, enum call call,
    uint64_t began_ns, const char *text)
{
	struct import_summary *iu = im->im_summary;
	const char *after, *p, *result = NULL;
	char *rest;
	uint64_t bytes;

	iu->iu_reads_unknown += call == CALL_READ_UNKNOWN;
	iu->iu_reads_other += call == CALL_READ_OTHER;
	iu->iu_calls_other += call == CALL_OTHER;
	if (call != CALL_RANDOM)
		return (0);
	/* Behind the last ") = ", which buffers can show too. */
	for (p = strchr(text, ')'); p != NULL; p = strchr(p + 1, ')')) {
		after = skip_blanks(p + 1);
		if (after > p + 1 && begins(after, "= "))
			result = after + 2;
	}
	if (result == NULL)
		return (REFUSE("a call without its result: expected \") = "
		    "BYTES\" or \"<unfinished ...>\"; is the line cut off?"));
	errno = 0;
	bytes = strtoull(result, &rest, 10);
	if (result[0] == '?' || result[0] == '-')
		bytes = 0;
	else if (!isdigit((unsigned char)result[0]) || errno != 0 ||
	    (*rest != '\0' && *rest != ' ') || bytes > RECORDING_BYTES_MAX)
		return (REFUSE("result \"%.20s\": expected bytes, 0..%d, -1 or "
		    "?", result, RECORDING_BYTES_MAX));
	if (bytes == 0) {
		iu->iu_failed++;
		return (0);
	}
	if (iu->iu_requests++ == RECORDING_REQUESTS_MAX)
		return (REFUSE("more than %d requests",
		    RECORDING_REQUESTS_MAX));
	iu->iu_threads += ip->imt_requests.rcs_count == 0;
	recording_add(&ip->imt_requests, began_ns, bytes);
	return (0);
}

/* A call that begins, or all of one.  A thread makes one at a time. */
static int
begin_call(struct import *im, struct import_thread *ip, const char *text)
{
	static const char unfinished[] = "<unfinished ...>";
	size_t n = strlen(text), tail = sizeof(unfinished) - 1;

	if (ip->imt_call != CALL_NONE)
		return (REFUSE("another call of a thread whose call of line %"
		    PRIu64 " is unfinished: expected \"<... NAME resumed>\" "
		    "before it", ip->imt_call_line));
	if (n < tail || strcmp(text + n - tail, unfinished) != 0)
		return (end_call(im, ip, classify(text), im->im_at_ns, text));
	ip->imt_call = classify(text);
	ip->imt_call_ns = im->im_at_ns;
	ip->imt_call_line = im->im_lines.li_number;
	return (0);
}

/* "<... read resumed>" and the end of the call. */
static int
resume(struct import *im, struct import_thread *ip, const char *text)
{
	static const char before[] = "<... ", after[] = " resumed>";
	const char *name = text + sizeof(before) - 1;
	const char *rest = strstr(text, after);
	const enum call call = ip->imt_call;

	if (rest == NULL || !begins(text, before))
		return (refuse_line(im));
	rest += sizeof(after) - 1;
	ip->imt_call = CALL_NONE;
	if (call != CALL_NONE)
		return (end_call(im, ip, call, ip->imt_call_ns, rest));
	/* It began before strace did: no better time is known. */
	return (end_call(im, ip, begins(name, "getrandom ") ? CALL_RANDOM :
	    begins(name, "read ") ? CALL_READ_UNKNOWN : CALL_OTHER,
	    im->im_at_ns, rest));
}

static int
import_line(struct import *im)
{
	const char *p = im->im_lines.li_text;
	struct import_thread *ip;
	uint64_t pid;
	int error, used = 0;

	if (sscanf(p, "strace: Process %" SCNu64 " attached%n", &pid,
	    &used) == 1 && used > 0 && p[used] == '\0' && pid != PID_NONE)
		(void)add_thread(im, pid);
	if (p[0] == '\0' || begins(p, "strace: "))
		return (0);
	if ((error = parse_pid(im, &p, &pid)) != 0)
		return (error);
	if (!isdigit((unsigned char)*p) && p[strspn(p, name_letters)] != '(' &&
	    !begins(p, "+++") && !begins(p, "---") && !begins(p, "<..."))
		return (refuse_line(im));
	if ((error = parse_gap(im, &p)) != 0)
		return (error);
	if (im->im_at_ns > RECORDING_LENGTH_MAX_NS)
		return (REFUSE("later than a week from the first line: "
		    "expected a shorter trace"));
	p = skip_blanks(p);
	ip = find_thread(im, pid);
	if (begins(p, "---"))
		return (0);
	if (begins(p, "+++")) {
		ip->imt_end_ns = im->im_at_ns;
		TAILQ_REMOVE(&im->im_alive, ip, imt_alive);
		return (0);
	}
	if (begins(p, "<..."))
		return (resume(im, ip, p));
	if (strspn(p, name_letters) == 0 || p[strspn(p, name_letters)] != '(')
		return (refuse_line(im));
	return (begin_call(im, ip, p));
}

/* Threads become streams; a thread continues one that ended before it. */
static int
make_streams(struct import *im, struct recording *rec)
{
	uint64_t ends_ns[RECORDING_STREAMS_MAX];
	char name[RECORDING_NAME_SIZE];
	struct recording_stream *rm;
	struct import_thread *ip;
	unsigned s;

	TAILQ_FOREACH(ip, &im->im_all, imt_all) {
		const struct recording_request *rq =
		    ip->imt_requests.rcs_requests;

		if (ip->imt_requests.rcs_count == 0)
			continue;
		for (s = 0; s < rec->rec_count; s++)
			if (ends_ns[s] <= ip->imt_start_ns)
				break;
		if (s == RECORDING_STREAMS_MAX)
			return (lines_refuse_file(&im->im_lines, "more than %d "
			    "threads at the same time", RECORDING_STREAMS_MAX));
		snprintf(name, sizeof(name), "pid-%" PRIu64, ip->imt_pid);
		if (s == rec->rec_count)
			recording_add_stream(rec, name);
		rm = &rec->rec_streams[s];
		if (rm->rcs_count > 0)
			snprintf(rm->rcs_name, sizeof(rm->rcs_name),
			    "processes-%u", s + 1);
		for (size_t k = 0; k < ip->imt_requests.rcs_count; k++)
			recording_add(rm, rq[k].rq_at_ns, rq[k].rq_bytes);
		ends_ns[s] = ip->imt_end_ns;
	}
	return (0);
}

/* The busiest first: reader 0 plays stream 0. */
static int
busier(const void *a, const void *b)
{
	const struct recording_stream *ra = a, *rb = b;

	if (ra->rcs_count != rb->rcs_count)
		return (ra->rcs_count < rb->rcs_count ? 1 : -1);
	/* qsort(3) is not stable. */
	if (ra->rcs_requests[0].rq_at_ns != rb->rcs_requests[0].rq_at_ns)
		return (ra->rcs_requests[0].rq_at_ns <
		    rb->rcs_requests[0].rq_at_ns ? -1 : 1);
	return (strcmp(ra->rcs_name, rb->rcs_name));
}

int
import_load(const char *path, struct recording *rec, struct import_summary *iu,
    char message[LINES_ERROR_SIZE])
{
	struct import im = { .im_summary = iu };
	struct lines *li = &im.im_lines;
	struct import_thread *ip;

	TAILQ_INIT(&im.im_all);
	TAILQ_INIT(&im.im_alive);
	*rec = (struct recording){ .rec_count = 0 };
	*iu = (struct import_summary){ .iu_requests = 0 };
	lines_open(li, path, message);
	while (lines_next(li) && import_line(&im) == 0)
		continue;
	if (li->li_error == 0 && iu->iu_requests == 0)
		lines_refuse_file(li, "no request for random bytes: expected "
		    "getrandom(...) = BYTES, or read(N</dev/urandom>...) = "
		    "BYTES, which strace -y writes");
	else if (li->li_error == 0 && im.im_at_ns == 0)
		lines_refuse_file(li, "all of it happens at the same time: "
		    "expected a trace of \"strace -r\"");
	if (li->li_error == 0 && make_streams(&im, rec) == 0) {
		qsort(rec->rec_streams, rec->rec_count,
		    sizeof(*rec->rec_streams), busier);
		rec->rec_length_ns = im.im_at_ns;
	}
	lines_close(li);
	while ((ip = TAILQ_FIRST(&im.im_all)) != NULL) {
		TAILQ_REMOVE(&im.im_all, ip, imt_all);
		free(ip->imt_requests.rcs_requests);
		free(ip);
	}
	if (li->li_error != 0)
		recording_free(rec);
	return (li->li_error);
}
