/*
 * A timeline as trace events in JSON: an object with an array of events, one a
 * line, written as they are made.  Process 1 has a thread for each CPU, process
 * 2 one for each lock and one below it for each place among its waiters.
 *
 * Perfetto takes thread numbers for unique in the whole file and displays
 * threads numbered as their process before others; so none is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "bench/timeline/timeline_record.h"

enum {
	PID_CPUS	= 1,
	PID_LOCKS	= 2,
	TID_CPU		= 10,
	TID_LOCK	= 10000,
	TID_LOCK_STEP	= 2 * VM_THREADS_MAX
};

/* Text for one event: names are cut, so each escaped one fits. */
enum { QUOTED_SIZE = RECORD_NAME_SIZE * 6 + 2 };

struct quoted {
	char		 qu_text[QUOTED_SIZE];
};

struct json_writer {
	const struct record *jw_record;
	FILE		*jw_out;
	const char	*jw_before;	/* the next event */
	struct quoted	*jw_threads;	/* without the quotes */
	struct quoted	*jw_locks;
	struct quoted	*jw_words;
	uint32_t	*jw_slots;	/* of each lock that are used */
	uint64_t	 jw_unseen;	/* slices shorter than a ns */
};

/* What JSON makes of a text, without quotes; malloc(3)ed, or NULL. */
static char *
quote(const char *text)
{
	char *copy = strdup(text), *p, *quoted;
	json_t *string;

	if (copy == NULL)
		return (NULL);
	string = json_string(copy);
	/* No UTF-8, such as a name that was cut within a character. */
	for (p = copy; string == NULL && *p != '\0'; p++)
		if ((*p & 0x80) != 0)
			*p = '?';
	if (string == NULL)
		string = json_string(copy);
	free(copy);
	quoted = string == NULL ? NULL : json_dumps(string, JSON_ENCODE_ANY);
	json_decref(string);
	if (quoted != NULL) {
		size_t n = strlen(quoted);

		memmove(quoted, quoted + 1, n - 2);
		quoted[n - 2] = '\0';
	}
	return (quoted);
}

/* The names of a table, and one for what is not in it. */
static struct quoted *
quote_all(const struct record *re, uint32_t count,
    const char *(*name)(const struct record *, uint32_t))
{
	struct quoted *all;
	char *text;
	uint32_t i;

	all = calloc(count + 1, sizeof(*all));
	for (i = 0; all != NULL && i <= count; i++) {
		text = quote(name(re, i));
		if (text == NULL) {
			free(all);
			return (NULL);
		}
		snprintf(all[i].qu_text, sizeof(all[i].qu_text), "%s", text);
		free(text);
	}
	return (all);
}

static const char *
pick(const struct quoted *all, uint32_t count, uint32_t i)
{

	return (all[i < count ? i : count].qu_text);
}

static const char *
thread_of(const struct json_writer *jw, uint32_t i)
{

	return (pick(jw->jw_threads, jw->jw_record->re_threads, i));
}

static const char *
lock_of(const struct json_writer *jw, uint32_t i)
{

	return (pick(jw->jw_locks, jw->jw_record->re_locks, i));
}

static const char *
word_of(const struct json_writer *jw, uint32_t i)
{

	return (pick(jw->jw_words, jw->jw_record->re_words, i));
}

static uint32_t
tid_of(const struct slice *sl)
{

	if (slice_on_cpu(sl))
		return (TID_CPU + sl->sl_cpu);
	return (TID_LOCK + sl->sl_lock * TID_LOCK_STEP +
	    (sl->sl_kind == SLICE_HELD ? 0 : 1 + sl->sl_slot));
}

/* Who had a lock as a wait for it began; nobody when others waited as well. */
static void
put_holder(struct json_writer *jw, const struct slice *sl)
{

	if (sl->sl_about != RECORD_NONE)
		fprintf(jw->jw_out, "\"held by\":\"%s\",",
		    thread_of(jw, sl->sl_about));
}

static void
put_us(FILE *out, const char *key, uint64_t ns)
{

	fprintf(out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000,
	    (unsigned)(ns % 1000));
}

/* The beginning of an event. */
static void
put_event(struct json_writer *jw, const char *phase, int pid, uint32_t tid)
{

	fprintf(jw->jw_out, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u",
	    jw->jw_before, phase, pid, tid);
	jw->jw_before = ",\n";
}

static void
put_meta(struct json_writer *jw, int pid, uint32_t tid, const char *what,
    const char *name, const char *also)
{

	put_event(jw, "M", pid, tid);
	fprintf(jw->jw_out, ",\"name\":\"%s_name\",\"args\":{\"name\":"
	    "\"%s%s\"}}", what, name, also);
	put_event(jw, "M", pid, tid);
	fprintf(jw->jw_out, ",\"name\":\"%s_sort_index\",\"args\":{"
	    "\"sort_index\":%u}}", what, strcmp(what, "process") == 0 ?
	    (unsigned)pid : tid);
}

static void
put_tracks(struct json_writer *jw)
{
	const struct record *re = jw->jw_record;
	char name[32];
	uint32_t i, k;

	put_meta(jw, PID_CPUS, TID_CPU, "process", "CPUs", "");
	put_meta(jw, PID_LOCKS, TID_LOCK, "process", "locks", "");
	for (i = 0; i < re->re_cpus; i++) {
		snprintf(name, sizeof(name), "CPU %u", i);
		put_meta(jw, PID_CPUS, TID_CPU + i, "thread", name, "");
	}
	for (i = 0; i < re->re_locks; i++) {
		if (jw->jw_slots[i] == 0)
			continue;
		put_meta(jw, PID_LOCKS, TID_LOCK + i * TID_LOCK_STEP, "thread",
		    lock_of(jw, i), "");
		for (k = 1; k < jw->jw_slots[i]; k++)
			put_meta(jw, PID_LOCKS, TID_LOCK + i * TID_LOCK_STEP +
			    k, "thread", lock_of(jw, i), ": waits");
	}
}

/* What a slice is called, and what else there is to know about it. */
static void
put_slice_text(struct json_writer *jw, const struct slice *sl)
{
	uint64_t ps = sl->sl_end_ps - sl->sl_start_ps;
	FILE *out = jw->jw_out;

	switch (sl->sl_kind) {
	case SLICE_RUN:
		fprintf(out, ",\"cat\":\"run\",\"name\":\"%s\",\"args\":{",
		    thread_of(jw, sl->sl_thread));
		if (sl->sl_about != RECORD_NONE)
			fprintf(out, "\"left\":\"%s\",",
			    word_of(jw, sl->sl_about));
		break;
	case SLICE_TAKE:
		fprintf(out, ",\"cat\":\"take\",\"name\":\"take %s\","
		    "\"args\":{", lock_of(jw, sl->sl_lock));
		break;
	case SLICE_WAIT:
		fprintf(out, ",\"cat\":\"wait\",\"name\":\"wait %s\","
		    "\"args\":{", lock_of(jw, sl->sl_lock));
		put_holder(jw, sl);
		break;
	case SLICE_HOLD:
		fprintf(out, ",\"cat\":\"hold\",\"name\":\"hold %s\","
		    "\"args\":{", lock_of(jw, sl->sl_lock));
		break;
	case SLICE_WORK:
		fprintf(out, ",\"cat\":\"work\",\"name\":\"%s\",\"args\":{",
		    word_of(jw, sl->sl_about));
		break;
	case SLICE_HELD:
		fprintf(out, ",\"cat\":\"held\",\"name\":\"%s\",\"args\":{"
		    "\"waiting\":%u,", thread_of(jw, sl->sl_thread),
		    sl->sl_about);
		break;
	case SLICE_WAITER:
		fprintf(out, ",\"cat\":\"waiter\",\"name\":\"%s\","
		    "\"args\":{", thread_of(jw, sl->sl_thread));
		put_holder(jw, sl);
		break;
	}
	fprintf(out, "\"ns\":%" PRIu64 ".%03u}}", ps / 1000,
	    (unsigned)(ps % 1000));
}

static void
put_slices(struct json_writer *jw)
{
	const struct record *re = jw->jw_record;
	const struct slice *sl;
	uint64_t ns;
	uint32_t i;

	for (i = 0; i < re->re_slices; i++) {
		sl = &re->re_slice[i];
		if (!slice_visible(re, sl)) {
			jw->jw_unseen++;
			continue;
		}
		ns = record_ns(re, sl->sl_start_ps);
		put_event(jw, "X", slice_on_cpu(sl) ? PID_CPUS : PID_LOCKS,
		    tid_of(sl));
		put_us(jw->jw_out, "ts", ns);
		put_us(jw->jw_out, "dur", record_ns(re, sl->sl_end_ps) - ns);
		put_slice_text(jw, sl);
	}
}

/* How many wait for each lock, at each instant at which that changes. */
static int
put_counters(struct json_writer *jw)
{
	const struct record *re = jw->jw_record;
	const struct slice *sl;
	struct edge *edge;
	uint32_t *waiters;
	size_t i, n;
	int error;

	waiters = calloc(re->re_locks + 1, sizeof(*waiters));
	if (waiters == NULL)
		return (ENOMEM);
	error = record_edges(re, SLICE_WAITER, SLICE_WAITER, &edge, &n);
	if (error != 0) {
		free(waiters);
		return (error);
	}
	for (i = 0; i < n; i++) {
		sl = &re->re_slice[edge[i].ed_slice];
		waiters[sl->sl_lock] += edge[i].ed_start ? 1 : UINT32_MAX;
		put_event(jw, "C", PID_LOCKS, TID_LOCK +
		    sl->sl_lock * TID_LOCK_STEP);
		put_us(jw->jw_out, "ts", edge[i].ed_ns);
		fprintf(jw->jw_out, ",\"name\":\"%s\",\"args\":{\"waiters\":"
		    "%u}}", lock_of(jw, sl->sl_lock), waiters[sl->sl_lock]);
	}
	free(edge);
	free(waiters);
	return (0);
}

/* A member of otherData whose text may hold anything. */
static int
put_fact(struct json_writer *jw, const char *name, const char *value)
{
	char *quoted_name = quote(name), *quoted_value = quote(value);
	int error = 0;

	if (quoted_name == NULL || quoted_value == NULL)
		error = ENOMEM;
	else
		fprintf(jw->jw_out, ",\n\"%s\":\"%s\"", quoted_name,
		    quoted_value);
	free(quoted_name);
	free(quoted_value);
	return (error);
}

/*
 * Behind the events: some readers take displayTimeUnit at the beginning for the
 * unit of time stamps.
 */
static int
put_tail(struct json_writer *jw)
{
	const struct record *re = jw->jw_record;
	bool kept = re->re_until_ps != 0;
	int error = 0;
	unsigned i;

	fprintf(jw->jw_out, "\n],\n\"displayTimeUnit\":\"ns\",\n"
	    "\"otherData\":{\n\"time_zero\":\"the measured window opens\"");
	if (kept)
		fprintf(jw->jw_out, ",\n\"from_us\":%.3f,\n\"until_us\":%.3f",
		    (double)record_ns(re, re->re_from_ps) / 1e3,
		    (double)record_ns(re, re->re_until_ps) / 1e3);
	fprintf(jw->jw_out, ",\n\"slices\":%u,\n\"slices_left_out\":%" PRIu64
	    ",\n\"slices_below_1ns\":%" PRIu64, re->re_slices,
	    re->re_left_out, jw->jw_unseen);
	if (re->re_fault != NULL)
		error = put_fact(jw, "fault", re->re_fault);
	for (i = 0; i < re->re_fact_count && error == 0; i++)
		error = put_fact(jw, re->re_facts[i].tf_name,
		    re->re_facts[i].tf_value);
	fputs("\n}\n}\n", jw->jw_out);
	return (error);
}

/* Tracks of each lock that have anything on them, the holder's included. */
static void
count_slots(struct json_writer *jw)
{
	const struct record *re = jw->jw_record;
	uint32_t i, n;

	for (i = 0; i < re->re_slices; i++) {
		const struct slice *sl = &re->re_slice[i];

		if (slice_on_cpu(sl))
			continue;
		n = sl->sl_kind == SLICE_HELD ? 1 : sl->sl_slot + 2;
		if (jw->jw_slots[sl->sl_lock] < n)
			jw->jw_slots[sl->sl_lock] = n;
	}
}

int
record_write_json(const struct record *re, FILE *out)
{
	struct json_writer jw = { .jw_record = re, .jw_out = out,
	    .jw_before = "{\"traceEvents\":[\n" };
	int error = ENOMEM;

	jw.jw_threads = quote_all(re, re->re_threads, record_thread);
	jw.jw_locks = quote_all(re, re->re_locks, record_lock);
	jw.jw_words = quote_all(re, re->re_words, record_word);
	jw.jw_slots = calloc(re->re_locks + 1, sizeof(*jw.jw_slots));
	if (jw.jw_threads != NULL && jw.jw_locks != NULL &&
	    jw.jw_words != NULL && jw.jw_slots != NULL) {
		count_slots(&jw);
		put_tracks(&jw);
		put_slices(&jw);
		error = put_counters(&jw);
	}
	if (error == 0)
		error = put_tail(&jw);
	free(jw.jw_threads);
	free(jw.jw_locks);
	free(jw.jw_words);
	free(jw.jw_slots);
	return (error);
}
