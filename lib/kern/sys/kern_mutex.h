/*
 * sys/mutex.h and sys/lock.h, of kern.h.
 */
#ifndef KERN_MUTEX_H
#define	KERN_MUTEX_H

enum { MTX_DEF = 0, MTX_SPIN = 1, MTX_RECURSE = 4, MTX_NOWITNESS = 8,
    MTX_DUPOK = 0x20, MTX_NEW = 0x40, MTX_NOPROFILE = 0x80 };
enum { MA_OWNED = 1, MA_NOTOWNED = 2 };
struct lock_object { const char *lo_name; };
struct mtx {
	struct lock_object	lock_object;
	void			*mtx_lock;	/* the program's */
};
/* The site of a call; of calls that lock in an array for the program. */
#define	KERN_SITE(...) ({						\
	static const struct kern_site kern_site __VA_ARGS__ =		\
	    { __FILE__, __LINE__ };					\
	&kern_site;							\
})
#define	KERN_LOCK(m, try)						\
	kern_lock(m, KERN_SITE(__section("kern_sites") __used __aligned(8)), \
	    try)
#define	mtx_lock(m)		((void)KERN_LOCK(m, false))
#define	mtx_lock_spin(m)	mtx_lock(m)
#define	mtx_trylock(m)		KERN_LOCK(m, true)
#define	mtx_trylock_spin(m)	KERN_LOCK(m, true)
#define	mtx_unlock(m)		kern_unlock(m, KERN_SITE())
#define	mtx_unlock_spin(m)	mtx_unlock(m)
#define	mtx_assert(m, what)	kern_assert(m, what, __FILE__, __LINE__)
#define	mtx_initialized(m)	((m)->mtx_lock != NULL)
#define	mtx_owned(m)		HOST(owned, (m)->mtx_lock)
KERN_CALL(bool, kern_lock, (struct mtx *m, const struct kern_site *site,
    bool try), HOST(lock, m->mtx_lock, site, try))
KERN_CALL(void, kern_unlock, (struct mtx *m, const struct kern_site *site),
    HOST(unlock, m->mtx_lock, site))
KERN_CALL(void, mtx_destroy, (struct mtx *m), HOST(lock_free, m->mtx_lock))

KERN_PLAIN static __inline void
mtx_init(struct mtx *m, const char *name, const char *type __unused, int opts)
{
	m->lock_object.lo_name = name;
	m->mtx_lock = HOST(lock_new, name, (opts & MTX_SPIN) != 0 ?
	    KERN_LOCK_SPIN : 0, m);
}

KERN_PLAIN static __inline void
kern_assert(const struct mtx *m, int what, const char *file, int line)
{
	if (mtx_owned(m) != ((what & MA_OWNED) != 0))
		kern_panic(file, line, "mutex %s %s", m->lock_object.lo_name,
		    (what & MA_OWNED) != 0 ? "not owned" : "owned");
}

#define	MTX_SYSINIT(name, mtx, desc, opts)				\
static void								\
kern_mtx_##name(void *arg __unused)					\
{									\
	mtx_init(mtx, desc, NULL, opts);				\
}									\
SYSINIT(mtx_##name, SI_SUB_LOCK, SI_ORDER_MIDDLE, kern_mtx_##name, NULL)

#endif
