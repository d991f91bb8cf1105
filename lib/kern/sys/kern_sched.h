/*
 * Threads and CPUs, of kern.h: sys/proc.h, sys/sched.h, sys/smp.h, sys/pcpu.h,
 * sys/cpuset.h, machine/cpufunc.h.
 *
 * Where a thread is may change at any time, unless it is pinned or in a
 * critical section.
 */

/* Each use of these marks the object: without one nothing is held. */
#define	KERN_LOOK() KERN_SITE(__section("kern_looks") __used __aligned(8))
#define	KERN_HOLD() KERN_SITE(__section("kern_holds") __used __aligned(8))

extern volatile int cold;	/* until devices have attached */
/* Threads of the run are numbered from 0. */
struct thread { u_int td_tid, td_critnest; int td_pinned, td_no_sleeping; };
#define	THREAD_CAN_SLEEP()	(curthread->td_no_sleeping == 0)
#define	curthread	((struct thread *)(void *)HOST(curthread))
#define	curproc		((struct proc *)(void *)curthread)
/* What a thread has on its stack while it is a reader. */
#define	KERN_TRACK(tracker)	((void)((tracker)->kt_td = curthread))
#define	KERN_TRACKED(tracker)	((tracker)->kt_td == curthread ? (void)0 : \
	panic("a tracker that another thread uses, or that of another section"))

enum { PRI_UNCHANGED = -1, PRI_USER = -2 };
#define	maybe_yield()		kern_yield(PRI_USER)
/* Every other tick. */
#define	should_yield()		((ticks & 1) != 0)
#define	CRITICAL_ASSERT(td)						\
	KASSERT(((void)(td), curthread->td_critnest > 0),		\
	    ("not in a critical section"))
#define	KERN_NEST(what, delta)	HOST(nest, what, delta, KERN_HOLD())
#define	critical_enter()	KERN_NEST(KERN_CRITICAL, 1)
#define	critical_exit()		KERN_NEST(KERN_CRITICAL, -1)
#define	spinlock_enter()	KERN_NEST(KERN_CRITICAL | KERN_MASKED, 1)
#define	spinlock_exit()		KERN_NEST(KERN_CRITICAL | KERN_MASKED, -1)
#define	sched_pin()		KERN_NEST(KERN_PINNED, 1)
#define	sched_unpin()		KERN_NEST(KERN_PINNED, -1)
/* Both are counted, so what intr_restore() is given is not looked at. */
typedef u_long register_t;
#define	intr_disable()		(KERN_NEST(KERN_MASKED, 1), (register_t)0)
#define	intr_restore(flags)	((void)(flags), KERN_NEST(KERN_MASKED, -1))
/* A thread binds only itself: no other uses its lock, which is as if it spun. */
#define	thread_lock(td)		((void)(td), spinlock_enter())
#define	thread_unlock(td)	((void)(td), spinlock_exit())
#define	sched_bind(td, cpu)						\
	((td)->td_tid == curthread->td_tid && curthread->td_critnest == 1 ? \
	    (spinlock_exit(), HOST(bind, cpu, false, KERN_HOLD()),	\
	    spinlock_enter()) : panic("mutex sched lock not owned"))
#define	sched_unbind(td)	sched_bind(td, -1)
#define	kern_yield(priority)	((void)(priority), HOST(may_block,	\
	KERN_SITE(), "mi_switch: switch"))

#define	curcpu			((int)HOST(cpu, KERN_LOOK()))
#define	mp_ncpus		((int)kern_host->kh_cpus)
#define	mp_maxid		((u_int)mp_ncpus - 1)
/* Before SI_SUB_CPU only the first is known. */
#define	KERN_CPUS	(kern_host->kh_stage < (int)SI_SUB_CPU ? 1 : mp_ncpus)
#define	CPU_ABSENT(i)		((u_int)(i) >= (u_int)KERN_CPUS)
#define	CPU_FOREACH(i)		for ((i) = 0; (int)(i) < KERN_CPUS; (i)++)
#define	CPU_FIRST()		0
#define	CPU_NEXT(i)		(((int)(i) + 1) % KERN_CPUS)
#define	KERN_PCPU_cpuid		curcpu
#define	KERN_PCPU_curthread	curthread
#define	KERN_PCPU_domain	(get_pcpu()->pc_domain)
#define	PCPU_GET(member)	KERN_PCPU_##member

/* A CPU's part has lines of its own. */
#define	KERN_DPCPU(scope, type, name)					\
scope struct dpcpu_##name { __aligned(CACHE_LINE_SIZE) __typeof__(type) v; }	\
    *dpcpu_##name;							\
KERN_RUN(dpcpu_##name, SI_SUB_TUNABLES, SI_ORDER_FIRST, false,		\
    dpcpu_##name = malloc(sizeof(*dpcpu_##name) * (size_t)mp_ncpus,	\
    NULL, M_WAITOK | M_ZERO))
#define	DPCPU_DEFINE(type, name)	KERN_DPCPU(, type, name)
#define	DPCPU_DEFINE_STATIC(type, name)	KERN_DPCPU(static, type, name)
#define	DPCPU_ID_PTR(i, name)	(&dpcpu_##name[i].v)
#define	DPCPU_ID_GET(i, name)	(*DPCPU_ID_PTR(i, name))
#define	DPCPU_ID_SET(i, name, x)	(*DPCPU_ID_PTR(i, name) = (x))
#define	DPCPU_PTR(name)		DPCPU_ID_PTR(curcpu, name)
#define	DPCPU_GET(name)		(*DPCPU_PTR(name))
#define	DPCPU_SET(name, x)	(*DPCPU_PTR(name) = (x))
#define	DPCPU_SUM(name) ({						\
	__typeof__(dpcpu_##name[0].v) kern_sum = 0;			\
									\
	for (int kern_i = 0; kern_i < mp_ncpus; kern_i++)		\
		kern_sum += DPCPU_ID_GET(kern_i, name);			\
	kern_sum;							\
})
#define	DPCPU_ZERO(name) do {						\
	for (int kern_i = 0; kern_i < mp_ncpus; kern_i++)		\
		bzero(DPCPU_ID_PTR(kern_i, name), sizeof(dpcpu_##name[0].v)); \
} while (0)
/* A CPU's dynamic part is its number. */
struct pcpu { int pc_dynamic, pc_cpuid, pc_domain; };
KERN_CALL(struct pcpu, kern_pcpu, (int cpu),
    ((struct pcpu){ cpu, cpu, (int)HOST(domain, cpu) }))
#define	pcpu_find(cpu)		((struct pcpu[1]){ kern_pcpu((int)(cpu)) })
#define	get_pcpu()		pcpu_find(curcpu)
#define	vm_ndomains		((int)kern_host->kh_domains)
#define	MAXMEMDOM		64

typedef BITSET_DEFINE(_cpuset, MAXCPU) cpuset_t;
#define	CPU_ZERO(s)		bzero(s, sizeof(cpuset_t))
#define	CPU_SET(i, s)		BIT_SET(MAXCPU, i, s)
#define	CPU_CLR(i, s)		BIT_CLR(MAXCPU, i, s)
#define	CPU_ISSET(i, s)		BIT_ISSET(MAXCPU, i, s)
#define	CPU_SETOF(i, s)		(CPU_ZERO(s), CPU_SET(i, s))
#define	CPU_COUNT(s)		BIT_COUNT(MAXCPU, s)
#define	CPU_FOREACH_ISSET(i, s)	BIT_FOREACH_ISSET(MAXCPU, i, s)
KERN_CALL(cpuset_t *, kern_all_cpus, (cpuset_t *set),
    (BIT_FILL(KERN_CPUS, set), set))
#define	all_cpus	(*kern_all_cpus(&(cpuset_t){ .__bits = { 0 } }))

/*
 * The caller goes to each CPU in turn, as an interrupt does: between others'
 * steps, in their critical sections too, but not where interrupts are off.  A
 * kernel calls a function on all CPUs at once.
 */
void	kern_rendezvous(cpuset_t, void (*[])(void *), void *,
	    const struct kern_site *);
#define	smp_rendezvous_cpus(map, setup, action, teardown, arg)		\
	kern_rendezvous(map, (void (*[])(void *)){ setup, action, teardown }, \
	    arg, KERN_HOLD())
#define	smp_rendezvous(setup, action, teardown, arg)			\
	smp_rendezvous_cpus(all_cpus, setup, action, teardown, arg)
#define	smp_no_rendezvous_barrier	NULL
