/*
 * What the program's timer runs: kern_task.h.  A part of kern.c.
 *
 * The list is the program's, not the source's: its use takes no simulated time
 * and is no scheduling point.
 */
struct taskqueue kern_taskqueue[2] = { { false }, { true } };
TASKQUEUE_DEFINE_THREAD(thread);
TASKQUEUE_FAST_DEFINE_THREAD(fast);

/* Those that are pending, in the order in which they were set. */
static struct kern_timed *kern_pending;
static bool kern_timed_any, kern_timed_busy;
/* What the timer runs; it has begun, or waits for its mutex until then. */
static const struct kern_timed *kern_running;
static bool kern_begun, kern_cancelled;

KERN_PLAIN static void
kern_timed_lock(void)
{
	while (__atomic_exchange_n(&kern_timed_busy, true, __ATOMIC_ACQUIRE))
		cpu_spinwait();
	kern_timed_any = true;
}

KERN_PLAIN static void
kern_timed_unlock(void)
{
	__atomic_store_n(&kern_timed_busy, false, __ATOMIC_RELEASE);
}

KERN_PLAIN void
kern_timed_new(const struct kern_timed *kd, const char *file, int line)
{
	kern_timed_lock();
	for (const struct kern_timed *now = kern_pending; now != NULL;
	    now = now->kd_next)
		if (now == kd)
			kern_panic(file, line, "a callout or task is "
			    "initialized while it is pending");
	kern_timed_unlock();
}

KERN_PLAIN static bool
kern_timed_remove(struct kern_timed *kd)
{
	struct kern_timed **at = &kern_pending;

	while (*at != NULL && *at != kd)
		at = &(*at)->kd_next;
	if (*at == NULL)
		return (false);
	*at = kd->kd_next;
	kd->kd_pending = false;
	return (true);
}

KERN_PLAIN bool
kern_timed_set(struct kern_timed *kd, void (*call)(void *), void *arg,
    sbintime_t delay)
{
	struct kern_timed **at = &kern_pending;
	bool was;

	kern_timed_lock();
	was = kern_timed_remove(kd);
	if (call != NULL && kd == kern_running && !kern_begun)
		was = kern_cancelled = true;
	if (call != NULL) {
		kd->kd_call = call;
		kd->kd_arg = arg;
	} else if (delay == 0)
		kd->kd_count++;
	kd->kd_pending = true;
	kd->kd_delay = MAX(delay, 1);
	kd->kd_next = NULL;
	while (*at != NULL)
		at = &(*at)->kd_next;
	*at = kd;
	kern_timed_unlock();
	return (was);
}

KERN_PLAIN int
kern_timed_stop(struct kern_timed *kd)
{
	int result;

	kern_timed_lock();
	result = kern_timed_remove(kd) ? 1 : -1;
	if (kd == kern_running && !kern_begun)
		kern_cancelled = true;
	if (kd == kern_running)
		result = MAX(result, !kern_begun);
	kern_timed_unlock();
	return (result);
}

KERN_PLAIN void
kern_timed_wait(const struct kern_timed *kd)
{
	const struct kern_timed *now;

	while ((now = atomic_load_consume_ptr(&kern_running)) != NULL &&
	    (kd == NULL || kd == now))
		kern_host->kh_await(&kern_running, (uint32_t)(uintptr_t)now);
}

/* What was set is counted from now. */
KERN_PLAIN static struct kern_timed *
kern_timed_first(int64_t now_ns, int64_t least_ns)
{
	struct kern_timed *first = NULL;

	for (struct kern_timed *kd = kern_pending; kd != NULL;
	    kd = kd->kd_next) {
		if (kd->kd_delay != 0)
			kd->kd_due_ns = now_ns + MAX(sbttons(kd->kd_delay),
			    least_ns);
		kd->kd_delay = 0;
		if (kd->kd_due_ns <= now_ns && (first == NULL ||
		    kd->kd_due_ns < first->kd_due_ns))
			first = kd;
	}
	return (first);
}

/* In which callouts run, so that they do not sleep. */
static struct epoch kern_softclock;

/* Of a copy: the original may be freed or set again once it has begun. */
KERN_PLAIN static void
kern_timed_run(struct kern_timed kd)
{
	bool goes_on;

	if (kd.kd_mtx != NULL)
		(void)KERN_TAKE(mtx, kd.kd_mtx, kd.kd_mtx->mtx_lock);
	/* It may have been stopped meanwhile. */
	kern_timed_lock();
	goes_on = !kern_cancelled;
	kern_begun = true;
	kern_timed_unlock();
	if (goes_on && kd.kd_task != NULL)
		kd.kd_task(kd.kd_arg, (int)MAX(kd.kd_count, 1));
	else if (goes_on) {
		if (kern_softclock.lock_object.lo_witness == NULL)
			kern_lock_init(&kern_softclock.lock_object,
			    "of callouts", NULL, KERN_EPOCH_PREEMPT |
			    KERN_NOWITNESS, KERN_SITE());
		KERN_ENTER(&kern_softclock);
		if (kd.kd_direct)
			HOST(nest, KERN_CRITICAL | KERN_MASKED, 1, KERN_SITE());
		kd.kd_call(kd.kd_arg);
		if (kd.kd_direct)
			HOST(nest, KERN_CRITICAL | KERN_MASKED, -1, KERN_SITE());
		KERN_EXIT(&kern_softclock);
	}
	if (kd.kd_mtx != NULL && !(goes_on &&
	    (kd.kd_flags & CALLOUT_RETURNUNLOCKED) != 0))
		KERN_LEAVE(mtx, kd.kd_mtx, kd.kd_mtx->mtx_lock);
}

/*
 * What sets itself again runs when the timer runs next.  At a time before 0
 * nothing runs, and the result is whether a task waits.
 */
KERN_PLAIN static bool
kern_timer(int64_t now_ns)
{
	struct kern_timed *kd = kern_pending, copy;

	while (now_ns < 0 && kd != NULL && kd->kd_count == 0)
		kd = kd->kd_next;
	if (now_ns < 0)
		return (kd != NULL);
	kern_epoch_drain(NULL, KERN_SITE());
	if (!kern_timed_any)
		return (false);
	kern_timed_lock();
	for (kd = kern_timed_first(now_ns, 0); kd != NULL;
	    kd = kern_timed_first(now_ns, 1)) {
		(void)kern_timed_remove(kd);
		__builtin_memcpy(&copy, kd, sizeof(copy));
		kd->kd_count = 0;
		kern_running = kd;
		kern_begun = kern_cancelled = false;
		kern_timed_unlock();
		kern_timed_run(copy);
		kern_timed_lock();
		atomic_thread_fence_rel();
		(void)atomic_swap_ptr((uintptr_t *)&kern_running, 0);
	}
	kern_timed_unlock();
	return (true);
}

int
(callout_reset_sbt)(struct callout *c, sbintime_t sbt,
    sbintime_t precision __unused, void (*func)(void *), void *arg, int flags)
{
	KASSERT((flags & C_DIRECT_EXEC) == 0 || c->c_timed.kd_mtx == NULL ||
	    c->c_timed.kd_mtx->mtx_lock != 0,
	    ("%s: direct callout has non-spin lock", __func__));
	c->c_active = true;
	c->c_timed.kd_direct = (flags & C_DIRECT_EXEC) != 0;
	return (kern_timed_set(&c->c_timed, func, arg, sbt -
	    ((flags & C_ABSOLUTE) != 0 ? sbinuptime() : 0)));
}

int
(callout_stop)(struct callout *c)
{
	c->c_active = false;
	return (kern_timed_stop(&c->c_timed));
}

int
(callout_drain)(struct callout *c)
{
	const int result = (callout_stop)(c);

	/* It may set itself again. */
	do
		kern_timed_wait(&c->c_timed);
	while (result >= 0 && (callout_stop)(c) >= 0);
	return (result);
}

int
kern_task_after(const struct taskqueue *queue, struct task *task,
    sbintime_t sbt, const struct kern_site *site)
{
	kern_queue_made(queue, site);
	if (!queue->tq_fast)
		HOST(may_block, site, "acquiring blockable sleep lock (sleep "
		    "mutex) of a taskqueue that is not fast");
	/* One of a negative time stays where it is. */
	if (sbt >= 0 || !task->ta_timed.kd_pending)
		(void)kern_timed_set(&task->ta_timed, NULL, NULL,
		    sbt < 0 ? -sbt : sbt);
	return (0);
}

KERN_PLAIN int
taskqueue_cancel(const struct taskqueue *queue __unused, struct task *task,
    u_int *pending)
{
	const int result = kern_timed_stop(&task->ta_timed);

	if (pending != NULL)
		*pending = result == 1 ? MAX(task->ta_timed.kd_count, 1) : 0;
	task->ta_timed.kd_count = 0;
	return (result == 0 ? EBUSY : 0);
}

/* A task that waits runs here. */
KERN_PLAIN void
(taskqueue_drain)(const struct taskqueue *queue, struct task *task)
{
	const struct kern_timed *kd = &task->ta_timed;
	u_int pending;

	if (kd->kd_count > 0 && taskqueue_cancel(queue, task, &pending) == 0 &&
	    pending > 0)
		kd->kd_task(kd->kd_arg, (int)pending);
	kern_timed_wait(kd);
}

KERN_PLAIN void
(taskqueue_drain_all)(const struct taskqueue *queue)
{
	struct kern_timed *kd;

	do {
		kern_timed_lock();
		for (kd = kern_pending; kd != NULL && kd->kd_count == 0;)
			kd = kd->kd_next;
		kern_timed_unlock();
		if (kd != NULL)
			(taskqueue_drain)(queue, (struct task *)(void *)kd);
	} while (kd != NULL);
	kern_timed_wait(NULL);
}

/* Processes. */

KERN_PLAIN int
kern_booted(enum sysinit_sub_id least, const char *text, const char *file,
    int line)
{
	if (kern_host->kh_stage < (int)least)
		kern_panic(file != NULL ? file : __FILE__, line, "%s", text);
	return (0);
}

/* file: where it is made; NULL: by SYSINIT. */
int
kern_process(const char *file, int line, const char *name,
    void (*func)(void *), void *arg)
{
	static const char *first;

	if (first != NULL)
		kern_panic(file != NULL ? file : __FILE__, line, "the kernel "
		    "has %s and %s: rngsim runs one process", first, name);
	first = name;
	HOST(process, func, arg);
	return (kern_booted(SI_SUB_INTRINSIC, "a thread is made too early in "
	    "boot: before SI_SUB_INTRINSIC", file, line));
}

#define	KERN_START(name, at)						\
void									\
name##_start(const void *arg)						\
{									\
	const struct name##_desc *kp = arg;				\
									\
	if (kp->at != NULL)						\
		*kp->at = (void *)kp->at;				\
	(void)kern_process(NULL, 0, kp->arg0,				\
	    (void (*)(void *))(void (*)(void))kp->func, NULL);		\
}
KERN_START(kproc, global_procpp)
KERN_START(kthread, global_threadpp)
