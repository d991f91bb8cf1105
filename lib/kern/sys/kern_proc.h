/*
 * Threads, CPUs and tasks, of kern.h: sys/proc.h, sys/kthread.h, sys/smp.h,
 * sys/pcpu.h, sys/taskqueue.h, sys/vdso.h.
 */
#ifndef KERN_PROC_H
#define	KERN_PROC_H

/* Threads of the run are numbered from 0. */
struct thread { u_int td_tid; };
struct proc;
#define	curthread		(&(struct thread){ HOST(thread) })
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

/* A CPU's part has lines of its own. */
KERN_CALL(int, kern_curcpu, (void), (int)HOST(cpu))
#define	curcpu			kern_curcpu()
#define	mp_ncpus		((int)kern_host->kh_cpus)
#define	mp_maxid		(mp_ncpus - 1)
#define	CPU_ABSENT(i)		((u_int)(i) >= (u_int)mp_ncpus)
#define	CPU_FOREACH(i)		for ((i) = 0; (i) < mp_ncpus; (i)++)
#define	KERN_DPCPU(scope, type, name)					\
scope struct dpcpu_##name { __aligned(CACHE_LINE_SIZE) __typeof__(type) v; }	\
    *dpcpu_##name;							\
static void								\
kern_dpcpu_##name(void *arg __unused)					\
{									\
	dpcpu_##name = malloc(sizeof(*dpcpu_##name) * (size_t)mp_ncpus,	\
	    NULL, M_WAITOK | M_ZERO);					\
}									\
SYSINIT(dpcpu_##name, SI_SUB_TUNABLES, SI_ORDER_FIRST, kern_dpcpu_##name, NULL)
#define	DPCPU_DEFINE(type, name)	KERN_DPCPU(, type, name)
#define	DPCPU_DEFINE_STATIC(type, name)	KERN_DPCPU(static, type, name)
#define	DPCPU_ID_PTR(i, name)	(&dpcpu_##name[i].v)
#define	DPCPU_PTR(name)		DPCPU_ID_PTR(curcpu, name)
#define	DPCPU_GET(name)		(*DPCPU_PTR(name))
#define	DPCPU_SET(name, x)	(*DPCPU_PTR(name) = (x))
#define	DPCPU_ZERO(name) do {						\
	for (int kern_i = 0; kern_i < mp_ncpus; kern_i++)		\
		bzero(DPCPU_ID_PTR(kern_i, name), sizeof(dpcpu_##name[0].v)); \
} while (0)
/* A CPU's dynamic part is its number. */
struct pcpu { int pc_dynamic, pc_domain; };
#define	get_pcpu()		(&(struct pcpu){ curcpu, 0 })
#define	_DPCPU_PTR(i, name)	DPCPU_ID_PTR(i, name)

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
