/*
 * Threads, CPUs and sleep, of kern.h: sys/proc.h, sys/epoch.h,
 * sys/smp.h, sys/pcpu.h.
 */
#ifndef KERN_PROC_H
#define	KERN_PROC_H

/* Threads of the run are numbered from 0. */
struct thread { u_int td_tid; };
struct proc;
#define	curthread		(&(struct thread){ HOST(thread) })
#define	maxproc			((int)kern_host->kh_threads)

/* A channel is an address; priorities mean nothing but PCATCH. */
KERN_CALL(int, kern_sleep, (const volatile void *ident, int priority,
    int64_t ns), HOST(sleep, __DEVOLATILE(const void *, ident),
    (priority & PCATCH) != 0, ns))
#define	C_PREL(x)		0
#define	C_HARDCLOCK		0
#define	tsleep(ident, priority, msg, timo)				\
	kern_sleep(ident, priority, (timo) == 0 ? -1 :			\
	    (int64_t)(timo) * (1000000000 / hz))
#define	tsleep_sbt(ident, priority, msg, sbt, precision, flags)		\
	kern_sleep(ident, priority, (sbt) == 0 ? -1 : sbttons(sbt))
#define	pause(msg, timo)	tsleep(&kern_host, 0, msg, timo)
#define	pause_sbt(msg, sbt, precision, flags)				\
	tsleep_sbt(&kern_host, 0, msg, sbt, precision, flags)
#define	wakeup(ident)		HOST(wakeup, ident)
#define	wakeup_one(ident)	wakeup(ident)

/* Whether arc4random(9) was seeded; nothing reads it. */
enum { ARC4_ENTR_NONE, ARC4_ENTR_HAVE, ARC4_ENTR_SEED };
extern volatile u_int arc4rand_iniseed_state;

/* Sections are counted; waiters poll until those before them have ended. */
typedef struct kern_epoch *epoch_t;
struct epoch_tracker { u_int et_side; };
enum { EPOCH_PREEMPT = 1 };
epoch_t	epoch_alloc(const char *, int);
void	epoch_enter_preempt(epoch_t, struct epoch_tracker *);
void	epoch_exit_preempt(epoch_t, struct epoch_tracker *);
void	epoch_wait_preempt(epoch_t);

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

#endif
