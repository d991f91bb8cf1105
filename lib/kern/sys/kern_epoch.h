/*
 * Sections and counters of readers that write nothing shared, of kern.h:
 * sys/epoch.h, sys/smr.h, sys/smr_types.h, sys/seqc.h.
 */

#define	KERN_ENTER(s)	((void)HOST(lock, (s)->lock_object.lo_witness,	\
	KERN_SITE(), KERN_SHARES))
#define	KERN_EXIT(s)	HOST(unlock, (s)->lock_object.lo_witness,	\
	KERN_SITE(), KERN_SHARES)
#define	in_epoch(s)	(kern_owned(&(s)->lock_object) != 0)

/* epoch(9) */
struct epoch { struct lock_object lock_object; int ep_flags; };
typedef struct epoch	*epoch_t;
struct epoch_tracker { struct thread *kt_td; };
struct epoch_context { void *data[3]; };
typedef struct epoch_context *epoch_context_t;
typedef void epoch_callback_t(epoch_context_t);
enum { EPOCH_PREEMPT = 1, EPOCH_LOCKED = 2 };
void	*kern_section(const char *, int, u_int, const struct kern_site *);
void	kern_epoch_wait(epoch_t, bool, const struct kern_site *);
void	epoch_call(epoch_t, epoch_callback_t *, epoch_context_t);
void	kern_epoch_drain(epoch_t, const struct kern_site *);
#define	epoch_alloc(name, flags)					\
	((epoch_t)kern_section(name, flags, ((flags) & EPOCH_PREEMPT) != 0 ? \
	    KERN_EPOCH_PREEMPT : KERN_EPOCH, KERN_SITE()))
#define	epoch_free(ep)		(kern_epoch_drain(ep, KERN_SITE()),	\
	kern_lock_destroy(&(ep)->lock_object, KERN_SITE()), free(ep, NULL))
/* A critical section, whether or not the epoch has EPOCH_PREEMPT. */
#define	epoch_enter(ep)		((void)(((ep)->ep_flags & EPOCH_PREEMPT) != 0 && \
	(critical_enter(), 0)), KERN_ENTER(ep))
#define	epoch_exit(ep)		(KERN_EXIT(ep),				\
	(void)(((ep)->ep_flags & EPOCH_PREEMPT) != 0 && (critical_exit(), 0)))
#define	epoch_enter_preempt(ep, et) do {				\
	MPASS(((ep)->ep_flags & EPOCH_PREEMPT) != 0);			\
	KERN_ENTER(ep);							\
	KERN_TRACK(et);							\
} while (0)
#define	epoch_exit_preempt(ep, et)	(KERN_TRACKED(et), KERN_EXIT(ep))
#define	epoch_wait(ep)		kern_epoch_wait(ep, false, KERN_SITE())
#define	epoch_wait_preempt(ep)	kern_epoch_wait(ep, true, KERN_SITE())
#define	epoch_drain_callbacks(ep)	kern_epoch_drain(ep, KERN_SITE())

/* smr(9) */
typedef uint32_t	smr_seq_t;
typedef struct smr { struct lock_object lock_object; int ep_flags; } *smr_t;
enum { SMR_LAZY = 1, SMR_DEFERRED = 2, SMR_SEQ_INVALID = 0 };
void	kern_smr_enter(smr_t, bool, const struct kern_site *);
#define	smr_create(name, limit, flags)					\
	((void)(limit), (smr_t)kern_section(name, flags, KERN_SMR, KERN_SITE()))
#define	smr_destroy(s)		(smr_synchronize(s),			\
	kern_lock_destroy(&(s)->lock_object, KERN_SITE()), free(s, NULL))
#define	smr_enter(s)		kern_smr_enter(s, false, KERN_SITE())
#define	smr_lazy_enter(s)	kern_smr_enter(s, true, KERN_SITE())
#define	SMR_ASSERT_ENTERED(s) KASSERT(SMR_ENTERED(s), ("Not in smr section"))
#define	SMR_ASSERT_NOT_ENTERED(s) KASSERT(!SMR_ENTERED(s), ("In smr section."))
#define	smr_advance(s)		({ SMR_ASSERT_NOT_ENTERED(s);		\
	HOST(advance, (s)->lock_object.lo_witness,			\
	    ((s)->ep_flags & SMR_DEFERRED) != 0); })
#define	smr_poll(s, goal, wait) kern_smr_poll(s, goal, wait, KERN_SITE())
KERN_CALL(bool, kern_smr_poll, (smr_t s, smr_seq_t goal, bool wait,
    const struct kern_site *site), (wait && (s->ep_flags & SMR_LAZY) != 0 ?
    kern_panic(site->kw_file, site->kw_line, "smr_poll: Blocking not allowed on "
    "lazy smrs.") : (void)0, HOST(poll, s->lock_object.lo_witness, goal, wait,
    site)))
#define	smr_wait(s, goal)	((void)smr_poll(s, goal, true))
#define	smr_synchronize(s)	smr_wait(s, smr_advance(s))
/* A pointer that threads in sections load. */
#define	SMR_POINTER(type)	struct { type __ptr; }
#define	KERN_SMR_LOAD(p)						\
	((__typeof__((p)->__ptr))atomic_load_acq_ptr(			\
	    (volatile const uintptr_t *)&(p)->__ptr))
/* The kernel's has a fence before it. */
KERN_FETCH(uintptr_t, kern_smr_swap, (volatile uintptr_t *p, uintptr_t v), SWAP,
    ACQ_REL, __atomic_exchange_n, v)
#define	smr_entered_load(p, s) ({ SMR_ASSERT_ENTERED(s); KERN_SMR_LOAD(p); })
#define	smr_serialized_load(p, ex)					\
	({ KASSERT(ex, ("SMR serialization")); (p)->__ptr; })
#define	smr_serialized_store(p, v, ex) do {				\
	KASSERT(ex, ("SMR serialization"));				\
	atomic_store_rel_ptr((volatile uintptr_t *)&(p)->__ptr,		\
	    (uintptr_t)(v));						\
} while (0)
#define	smr_serialized_swap(p, v, ex) ({				\
	KASSERT(ex, ("SMR serialization"));				\
	(__typeof__((p)->__ptr))kern_smr_swap(				\
	    (volatile uintptr_t *)&(p)->__ptr, (uintptr_t)(v));		\
})
#define	smr_unserialized_load(p, s)	KERN_SMR_LOAD(p)
#define	smr_unserialized_store(p, v, s) smr_serialized_store(p, v, true)

/* seqc(9): odd while a writer, which others exclude, modifies. */
typedef uint32_t	seqc_t;
KERN_CALL(bool, seqc_in_modify, (seqc_t s), (s & 1) != 0)
KERN_CALL(seqc_t, seqc_read_any, (const seqc_t *p),
    atomic_load_acq_32(__DECONST(uint32_t *, p)))
KERN_CALL(seqc_t, seqc_read_notmodify, (const seqc_t *p),
    seqc_read_any(p) & ~1u)

KERN_INLINE seqc_t
seqc_read(const seqc_t *p)
{
	seqc_t s;

	while (seqc_in_modify(s = seqc_read_any(p)))
		kern_host->kh_await(p, s);
	return (s);
}

KERN_CALL(bool, seqc_consistent_no_fence, (const seqc_t *p, seqc_t old),
    atomic_load_32(__DECONST(uint32_t *, p)) == old)
KERN_CALL(bool, seqc_consistent, (const seqc_t *p, seqc_t old),
    (atomic_thread_fence_acq(), seqc_consistent_no_fence(p, old)))
#define	seqc_sleepable_write_begin(p) do {				\
	MPASS(!seqc_in_modify(*(p)));					\
	atomic_store_32(p, *(p) + 1);					\
	atomic_thread_fence_rel();					\
} while (0)
#define	seqc_sleepable_write_end(p) do {				\
	atomic_store_rel_32(p, *(p) + 1);				\
	MPASS(!seqc_in_modify(*(p)));					\
} while (0)
#define	seqc_write_begin(p) do {					\
	critical_enter();						\
	seqc_sleepable_write_begin(p);					\
} while (0)
#define	seqc_write_end(p) do {						\
	seqc_sleepable_write_end(p);					\
	critical_exit();						\
} while (0)
