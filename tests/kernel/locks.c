/*
 * Fortuna whose reads first use locks, sections and sleep, in the right way;
 * its events, in one of the wrong ways that kern.random.misuse numbers from 1.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/condvar.h>
#include <sys/epoch.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/proc.h>
#include <sys/rmlock.h>
#include <sys/rwlock.h>
#include <sys/sema.h>
#include <sys/seqc.h>
#include <sys/smr.h>
#include <sys/sx.h>
#include <sys/taskqueue.h>
#include <sys/uio.h>

#define	random_alg_context	locks_context
#include "../../fortuna/fortuna.c"
#undef random_alg_context

static u_int locks_misuse;
SYSCTL_UINT(_kern_random, OID_AUTO, misuse, CTLFLAG_RDTUN, &locks_misuse, 0,
    "which misuse");

static struct mtx m1, m2, spin, again, twin1, twin2, gone;
static struct mtx many[100];	/* more than explore has numbers for */
static struct sx sx1, sx2, sxr;
static struct rwlock rw1, rw2, rwr;
static struct rmlock rm1, rms;
static struct cv cv1;
static struct sema sema1;
static epoch_t ep, epp;
static smr_t smr1, lazy;
static seqc_t seqc;

MTX_SYSINIT(m1, &m1, "m1", MTX_DEF);
MTX_SYSINIT(m2, &m2, "m2", MTX_DEF);
MTX_SYSINIT(spin, &spin, "spin", MTX_SPIN);
MTX_SYSINIT(again, &again, "again", MTX_DEF | MTX_RECURSE);
MTX_SYSINIT(gone, &gone, "gone", MTX_DEF);
SX_SYSINIT(sx1, &sx1, "sx1");
SX_SYSINIT(sx2, &sx2, "sx2");
SX_SYSINIT_FLAGS(sxr, &sxr, "sxr", SX_RECURSE);
RW_SYSINIT(rw1, &rw1, "rw1");
RW_SYSINIT(rw2, &rw2, "rw2");
RW_SYSINIT_FLAGS(rwr, &rwr, "rwr", RW_RECURSE);
RM_SYSINIT(rm1, &rm1, "rm1");
RM_SYSINIT_FLAGS(rms, &rms, "rms", RM_SLEEPABLE | RM_RECURSE);

/* What each lock guards: two words that are equal but while they change. */
enum { PAIRS = 12, WORK_US = 1 };
static struct pair { u_int a, b; } pairs[PAIRS];
struct node { struct epoch_context context; u_int a, b; };
static SMR_POINTER(struct node *) published, unpublished;
static bool taken;
static u_int changes;

static void
locks_init(void *arg __unused)
{
	static char name[] = "1st";

	/* An order of a lock that ended is not one of another name. */
	for (; name[0] < '3'; name[0]++) {
		mtx_init(&twin1, name, NULL, MTX_DEF);
		mtx_lock(name[0] == '1' ? &twin1 : &m1);
		mtx_lock(name[0] == '1' ? &m1 : &twin1);
		mtx_unlock(&m1);
		mtx_unlock(&twin1);
		mtx_destroy(&twin1);
	}
	for (u_int i = 0; i < nitems(many); i++) {
		mtx_init(&many[i], "many", NULL, MTX_DEF);
		mtx_lock(&many[i]);
		mtx_unlock(&many[i]);
	}
	mtx_init(&twin1, "twin 1", "twins", MTX_DEF);
	mtx_init(&twin2, "twin 2", "twins", MTX_DEF);
	cv_init(&cv1, "cv1");
	sema_init(&sema1, 2, "sema1");
	ep = epoch_alloc("ep", 0);
	epp = epoch_alloc("epp", EPOCH_PREEMPT);
	smr1 = smr_create("smr1", 0, 0);
	lazy = smr_create("lazy", 0, SMR_LAZY);
	published.__ptr = malloc(sizeof(struct node), M_ENTROPY,
	    M_WAITOK | M_ZERO);
	unpublished.__ptr = malloc(sizeof(struct node), M_ENTROPY,
	    M_WAITOK | M_ZERO);
}
SYSINIT(locks, SI_SUB_EPOCH, SI_ORDER_ANY, locks_init, NULL);

/* In the order of the numbers: what must be said, and what is done. */
#define	MISUSES								\
MISUSE("mtx_lock() of spin mutex spin", mtx_lock(&spin))		\
MISUSE("mtx_lock_spin() of sleep mutex m1", mtx_lock_spin(&m1))		\
MISUSE("mtx_trylock() of spin mutex spin", mtx_trylock(&spin))		\
MISUSE("mtx_unlock() of spin mutex spin", mtx_lock_spin(&spin);		\
    mtx_unlock(&spin))							\
MISUSE("mtx_unlock_spin() of sleep mutex m1", mtx_lock(&m1);		\
    mtx_unlock_spin(&m1))						\
MISUSE("mutex m1 not owned", mtx_unlock(&m1))				\
MISUSE("recursed on non-recursive mutex m1, first taken at", mtx_lock(&m1); \
    mtx_lock(&m1))							\
MISUSE("blockable sleep lock (sleep mutex) m1 with spinlock or critical " \
    "section held: exclusive spin mutex spin locked at locks.c:",	\
    mtx_lock_spin(&spin); mtx_lock(&m1))				\
MISUSE("blockable sleep lock (sleep mutex) m1 with spinlock or critical " \
    "section held: critical section entered at locks.c:",		\
    critical_enter(); mtx_lock(&m1))					\
MISUSE("(rw) rw1 with spinlock or critical", critical_enter();		\
    rw_rlock(&rw1))							\
MISUSE("(sx) sx1 with spinlock or critical", critical_enter();		\
    sx_slock(&sx1))							\
MISUSE("(rm) rm1 with spinlock or critical", mtx_lock_spin(&spin);	\
    rm_wlock(&rm1))							\
MISUSE("(sleep mutex) m1 with spinlock or critical section held: epoch ep " \
    "entered", epoch_enter(ep); mtx_lock(&m1))				\
MISUSE("(sleep mutex) m1 with spinlock or critical section held: smr smr1 " \
    "entered", smr_enter(smr1); mtx_lock(&m1))				\
MISUSE("(sleepable after non-sleepable) sx sx1: exclusive sleep mutex m1", \
    mtx_lock(&m1); sx_xlock(&sx1))					\
MISUSE("(sleepable after non-sleepable) sx sx1: shared rw rw1",		\
    rw_rlock(&rw1); sx_slock(&sx1))					\
MISUSE("sleepable lock sx sx1 with sleeping prohibited: epoch",		\
    epoch_enter_preempt(epp, &et); sx_slock(&sx1))			\
MISUSE("malloc: called with spinlock or critical", critical_enter();	\
    malloc(64, M_ENTROPY, M_NOWAIT))					\
MISUSE("free: called with spinlock or critical", mtx_lock_spin(&spin);	\
    free(NULL, M_ENTROPY))						\
MISUSE("malloc(M_WAITOK) with the following non-sleepable locks held: "	\
    "exclusive sleep mutex m1 locked at locks.c:", mtx_lock(&m1);	\
    malloc(64, M_ENTROPY, M_WAITOK))					\
MISUSE("malloc(M_WAITOK) with sleeping prohibited: epoch epp entered",	\
    epoch_enter_preempt(epp, &et); malloc(64, M_ENTROPY, M_WAITOK))	\
MISUSE("Sleeping on \"held\" with the following non-sleepable locks "	\
    "held: exclusive sleep mutex m1", mtx_lock(&m1);			\
    tsleep(&m1, 0, "held", 1))						\
MISUSE("Sleeping on \"other\" with the following non-sleepable locks "	\
    "held: exclusive sleep mutex m2", mtx_lock(&m2); mtx_lock(&m1);	\
    mtx_sleep(&m1, &m1, 0, "other", 1))					\
MISUSE("held: shared rm rm1", rm_rlock(&rm1, &tracker); pause("rm", 1))	\
MISUSE("Sleeping on \"critical\" with spinlock or critical section",	\
    critical_enter(); pause("critical", 1))				\
MISUSE("Sleeping on \"smr\" with spinlock or critical section held: "	\
    "smr smr1", smr_enter(smr1); pause("smr", 1))			\
MISUSE("Calling uiomove() with the following non-sleepable locks held",	\
    mtx_lock(&m1); locks_move())					\
MISUSE("Kernel page fault with the following non-sleepable locks held",	\
    mtx_lock(&m1); (void)copyin("u", &n, 1))				\
MISUSE("mtx_unlock() of spin mutex spin", mtx_lock_spin(&spin);		\
    msleep(&spin, &spin, 0, "spin", 1))					\
MISUSE("WITNESS_WARN() with the following non-sleepable locks held",	\
    mtx_lock(&m1); WITNESS_WARN(WARN_SLEEPOK, NULL, ""))		\
MISUSE("sleeping without a lock", tsleep(&m1, 0, "lock", 0))		\
MISUSE("malloc(M_WAITOK) with the following non-sleepable", mtx_lock(&m1); \
    (void)taskqueue_create("", M_WAITOK, NULL, NULL))			\
MISUSE("a timer runs with the following non-sleepable", mtx_lock(&m1);	\
    taskqueue_drain_all(taskqueue_thread))				\
MISUSE("mutex sched lock not owned", sched_bind(curthread, 0))		\
MISUSE("(sleep mutex) m1 with spinlock or critical", thread_lock(curthread); \
    mtx_lock(&m1))							\
MISUSE("switch with spinlock or critical", critical_enter();		\
    kern_yield(PRI_USER))						\
MISUSE("mutex m1 not owned", mtx_sleep(&m1, &m1, 0, "free", 1))		\
MISUSE("sleeping with sleep mutex again recursed", mtx_lock(&again);	\
    mtx_lock(&again); mtx_sleep(&m1, &again, 0, "twice", 1))		\
MISUSE("lock order reversal: m2 (locks.c:", mtx_lock(&m1); mtx_lock(&m2); \
    mtx_unlock(&m2); mtx_unlock(&m1); mtx_lock(&m2); mtx_lock(&m1))	\
MISUSE("lock order reversal: rw1 (locks.c:", sx_slock(&sx1);		\
    rw_wlock(&rw1); mtx_lock(&m1); mtx_unlock(&m1); rw_wunlock(&rw1);	\
    mtx_lock(&m1); mtx_unlock(&m1); sx_sunlock(&sx1); rm_wlock(&rm1);	\
    rw_rlock(&rw1); rw_runlock(&rw1); rm_wunlock(&rm1); rw_rlock(&rw1);	\
    rm_rlock(&rm1, &tracker))						\
MISUSE("acquiring duplicate lock of same type: \"twins",		\
    mtx_lock(&twin1); mtx_lock(&twin2))					\
MISUSE("returned with mutex m1 owned", mtx_lock(&m1))			\
MISUSE("returned with rw lock rw1 held", rw_rlock(&rw1))		\
MISUSE("returned in a section of epoch epp, entered here",		\
    epoch_enter_preempt(epp, &et))					\
MISUSE("returned in a section of smr smr1", smr_enter(smr1))		\
MISUSE("returned in the critical section that begins here", critical_enter()) \
MISUSE("no critical_enter() before this", critical_exit())		\
MISUSE("sleep mutex gone destroyed, but locked at locks.c:",		\
    mtx_lock_flags(&gone, MTX_RECURSE); mtx_lock_flags(&gone,		\
    MTX_RECURSE); mtx_destroy(&gone))					\
MISUSE("sx sx2 destroyed, but locked", sx_slock(&sx2); sx_destroy(&sx2)) \
MISUSE("already initialized", mtx_init(&m1, "m1", NULL, MTX_DEF))	\
MISUSE("a lock that was not initialized", mtx_destroy(&gone);		\
    mtx_lock(&gone))							\
MISUSE("exclusive unlock of (rw) rw1 while share locked", rw_rlock(&rw1); \
    rw_wunlock(&rw1))							\
MISUSE("shared unlock of (sx) sx1 while exclusively locked",		\
    sx_xlock(&sx1); sx_sunlock(&sx1))					\
MISUSE("lock sx1 (sx) not locked", sx_unlock(&sx1))			\
MISUSE("shared lock of (rw) rw1 while exclusively locked",		\
    rw_wlock(&rw1); rw_rlock(&rw1))					\
MISUSE("exclusive lock of (sx) sx1 while share locked", sx_slock(&sx1);	\
    sx_xlock(&sx1))							\
MISUSE("recursed on non-recursive rm rm1", rm_rlock(&rm1, &tracker);	\
    rm_rlock(&rm1, &tracker))						\
MISUSE("recursed on non-recursive sx sx1", sx_xlock(&sx1);		\
    sx_xlock(&sx1))							\
MISUSE("ep: not in a section of this epoch", epoch_exit(ep))		\
MISUSE("sections of epoch epp in one, entered at locks.c:",		\
    epoch_enter_preempt(epp, &et); epoch_wait_preempt(epp))		\
MISUSE("epoch_wait() of epoch epp with EPOCH_PREEMPT", epoch_wait(epp))	\
MISUSE("(sleep mutex) m1 with spinlock or critical section held: critical " \
    "section entered at locks.c:", epoch_enter(epp); mtx_lock(&m1))	\
MISUSE("no critical_enter() before this", epoch_enter_preempt(epp, &et); \
    epoch_exit(epp))							\
MISUSE("epoch_wait() can be long running. with the following",		\
    mtx_lock(&m1); epoch_wait_preempt(epp))				\
MISUSE("In smr section", smr_enter(smr1); smr_synchronize(smr1))	\
MISUSE("Blocking not allowed on lazy smrs", smr_synchronize(lazy))	\
MISUSE("smr_enter(smr1) does not support recursion", smr_enter(smr1);	\
    smr_enter(smr1))							\
MISUSE("smr_enter(lazy) lazy smr", smr_enter(lazy))			\
MISUSE("Not in smr section", (void)smr_entered_load(&published, smr1))	\
MISUSE("Lock sx1 not exclusively locked", sx_slock(&sx1);		\
    sx_assert(&sx1, SA_XLOCKED))					\
MISUSE("panic: mutex m1 not owned", mtx_assert(&m1, MA_OWNED))	\
MISUSE("mutex again not recursed", mtx_lock(&again);			\
    mtx_assert(&again, MA_OWNED | MA_RECURSED))				\
MISUSE("more than 32 locks and sections held", for (int i = 0; i < 33; i++) \
    locks_many(i))

static void
locks_many(int i)
{
	static struct rwlock many[33];
	static char name[33][4];

	name[i][0] = (char)('A' + i);
	rw_init(&many[i], name[i]);
	rw_rlock(&many[i]);
}

static void
locks_move(void)
{
	char from[1] = { 0 }, to[1];
	struct iovec iov = { to, sizeof(to) };
	struct uio uio = { .uio_iov = &iov, .uio_iovcnt = 1,
	    .uio_resid = sizeof(to), .uio_rw = UIO_READ };

	(void)uiomove(from, sizeof(from), &uio);
}

static void
locks_misuses(void)
{
	struct rm_priotracker tracker;
	struct epoch_tracker et;
	u_int n = 0;

#define	MISUSE(words, ...)						\
	if (++n == locks_misuse) {					\
		__VA_ARGS__;						\
	}
	MISUSES
#undef MISUSE
	KASSERT(locks_misuse <= n, ("all %u", n));
}

static void
change(struct pair *p)
{
	p->a++;
	DELAY(WORK_US);
	p->b++;
}

static void
look(const struct pair *p)
{
	const u_int a = atomic_load_int(&p->a);

	DELAY(WORK_US);
	KASSERT(atomic_load_int(&p->b) == a, ("pair %td changes", p - pairs));
}

/* Each kind of lock, alone and shared. */
#define	PAIR(i, enter, leave, what)	do {				\
	enter;								\
	what(&pairs[i]);						\
	leave;								\
} while (0)

static void
locks_alone(void)
{
	struct rm_priotracker tracker;

	PAIR(0, mtx_lock_spin(&spin), mtx_unlock_spin(&spin), change);
	PAIR(1, sx_xlock(&sx1), sx_unlock(&sx1), change);
	PAIR(2, rw_wlock(&rw1), rw_wunlock(&rw1), change);
	PAIR(3, rm_wlock(&rm1), rm_wunlock(&rm1), change);
	PAIR(4, rm_wlock(&rms), rm_wunlock(&rms), change);
	if (sx_try_xlock(&sx1))
		PAIR(1, sx_assert(&sx1, SA_XLOCKED | SA_NOTRECURSED),
		    sx_downgrade(&sx1); look(&pairs[1]); sx_unlock(&sx1),
		    change);
	if (rw_try_wlock(&rw1))
		PAIR(2, MPASS(rw_wowned(&rw1)), rw_unlock(&rw1), change);
	mtx_lock(&again);
	mtx_lock(&again);
	MPASS(mtx_recursed(&again) && mtx_trylock(&again));
	mtx_unlock(&again);
	mtx_unlock(&again);
	MPASS(!mtx_recursed(&again));
	mtx_unlock(&again);
	sx_xlock(&sxr);
	sx_xlock(&sxr);
	sx_unlock(&sxr);
	sx_xunlock(&sxr);
	rm_rlock(&rms, &tracker);
	pause("may", 1);
	rm_runlock(&rms, &tracker);
	sx_slock(&sx1);
	if (sx_try_upgrade(&sx1))
		change(&pairs[1]);
	sx_unlock(&sx1);
}

static void
locks_shared(void)
{
	struct rm_priotracker tracker;

	PAIR(1, sx_slock(&sx1), sx_sunlock(&sx1), look);
	PAIR(2, rw_rlock(&rw1); rw_rlock(&rw1), rw_runlock(&rw1);
	    rw_runlock(&rw1), look);
	PAIR(3, rm_rlock(&rm1, &tracker), rm_runlock(&rm1, &tracker), look);
	PAIR(4, rm_rlock(&rms, &tracker), rm_runlock(&rms, &tracker), look);
	if (rw_try_rlock(&rw1))
		PAIR(2, rw_assert(&rw1, RA_RLOCKED), rw_unlock(&rw1), look);
}

static void
locks_called(epoch_context_t context)
{
	struct node *node = (struct node *)(void *)context;

	node->b++;
	free(node, M_ENTROPY);
}

/* A new node in place of the old one, which is freed when none reads it. */
static void
locks_publish(void)
{
	struct node *node, *old;
	struct mtx *last;

	node = malloc(sizeof(*node), M_ENTROPY, M_WAITOK | M_ZERO);
	node->a = node->b = 1;
	old = smr_serialized_swap(&published, node, true);
	smr_synchronize(smr1);
	old->a = 2;
	free(old, M_ENTROPY);
	node = malloc(sizeof(*node), M_ENTROPY, M_WAITOK | M_ZERO);
	old = smr_serialized_swap(&unpublished, node, true);
	last = &many[nitems(many) - 1 - atomic_load_int(&changes) % 2];
	mtx_lock(last);
	DELAY(WORK_US);
	mtx_unlock(last);
	if (atomic_fetchadd_int(&changes, 1) % 2 == 0) {
		epoch_call(epp, locks_called, &old->context);
		return;
	}
	epoch_wait_preempt(epp);
	old->b++;
	free(old, M_ENTROPY);
}

static void
locks_sections(void)
{
	struct epoch_tracker et;
	struct node *node;
	seqc_t s;

	smr_enter(smr1);
	node = smr_entered_load(&published, smr1);
	KASSERT(node->a == node->b, ("freed too early"));
	DELAY(WORK_US);
	KASSERT(node->a == node->b, ("freed in a section"));
	smr_exit(smr1);
	MPASS(THREAD_CAN_SLEEP());
	epoch_enter_preempt(epp, &et);
	MPASS(!THREAD_CAN_SLEEP());
	node = (struct node *)atomic_load_acq_ptr(
	    (volatile uintptr_t *)&unpublished.__ptr);
	DELAY(WORK_US);
	KASSERT(node->b == 0, ("freed in an epoch"));
	epoch_exit_preempt(epp, &et);
	mtx_lock_spin(&spin);
	seqc_write_begin(&seqc);
	change(&pairs[5]);
	seqc_write_end(&seqc);
	mtx_unlock_spin(&spin);
	do {
		s = seqc_read(&seqc);
		node = NULL;
		DELAY(WORK_US);
	} while (!seqc_consistent(&seqc, s));
}

static void
locks_sleep(void)
{
	mtx_lock(&m1);
	while (taken)
		cv_wait(&cv1, &m1);
	taken = true;
	mtx_unlock(&m1);
	change(&pairs[7]);
	mtx_lock(&m1);
	MPASS(taken && pairs[7].a == pairs[7].b);
	taken = false;
	cv_signal(&cv1);
	MPASS(mtx_owned(&m1));
	MPASS(mtx_sleep(&taken, &m1, PDROP, "no one", 1) == EWOULDBLOCK);
	MPASS(!mtx_owned(&m1));
	sx_slock(&sx2);
	(void)sx_sleep(&sx2, &sx2, 0, "shared", 1);
	sx_assert(&sx2, SA_SLOCKED);
	sx_sunlock(&sx2);
	mtx_lock_spin(&spin);
	(void)msleep_spin(&spin, &spin, "spin", 1);
	mtx_unlock_spin(&spin);
	sema_wait(&sema1);
	atomic_add_int(&pairs[6].a, 1);
	DELAY(WORK_US);
	MPASS(atomic_load_int(&pairs[6].a) <= 2);
	atomic_subtract_int(&pairs[6].a, 1);
	sema_post(&sema1);
}

static void
locks_read(uint8_t *buf, size_t n)
{
	locks_publish();
	locks_alone();
	locks_shared();
	locks_sections();
	locks_sleep();
	random_fortuna_read(buf, n);
}

static void
locks_event(struct harvest_event *event)
{
	random_fortuna_process_event(event);
	locks_misuses();
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Locks",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_read	= locks_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_event_processor = locks_event,
};
