/*
 * Processes and tasks, of kern.h: sys/kthread.h, sys/taskqueue.h, sys/vdso.h.
 */
#ifndef KERN_PROC_H
#define	KERN_PROC_H

struct proc;
#define	maxproc			((int)kern_host->kh_threads)

/* Whether arc4random(9) was seeded; nothing reads it. */
enum { ARC4_ENTR_NONE, ARC4_ENTR_HAVE, ARC4_ENTR_SEED };
extern volatile u_int arc4rand_iniseed_state;

/* Processes begin when the kernel has booted; one ends by returning. */
struct kproc_desc {
	const char	*arg0;
	void		(*func)(void);
	struct proc	**global_procpp;
};
void	kproc_start(const void *);
#define	kproc_exit(status)	return


/* The program's timer runs tasks. */
struct timeout_task {
	void		(*tt_func)(void *, int);
	void		*tt_context;
	sbintime_t	 tt_delay;	/* since the timer runs next; 0: none */
	int64_t		 tt_due_ns;	/* the timer's; 0: none */
};
void	kern_task_init(struct timeout_task *, void (*)(void *, int), void *);
#define	TIMEOUT_TASK_INIT(queue, task, priority, func, context)		\
	kern_task_init(task, func, context)
#define	taskqueue_enqueue_timeout_sbt(queue, task, sbt, precision, flags) \
	kern_task_after(task, sbt)
#define	fxrng_push_seed_generation(generation)	((void)(generation))
/* Any thread sets tt_delay, and the timer the rest. */
KERN_CALL(void, kern_task_after, (struct timeout_task *tt, sbintime_t sbt),
    __atomic_store_n(&tt->tt_delay, sbt < 0 ? -sbt : sbt, __ATOMIC_RELEASE))

#endif
