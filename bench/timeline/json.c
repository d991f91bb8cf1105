/*
 * A timeline as trace events in JSON: an object with an array of events, one a
 * line.  Process 1 has a thread for each CPU; process 2 has one for each lock
 * and below it one for each slot of its waiters.
 *
 * Perfetto takes thread numbers as unique in the whole file, and sorts a thread
 * with its process's number first; so no thread has such a number.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/result/json_text.h"
#include "bench/timeline/impl.h"

enum {
	PID_CPUS	= 1,
	PID_LOCKS	= 2,
	TID_CPU		= 10,
	TID_LOCK	= 10000,
	TID_LOCK_STEP	= 2 * VM_THREADS_MAX,
	QUOTED_SIZE	= 6 * TIMELINE_FAULT_SIZE + 3
};

/* ns as us, or ps as ns, with three decimals: the format, and its arguments. */
#define	THOUSANDTHS	"%" PRIu64 ".%03u"
#define	IN_THOUSANDTHS(v)	(v) / 1000, (unsigned)((v) % 1000)

struct json_writer {
	const struct timeline *jw_timeline;
	FILE		*jw_out;
	const char	*jw_before;	/* the next event */
	uint64_t	 jw_unseen;	/* slices shorter than a ns */
	bool		 jw_no_memory;
};

/* A slice's category; and its name, of what before is not a thread's. */
static const struct {
	const char	*category;
	const char	*before;
} shown[] = {
	[SLICE_RUN]	= { "run", NULL },
	[SLICE_TAKE]	= { "take", "take " },
	[SLICE_WAIT]	= { "wait", "wait " },
	[SLICE_HOLD]	= { "hold", "hold " },
	[SLICE_WORK]	= { "work", NULL },
	[SLICE_HELD]	= { "held", NULL },
	[SLICE_WAITER]	= { "waiter", NULL },
};

/* Text as a JSON string. */
static const char *
quote(struct json_writer *jw, char buf[QUOTED_SIZE], const char *text)
{
	json_t *string = json_text_new(text);
	size_t n = 0;

	if (string != NULL)
		n = json_dumpb(string, buf, QUOTED_SIZE - 1, JSON_ENCODE_ANY);
	jw->jw_no_memory |= n == 0 || n >= QUOTED_SIZE;
	buf[n < QUOTED_SIZE ? n : 0] = '\0';
	json_decref(string);
	return (buf);
}

/* Begins an event. */
static void
put_event(struct json_writer *jw, const char *phase, int pid, uint32_t tid)
{

	fprintf(jw->jw_out, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u",
	    jw->jw_before, phase, pid, tid);
	jw->jw_before = ",\n";
}

/* Names a process or a thread, and sets its place among others. */
static void
put_name(struct json_writer *jw, const char *what, int pid, uint32_t tid,
    const char *name)
{
	char quoted[QUOTED_SIZE];

	put_event(jw, "M", pid, tid);
	fprintf(jw->jw_out, ",\"name\":\"%s_name\",\"args\":{\"name\":%s}}",
	    what, quote(jw, quoted, name));
	put_event(jw, "M", pid, tid);
	fprintf(jw->jw_out, ",\"name\":\"%s_sort_index\",\"args\":{"
	    "\"sort_index\":%u}}", what, what[0] == 'p' ? (unsigned)pid : tid);
}

/* The track of a lock: 0 of its holders, others of a slot of its waiters. */
static uint32_t
track_of(const struct slice *sl)
{

	return (sl->sl_kind == SLICE_HELD ? 0 : 1 + sl->sl_slot);
}

static int
put_tracks(struct json_writer *jw)
{
	const struct timeline *tl = jw->jw_timeline;
	const struct slice *sl;
	uint32_t i, k, *tracks;

	/* Of each lock, up to the last that has a slice. */
	tracks = calloc(tl->tl_locks + 1, sizeof(*tracks));
	if (tracks == NULL)
		return (ENOMEM);
	for (sl = tl->tl_slice; sl < tl->tl_slice + tl->tl_slices; sl++)
		if (!slice_on_cpu(sl) && tracks[sl->sl_lock] <= track_of(sl))
			tracks[sl->sl_lock] = track_of(sl) + 1;
	put_name(jw, "process", PID_CPUS, TID_CPU, "CPUs");
	put_name(jw, "process", PID_LOCKS, TID_LOCK, "locks");
	for (i = 0; i < tl->tl_cpus; i++)
		put_name(jw, "thread", PID_CPUS, TID_CPU + i,
		    FORMATF("CPU %u", i));
	for (i = 0; i < tl->tl_locks; i++)
		for (k = 0; k < tracks[i]; k++)
			put_name(jw, "thread", PID_LOCKS, TID_LOCK + i *
			    TID_LOCK_STEP + k, FORMATF("%s%s",
			    timeline_lock_name(tl, i), k == 0 ? "" :
			    ": waits"));
	free(tracks);
	return (0);
}

static void
put_slice(struct json_writer *jw, const struct slice *sl)
{
	const struct timeline *tl = jw->jw_timeline;
	const uint64_t ps = sl->sl_end_ps - sl->sl_start_ps;
	const uint64_t ns = timeline_ns(tl, sl->sl_start_ps);
	const uint64_t dur = timeline_ns(tl, sl->sl_end_ps) - ns;
	const char *name = shown[sl->sl_kind].before != NULL ?
	    FORMATF("%s%s", shown[sl->sl_kind].before,
	    timeline_lock_name(tl, sl->sl_lock)) : sl->sl_kind == SLICE_WORK ?
	    timeline_word(tl, sl->sl_about) :
	    timeline_thread_name(tl, sl->sl_thread);
	char quoted[QUOTED_SIZE];

	if (slice_on_cpu(sl))
		put_event(jw, "X", PID_CPUS, TID_CPU + sl->sl_cpu);
	else
		put_event(jw, "X", PID_LOCKS, TID_LOCK + sl->sl_lock *
		    TID_LOCK_STEP + track_of(sl));
	fprintf(jw->jw_out, ",\"ts\":" THOUSANDTHS ",\"dur\":" THOUSANDTHS
	    ",\"cat\":\"%s\",\"name\":%s,\"args\":{", IN_THOUSANDTHS(ns),
	    IN_THOUSANDTHS(dur), shown[sl->sl_kind].category,
	    quote(jw, quoted, name));
	if (sl->sl_kind == SLICE_HELD)
		fprintf(jw->jw_out, "\"waiting\":%u,", sl->sl_about);
	else if (sl->sl_about != NONE && sl->sl_kind != SLICE_WORK)
		fprintf(jw->jw_out, "\"%s\":%s,", sl->sl_kind == SLICE_RUN ?
		    "left" : "held by", quote(jw, quoted, sl->sl_kind ==
		    SLICE_RUN ? timeline_word(tl, sl->sl_about) :
		    timeline_thread_name(tl, sl->sl_about)));
	fprintf(jw->jw_out, "\"ns\":" THOUSANDTHS "}}", IN_THOUSANDTHS(ps));
}

/* The number of waiters of each lock, whenever it changes. */
static int
put_counters(struct json_writer *jw)
{
	const struct timeline *tl = jw->jw_timeline;
	char quoted[QUOTED_SIZE];
	struct edge *edge;
	uint32_t lock, *waiters;
	size_t i, n;

	waiters = calloc(tl->tl_locks + 1, sizeof(*waiters));
	if (waiters == NULL || timeline_edges(tl, SLICE_WAITER, SLICE_WAITER,
	    &edge, &n) != 0) {
		free(waiters);
		return (ENOMEM);
	}
	for (i = 0; i < n; i++) {
		lock = tl->tl_slice[edge[i].ed_slice].sl_lock;
		waiters[lock] += edge[i].ed_start ? 1 : UINT32_MAX;
		put_event(jw, "C", PID_LOCKS, TID_LOCK + lock * TID_LOCK_STEP);
		fprintf(jw->jw_out, ",\"ts\":" THOUSANDTHS ",\"name\":%s,"
		    "\"args\":{\"waiters\":%u}}", IN_THOUSANDTHS(edge[i].ed_ns),
		    quote(jw, quoted, timeline_lock_name(tl, lock)),
		    waiters[lock]);
	}
	free(edge);
	free(waiters);
	return (0);
}

/* A member of otherData. */
static void
put_fact(struct json_writer *jw, const char *name, const char *value)
{
	char quoted[QUOTED_SIZE];

	fprintf(jw->jw_out, ",\n%s:", quote(jw, quoted, name));
	fputs(quote(jw, quoted, value), jw->jw_out);
}

/*
 * After the events: some readers take displayTimeUnit at the beginning as the
 * unit of time stamps.
 */
static void
put_tail(struct json_writer *jw)
{
	const struct timeline *tl = jw->jw_timeline;
	unsigned i;

	fprintf(jw->jw_out, "\n],\n\"displayTimeUnit\":\"ns\",\n"
	    "\"otherData\":{\n\"time_zero\":\"the measured window opens\"");
	if (tl->tl_until_ps != 0)
		fprintf(jw->jw_out, ",\n\"from_us\":%.3f,\n\"until_us\":%.3f",
		    (double)timeline_ns(tl, tl->tl_span.ts_from_ps) / 1e3,
		    (double)timeline_ns(tl, tl->tl_until_ps) / 1e3);
	fprintf(jw->jw_out, ",\n\"slices\":%u,\n\"slices_left_out\":%" PRIu64
	    ",\n\"slices_below_1ns\":%" PRIu64, tl->tl_slices,
	    tl->tl_left_out, jw->jw_unseen);
	if (tl->tl_fault[0] != '\0')
		put_fact(jw, "fault", tl->tl_fault);
	for (i = 0; i < tl->tl_fact_count; i++)
		put_fact(jw, tl->tl_facts[i].tf_name, tl->tl_facts[i].tf_value);
	fputs("\n}\n}\n", jw->jw_out);
}

int
timeline_write_json(const struct timeline *tl, FILE *out)
{
	struct json_writer jw = { .jw_timeline = tl, .jw_out = out,
	    .jw_before = "{\"traceEvents\":[\n" };
	const struct slice *sl;
	int error;

	error = put_tracks(&jw);
	for (sl = tl->tl_slice; error == 0 &&
	    sl < tl->tl_slice + tl->tl_slices; sl++)
		if (slice_visible(tl, sl))
			put_slice(&jw, sl);
		else
			jw.jw_unseen++;
	if (error == 0)
		error = put_counters(&jw);
	put_tail(&jw);
	return (jw.jw_no_memory ? ENOMEM : error);
}
