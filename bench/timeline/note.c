/*
 * From the machine's events to slices.
 */
#include <stdarg.h>
#include <string.h>

#include "bench/timeline/impl.h"
#include "lib/base/kassert.h"

enum {
	AHEAD_MAX_PS	= 1000 * 1000,	/* ample; see impl.h */
	WORD_BITS	= 64
};

/* Ends the timeline: nothing after a contradiction can be believed. */
static void __attribute__((format(printf, 3, 4)))
fault(struct timeline *tl, uint64_t now, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	if (tl->tl_fault[0] != '\0')
		return;
	va_start(ap, fmt);
	vsnprintf(tl->tl_fault, sizeof(tl->tl_fault), fmt, ap);
	va_end(ap);
	used = strlen(tl->tl_fault);
	snprintf(tl->tl_fault + used, sizeof(tl->tl_fault) - used,
	    ", at %.6f ms of virtual time", (double)now / 1e9);
	timeline_finish(tl, now, TIMELINE_OVER);
}

/* A track's next instant, not before the span. */
static uint64_t
later(const struct timeline *tl, uint64_t *last, uint64_t now)
{

	if (tl->tl_state == TIMELINE_KEEPING && now < tl->tl_span.ts_from_ps)
		now = tl->tl_span.ts_from_ps;
	if (now > *last)
		*last = now;
	return (*last);
}

/* The next instant of the CPU that a thread is on, if it is on one. */
static uint64_t
cpu_now(struct timeline *tl, const struct timeline_thread *th, uint64_t now)
{

	return (th->th_cpu == NONE ? now :
	    later(tl, &tl->tl_cpu[th->th_cpu].cp_last_ps, now));
}

/* Starts a slice; returns its number, or NONE while none is kept. */
static uint32_t
begin(struct timeline *tl, uint64_t now, struct slice sl)
{

	if (tl->tl_state == TIMELINE_FULL)
		tl->tl_left_out++;
	if (tl->tl_state != TIMELINE_KEEPING)
		return (NONE);
	if (tl->tl_slices == tl->tl_slices_max) {
		tl->tl_left_out++;
		timeline_finish(tl, now, TIMELINE_FULL);
		return (NONE);
	}
	sl.sl_start_ps = sl.sl_end_ps = now;
	tl->tl_slice[tl->tl_slices] = sl;
	return (tl->tl_slices++);
}

static void
end(struct timeline *tl, uint64_t now, uint32_t *slice)
{

	if (*slice != NONE) {
		struct slice *sl = &tl->tl_slice[*slice];

		sl->sl_end_ps = now > sl->sl_start_ps ? now : sl->sl_start_ps;
	}
	*slice = NONE;
}

/* Shows an act of thread t on the CPU that the thread has. */
static void
show(struct timeline *tl, uint64_t now, uint32_t t, struct act *ac)
{

	if (ac->ac_kind == SLICE_WAIT)
		ac->ac_about = tl->tl_lock[ac->ac_lock].tk_holder;
	ac->ac_on_cpu = begin(tl, now, (struct slice){ .sl_kind = ac->ac_kind,
	    .sl_cpu = tl->tl_thread[t].th_cpu, .sl_lock = ac->ac_lock,
	    .sl_thread = t, .sl_about = ac->ac_about });
}

/* Shows an act about a lock, a hold or a wait, on the lock's track. */
static void
show_on_lock(struct timeline *tl, uint64_t now, uint32_t t, struct act *ac)
{
	const struct timeline_lock *tk = &tl->tl_lock[ac->ac_lock];
	const bool hold = ac->ac_kind == SLICE_HOLD;

	ac->ac_on_lock = begin(tl, now, (struct slice){
	    .sl_kind = hold ? SLICE_HELD : SLICE_WAITER, .sl_cpu = NONE,
	    .sl_lock = ac->ac_lock, .sl_thread = t,
	    .sl_about = hold ? tk->tk_waiters : tk->tk_holder,
	    .sl_slot = ac->ac_slot });
}

/* Shows a thread's acts from the i-th on, outer ones first. */
static void
show_from(struct timeline *tl, uint64_t now, uint32_t t, unsigned i)
{
	struct timeline_thread *th = &tl->tl_thread[t];

	for (; i < th->th_acts; i++)
		if (th->th_act[i].ac_kind != SLICE_WORK ||
		    th->th_act[i].ac_due_ps > now)
			show(tl, now, t, &th->th_act[i]);
}

static void
hide_from(struct timeline *tl, uint64_t now, struct timeline_thread *th,
    unsigned i)
{
	struct act *ac;
	unsigned k;

	for (k = th->th_acts; k-- > i;) {
		ac = &th->th_act[k];
		end(tl, ac->ac_kind == SLICE_WORK && ac->ac_due_ps < now ?
		    ac->ac_due_ps : now, &ac->ac_on_cpu);
	}
}

/* A thread begins an act within its others; NULL after fault(). */
static struct act *
push(struct timeline *tl, uint64_t now, uint32_t t, struct act act)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct act *ac = &th->th_act[th->th_acts];

	if (th->th_acts == ACTS_MAX) {
		fault(tl, now, "%s does more than %d things at once",
		    th->th_name, ACTS_MAX - 1);
		return (NULL);
	}
	*ac = act;
	ac->ac_on_cpu = ac->ac_on_lock = NONE;
	th->th_acts++;
	if (th->th_cpu != NONE)
		show(tl, cpu_now(tl, th, now), t, ac);
	return (ac);
}

/* A thread ends its i-th act; slices of acts within it end and begin anew. */
static void
pull(struct timeline *tl, uint64_t now, uint32_t t, unsigned i)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct act *ac = &th->th_act[i];

	if (ac->ac_lock != NONE)
		end(tl, later(tl, &tl->tl_lock[ac->ac_lock].tk_last_ps, now),
		    &ac->ac_on_lock);
	now = cpu_now(tl, th, now);
	hide_from(tl, now, th, i);
	th->th_acts--;
	memmove(ac, ac + 1, (th->th_acts - i) * sizeof(*ac));
	if (th->th_cpu != NONE)
		show_from(tl, now, t, i);
}

/* Any event of a thread ends the work before it. */
static void
work_done(struct timeline *tl, uint64_t now, uint32_t t)
{
	struct timeline_thread *th = &tl->tl_thread[t];

	if (th->th_act[th->th_acts - 1].ac_kind == SLICE_WORK)
		pull(tl, now, t, th->th_acts - 1);
}

/* The span begins: what is under way begins with it. */
static void
start(struct timeline *tl, uint64_t now)
{
	struct timeline_thread *th;
	uint32_t i, k;

	tl->tl_state = TIMELINE_KEEPING;
	for (i = 0; i < tl->tl_threads; i++) {
		th = &tl->tl_thread[i];
		if (th->th_cpu != NONE)
			show_from(tl, now, i, 0);
		for (k = 0; k < th->th_acts; k++)
			if (th->th_act[k].ac_kind == SLICE_WAIT ||
			    th->th_act[k].ac_kind == SLICE_HOLD)
				show_on_lock(tl, now, i, &th->th_act[k]);
	}
}

void
timeline_finish(struct timeline *tl, uint64_t now, enum timeline_state state)
{
	struct timeline_thread *th;
	struct act *ac;
	uint32_t i;

	if (tl->tl_state == TIMELINE_KEEPING) {
		for (i = 0; i < tl->tl_threads; i++) {
			th = &tl->tl_thread[i];
			hide_from(tl, cpu_now(tl, th, now), th, 0);
			for (ac = th->th_act; ac < &th->th_act[th->th_acts];
			    ac++)
				if (ac->ac_on_lock != NONE)
					end(tl, later(tl, &tl->tl_lock[ac->
					    ac_lock].tk_last_ps, now),
					    &ac->ac_on_lock);
		}
		tl->tl_until_ps = now;
	}
	tl->tl_state = state;
}

/* A thread by number, and all before it; NULL after fault(). */
static struct timeline_thread *
find_thread(struct timeline *tl, uint32_t t, uint64_t now)
{
	struct timeline_thread *th;

	if (t >= VM_THREADS_MAX) {
		fault(tl, now, "a thread has the number %u", t);
		return (NULL);
	}
	for (; tl->tl_threads <= t; tl->tl_threads++) {
		th = &tl->tl_thread[tl->tl_threads];
		th->th_cpu = NONE;
		snprintf(th->th_name, NAME_SIZE, tl->tl_threads == 0 ? "main" :
		    "thread%u", tl->tl_threads);
		(void)push(tl, now, tl->tl_threads, (struct act){
		    .ac_kind = SLICE_RUN, .ac_lock = NONE, .ac_about = NONE });
	}
	return (&tl->tl_thread[t]);
}

/* The thread's act of taking or awaiting a lock; NULL: none. */
static struct act *
asking(struct timeline_thread *th)
{
	unsigned i;

	for (i = th->th_acts; i-- > 0;)
		if (th->th_act[i].ac_kind == SLICE_TAKE ||
		    th->th_act[i].ac_kind == SLICE_WAIT)
			return (&th->th_act[i]);
	return (NULL);
}

/* The first place among a lock's waiters that is free. */
static uint32_t
free_slot(struct timeline *tl, uint32_t lock)
{
	uint64_t used[VM_THREADS_MAX / WORD_BITS] = { 0 };
	const struct act *ac;
	uint32_t i;

	for (i = 0; i < tl->tl_threads && tl->tl_lock[lock].tk_waiters > 0;
	    i++) {
		ac = asking(&tl->tl_thread[i]);
		if (ac != NULL && ac->ac_lock == lock &&
		    ac->ac_kind == SLICE_WAIT)
			used[ac->ac_slot / WORD_BITS] |= UINT64_C(1) <<
			    ac->ac_slot % WORD_BITS;
	}
	for (i = 0; ~used[i] == 0;)
		i++;
	return (i * WORD_BITS + (uint32_t)__builtin_ctzll(~used[i]));
}

/* A thread that takes a lock has to wait for a holder or other waiters. */
static void
wait_begin(struct timeline *tl, uint64_t now, uint32_t t, struct act *ac)
{
	struct timeline_lock *tk = &tl->tl_lock[ac->ac_lock];

	ac->ac_slot = free_slot(tl, ac->ac_lock);
	tk->tk_waiters++;
	ac->ac_kind = SLICE_WAIT;
	ac->ac_about = tk->tk_holder;
	if (ac->ac_on_cpu != NONE) {
		tl->tl_slice[ac->ac_on_cpu].sl_kind = ac->ac_kind;
		tl->tl_slice[ac->ac_on_cpu].sl_about = ac->ac_about;
	}
	show_on_lock(tl, later(tl, &tk->tk_last_ps, now), t, ac);
}

static void
note_wait(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_lock *tk = &tl->tl_lock[lock];
	struct act *ac = asking(th);

	if (ac != NULL || tk->tk_holder == t) {
		fault(tl, now, "%s asks for %s%s%s", th->th_name, tk->tk_name,
		    ac == NULL ? ", which it holds" : " while it waits for ",
		    ac == NULL ? "" : tl->tl_lock[ac->ac_lock].tk_name);
		return;
	}
	ac = push(tl, now, t, (struct act){ .ac_kind = SLICE_TAKE,
	    .ac_lock = lock, .ac_about = NONE });
	if (ac == NULL)
		return;
	if (tk->tk_holder != NONE || tk->tk_waiters > 0)
		wait_begin(tl, now, t, ac);
	else
		tk->tk_takers++;
}

static void
note_held(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_lock *tk = &tl->tl_lock[lock];
	struct act *ac = asking(th);
	uint32_t i;

	if (tk->tk_holder != NONE || (ac != NULL && ac->ac_lock != lock)) {
		fault(tl, now, "%s got %s while %s%s", th->th_name, tk->tk_name,
		    tk->tk_holder != NONE ? timeline_thread_name(tl,
		    tk->tk_holder) : "it waits for ", tk->tk_holder != NONE ?
		    " held it" : tl->tl_lock[ac->ac_lock].tk_name);
		return;
	}
	if (ac != NULL) {
		*(ac->ac_kind == SLICE_WAIT ? &tk->tk_waiters :
		    &tk->tk_takers) -= 1;
		pull(tl, now, t, (unsigned)(ac - th->th_act));
	}
	tk->tk_holder = t;
	now = later(tl, &tk->tk_last_ps, now);
	ac = push(tl, now, t, (struct act){ .ac_kind = SLICE_HOLD,
	    .ac_lock = lock, .ac_about = NONE });
	if (ac == NULL)
		return;
	show_on_lock(tl, now, t, ac);
	/* The others that found it free wait from now. */
	for (i = 0; i < tl->tl_threads && tk->tk_takers > 0; i++) {
		ac = asking(&tl->tl_thread[i]);
		if (ac == NULL || ac->ac_lock != lock ||
		    ac->ac_kind != SLICE_TAKE)
			continue;
		tk->tk_takers--;
		wait_begin(tl, now, i, ac);
	}
}

static void
note_free(struct timeline *tl, uint64_t now, uint32_t t, uint32_t lock)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_lock *tk = &tl->tl_lock[lock];
	unsigned i;

	if (tk->tk_holder != t) {
		fault(tl, now, "%s released %s, which %s holds", th->th_name,
		    tk->tk_name, timeline_thread_name(tl, tk->tk_holder));
		return;
	}
	tk->tk_holder = NONE;
	for (i = th->th_acts - 1; th->th_act[i].ac_lock != lock ||
	    th->th_act[i].ac_kind != SLICE_HOLD; i--)
		MPASS(i > 0);
	pull(tl, now, t, i);
}

static void
note_on(struct timeline *tl, uint64_t now, uint32_t t, int cpu)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct timeline_cpu *cp;
	unsigned k;

	if ((uint32_t)cpu >= tl->tl_cpus) {
		fault(tl, now, "%s runs on CPU %d", th->th_name, cpu);
		return;
	}
	cp = &tl->tl_cpu[cpu];
	if (cp->cp_thread != NONE || th->th_cpu != NONE) {
		fault(tl, now, "%s begins to run on CPU %d, where %s runs, "
		    "while it runs on %d", th->th_name, cpu,
		    timeline_thread_name(tl, cp->cp_thread), (int)th->th_cpu);
		return;
	}
	cp->cp_thread = t;
	th->th_cpu = (uint32_t)cpu;
	now = later(tl, &cp->cp_last_ps, now);
	for (k = 0; k < th->th_acts; k++)
		th->th_act[k].ac_due_ps = now + th->th_act[k].ac_left_ps;
	show_from(tl, now, t, 0);
}

static void
note_off(struct timeline *tl, uint64_t now, uint32_t t, const char *why)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	struct act *ac;

	if (th->th_cpu == NONE) {
		fault(tl, now, "%s leaves a CPU and had none", th->th_name);
		return;
	}
	now = cpu_now(tl, th, now);
	for (ac = th->th_act; ac < &th->th_act[th->th_acts]; ac++)
		ac->ac_left_ps = ac->ac_due_ps > now ? ac->ac_due_ps - now : 0;
	if (th->th_act[0].ac_on_cpu != NONE)
		tl->tl_slice[th->th_act[0].ac_on_cpu].sl_about =
		    timeline_find_word(tl, why);
	hide_from(tl, now, th, 0);
	tl->tl_cpu[th->th_cpu].cp_thread = NONE;
	th->th_cpu = NONE;
}

static void
note_work(struct timeline *tl, uint64_t now, const struct vm_note *vn)
{

	work_done(tl, now, vn->vn_thread);
	if (vn->vn_ps > 0)
		(void)push(tl, now, vn->vn_thread, (struct act){
		    .ac_kind = SLICE_WORK, .ac_lock = NONE,
		    .ac_about = timeline_find_word(tl, vn->vn_detail),
		    .ac_due_ps = now + vn->vn_ps });
}

static void
dispatch(struct timeline *tl, const struct vm_note *vn, uint64_t now)
{
	const uint32_t t = vn->vn_thread;
	uint32_t lock;

	switch (vn->vn_kind) {
	case VM_THREAD_START:
		if (vn->vn_detail != NULL && vn->vn_detail[0] != '\0')
			timeline_set_name(tl->tl_thread[t].th_name,
			    vn->vn_detail);
		break;
	case VM_THREAD_END:
		work_done(tl, now, t);
		break;
	case VM_CPU_ON:
		note_on(tl, now, t, vn->vn_cpu);
		break;
	case VM_CPU_OFF:
		note_off(tl, now, t, vn->vn_detail);
		break;
	case VM_LOCK_WAIT:
	case VM_LOCK_HELD:
	case VM_LOCK_FREE:
		lock = timeline_find_lock(tl, vn->vn_lock, vn->vn_detail);
		work_done(tl, now, t);
		if (lock == NONE)
			fault(tl, now, "there are more than %d locks",
			    LOCKS_MAX);
		else if (vn->vn_kind == VM_LOCK_WAIT)
			note_wait(tl, now, t, lock);
		else if (vn->vn_kind == VM_LOCK_HELD)
			note_held(tl, now, t, lock);
		else
			note_free(tl, now, t, lock);
		break;
	case VM_WORK:
		note_work(tl, now, vn);
		break;
	case VM_MARK:
		/* The window opens: the span's times become absolute. */
		if (tl->tl_marked)
			break;
		tl->tl_marked = true;
		tl->tl_base_ps = now;
		tl->tl_span.ts_from_ps += now;
		tl->tl_span.ts_to_ps += now;
		break;
	}
}

void
timeline_note(void *context, const struct vm_note *vn)
{
	struct timeline *tl = context;
	uint64_t now = vn->vn_time_ps;
	struct timeline_thread *th;

	/* After a fault, or the end of the span. */
	if (tl->tl_state == TIMELINE_OVER)
		return;
	th = find_thread(tl, vn->vn_thread, now);
	if (th == NULL)
		return;
	if (th->th_last_ps > now + AHEAD_MAX_PS) {
		fault(tl, now, "time went back by %ju ps for %s",
		    (uintmax_t)(th->th_last_ps - now), th->th_name);
		return;
	}
	if (now < th->th_last_ps)
		now = th->th_last_ps;
	th->th_last_ps = now;
	if (now > tl->tl_last_ps)
		tl->tl_last_ps = now;
	if (tl->tl_marked && tl->tl_state == TIMELINE_BEFORE &&
	    now >= tl->tl_span.ts_from_ps)
		start(tl, tl->tl_span.ts_from_ps);
	if (tl->tl_marked && now >= tl->tl_span.ts_to_ps)
		timeline_finish(tl, tl->tl_span.ts_to_ps, TIMELINE_OVER);
	else
		dispatch(tl, vn, now);
}
