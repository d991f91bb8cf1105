/*
 * Acts, and the slices that show them.
 */
#include <stdarg.h>
#include <string.h>

#include "bench/timeline/timeline_state.h"

void
timeline_fault(struct timeline *tl, uint64_t now, const char *fmt, ...)
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

static uint32_t
begin(struct timeline *tl, uint64_t now, struct slice sl)
{
	uint32_t i;

	if (tl->tl_state == TIMELINE_FULL)
		tl->tl_record.re_left_out++;
	if (tl->tl_state != TIMELINE_KEEPING)
		return (RECORD_NONE);
	sl.sl_start_ps = sl.sl_end_ps = now;
	i = record_add(&tl->tl_record, &sl);
	if (i == RECORD_NONE) {
		tl->tl_record.re_left_out++;
		timeline_finish(tl, now, TIMELINE_FULL);
	}
	return (i);
}

void
timeline_end(struct timeline *tl, uint64_t now, uint32_t *slice)
{

	if (*slice != RECORD_NONE && tl->tl_state == TIMELINE_KEEPING)
		tl->tl_record.re_slice[*slice].sl_end_ps = now;
	*slice = RECORD_NONE;
}

/* Shows an act on the CPU its thread has. */
static void
show(struct timeline *tl, uint64_t now, uint32_t t, struct timeline_act *ac)
{
	struct timeline_thread *th = &tl->tl_thread[t];

	if (ac->ac_kind == SLICE_WAIT)
		ac->ac_about = tl->tl_lock[ac->ac_lock].tk_holder;
	ac->ac_slice = begin(tl, now, (struct slice){
	    .sl_kind = ac->ac_kind, .sl_cpu = th->th_cpu,
	    .sl_lock = ac->ac_lock, .sl_thread = t,
	    .sl_about = ac->ac_about });
}

static void
hide(struct timeline *tl, uint64_t now, struct timeline_act *ac)
{

	if (ac->ac_kind == SLICE_WORK && ac->ac_due_ps < now)
		now = ac->ac_due_ps;
	/* Who waited may have been found out only since. */
	if (ac->ac_slice != RECORD_NONE && tl->tl_state == TIMELINE_KEEPING) {
		struct slice *sl = &tl->tl_record.re_slice[ac->ac_slice];

		sl->sl_kind = ac->ac_kind;
		sl->sl_about = ac->ac_about;
		if (now < sl->sl_start_ps)
			now = sl->sl_start_ps;
	}
	timeline_end(tl, now, &ac->ac_slice);
}

bool
timeline_push(struct timeline *tl, uint64_t now, uint32_t t,
    struct timeline_act act)
{
	struct timeline_thread *th = &tl->tl_thread[t];

	if (th->th_acts == ACTS_MAX) {
		timeline_fault(tl, now, "%s does more than %d things at once",
		    record_thread(&tl->tl_record, t), ACTS_MAX);
		return (false);
	}
	act.ac_slice = RECORD_NONE;
	th->th_act[th->th_acts] = act;
	if (th->th_cpu != RECORD_NONE)
		show(tl, timeline_cpu_now(tl, th, now), t,
		    &th->th_act[th->th_acts]);
	th->th_acts++;
	return (true);
}

void
timeline_pull(struct timeline *tl, uint64_t now, uint32_t t, unsigned i)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	unsigned k;

	now = timeline_cpu_now(tl, th, now);
	for (k = th->th_acts; k-- > i;)
		hide(tl, now, &th->th_act[k]);
	th->th_acts--;
	memmove(&th->th_act[i], &th->th_act[i + 1],
	    (th->th_acts - i) * sizeof(th->th_act[0]));
	for (k = i; k < th->th_acts && th->th_cpu != RECORD_NONE; k++)
		show(tl, now, t, &th->th_act[k]);
}

void
timeline_show(struct timeline *tl, uint64_t now, uint32_t t)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	unsigned k;

	th->th_run = begin(tl, now, (struct slice){ .sl_kind = SLICE_RUN,
	    .sl_cpu = th->th_cpu, .sl_lock = RECORD_NONE, .sl_thread = t,
	    .sl_about = RECORD_NONE });
	for (k = 0; k < th->th_acts; k++)
		if (th->th_act[k].ac_kind != SLICE_WORK ||
		    th->th_act[k].ac_due_ps > now)
			show(tl, now, t, &th->th_act[k]);
}

void
timeline_hide(struct timeline *tl, uint64_t now, uint32_t t)
{
	struct timeline_thread *th = &tl->tl_thread[t];
	unsigned k;

	for (k = th->th_acts; k-- > 0;)
		hide(tl, now, &th->th_act[k]);
	timeline_end(tl, now, &th->th_run);
}

void
timeline_show_waiter(struct timeline *tl, uint64_t now, uint32_t lock,
    uint32_t t)
{
	struct timeline_thread *th = &tl->tl_thread[t];

	th->th_waiter = begin(tl, now, (struct slice){
	    .sl_kind = SLICE_WAITER, .sl_cpu = RECORD_NONE, .sl_lock = lock,
	    .sl_thread = t, .sl_about = tl->tl_lock[lock].tk_holder,
	    .sl_slot = th->th_slot });
}

void
timeline_show_held(struct timeline *tl, uint64_t now, uint32_t lock)
{
	struct timeline_lock *tk = &tl->tl_lock[lock];

	tk->tk_held = begin(tl, now, (struct slice){ .sl_kind = SLICE_HELD,
	    .sl_cpu = tl->tl_thread[tk->tk_holder].th_cpu, .sl_lock = lock,
	    .sl_thread = tk->tk_holder, .sl_about = tk->tk_waiters });
}

void
timeline_start(struct timeline *tl, uint64_t now)
{
	uint32_t i, k;

	tl->tl_state = TIMELINE_KEEPING;
	for (i = 0; i < tl->tl_record.re_cpus; i++) {
		tl->tl_cpu_ps[i] = now;
		if (tl->tl_on[i] != RECORD_NONE)
			timeline_show(tl, now, tl->tl_on[i]);
	}
	for (i = 0; i < tl->tl_locks; i++) {
		struct timeline_lock *tk = &tl->tl_lock[i];

		tk->tk_last_ps = now;
		if (tk->tk_holder != RECORD_NONE)
			timeline_show_held(tl, now, i);
		for (k = 0; k < tk->tk_slots; k++)
			if (tk->tk_slot[k] != RECORD_NONE)
				timeline_show_waiter(tl, now, i,
				    tk->tk_slot[k]);
	}
}

void
timeline_finish(struct timeline *tl, uint64_t now, enum timeline_state state)
{
	struct timeline_thread *th;
	struct timeline_lock *tk;
	uint32_t i;

	if (tl->tl_state == TIMELINE_KEEPING) {
		for (i = 0; i < tl->tl_record.re_cpus; i++)
			if (tl->tl_on[i] != RECORD_NONE)
				timeline_hide(tl, timeline_later(
				    &tl->tl_cpu_ps[i], now), tl->tl_on[i]);
		for (i = 0; i < tl->tl_locks; i++) {
			tk = &tl->tl_lock[i];
			timeline_end(tl, timeline_later(&tk->tk_last_ps, now),
			    &tk->tk_held);
		}
		for (i = 0; i < tl->tl_threads; i++) {
			th = &tl->tl_thread[i];
			if (th->th_waiter != RECORD_NONE)
				timeline_end(tl, tl->tl_lock[th->th_asks].
				    tk_last_ps, &th->th_waiter);
		}
		tl->tl_until_ps = now;
	}
	tl->tl_state = state;
}
