/*
 * The file is an object with an array of events, one a line.  Process 1 has a
 * thread for each CPU, process 2 one for each lock, process 3 one for each
 * thread, with the locks that it asks for.  Perfetto takes thread numbers as
 * unique in the whole file, and sorts a thread with its process's number first;
 * so no thread has such a number.
 */
#include "bench/result/result.h"
#include "bench/timeline/timeline.h"

enum {
	PS_PER_NS	= 1000,
	BACK_MAX_PS	= 1000 * PS_PER_NS,
	NAME_SIZE	= 40,
	CPUS_MAX	= 1024,
	LOCKS_MAX	= 1 << 13,
	HOLDS_MAX	= 16	/* of a thread at once */
};

#define	NONE	UINT32_MAX	/* no number of anything */

enum process { CPUS = 1, LOCKS, THREADS, PROCESSES };

static const struct {
	const char	*name;
	uint32_t	 first;		/* number of its threads */
} processes[PROCESSES] = { { "", 0 }, { "CPUs", 10 }, { "locks", 10000 },
    { "threads that ask for locks", 20000 } };

struct traced_thread {
	char		 td_name[NAME_SIZE];
	uint32_t	 td_cpu;	/* or NONE */
	uint32_t	 td_asks;	/* for this lock; or NONE */
	uint32_t	 td_held[HOLDS_MAX];	/* locks, in order of taking */
	uint32_t	 td_holds;
};

struct traced_lock {
	const void	*tlk_lock;
	char		 tlk_given[NAME_SIZE];
	char		 tlk_name[NAME_SIZE];	/* that, or with a number */
	uint32_t	 tlk_holder;	/* the thread that got it last; NONE */
};

struct timeline {
	struct vm_observer ti_observer;
	FILE		*ti_out;	/* of ti_text */
	char		*ti_text;
	size_t		 ti_len;
	const char	*ti_before;	/* the next event in the text */
	struct timeline_span ti_span;	/* since ti_base_ps */
	enum { BEFORE, WITHIN, AFTER } ti_state;	/* what is written */
	bool		 ti_marked;	/* the window opened */
	uint64_t	 ti_base_ps;	/* when the window opened */
	uint64_t	 ti_now_ps;	/* the latest event's time */
	uint64_t	 ti_until_ps;	/* AFTER: since ti_base_ps */
	uint32_t	 ti_events_max;
	uint32_t	 ti_events;	/* written */
	uint64_t	 ti_left_out;	/* after these */
	/* What runs, holds and waits now. */
	unsigned	 ti_cpus;
	bool		 ti_busy[CPUS_MAX];
	uint32_t	 ti_threads;
	struct traced_thread ti_thread[VM_THREADS_MAX];
	uint32_t	 ti_locks;
	struct traced_lock ti_lock[LOCKS_MAX];
};

/* Prints what is before a text, and the text as a JSON string. */
static void
put_text(struct timeline *tl, const char *before, const char *text)
{
	json_t *string = json_text_new(text);

	fputs(before, tl->ti_out);
	json_dumpf(string, tl->ti_out, JSON_ENCODE_ANY);
	json_decref(string);
}

static void
put(struct timeline *tl, char phase, enum process pid, uint32_t number)
{
	fprintf(tl->ti_out, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u",
	    tl->ti_before, phase, (int)pid, processes[pid].first + number);
	tl->ti_before = ",\n";
}

/* Names a process or a thread, and sets its place among others. */
static void
put_name(struct timeline *tl, const char *what, enum process pid,
    uint32_t number, const char *name)
{
	put(tl, 'M', pid, number);
	fprintf(tl->ti_out, ",\"name\":\"%s_name\"", what);
	put_text(tl, ",\"args\":{\"name\":", name);
	fputs("}}", tl->ti_out);
	put(tl, 'M', pid, number);
	fprintf(tl->ti_out, ",\"name\":\"%s_sort_index\",\"args\":{"
	    "\"sort_index\":%u}}", what, processes[pid].first + number);
}

/*
 * Begins ('B') or ends ('E') a slice, in the span.  One that begins has a name,
 * and the holder of the lock that it asks for, or NONE.
 */
static void
slice(struct timeline *tl, char phase, enum process pid, uint32_t number,
    const char *name, uint32_t holder)
{
	const uint64_t ns = (tl->ti_now_ps - tl->ti_base_ps) / PS_PER_NS;

	if (tl->ti_state != WITHIN)
		return;
	put(tl, phase, pid, number);
	fprintf(tl->ti_out, ",\"ts\":%" PRIu64 ".%03u", ns / 1000,
	    (unsigned)(ns % 1000));
	if (phase == 'B')
		put_text(tl, ",\"name\":", name);
	if (phase == 'B' && holder != NONE) {
		put_text(tl, ",\"args\":{\"held by\":",
		    tl->ti_thread[holder].td_name);
		fputc('}', tl->ti_out);
	}
	fputc('}', tl->ti_out);
}

/* A thread's slices on its CPU, from the first-th lock that it holds on. */
static void
cpu_slices(struct timeline *tl, char phase, const struct traced_thread *td,
    uint32_t first)
{
	const struct traced_lock *lk;

	if (td->td_cpu == NONE)
		return;
	for (uint32_t i = first; i < td->td_holds; i++)
		slice(tl, phase, CPUS, td->td_cpu, FORMATF("hold %s",
		    tl->ti_lock[td->td_held[i]].tlk_name), NONE);
	if (td->td_asks == NONE)
		return;
	lk = &tl->ti_lock[td->td_asks];
	slice(tl, phase, CPUS, td->td_cpu, FORMATF("ask %s", lk->tlk_name),
	    lk->tlk_holder);
}

/* The slices of all that is under way, as of then. */
static void
all_slices(struct timeline *tl, char phase, uint64_t ps)
{
	const uint64_t now = tl->ti_now_ps;
	const struct traced_thread *td = tl->ti_thread;
	const struct traced_lock *lk = tl->ti_lock;

	tl->ti_now_ps = ps;
	for (uint32_t t = 0; t < tl->ti_threads; t++, td++) {
		if (td->td_cpu != NONE)
			slice(tl, phase, CPUS, td->td_cpu, td->td_name, NONE);
		cpu_slices(tl, phase, td, 0);
		if (td->td_asks != NONE)
			slice(tl, phase, THREADS, t,
			    tl->ti_lock[td->td_asks].tlk_name,
			    tl->ti_lock[td->td_asks].tlk_holder);
	}
	for (uint32_t i = 0; i < tl->ti_locks; i++, lk++)
		if (lk->tlk_holder != NONE)
			slice(tl, phase, LOCKS, i,
			    tl->ti_thread[lk->tlk_holder].td_name, NONE);
	tl->ti_now_ps = now;
}

/* Begins what is written when the span begins; ends it with that, or now. */
static void
pass_time(struct timeline *tl, bool end)
{
	const uint64_t from = tl->ti_base_ps + tl->ti_span.spn_from_ps;
	uint64_t until = tl->ti_base_ps + tl->ti_span.spn_to_ps;

	if (tl->ti_state == BEFORE && tl->ti_marked && tl->ti_now_ps >= from) {
		tl->ti_state = WITHIN;
		all_slices(tl, 'B', from);
	}
	if (tl->ti_state == WITHIN && (end || tl->ti_now_ps >= until)) {
		until = MIN(until, tl->ti_now_ps);
		all_slices(tl, 'E', until);
		tl->ti_state = AFTER;
		tl->ti_until_ps = until - tl->ti_base_ps;
	}
}

/*
 * A lock's number.  Locks of the same name get numbers behind it; memory that
 * holds a lock of another name now is another lock.
 */
static uint32_t
find_lock(struct timeline *tl, const void *lock, const char *name)
{
	struct traced_lock *lk;
	uint32_t i, same = 1;

	if (name == NULL || name[0] == '\0')
		name = "lock";
	for (i = tl->ti_locks; i-- > 0;) {
		if (strncmp(tl->ti_lock[i].tlk_given, name, NAME_SIZE - 1) != 0)
			continue;
		if (tl->ti_lock[i].tlk_lock == lock)
			return (i);
		same++;
	}
	KASSERT(tl->ti_locks < LOCKS_MAX, ("more than %d locks", LOCKS_MAX));
	lk = &tl->ti_lock[tl->ti_locks];
	lk->tlk_lock = lock;
	lk->tlk_holder = NONE;
	TEXT_SET(lk->tlk_given, name);
	TEXT_SET(lk->tlk_name, same == 1 ? name : FORMATF("%.24s #%u", name,
	    same));
	return (tl->ti_locks++);
}

/* Follows an event; lock: its number, if it has one. */
static void
follow(struct timeline *tl, const struct vm_note *vn, uint32_t lock)
{
	const uint32_t t = vn->vn_thread;
	struct traced_thread *td = &tl->ti_thread[t];
	struct traced_lock *lk = &tl->ti_lock[lock];
	uint32_t i = td->td_holds;	/* slices from there on change */

	switch (vn->vn_kind) {
	case VM_CPU_ON:
		KASSERT(td->td_cpu == NONE && !tl->ti_busy[vn->vn_cpu],
		    ("%s begins to run on CPU %d", td->td_name, vn->vn_cpu));
		td->td_cpu = (uint32_t)vn->vn_cpu;
		tl->ti_busy[td->td_cpu] = true;
		slice(tl, 'B', CPUS, td->td_cpu, td->td_name, NONE);
		i = 0;
		break;
	case VM_CPU_OFF:
		KASSERT(td->td_cpu != NONE, ("%s had no CPU", td->td_name));
		cpu_slices(tl, 'E', td, 0);
		slice(tl, 'E', CPUS, td->td_cpu, td->td_name, NONE);
		tl->ti_busy[td->td_cpu] = false;
		td->td_cpu = NONE;
		break;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
		cpu_slices(tl, 'E', td, i);
		if (td->td_asks != NONE)
			slice(tl, 'E', THREADS, t, lk->tlk_name, NONE);
		td->td_asks = NONE;
		if (vn->vn_kind == VM_LOCK_WAIT) {
			slice(tl, 'B', THREADS, t, lk->tlk_name,
			    lk->tlk_holder);
			td->td_asks = lock;
			break;
		}
		if (lk->tlk_holder != NONE)
			slice(tl, 'E', LOCKS, lock, NULL, NONE);
		slice(tl, 'B', LOCKS, lock, td->td_name, NONE);
		lk->tlk_holder = t;
		if (td->td_holds < HOLDS_MAX)
			td->td_held[td->td_holds++] = lock;
		break;
	default:
		for (i = 0; i < td->td_holds && td->td_held[i] != lock; i++)
			continue;
		if (i < td->td_holds) {
			cpu_slices(tl, 'E', td, i);
			td->td_holds--;
			memmove(&td->td_held[i], &td->td_held[i + 1],
			    (td->td_holds - i) * sizeof(td->td_held[0]));
		}
		if (lk->tlk_holder == t) {
			slice(tl, 'E', LOCKS, lock, NULL, NONE);
			lk->tlk_holder = NONE;
		}
	}
	cpu_slices(tl, 'B', td, i);
}

static void
observe(void *context, const struct vm_note *vn)
{
	struct timeline *tl = context;
	struct traced_thread *td;
	uint32_t lock = 0;

	/* Threads run ahead of each other a little: later events wait. */
	KASSERT(vn->vn_time_ps + BACK_MAX_PS >= tl->ti_now_ps,
	    ("time goes back for thread %u", vn->vn_thread));
	tl->ti_now_ps = MAX(tl->ti_now_ps, vn->vn_time_ps);
	pass_time(tl, false);
	if (tl->ti_marked && tl->ti_now_ps >= tl->ti_base_ps +
	    tl->ti_span.spn_to_ps)
		return;
	/* The thread is known from now on, and all before it. */
	KASSERT(vn->vn_thread < VM_THREADS_MAX, ("thread %u", vn->vn_thread));
	for (; tl->ti_threads <= vn->vn_thread; tl->ti_threads++) {
		td = &tl->ti_thread[tl->ti_threads];
		td->td_cpu = td->td_asks = NONE;
		TEXT_SET(td->td_name, tl->ti_threads == 0 ? "main" :
		    FORMATF("thread%u", tl->ti_threads));
	}
	switch (vn->vn_kind) {
	case VM_THREAD_START:
		if (vn->vn_detail != NULL && vn->vn_detail[0] != '\0')
			TEXT_SET(tl->ti_thread[vn->vn_thread].td_name,
			    vn->vn_detail);
		return;
	case VM_MARK:
		if (!tl->ti_marked)
			tl->ti_base_ps = tl->ti_now_ps;
		tl->ti_marked = true;
		return;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
	case VM_LOCK_FREE:
		lock = find_lock(tl, vn->vn_lock, vn->vn_detail);
		break;
	case VM_CPU_ON:
	case VM_CPU_OFF:
		break;
	default:
		return;
	}
	pass_time(tl, tl->ti_events == tl->ti_events_max);
	tl->ti_events += tl->ti_state == WITHIN;
	tl->ti_left_out += tl->ti_state == AFTER;
	follow(tl, vn, lock);
}

const struct vm_observer *
timeline_new(unsigned cpus, const struct timeline_span *span, uint32_t events)
{
	struct timeline *tl = xcalloc(1, sizeof(*tl));

	KASSERT(cpus >= 1 && cpus <= CPUS_MAX && events >= 1,
	    ("%u CPUs, %u events", cpus, events));
	KASSERT(span->spn_to_ps > span->spn_from_ps, ("an empty span"));
	tl->ti_observer = (struct vm_observer){ observe, tl };
	tl->ti_span = *span;
	tl->ti_cpus = cpus;
	tl->ti_events_max = events;
	tl->ti_out = xmemstream(&tl->ti_text, &tl->ti_len);
	tl->ti_before = "{\"traceEvents\":[\n";
	return (&tl->ti_observer);
}

char *
timeline_end(const struct vm_observer *vb, json_t *facts,
    char remark[TIMELINE_REMARK_SIZE])
{
	struct timeline *tl = vb->vb_context;
	const char *name;
	json_t *value;
	char *text;
	uint32_t i;

	pass_time(tl, true);
	for (i = CPUS; i < PROCESSES; i++)
		put_name(tl, "process", (enum process)i, 0, processes[i].name);
	for (i = 0; i < tl->ti_cpus; i++)
		put_name(tl, "thread", CPUS, i, FORMATF("CPU %u", i));
	for (i = 0; i < tl->ti_locks; i++)
		put_name(tl, "thread", LOCKS, i, tl->ti_lock[i].tlk_name);
	for (i = 0; i < tl->ti_threads; i++)
		put_name(tl, "thread", THREADS, i, tl->ti_thread[i].td_name);
	/* Behind the events: readers may take it for the time stamps' unit. */
	fprintf(tl->ti_out, "\n],\n\"displayTimeUnit\":\"ns\",\n"
	    "\"otherData\":{\n\"time_zero\":\"the measured window opens\",\n"
	    "\"from_us\":%.3f,\n\"until_us\":%.3f,\n\"events_left_out\":%"
	    PRIu64, (double)tl->ti_span.spn_from_ps / 1e6,
	    (double)tl->ti_until_ps / 1e6, tl->ti_left_out);
	json_object_foreach(facts, name, value) {
		put_text(tl, ",\n", name);
		put_text(tl, ":", json_string_value(value));
	}
	json_decref(facts);
	fputs("\n}\n}\n", tl->ti_out);
	xmemclose(tl->ti_out);
	remark[0] = '\0';
	if (tl->ti_state == BEFORE)
		snprintf(remark, TIMELINE_REMARK_SIZE, "the trace is empty: "
		    "the run ended before the time to trace began");
	else if (tl->ti_left_out > 0)
		snprintf(remark, TIMELINE_REMARK_SIZE, "the trace ends "
		    "%.6f ms into the window: %u events were kept and %" PRIu64
		    " after them left out; trace a shorter time",
		    (double)tl->ti_until_ps / 1e9, tl->ti_events,
		    tl->ti_left_out);
	text = tl->ti_text;
	free(tl);
	return (text);
}
