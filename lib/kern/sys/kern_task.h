/*
 * Work for later, of kern.h: callout(9), taskqueue(9), kthread(9), kproc(9).
 * The program's timer runs what is due, in one thread, for all queues.
 */

struct proc;
#define	maxproc			((int)kern_host->kh_threads)
/* Whether arc4random(9) was seeded; nothing reads it. */
enum { ARC4_ENTR_NONE, ARC4_ENTR_HAVE, ARC4_ENTR_SEED };
extern volatile u_int arc4rand_iniseed_state;

struct kern_timed {
	struct kern_timed *kd_next;	/* of those that are pending */
	void		(*kd_call)(void *);	/* a callout's */
	void		(*kd_task)(void *, int);	/* or a task's */
	void		*kd_arg;
	struct mtx	*kd_mtx;	/* of a callout, or NULL */
	int		 kd_flags;
	bool		 kd_direct;	/* in the timer's interrupt */
	u_int		 kd_count;	/* how often a task was enqueued */
	sbintime_t	 kd_delay;	/* since the timer runs next; 0: none */
	int64_t		 kd_due_ns;	/* the timer's */
	bool		 kd_pending;
};
/* It is initialized, at a place: the run ends if it is pending. */
void	kern_timed_new(const struct kern_timed *, const char *, int);
#define	KERN_TIMED_NEW(kd)	kern_timed_new(kd, __FILE__, __LINE__)
/* call: NULL, for a task.  Returns: whether it was pending. */
bool	kern_timed_set(struct kern_timed *, void (*call)(void *), void *,
	    sbintime_t);
/* 1: it will not run; 0: it runs now; -1: it was not pending. */
int	kern_timed_stop(struct kern_timed *);
/* Waits for the end of one that runs; NULL: of any. */
void	kern_timed_wait(const struct kern_timed *);

/* A callout whose mutex is owned by others begins when it gets that. */
struct callout {
	struct kern_timed c_timed;
	bool		 c_active;
};
typedef void callout_func_t(void *);
enum { CALLOUT_MPSAFE = 8, CALLOUT_RETURNUNLOCKED = 0x10 };
#define	C_DIRECT_EXEC		1
#define	callout_init(c, mpsafe)	callout_init_mtx(c, NULL, 0)
#define	callout_init_mtx(c, m, flags)					\
	(KERN_TIMED_NEW(&(c)->c_timed), (void)(*(c) = (struct callout){	\
	    { .kd_mtx = (m), .kd_flags = (flags) }, false }))
int	callout_reset_sbt(struct callout *, sbintime_t, sbintime_t,
	    void (*)(void *), void *, int);
#define	callout_reset_sbt(...)						\
	(KERN_BOOTED(SI_SUB_CPU, "a callout is set"),			\
	    callout_reset_sbt(__VA_ARGS__))
int	callout_stop(struct callout *);
int	callout_drain(struct callout *);
#define	KERN_DRAINS()							\
	HOST(may_sleep, KERN_SITE(), "Waiting for what a timer runs")
/* Its mutex, if it has one, is owned; to drain it must not be. */
#define	KERN_CALLOUT(c, what)						\
	((c)->c_timed.kd_mtx != NULL ? mtx_assert((c)->c_timed.kd_mtx, what) : \
	    (void)0)
#define	callout_stop(c)		(KERN_CALLOUT(c, MA_OWNED), (callout_stop)(c))
#define	callout_drain(c)						\
	(KERN_CALLOUT(c, MA_NOTOWNED), KERN_DRAINS(), (callout_drain)(c))
#define	callout_reset_sbt_on(c, sbt, precision, func, arg, cpu, flags)	\
	callout_reset_sbt(c, sbt, precision, func, arg, flags)
#define	callout_reset(c, timo, func, arg, ...)				\
	callout_reset_sbt(c, (timo) * tick_sbt, 0, func, arg, 0)
#define	callout_schedule(c, timo)					\
	callout_schedule_sbt(c, (timo) * tick_sbt, 0, 0)
#define	callout_schedule_sbt(c, sbt, precision, flags)			\
	callout_reset_sbt(c, sbt, precision, (c)->c_timed.kd_call,	\
	    (c)->c_timed.kd_arg, flags)
#define	callout_pending(c)	((c)->c_timed.kd_pending)
#define	callout_active(c)	((c)->c_active)
#define	callout_deactivate(c)	((void)((c)->c_active = false))

typedef void task_fn_t(void *, int);
struct task { struct kern_timed ta_timed; };
struct timeout_task { struct task t; };
struct taskqueue { bool tq_fast; };	/* its mutex spins */
typedef void (*taskqueue_enqueue_fn)(void *);
extern struct taskqueue kern_taskqueue[2];	/* the other is fast */
#define	TASK_INITIALIZER(priority, func, context)			\
	{ { .kd_task = (func), .kd_arg = (context) } }
#define	TASK_INIT(at, priority, func, context)				\
	(KERN_TIMED_NEW(&(at)->ta_timed), (void)(*(at) = (struct task)	\
	    TASK_INITIALIZER(priority, func, context)))
/* Ends the run if it is NULL. */
KERN_CALL(void, kern_queue_made, (const struct taskqueue *queue,
    const struct kern_site *site), queue != NULL ? (void)0 :
    kern_panic(site->kw_file, site->kw_line, "a task queue that is NULL, as "
    "taskqueue_thread is before SI_SUB_TASKQ"))
#define	TIMEOUT_TASK_INIT(queue, tt, priority, func, context)		\
	(kern_queue_made(queue, KERN_SITE()),				\
	    TASK_INIT(&(tt)->t, priority, func, context))
#define	TASKQUEUE_DECLARE(name)	extern struct taskqueue *taskqueue_##name
#define	KERN_QUEUE(name, i)						\
struct taskqueue *taskqueue_##name;					\
KERN_RUN(taskqueue_##name, SI_SUB_TASKQ, SI_ORDER_SECOND, false,	\
    taskqueue_##name = &kern_taskqueue[i])
#define	TASKQUEUE_DEFINE_THREAD(name)		KERN_QUEUE(name, 0)
#define	TASKQUEUE_FAST_DEFINE_THREAD(name)	KERN_QUEUE(name, 1)
TASKQUEUE_DECLARE(thread);
TASKQUEUE_DECLARE(fast);
#define	taskqueue_create_fast(...)	(taskqueue_create(__VA_ARGS__) + 1)
#define	taskqueue_create(name, flags, enqueue, context)			\
	((void)(enqueue), (void)(context), KERN_MAY_WAIT(flags), kern_taskqueue)
#define	taskqueue_thread_enqueue	((taskqueue_enqueue_fn)NULL)
#define	taskqueue_start_threads(queue, count, priority, ...)		\
	((void)(queue), KERN_BOOTED(SI_SUB_INTRINSIC, "a thread is made"))
int	kern_task_after(const struct taskqueue *, struct task *, sbintime_t,
	    const struct kern_site *);
int	taskqueue_cancel(const struct taskqueue *, struct task *, u_int *);
void	taskqueue_drain(const struct taskqueue *, struct task *);
void	taskqueue_drain_all(const struct taskqueue *);
#define	KERN_QUEUE_DRAINS(queue)	((queue)->tq_fast ? (void)0 : KERN_DRAINS())
#define	taskqueue_drain(queue, task)					\
	(KERN_QUEUE_DRAINS(queue), taskqueue_drain(queue, task))
#define	taskqueue_drain_all(queue)					\
	(KERN_QUEUE_DRAINS(queue), taskqueue_drain_all(queue))
#define	taskqueue_enqueue(queue, task)					\
	kern_task_after(queue, task, 0, KERN_SITE())
#define	taskqueue_enqueue_timeout_sbt(queue, tt, sbt, precision, flags)	\
	kern_task_after(queue, &(tt)->t, sbt, KERN_SITE())
#define	taskqueue_enqueue_timeout(queue, tt, timo)			\
	taskqueue_enqueue_timeout_sbt(queue, tt, (timo) * tick_sbt, 0, 0)
#define	taskqueue_cancel_timeout(queue, tt, pending)			\
	taskqueue_cancel(queue, &(tt)->t, pending)
#define	taskqueue_drain_timeout(queue, tt)				\
	((void)((tt)->t.ta_timed.kd_count == 0 &&			\
	    taskqueue_cancel_timeout(queue, tt, NULL)),			\
	    taskqueue_drain(queue, &(tt)->t))

/*
 * A kernel has one process, which begins when it has booted and ends by
 * returning: one more ends the run.  None is suspended.
 */
struct kproc_desc { const char *arg0; void (*func)(void);
    struct proc **global_procpp; };
struct kthread_desc { const char *arg0; void (*func)(void);
    struct thread **global_threadpp; };
int	kern_process(const char *, int, const char *, void (*)(void *), void *);
void	kproc_start(const void *);
void	kthread_start(const void *);
/* Whom it has made is known by the address that keeps that. */
#define	KERN_PROCESS(at, func, arg, name) (				\
	*(at) = (__typeof__(*(at)))(void *)(at),			\
	kern_process(__FILE__, __LINE__, name, func, arg))
#define	kproc_create(func, arg, proc, flags, pages, ...)		\
	KERN_PROCESS(proc, func, arg, KERN_FIRST(__VA_ARGS__, 0))
#define	kthread_add(func, arg, proc, td, flags, pages, ...)		\
	KERN_PROCESS(td, func, arg, KERN_FIRST(__VA_ARGS__, 0))
#define	kproc_kthread_add(func, arg, proc, td, flags, pages, name, ...)	\
	KERN_PROCESS(td, func, arg, name)
#define	KERN_FIRST(a, ...)	a
#define	kproc_exit(...)		return
#define	kproc_suspend_check(...)					\
	HOST(may_block, KERN_SITE(), "kproc_suspend_check()")
KERN_CALL(void, kproc_shutdown, (void *p __unused, int howto __unused), (void)0)
