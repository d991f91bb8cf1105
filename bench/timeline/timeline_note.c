/*
 * What the machine tells, and what it means for who holds what.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timeline/timeline_state.h"
#include "lib/kassert.h"

enum {
	HASH_AT_FIRST	= 64,
	AHEAD_MAX_PS	= 1000 * 1000	/* see timeline_state.h; ample */
};

static const char *
thread_name(const struct timeline *tl, uint32_t i)
{

	return (record_thread(&tl->tl_record, i));
}

static const char *
lock_name(const struct timeline *tl, uint32_t i)
{

	return (record_lock(&tl->tl_record, i));
}

/* The thread's act about a lock; th_acts when there is none. */
static unsigned
act_about(const struct timeline_thread *th, uint32_t lock, bool hold)
{
	unsigned i;

	for (i = th->th_acts; i-- > 0;)
		if (th->th_act[i].ac_lock == lock &&
		    (th->th_act[i].ac_kind == SLICE_HOLD) == hold)
			return (i);
	return (th->th_acts);
}

/* Whatever a thread tells of, it is done with the work before. */
static void
work_done(struct timeline *tl, uint64_t now, uint32_t t)
{
	struct timeline_thread *th = &tl->tl_thread[t];

	if (th->th_acts > 0 &&
	    th->th_act[th->th_acts - 1].ac_kind == SLICE_WORK)
		timeline_pull(tl, now, t, th->th_acts - 1);
}

static struct timeline_thread *
thread_find(struct timeline *tl, uint32_t t, uint64_t now)
{
	struct timeline_thread *new;
	uint32_t n = tl->tl_threads;

	if (t < n)
		return (&tl->tl_thread[t]);
	if (t >= VM_THREADS_MAX) {
		timeline_fault(tl, now, "a thread has the number %u", t);
		return (NULL);
	}
	new = realloc(tl->tl_thread, (t + 1) * sizeof(*new));
	if (new != NULL)
		tl->tl_thread = new;
	for (; new != NULL && n <= t; n++) {
		new[n] = (struct timeline_thread){ .th_cpu = RECORD_NONE,
		    .th_run = RECORD_NONE, .th_asks = RECORD_NONE,
		    .th_slot = RECORD_NONE, .th_waiter = RECORD_NONE };
		if (record_name_thread(&tl->tl_record, n, n == 0 ? "main" :
		    NULL) != 0)
			break;
		tl->tl_threads = n + 1;
	}
	if (n <= t) {
		timeline_fault(tl, now, "no memory for a thread");
		return (NULL);
	}
	return (&tl->tl_thread[t]);
}

static uint32_t *
lock_place(const struct timeline *tl, const void *lock)
{
	uint64_t hash = (uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(hash >> 32);

	for (;; i++) {
		uint32_t *p = &tl->tl_hash[i & (tl->tl_hash_size - 1)];

		if (*p == 0 || tl->tl_lock[*p - 1].tk_lock == lock)
			return (p);
	}
}

static int
lock_hash_grow(struct timeline *tl)
{
	uint32_t *hash, i, size;

	if (tl->tl_locks * 2 < tl->tl_hash_size)
		return (0);
	size = tl->tl_hash_size == 0 ? HASH_AT_FIRST : tl->tl_hash_size * 2;
	hash = calloc(size, sizeof(*hash));
	if (hash == NULL)
		return (ENOMEM);
	free(tl->tl_hash);
	tl->tl_hash = hash;
	tl->tl_hash_size = size;
	for (i = 0; i < tl->tl_locks; i++)
		*lock_place(tl, tl->tl_lock[i].tk_lock) = i + 1;
	return (0);
}

/* The number of a lock; memory that has another lock since is another. */
static uint32_t
lock_find(struct timeline *tl, const struct vm_note *vn)
{
	const char *name = vn->vn_detail == NULL ? "" : vn->vn_detail;
	struct timeline_lock *new, tk = { .tk_holder = RECORD_NONE,
	    .tk_held = RECORD_NONE, .tk_lock = vn->vn_lock };
	uint32_t i, *place;

	if (lock_hash_grow(tl) != 0)
		goto nomem;
	strncpy(tk.tk_name, name, sizeof(tk.tk_name) - 1);
	place = lock_place(tl, vn->vn_lock);
	if (*place != 0 && strcmp(tl->tl_lock[*place - 1].tk_name,
	    tk.tk_name) == 0)
		return (*place - 1);
	new = realloc(tl->tl_lock, (tl->tl_locks + 1) * sizeof(*new));
	if (new == NULL)
		goto nomem;
	tl->tl_lock = new;
	if (record_name_lock(&tl->tl_record, name, &i) != 0)
		goto nomem;
	MPASS(i == tl->tl_locks);
	tk.tk_last_ps = tl->tl_state == TIMELINE_KEEPING ?
	    tl->tl_span.ts_from_ps : 0;
	new[i] = tk;
	tl->tl_locks++;
	*place = i + 1;
	return (i);
nomem:
	timeline_fault(tl, vn->vn_time_ps, "no memory for a lock");
	return (RECORD_NONE);
}

/* A thread that asks for a lock has to wait: others have it or are before. */
static void
wait_begin(struct timeline *tl, uint64_t now, uint32_t lock, uint32_t t)
{
	struct timeline_lock *tk = &tl->tl_lock[lock];
	struct timeline_thread *th = &tl->tl_thread[t];
	uint32_t i, n, *slot;

	for (i = 0; i < tk->tk_slots && tk->tk_slot[i] != RECORD_NONE; i++)
		continue;
	if (i == tk->tk_slots) {
		n = tk->tk_slots == 0 ? 8 : tk->tk_slots * 2;
		slot = realloc(tk->tk_slot, n * sizeof(*slot));
		if (slot == NULL) {
			timeline_fault(tl, now, "no memory for a waiter");
			return;
		}
		memset(slot + i, 0xff, (n - i) * sizeof(*slot));
		tk->tk_slot = slot;
		tk->tk_slots = n;
	}
	tk->tk_slot[i] = t;
	tk->tk_waiters++;
	th->th_slot = i;
	timeline_show_waiter(tl, timeline_later(&tk->tk_last_ps, now), lock, t);
	i = act_about(th, lock, false);
	MPASS(i < th->th_acts);
	th->th_act[i].ac_kind = SLICE_WAIT;
	th->th_act[i].ac_about = tk->tk_holder;
}

static void
note_wait(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_lock *tk = &tl->tl_lock[lock];

	if (th->th_asks != RECORD_NONE) {
		timeline_fault(tl, now, "%s asks for %s while it waits for %s",
		    thread_name(tl, t), lock_name(tl, lock),
		    lock_name(tl, th->th_asks));
		return;
	}
	if (tk->tk_holder == t) {
		timeline_fault(tl, now, "%s asks for %s, which it holds",
		    thread_name(tl, t), lock_name(tl, lock));
		return;
	}
	th->th_asks = lock;
	if (!timeline_push(tl, now, t, (struct timeline_act){
	    .ac_kind = SLICE_TAKE, .ac_lock = lock,
	    .ac_about = RECORD_NONE }))
		return;
	if (tk->tk_holder != RECORD_NONE || tk->tk_waiters > 0)
		wait_begin(tl, now, lock, t);
	else
		tk->tk_takers++;
}

/* Of a thread that asked: it does no longer. */
static void
asked(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_lock *tk = &tl->tl_lock[lock];
	unsigned i = act_about(th, lock, false);

	if (th->th_slot != RECORD_NONE) {
		timeline_end(tl, timeline_later(&tk->tk_last_ps, now),
		    &th->th_waiter);
		tk->tk_slot[th->th_slot] = RECORD_NONE;
		tk->tk_waiters--;
		th->th_slot = RECORD_NONE;
	} else
		tk->tk_takers--;
	th->th_asks = RECORD_NONE;
	MPASS(i < th->th_acts);
	timeline_pull(tl, now, t, i);
}

static void
note_held(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_lock *tk = &tl->tl_lock[lock];
	uint32_t i;

	if (tk->tk_holder != RECORD_NONE) {
		timeline_fault(tl, now, "%s got %s while %s held it",
		    thread_name(tl, t), lock_name(tl, lock),
		    thread_name(tl, tk->tk_holder));
		return;
	}
	if (th->th_asks != RECORD_NONE && th->th_asks != lock) {
		timeline_fault(tl, now, "%s got %s while it waits for %s",
		    thread_name(tl, t), lock_name(tl, lock),
		    lock_name(tl, th->th_asks));
		return;
	}
	if (th->th_asks == lock)
		asked(tl, now, t, lock);
	tk->tk_holder = t;
	now = timeline_later(&tk->tk_last_ps, now);
	timeline_show_held(tl, now, lock);
	timeline_push(tl, now, t, (struct timeline_act){ .ac_kind = SLICE_HOLD,
	    .ac_lock = lock, .ac_about = RECORD_NONE });
	/* It was free for the others too; they came too late. */
	for (i = 0; i < tl->tl_threads && tk->tk_takers > 0; i++) {
		if (tl->tl_thread[i].th_asks != lock ||
		    tl->tl_thread[i].th_slot != RECORD_NONE)
			continue;
		tk->tk_takers--;
		wait_begin(tl, now, lock, i);
	}
}

static void
note_free(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_lock *tk = &tl->tl_lock[lock];
	unsigned i;

	if (tk->tk_holder != t) {
		timeline_fault(tl, now, "%s released %s, which %s holds",
		    thread_name(tl, t), lock_name(tl, lock),
		    thread_name(tl, tk->tk_holder));
		return;
	}
	tk->tk_holder = RECORD_NONE;
	timeline_end(tl, timeline_later(&tk->tk_last_ps, now), &tk->tk_held);
	i = act_about(&tl->tl_thread[t], lock, true);
	MPASS(i < tl->tl_thread[t].th_acts);
	timeline_pull(tl, now, t, i);
}

static void
note_on(struct timeline *tl, const struct vm_note *vn, uint64_t now)
{
	struct timeline_thread *th = &tl->tl_thread[vn->vn_thread];
	uint32_t cpu = (uint32_t)vn->vn_cpu, t = vn->vn_thread;
	unsigned k;

	if (cpu >= tl->tl_record.re_cpus) {
		timeline_fault(tl, now, "%s runs on CPU %d", thread_name(tl, t),
		    vn->vn_cpu);
		return;
	}
	if (tl->tl_on[cpu] != RECORD_NONE || th->th_cpu != RECORD_NONE) {
		timeline_fault(tl, now, "%s begins to run on CPU %u, where %s "
		    "runs, while it runs on %d", thread_name(tl, t), cpu,
		    thread_name(tl, tl->tl_on[cpu]), (int)th->th_cpu);
		return;
	}
	tl->tl_on[cpu] = t;
	th->th_cpu = cpu;
	now = timeline_cpu_now(tl, th, now);
	for (k = 0; k < th->th_acts; k++)
		th->th_act[k].ac_due_ps = now + th->th_act[k].ac_left_ps;
	timeline_show(tl, now, t);
}

static void
note_off(struct timeline *tl, const struct vm_note *vn, uint64_t now)
{
	struct timeline_thread *th = &tl->tl_thread[vn->vn_thread];
	uint32_t t = vn->vn_thread;
	unsigned k;

	if (th->th_cpu == RECORD_NONE) {
		timeline_fault(tl, now, "%s leaves a CPU and had none",
		    thread_name(tl, t));
		return;
	}
	now = timeline_cpu_now(tl, th, now);
	for (k = 0; k < th->th_acts; k++) {
		struct timeline_act *ac = &th->th_act[k];

		ac->ac_left_ps = ac->ac_due_ps > now ? ac->ac_due_ps - now : 0;
	}
	if (th->th_run != RECORD_NONE && tl->tl_state == TIMELINE_KEEPING)
		tl->tl_record.re_slice[th->th_run].sl_about =
		    record_find_word(&tl->tl_record, vn->vn_detail);
	timeline_hide(tl, now, t);
	tl->tl_on[th->th_cpu] = RECORD_NONE;
	th->th_cpu = RECORD_NONE;
}

static void
note_lock(struct timeline *tl, const struct vm_note *vn, uint64_t now)
{
	uint32_t lock = lock_find(tl, vn), t = vn->vn_thread;

	if (lock == RECORD_NONE)
		return;
	work_done(tl, now, t);
	if (vn->vn_kind == VM_LOCK_WAIT)
		note_wait(tl, now, t, lock);
	else if (vn->vn_kind == VM_LOCK_HELD)
		note_held(tl, now, t, lock);
	else
		note_free(tl, now, t, lock);
}

static void
note_work(struct timeline *tl, const struct vm_note *vn, uint64_t now)
{

	work_done(tl, now, vn->vn_thread);
	if (vn->vn_ps == 0)
		return;
	timeline_push(tl, now, vn->vn_thread, (struct timeline_act){
	    .ac_kind = SLICE_WORK, .ac_lock = RECORD_NONE,
	    .ac_about = record_find_word(&tl->tl_record, vn->vn_detail),
	    .ac_due_ps = now + vn->vn_ps });
}

/* The span's times become absolute. */
static void
note_mark(struct timeline *tl, uint64_t now)
{
	struct record *re = &tl->tl_record;

	if (tl->tl_marked)
		return;
	tl->tl_marked = true;
	re->re_base_ps = now;
	tl->tl_span.ts_from_ps += now;
	tl->tl_span.ts_to_ps += now;
	re->re_from_ps = tl->tl_span.ts_from_ps;
	re->re_to_ps = tl->tl_span.ts_to_ps;
}

static void
dispatch(struct timeline *tl, const struct vm_note *vn, uint64_t now)
{

	switch (vn->vn_kind) {
	case VM_THREAD_START:
		if (record_name_thread(&tl->tl_record, vn->vn_thread,
		    vn->vn_detail) != 0)
			timeline_fault(tl, now, "no memory for a name");
		break;
	case VM_THREAD_END:
		work_done(tl, now, vn->vn_thread);
		break;
	case VM_CPU_ON:
		note_on(tl, vn, now);
		break;
	case VM_CPU_OFF:
		note_off(tl, vn, now);
		break;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
	case VM_LOCK_FREE:
		note_lock(tl, vn, now);
		break;
	case VM_WORK:
		note_work(tl, vn, now);
		break;
	case VM_MARK:
		note_mark(tl, now);
		break;
	}
}

void
timeline_note(void *context, const struct vm_note *vn)
{
	struct timeline *tl = context;
	uint64_t now = vn->vn_time_ps;
	struct timeline_thread *th;

	/* A faulty run, or nothing more to keep or count. */
	if (tl->tl_state == TIMELINE_OVER)
		return;
	th = thread_find(tl, vn->vn_thread, now);
	if (th == NULL)
		return;
	if (th->th_last_ps > now + AHEAD_MAX_PS) {
		timeline_fault(tl, now, "time went back by %llu ps for %s",
		    (unsigned long long)(th->th_last_ps - now),
		    thread_name(tl, vn->vn_thread));
		return;
	}
	now = timeline_later(&th->th_last_ps, now);
	if (now > tl->tl_last_ps)
		tl->tl_last_ps = now;
	if (tl->tl_marked && tl->tl_state == TIMELINE_BEFORE &&
	    now >= tl->tl_span.ts_from_ps)
		timeline_start(tl, tl->tl_span.ts_from_ps);
	if (tl->tl_marked && now >= tl->tl_span.ts_to_ps)
		timeline_finish(tl, tl->tl_span.ts_to_ps, TIMELINE_OVER);
	else
		dispatch(tl, vn, now);
}
