/*
 * sys/mutex.h and sys/lock.h, of kern.h.  The program has the locks, and
 * checks what witness(4) and INVARIANTS do.
 */

enum { MTX_DEF = 0, MTX_SPIN = 1, MTX_RECURSE = 4, MTX_NOWITNESS = 8,
    MTX_QUIET = 0x10, MTX_DUPOK = 0x20, MTX_NEW = 0x40, MTX_NOPROFILE = 0x80 };
enum { LA_UNLOCKED = 0, LA_LOCKED = 1, LA_SLOCKED = 2, LA_XLOCKED = 4,
    LA_RECURSED = 8, LA_NOTRECURSED = 16 };

struct lock_object {
	const char	*lo_name;
	u_int		 lo_flags, lo_data;
	void		*lo_witness;	/* the program's */
};
/* Of each kind: a word follows, where there is one. */
struct mtx {
	struct lock_object	lock_object;
	u_int			mtx_lock;	/* KERN_SPINS, or 0 */
};
CTASSERT(sizeof(struct lock_object) == KERN_LOCK_WORD);

/* The site of a call; of calls that lock in an array for the program. */
#define	KERN_SITE(...) ({						\
	static const struct kern_site kern_site __VA_ARGS__ =		\
	    { __FILE__, __LINE__ };					\
	&kern_site;							\
})
#define	KERN_LOCK_SITE() KERN_SITE(__section("kern_sites") __used __aligned(8))
/* By the name of the word, which only that kind of lock has. */
#define	KERN_LO(p, l)	((struct lock_object *)(uintptr_t)&(l)->p##_lock - 1)
#define	KERN_TAKE(p, l, how)	kern_lock(KERN_LO(p, l), KERN_LOCK_SITE(), how)
#define	KERN_LEAVE(p, l, how)	kern_unlock(KERN_LO(p, l), KERN_SITE(), how)
KERN_CALL(bool, kern_lock, (const struct lock_object *lo,
    const struct kern_site *site, u_int how), HOST(lock, lo->lo_witness, site,
    how))
KERN_CALL(void, kern_unlock, (const struct lock_object *lo,
    const struct kern_site *site, u_int how), HOST(unlock, lo->lo_witness,
    site, how))
KERN_CALL(u_int, kern_owned, (const struct lock_object *lo),
    lo->lo_witness == NULL ? 0 : HOST(owned, lo->lo_witness))

KERN_CALL(void, kern_lock_init, (struct lock_object *lo, const char *name,
    const char *type, u_int kind, const struct kern_site *site),
    (lo->lo_name = name,
    (void)(lo->lo_witness = HOST(lock_new, name, type, kind, lo, site))))

KERN_CALL(void, kern_lock_destroy, (struct lock_object *lo,
    const struct kern_site *site), (HOST(lock_free, lo->lo_witness, site),
    (void)(lo->lo_witness = NULL)))

/* what: LA_ flags. */
KERN_INLINE void
kern_assert(const struct lock_object *lo, bool mutex, int what,
    const char *file, int line)
{
	const int owned = (int)kern_owned(lo);
	const int as = what & (LA_LOCKED | LA_SLOCKED | LA_XLOCKED);
	const char *word = mutex ? "mutex" : "Lock";

	if (as == 0 ? owned != 0 : (owned & as) == 0)
		kern_panic(file, line, "%s %s %s%s%s", word, lo->lo_name,
		    as == 0 ? "" : "not ", as == LA_SLOCKED ? "share " :
		    as == LA_XLOCKED && !mutex ? "exclusively " : "",
		    mutex ? "owned" : "locked");
	if ((what & LA_RECURSED) != 0 && (owned & LA_RECURSED) == 0)
		kern_panic(file, line, "%s %s not recursed", word, lo->lo_name);
	if ((what & LA_NOTRECURSED) != 0 && (owned & LA_RECURSED) != 0)
		kern_panic(file, line, "%s %s recursed", word, lo->lo_name);
}

/* These may be given to a call, too. */
#define	KERN_TAKE_MTX(m, how, flags)					\
	KERN_TAKE(mtx, m, (how) |					\
	    (((flags) & MTX_RECURSE) != 0 ? KERN_RECURSES : 0u) |	\
	    (((flags) & MTX_DUPOK) != 0 ? KERN_DUPES : 0u))
#define	mtx_lock_flags(m, flags)	((void)KERN_TAKE_MTX(m, 0, flags))
#define	mtx_lock_spin_flags(m, flags)					\
	((void)KERN_TAKE_MTX(m, KERN_SPINS, flags))
#define	mtx_trylock_flags(m, flags)	KERN_TAKE_MTX(m, KERN_TRIES, flags)
#define	mtx_trylock_spin_flags(m, flags)				\
	KERN_TAKE_MTX(m, KERN_TRIES | KERN_SPINS, flags)
#define	mtx_unlock_flags(m, flags)	KERN_LEAVE(mtx, m, 0)
#define	mtx_unlock_spin_flags(m, flags)	KERN_LEAVE(mtx, m, KERN_SPINS)
#define	mtx_lock(m)		mtx_lock_flags(m, 0)
#define	mtx_lock_spin(m)	mtx_lock_spin_flags(m, 0)
#define	mtx_trylock(m)		mtx_trylock_flags(m, 0)
#define	mtx_trylock_spin(m)	mtx_trylock_spin_flags(m, 0)
#define	mtx_unlock(m)		mtx_unlock_flags(m, 0)
#define	mtx_unlock_spin(m)	mtx_unlock_spin_flags(m, 0)
#define	mtx_assert(m, what)						\
	kern_assert(KERN_LO(mtx, m), true, what, __FILE__, __LINE__)
#define	mtx_owned(m)		(kern_owned(KERN_LO(mtx, m)) != 0)
#define	mtx_recursed(m)							\
	((kern_owned(KERN_LO(mtx, m)) & KERN_OWNED_RECURSED) != 0)
#define	KERN_HELD(p, l)		(KERN_LO(p, l)->lo_witness)
#define	KERN_INITIALIZED(p, l)	(KERN_HELD(p, l) != NULL)
#define	KERN_NAME(p, l)		(KERN_LO(p, l)->lo_name)
#define	KERN_DESTROY(p, l)	kern_lock_destroy(KERN_LO(p, l), KERN_SITE())

/* Flags of an init function, by the names that it has for them. */
#define	KERN_LOCK_FLAGS(prefix, flags)					\
	((((flags) & prefix##_RECURSE) != 0 ? KERN_RECURSE : 0u) |	\
	(((flags) & prefix##_DUPOK) != 0 ? KERN_DUPOK : 0u) |		\
	(((flags) & prefix##_NOWITNESS) != 0 ? KERN_NOWITNESS : 0u))
KERN_CALL(void, kern_mtx_init, (struct lock_object *lo, const char *name,
    const char *type, u_int opts, const struct kern_site *site),
    (((struct mtx *)lo)->mtx_lock = (opts & MTX_SPIN) * KERN_SPINS,
    kern_lock_init(lo, name, type, ((opts & MTX_SPIN) != 0 ? KERN_SPIN :
    KERN_MTX) | KERN_LOCK_FLAGS(MTX, opts), site)))
#define	mtx_init(m, name, type, opts)					\
	kern_mtx_init(KERN_LO(mtx, m), name, type, opts, KERN_SITE())

#define	KERN_LOCK_SYSINIT(init, name, ...)				\
KERN_RUN(init##_##name, SI_SUB_LOCK, SI_ORDER_MIDDLE, false,		\
    init(__VA_ARGS__))
#define	MTX_SYSINIT(name, mtx, desc, opts)				\
	KERN_LOCK_SYSINIT(mtx_init, name, mtx, desc, NULL, opts)
