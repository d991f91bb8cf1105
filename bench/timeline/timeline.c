#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/memory.h"
#include "bench/timeline/impl.h"

enum { PS_PER_NS = 1000, BACK_MAX_PS = 1000 * PS_PER_NS };

static void
finish(struct timeline *tl, uint64_t now)
{
	tl->tl_over = true;
	if (tl->tl_marked && tl->tl_until_ps == 0 &&
	    now >= tl->tl_base_ps + tl->tl_span.ts_from_ps)
		tl->tl_until_ps = now;
}

/* Ends the timeline: nothing after a contradiction can be believed. */
static void __attribute__((format(printf, 2, 3)))
fault(struct timeline *tl, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tl->tl_fault, sizeof(tl->tl_fault), fmt, ap);
	va_end(ap);
	used = strlen(tl->tl_fault);
	snprintf(tl->tl_fault + used, sizeof(tl->tl_fault) - used,
	    ", at %.6f ms of virtual time", (double)tl->tl_last_ps / 1e9);
	finish(tl, tl->tl_last_ps);
}

static void
set_name(char name[NAME_SIZE], const char *text)
{
	snprintf(name, NAME_SIZE, "%.*s", NAME_SIZE - 1, text);
}

/*
 * A lock's number; NONE after LOCKS_MAX.  Locks of the same name get numbers
 * behind it; memory that holds a lock of another name now is another lock.
 */
static uint32_t
find_lock(struct timeline *tl, const void *lock, const char *name)
{
	uint32_t i, same = 1;

	if (name == NULL || name[0] == '\0')
		name = "lock";
	for (i = tl->tl_locks; i-- > 0;) {
		if (strncmp(tl->tl_given[i], name, NAME_SIZE - 1) != 0)
			continue;
		if (tl->tl_lock[i] == lock)
			return (i);
		same++;
	}
	if (tl->tl_locks == LOCKS_MAX)
		return (NONE);
	i = tl->tl_locks++;
	tl->tl_lock[i] = lock;
	set_name(tl->tl_given[i], name);
	set_name(tl->tl_lock_name[i], name);
	if (same > 1)
		snprintf(tl->tl_lock_name[i], NAME_SIZE, "%.24s #%u", name,
		    same);
	return (i);
}

void
state_apply(struct state *st, const struct event *ev)
{
	struct thread_now *tn = &st->st_thread[ev->ev_thread];
	uint32_t i;

	switch (ev->ev_kind) {
	case VM_CPU_ON:
		tn->tn_cpu = ev->ev_cpu;
		st->st_on[ev->ev_cpu] = ev->ev_thread;
		break;
	case VM_CPU_OFF:
		st->st_on[tn->tn_cpu] = NONE;
		tn->tn_cpu = NONE;
		break;
	case VM_LOCK_WAIT:
		tn->tn_asks = ev->ev_lock;
		break;
	case VM_LOCK_HELD:
		tn->tn_asks = NONE;
		tn->tn_held[tn->tn_holds++] = ev->ev_lock;
		st->st_holder[ev->ev_lock] = ev->ev_thread;
		break;
	case VM_LOCK_FREE:
		st->st_holder[ev->ev_lock] = NONE;
		for (i = 0; tn->tn_held[i] != ev->ev_lock; i++)
			MPASS(i + 1 < tn->tn_holds);
		tn->tn_holds--;
		memmove(&tn->tn_held[i], &tn->tn_held[i + 1],
		    (tn->tn_holds - i) * sizeof(tn->tn_held[0]));
		break;
	default:
		break;
	}
}

/* Whether an event of a lock is possible; fault() if not. */
static bool
check_lock(struct timeline *tl, const struct event *ev)
{
	const struct thread_now *tn = &tl->tl_state.st_thread[ev->ev_thread];
	const char *name = tl->tl_thread_name[ev->ev_thread], *lock;
	uint32_t holder;

	if (ev->ev_lock == NONE) {
		fault(tl, "there are more than %d locks", LOCKS_MAX);
		return (false);
	}
	lock = tl->tl_lock_name[ev->ev_lock];
	holder = tl->tl_state.st_holder[ev->ev_lock];
	if (ev->ev_kind == VM_LOCK_FREE && holder != ev->ev_thread)
		fault(tl, "%s released %s, which %s holds", name, lock,
		    holder == NONE ? "no thread" : tl->tl_thread_name[holder]);
	else if (ev->ev_kind == VM_LOCK_WAIT && (holder == ev->ev_thread ||
	    tn->tn_asks != NONE))
		fault(tl, "%s asks for %s%s%s", name, lock,
		    tn->tn_asks == NONE ? ", which it holds" :
		    " while it waits for ", tn->tn_asks == NONE ? "" :
		    tl->tl_lock_name[tn->tn_asks]);
	else if (ev->ev_kind == VM_LOCK_HELD && holder != NONE)
		fault(tl, "%s got %s while %s held it", name, lock,
		    tl->tl_thread_name[holder]);
	else if (ev->ev_kind == VM_LOCK_HELD && tn->tn_asks != NONE &&
	    tn->tn_asks != ev->ev_lock)
		fault(tl, "%s got %s while it waits for %s", name, lock,
		    tl->tl_lock_name[tn->tn_asks]);
	else if (ev->ev_kind == VM_LOCK_HELD && tn->tn_holds == HOLDS_MAX)
		fault(tl, "%s holds more than %d locks", name, HOLDS_MAX);
	return (tl->tl_fault[0] == '\0');
}

static bool
check_cpu(struct timeline *tl, const struct event *ev)
{
	const struct thread_now *tn = &tl->tl_state.st_thread[ev->ev_thread];
	const char *name = tl->tl_thread_name[ev->ev_thread];
	uint32_t other;

	if (ev->ev_kind == VM_CPU_OFF) {
		if (tn->tn_cpu == NONE)
			fault(tl, "%s leaves a CPU and had none", name);
		return (tn->tn_cpu != NONE);
	}
	if (ev->ev_cpu >= tl->tl_cpus) {
		fault(tl, "%s runs on CPU %d", name, (int)ev->ev_cpu);
		return (false);
	}
	other = tl->tl_state.st_on[ev->ev_cpu];
	if (other == NONE && tn->tn_cpu == NONE)
		return (true);
	fault(tl, "%s begins to run on CPU %u, where %s runs, while it runs "
	    "on %d", name, ev->ev_cpu, other == NONE ? "no thread" :
	    tl->tl_thread_name[other], (int)tn->tn_cpu);
	return (false);
}

/* Makes a thread known, and all before it; false after fault(). */
static bool
check_thread(struct timeline *tl, uint32_t t)
{
	if (t >= VM_THREADS_MAX) {
		fault(tl, "a thread has the number %u", t);
		return (false);
	}
	for (; tl->tl_threads <= t; tl->tl_threads++)
		snprintf(tl->tl_thread_name[tl->tl_threads], NAME_SIZE,
		    tl->tl_threads == 0 ? "main" : "thread%u", tl->tl_threads);
	return (true);
}

static void
keep(struct timeline *tl, struct event ev, uint64_t now)
{
	const uint64_t from = tl->tl_base_ps + tl->tl_span.ts_from_ps;

	if (tl->tl_marked && now >= from) {
		if (tl->tl_events == tl->tl_events_max) {
			if (tl->tl_left_out++ == 0)
				tl->tl_until_ps = now;
		} else {
			ev.ev_ns = (now - tl->tl_base_ps) / PS_PER_NS;
			tl->tl_event[tl->tl_events++] = ev;
		}
	}
	state_apply(&tl->tl_state, &ev);
	/* Until the span begins its first state is the latest. */
	if (!tl->tl_marked || now < from)
		state_apply(&tl->tl_first, &ev);
}

static void
observe(void *context, const struct vm_note *vn)
{
	struct timeline *tl = context;
	struct event ev = { .ev_kind = vn->vn_kind,
	    .ev_thread = vn->vn_thread, .ev_cpu = (uint32_t)vn->vn_cpu };
	uint64_t back, now = vn->vn_time_ps;

	if (tl->tl_over)
		return;
	/* Threads run ahead of each other a little: later events wait. */
	back = tl->tl_last_ps > now ? tl->tl_last_ps - now : 0;
	now += back;
	if (tl->tl_marked && now >= tl->tl_base_ps + tl->tl_span.ts_to_ps) {
		finish(tl, tl->tl_base_ps + tl->tl_span.ts_to_ps);
		return;
	}
	tl->tl_last_ps = now;
	if (!check_thread(tl, ev.ev_thread))
		return;
	if (back > BACK_MAX_PS) {
		fault(tl, "time went back by %ju ps for %s", (uintmax_t)back,
		    tl->tl_thread_name[ev.ev_thread]);
		return;
	}
	switch (vn->vn_kind) {
	case VM_THREAD_START:
		if (vn->vn_detail != NULL && vn->vn_detail[0] != '\0')
			set_name(tl->tl_thread_name[ev.ev_thread],
			    vn->vn_detail);
		return;
	case VM_MARK:
		if (!tl->tl_marked)
			tl->tl_base_ps = now;
		tl->tl_marked = true;
		return;
	case VM_CPU_ON:
	case VM_CPU_OFF:
		if (check_cpu(tl, &ev))
			keep(tl, ev, now);
		return;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
	case VM_LOCK_FREE:
		ev.ev_lock = find_lock(tl, vn->vn_lock, vn->vn_detail);
		if (check_lock(tl, &ev))
			keep(tl, ev, now);
		return;
	default:
		return;
	}
}

static void
timeline_free(struct timeline *tl)
{
	free(tl->tl_event);
	free(tl);
}

int
timeline_open(struct timeline **tlp, const char *path, unsigned cpus,
    const struct timeline_span *span, uint32_t events)
{
	const size_t n = strlen(path);
	struct timeline *tl;
	int error;

	KASSERT(cpus >= 1 && cpus <= CPUS_MAX && events >= 1,
	    ("%u CPUs, %u events", cpus, events));
	KASSERT(span->ts_to_ps > span->ts_from_ps, ("an empty span"));
	tl = xcalloc(1, sizeof(*tl));
	tl->tl_observer = (struct vm_observer){ observe, tl };
	tl->tl_span = *span;
	tl->tl_text = n >= 4 && strcmp(path + n - 4, ".txt") == 0;
	tl->tl_cpus = cpus;
	tl->tl_events_max = events;
	tl->tl_event = xmalloc(events * sizeof(*tl->tl_event));
	error = atomic_file_open(&tl->tl_file, path);
	if (error != 0) {
		timeline_free(tl);
		return (error);
	}
	memset(&tl->tl_state, 0xff, sizeof(tl->tl_state));	/* NONE */
	for (unsigned i = 0; i < VM_THREADS_MAX; i++)
		tl->tl_state.st_thread[i].tn_holds = 0;
	tl->tl_first = tl->tl_state;
	*tlp = tl;
	return (0);
}

const struct vm_observer *
timeline_observer(struct timeline *tl)
{
	return (&tl->tl_observer);
}

static int
write_file(struct timeline *tl)
{
	int error, fd;
	FILE *out;

	fd = dup(tl->tl_file.of_fd);
	if (fd == -1)
		return (errno);
	out = fdopen(fd, "w");
	if (out == NULL) {
		error = errno;
		close(fd);
		return (error);
	}
	/* The first failed write sets it; later ones are still tried. */
	errno = 0;
	(tl->tl_text ? timeline_write_text : timeline_write_json)(tl, out);
	error = fflush(out) == 0 && !ferror(out) ? 0 : errno != 0 ? errno : EIO;
	if (fclose(out) != 0 && error == 0)
		error = errno;
	return (error);
}

static void
describe(const struct timeline *tl, struct timeline_outcome *to)
{
	*to = (struct timeline_outcome){ .to_left_out = tl->tl_left_out };
	if (tl->tl_until_ps != 0)
		to->to_until_ps = tl->tl_until_ps - tl->tl_base_ps;
	memcpy(to->to_fault, tl->tl_fault, sizeof(to->to_fault));
	if (to->to_fault[0] != '\0')
		snprintf(to->to_remark, TIMELINE_REMARK_SIZE, "the trace ends "
		    "where the machine contradicts itself: %s", to->to_fault);
	else if (tl->tl_until_ps == 0)
		snprintf(to->to_remark, TIMELINE_REMARK_SIZE, "the trace is "
		    "empty: the run ended before the time to trace began");
	else if (to->to_left_out > 0)
		snprintf(to->to_remark, TIMELINE_REMARK_SIZE, "the trace ends "
		    "%.6f ms into the window: %u events were kept and %" PRIu64
		    " after them left out; trace a shorter time",
		    (double)to->to_until_ps / 1e9, tl->tl_events,
		    to->to_left_out);
}

int
timeline_close(struct timeline *tl, const struct timeline_fact *facts,
    unsigned count, struct timeline_outcome *to)
{
	int error;

	if (!tl->tl_over)
		finish(tl, tl->tl_last_ps);
	describe(tl, to);
	tl->tl_from_ns = tl->tl_span.ts_from_ps / PS_PER_NS;
	tl->tl_until_ns = to->to_until_ps / PS_PER_NS;
	tl->tl_facts = facts;
	tl->tl_fact_count = count;
	error = write_file(tl);
	if (error == 0)
		error = atomic_file_commit(&tl->tl_file, "", 0);
	else
		atomic_file_abort(&tl->tl_file);
	timeline_free(tl);
	return (error);
}
