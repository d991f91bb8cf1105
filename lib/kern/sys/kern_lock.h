/*
 * Locks beside mutexes, and sleep, of kern.h: sys/sx.h, sys/rwlock.h,
 * sys/rmlock.h, sys/condvar.h, sys/sema.h.
 */

/* What these have in common; alias.tbl has the operations that are the same. */
#define	KERN_LOCK_STRUCT(name, word)					\
struct name { struct lock_object lock_object; volatile uintptr_t word; }
#define	KERN_INIT(p, l, name, kind)					\
	kern_lock_init(KERN_LO(p, l), name, NULL, kind, KERN_SITE())

/* sx(9) */
enum { SX_DUPOK = 1, SX_NOPROFILE = 2, SX_NOWITNESS = 4, SX_QUIET = 8,
    SX_NOADAPTIVE = 0x10, SX_RECURSE = 0x20, SX_NEW = 0x40 };
KERN_LOCK_STRUCT(sx, sx_lock);
#define	sx_init_flags(l, name, opts)					\
	KERN_INIT(sx, l, name, KERN_SX | KERN_LOCK_FLAGS(SX, opts))
#define	KERN_NEW_LOCK(p, l, name)	p##_init_flags(l, name, 0)
#define	KERN_LOCK_SYS(p, ...)	KERN_LOCK_SYSINIT(p##_init, __VA_ARGS__)
#define	KERN_SYS_FLAGS(p, ...)	KERN_LOCK_SYSINIT(p##_init_flags, __VA_ARGS__)
#define	KERN_XLOCK(p, l)	((void)KERN_TAKE(p, l, 0))
#define	KERN_SLOCK(p, l)	((void)KERN_TAKE(p, l, KERN_SHARES))
/* Only a signal that came before the call ends a wait. */
#define	KERN_TAKE_SIG(l, how) ({					\
	const int kern_signal = sig_intr();				\
	KERN_TAKE(sx, l, (how) | (kern_signal != 0 ? KERN_TRIES : 0u)) ? \
	    0 : kern_signal;						\
})
#define	sx_xlock_sig(l)		KERN_TAKE_SIG(l, 0u)
#define	sx_slock_sig(l)		KERN_TAKE_SIG(l, KERN_SHARES)
#define	KERN_TRY_XLOCK(p, l)	KERN_TAKE(p, l, KERN_TRIES)
#define	KERN_TRY_SLOCK(p, l)	KERN_TAKE(p, l, KERN_TRIES | KERN_SHARES)
#define	KERN_XUNLOCK(p, l)	KERN_LEAVE(p, l, 0)
#define	KERN_SUNLOCK(p, l)	KERN_LEAVE(p, l, KERN_SHARES)
#define	KERN_UNLOCK(p, l)	KERN_LEAVE(p, l, KERN_EITHER)
#define	KERN_UPGRADE(p, l)	HOST(upgrade, KERN_HELD(p, l), KERN_SITE())
#define	KERN_DOWNGRADE(p, l)	HOST(downgrade, KERN_HELD(p, l), KERN_SITE())
#define	KERN_XLOCKED(p, l) ((kern_owned(KERN_LO(p, l)) & KERN_OWNED_ALONE) != 0)
#define	KERN_ASSERT(p, l, what)						\
	kern_assert(KERN_LO(p, l), false, what, __FILE__, __LINE__)

/* rwlock(9) */
enum { RW_DUPOK = 1, RW_NOPROFILE = 2, RW_NOWITNESS = 4, RW_QUIET = 8,
    RW_RECURSE = 0x10, RW_NEW = 0x20 };
KERN_LOCK_STRUCT(rwlock, rw_lock);
#define	rw_init_flags(l, name, opts)					\
	KERN_INIT(rw, l, name, KERN_RW | KERN_LOCK_FLAGS(RW, opts))

/* rmlock(9) */
enum { RM_NOWITNESS = 1, RM_RECURSE = 2, RM_SLEEPABLE = 4, RM_NEW = 8,
    RM_DUPOK = 0x10 };
struct rm_priotracker { struct thread *kt_td; };
KERN_LOCK_STRUCT(rmlock, rm_lock);
#define	rm_init_flags(l, name, opts)					\
	KERN_INIT(rm, l, name, (((opts) & RM_SLEEPABLE) != 0 ?		\
	    KERN_RM_SLEEPABLE : KERN_RM) | KERN_LOCK_FLAGS(RM, opts))
#define	rm_rlock(l, t)		(KERN_SLOCK(rm, l), KERN_TRACK(t))
#define	rm_try_rlock(l, t)	(KERN_TRY_SLOCK(rm, l) && (KERN_TRACK(t), 1))
#define	rm_runlock(l, t)	(KERN_TRACKED(t), KERN_SUNLOCK(rm, l))

/*
 * sleep(9).  A channel is an address; priorities mean nothing but PCATCH and
 * PDROP.  Any lock may be the interlock.
 */
#define	PDROP			0x200
#define	KERN_PSPIN		0x800	/* of a spin mutex */
#define	C_PREL(x)		0
#define	C_HARDCLOCK		0
#define	C_ABSOLUTE		0x200
#define	KERN_SLEEP(ident, lock, priority, ns, msg)			\
	HOST(sleep, __DEVOLATILE(const void *, ident), lock,		\
	    (((priority) & PCATCH) != 0 ? KERN_CATCH : 0u) |		\
	    (((priority) & PDROP) != 0 ? KERN_DROP : 0u) |		\
	    (((priority) & KERN_PSPIN) != 0 ? KERN_SPINS : 0u), ns, msg,	\
	    KERN_SITE())
#define	KERN_INTERLOCK(l)	((l)->lock_object.lo_witness)
KERN_CALL(int64_t, kern_ticks, (int timo),
    timo == 0 ? -1 : (int64_t)timo * (1000000000 / hz))
#define	KERN_UNTIL(sbt, flags)	lmax(sbttons((sbt) -			\
	(((flags) & C_ABSOLUTE) != 0 ? sbinuptime() : 0)), 0)
KERN_CALL(int64_t, kern_sbt_ns, (sbintime_t sbt, int flags),
    sbt == 0 ? -1 : KERN_UNTIL(sbt, flags))
#define	mtx_sleep(ident, l, priority, msg, timo)			\
	KERN_SLEEP(ident, KERN_INTERLOCK(l), priority, kern_ticks(timo), msg)
#define	msleep_spin(ident, l, msg, timo)				\
	mtx_sleep(ident, l, KERN_PSPIN, msg, timo)
#define	msleep_sbt(ident, l, priority, msg, sbt, precision, flags)	\
	KERN_SLEEP(ident, KERN_INTERLOCK(l), priority, kern_sbt_ns(sbt, flags), msg)
#define	msleep_spin_sbt(ident, l, msg, sbt, precision, flags)		\
	msleep_sbt(ident, l, KERN_PSPIN, msg, sbt, precision, flags)
#define	tsleep(ident, priority, msg, timo)				\
	KERN_SLEEP(ident, NULL, priority, kern_ticks(timo), msg)
#define	tsleep_sbt(ident, priority, msg, sbt, precision, flags)		\
	KERN_SLEEP(ident, NULL, priority, kern_sbt_ns(sbt, flags), msg)
#define	pause(msg, timo)	tsleep(&kern_host, 0, msg, imax(timo, 1))
#define	pause_sig(msg, timo) tsleep(&kern_host, PCATCH, msg, imax(timo, 1))
#define	pause_sbt(msg, sbt, precision, flags)				\
	tsleep_sbt(&kern_host, 0, msg, lmax(sbt, 1), precision, flags)
/* Whether a signal has come: EINTR, ERESTART or 0. */
#define	sig_intr() ({							\
	const int kern_error = tsleep_sbt(&kern_host, PCATCH, "", 1, 0, 0); \
	kern_error == EWOULDBLOCK ? 0 : kern_error;			\
})
enum { WARN_GIANTOK = 1, WARN_PANIC = 2, WARN_SLEEPOK = 4 };
#define	WITNESS_WARN(flags, lock, ...)					\
	((lock) != NULL ? (void)0 :					\
	    HOST(may_sleep, KERN_SITE(), "WITNESS_WARN()"))
#define	wakeup(ident) HOST(wakeup, __DEVOLATILE(const void *, ident), false)
#define	wakeup_one(ident) HOST(wakeup, __DEVOLATILE(const void *, ident), true)

/* condvar(9): its address is the channel. */
struct cv { const char *cv_description; };
#define	cv_init(cv, desc)	((void)((cv)->cv_description = (desc)))
#define	cv_destroy(cv)		((void)((cv)->cv_description = NULL))
#define	KERN_CV(cv, l, flags, ns)					\
	KERN_SLEEP(cv, KERN_INTERLOCK(l), flags, ns, (cv)->cv_description)
#define	cv_wait(cv, l)		((void)KERN_CV(cv, l, 0, -1))
#define	cv_wait_unlock(cv, l)	((void)KERN_CV(cv, l, PDROP, -1))
#define	cv_wait_sig(cv, l)	KERN_CV(cv, l, PCATCH, -1)
/* Unlike msleep(9)'s a time of 0 is over at once. */
#define	cv_timedwait(cv, l, timo)					\
	cv_timedwait_sbt(cv, l, (timo) * tick_sbt, 0, 0)
#define	cv_timedwait_sig(cv, l, timo)					\
	cv_timedwait_sig_sbt(cv, l, (timo) * tick_sbt, 0, 0)
#define	cv_timedwait_sig_sbt(cv, l, sbt, precision, flags)		\
	KERN_CV(cv, l, PCATCH, KERN_UNTIL(sbt, flags))
#define	cv_timedwait_sbt(cv, l, sbt, precision, flags)			\
	KERN_CV(cv, l, 0, KERN_UNTIL(sbt, flags))
#define	cv_broadcastpri(cv, p)	wakeup(cv)
#define	cv_wmesg(cv)		((cv)->cv_description)

/* sema(9): a mutex, a condition and a count, each call one site. */
struct sema { struct mtx sema_mtx; struct cv sema_cv;
    int sema_waiters, sema_value; };
int	kern_sema(struct sema *, int64_t ns, bool tries,
	    const struct kern_site *);
void	kern_sema_post(struct sema *, const struct kern_site *);
void	sema_init(struct sema *, int, const char *);
#define	KERN_SEMA(s, ns, tries)	kern_sema(s, ns, tries, KERN_LOCK_SITE())
#define	sema_destroy(s) (mtx_destroy(&(s)->sema_mtx), cv_destroy(&(s)->sema_cv))
#define	sema_wait(s)		((void)KERN_SEMA(s, -1, false))
#define	sema_timedwait(s, timo)	KERN_SEMA(s, sbttons((timo) * tick_sbt), false)
#define	sema_trywait(s)		(KERN_SEMA(s, -1, true) == 0)
#define	sema_post(s)		kern_sema_post(s, KERN_LOCK_SITE())
#define	sema_value(s)		((s)->sema_value)
