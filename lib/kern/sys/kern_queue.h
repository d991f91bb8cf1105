/*
 * Lists, of kern.h: queue(3) and sys/ck.h.  An element is linked to before what
 * links to it, with a fence: all of them can be read meanwhile, as ck's.
 */

#define	KERN_PUBLISH(at, e)	(atomic_thread_fence_rel(), (void)((at) = (e)))
#define	KERN_WALK(e, first, next)					\
	for ((e) = (first); (e) != NULL; (e) = next)
#define	KERN_WALK_SAFE(e, first, next, after)				\
	for ((e) = (first); (e) != NULL && ((after) = next, 1); (e) = (after))
/* The same of a kind of lists: q is the begin of its names. */
#define	KERN_EACH(q, e, h, f)						\
	KERN_WALK(e, q##_FIRST(h), q##_NEXT(e, f))
#define	KERN_EACH_FROM(q, e, h, f)					\
	KERN_WALK(e, (e) != NULL ? (e) : q##_FIRST(h), q##_NEXT(e, f))
#define	KERN_EACH_SAFE(q, e, h, f, after)				\
	KERN_WALK_SAFE(e, q##_FIRST(h), q##_NEXT(e, f), after)

#define	SLIST_HEAD(name, type)	struct name { struct type *slh_first; }
#define	SLIST_HEAD_INITIALIZER(head)	{ NULL }
#define	SLIST_ENTRY(type)	struct { struct type *sle_next; }
#define	SLIST_INIT(head)	((void)(SLIST_FIRST(head) = NULL))
#define	SLIST_EMPTY(head)	(SLIST_FIRST(head) == NULL)
#define	SLIST_FIRST(head)	((head)->slh_first)
#define	SLIST_NEXT(e, f)	((e)->f.sle_next)
#define	SLIST_FOREACH(e, h, f)	KERN_EACH(SLIST, e, h, f)
#define	SLIST_FOREACH_FROM(e, h, f)	KERN_EACH_FROM(SLIST, e, h, f)
#define	SLIST_FOREACH_SAFE(e, h, f, t)	KERN_EACH_SAFE(SLIST, e, h, f, t)
#define	KERN_LINK(at, e, next)	((void)(next = (at)), KERN_PUBLISH(at, e))
#define	SLIST_INSERT_HEAD(head, e, f)					\
	KERN_LINK(SLIST_FIRST(head), e, SLIST_NEXT(e, f))
#define	SLIST_INSERT_AFTER(after, e, f)					\
	KERN_LINK(SLIST_NEXT(after, f), e, SLIST_NEXT(e, f))
#define	SLIST_REMOVE_HEAD(head, f)					\
	((void)(SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), f)))
#define	SLIST_REMOVE_AFTER(e, f)					\
	((void)(SLIST_NEXT(e, f) = SLIST_NEXT(SLIST_NEXT(e, f), f)))
#define	SLIST_REMOVE(head, e, type, f) do {				\
	struct type **kern_at = &SLIST_FIRST(head);			\
									\
	while (*kern_at != (e))						\
		kern_at = &SLIST_NEXT(*kern_at, f);			\
	*kern_at = SLIST_NEXT(e, f);					\
} while (0)
#define	SLIST_SWAP(a, b, type)	KERN_SWAP(SLIST_FIRST(a), SLIST_FIRST(b))
#define	KERN_SWAP(a, b) do {						\
	__typeof__(a) kern_swapped = (a);				\
									\
	(a) = (b);							\
	(b) = kern_swapped;						\
} while (0)

#define	LIST_HEAD(name, type)	struct name { struct type *lh_first; }
#define	LIST_HEAD_INITIALIZER(head)	{ NULL }
#define	LIST_ENTRY(type)						\
	struct { struct type *le_next; struct type **le_prev; }
#define	LIST_INIT(head)		((void)(LIST_FIRST(head) = NULL))
#define	LIST_EMPTY(head)	(LIST_FIRST(head) == NULL)
#define	LIST_FIRST(head)	((head)->lh_first)
#define	LIST_NEXT(e, f)		((e)->f.le_next)
#define	LIST_PREV(e, head, type, f)					\
	((e)->f.le_prev == &LIST_FIRST(head) ? NULL :			\
	    __containerof((e)->f.le_prev, struct type, f.le_next))
#define	LIST_FOREACH(e, h, f)	KERN_EACH(LIST, e, h, f)
#define	LIST_FOREACH_FROM(e, h, f)	KERN_EACH_FROM(LIST, e, h, f)
#define	LIST_FOREACH_SAFE(e, h, f, t)	KERN_EACH_SAFE(LIST, e, h, f, t)
#define	KERN_LIST_INSERT(at, e, f) do {					\
	if (((e)->f.le_next = (at)) != NULL)				\
		(at)->f.le_prev = &(e)->f.le_next;			\
	(e)->f.le_prev = &(at);						\
	KERN_PUBLISH(at, e);						\
} while (0)
#define	LIST_INSERT_HEAD(head, e, f)	KERN_LIST_INSERT(LIST_FIRST(head), e, f)
#define	LIST_INSERT_AFTER(after, e, f)					\
	KERN_LIST_INSERT(LIST_NEXT(after, f), e, f)
#define	LIST_INSERT_BEFORE(before, e, f) do {				\
	(e)->f.le_prev = (before)->f.le_prev;				\
	(e)->f.le_next = (before);					\
	KERN_PUBLISH(*(before)->f.le_prev, e);				\
	(before)->f.le_prev = &(e)->f.le_next;				\
} while (0)
#define	LIST_REMOVE(e, f) do {						\
	if ((e)->f.le_next != NULL)					\
		(e)->f.le_next->f.le_prev = (e)->f.le_prev;		\
	*(e)->f.le_prev = (e)->f.le_next;				\
} while (0)
#define	LIST_REPLACE(e, by, f) do {					\
	if (((by)->f.le_next = (e)->f.le_next) != NULL)			\
		(by)->f.le_next->f.le_prev = &(by)->f.le_next;		\
	(by)->f.le_prev = (e)->f.le_prev;				\
	KERN_PUBLISH(*(e)->f.le_prev, by);				\
} while (0)
#define	LIST_SWAP(a, b, type, f) do {					\
	KERN_SWAP(LIST_FIRST(a), LIST_FIRST(b));			\
	if (LIST_FIRST(a) != NULL)					\
		LIST_FIRST(a)->f.le_prev = &LIST_FIRST(a);		\
	if (LIST_FIRST(b) != NULL)					\
		LIST_FIRST(b)->f.le_prev = &LIST_FIRST(b);		\
} while (0)

#define	STAILQ_HEAD(name, type)						\
struct name { struct type *stqh_first, **stqh_last; }
#define	STAILQ_HEAD_INITIALIZER(head)	{ NULL, &(head).stqh_first }
#define	STAILQ_ENTRY(type)	struct { struct type *stqe_next; }
#define	STAILQ_INIT(head) do {						\
	STAILQ_FIRST(head) = NULL;					\
	(head)->stqh_last = &STAILQ_FIRST(head);			\
} while (0)
#define	STAILQ_EMPTY(head)	(STAILQ_FIRST(head) == NULL)
#define	STAILQ_FIRST(head)	((head)->stqh_first)
#define	STAILQ_NEXT(e, f)	((e)->f.stqe_next)
#define	STAILQ_LAST(head, type, f)					\
	(STAILQ_EMPTY(head) ? NULL :					\
	    __containerof((head)->stqh_last, struct type, f.stqe_next))
#define	STAILQ_FOREACH(e, h, f)	KERN_EACH(STAILQ, e, h, f)
#define	STAILQ_FOREACH_FROM(e, h, f)	KERN_EACH_FROM(STAILQ, e, h, f)
#define	STAILQ_FOREACH_SAFE(e, h, f, t)	KERN_EACH_SAFE(STAILQ, e, h, f, t)
#define	KERN_STAILQ_INSERT(head, at, e, f) do {				\
	if ((STAILQ_NEXT(e, f) = (at)) == NULL)				\
		(head)->stqh_last = &STAILQ_NEXT(e, f);			\
	KERN_PUBLISH(at, e);						\
} while (0)
#define	STAILQ_INSERT_HEAD(head, e, f)					\
	KERN_STAILQ_INSERT(head, STAILQ_FIRST(head), e, f)
#define	STAILQ_INSERT_AFTER(head, after, e, f)				\
	KERN_STAILQ_INSERT(head, STAILQ_NEXT(after, f), e, f)
#define	STAILQ_INSERT_TAIL(head, e, f) do {				\
	STAILQ_NEXT(e, f) = NULL;					\
	KERN_PUBLISH(*(head)->stqh_last, e);				\
	(head)->stqh_last = &STAILQ_NEXT(e, f);				\
} while (0)
#define	KERN_STAILQ_CUT(head, at, f) do {				\
	if (((at) = STAILQ_NEXT(at, f)) == NULL)			\
		(head)->stqh_last = &(at);				\
} while (0)
#define	STAILQ_REMOVE_HEAD(head, f)					\
	KERN_STAILQ_CUT(head, STAILQ_FIRST(head), f)
#define	STAILQ_REMOVE_AFTER(head, e, f)					\
	KERN_STAILQ_CUT(head, STAILQ_NEXT(e, f), f)
#define	STAILQ_REMOVE(head, e, type, f) do {				\
	struct type **kern_at = &STAILQ_FIRST(head);			\
									\
	while (*kern_at != (e))						\
		kern_at = &STAILQ_NEXT(*kern_at, f);			\
	KERN_STAILQ_CUT(head, *kern_at, f);				\
} while (0)
#define	STAILQ_CONCAT(a, b) do {					\
	if (!STAILQ_EMPTY(b)) {						\
		KERN_PUBLISH(*(a)->stqh_last, STAILQ_FIRST(b));		\
		(a)->stqh_last = (b)->stqh_last;			\
		STAILQ_INIT(b);						\
	}								\
} while (0)
#define	STAILQ_SWAP(a, b, type) do {					\
	KERN_SWAP(STAILQ_FIRST(a), STAILQ_FIRST(b));			\
	KERN_SWAP((a)->stqh_last, (b)->stqh_last);			\
	if (STAILQ_EMPTY(a))						\
		(a)->stqh_last = &STAILQ_FIRST(a);			\
	if (STAILQ_EMPTY(b))						\
		(b)->stqh_last = &STAILQ_FIRST(b);			\
} while (0)

#define	TAILQ_HEAD(name, type)						\
struct name { struct type *tqh_first, **tqh_last; }
#define	TAILQ_HEAD_INITIALIZER(head)	{ NULL, &(head).tqh_first }
#define	TAILQ_ENTRY(type)						\
	struct { struct type *tqe_next; struct type **tqe_prev; }
#define	TAILQ_INIT(head) do {						\
	TAILQ_FIRST(head) = NULL;					\
	(head)->tqh_last = &TAILQ_FIRST(head);				\
} while (0)
#define	TAILQ_EMPTY(head)	(TAILQ_FIRST(head) == NULL)
#define	TAILQ_FIRST(head)	((head)->tqh_first)
#define	TAILQ_NEXT(e, f)	((e)->f.tqe_next)
/* A head begins as an entry does: the last but one links to the last. */
#define	TAILQ_LAST(head, name)						\
	(*((struct name *)(void *)(head)->tqh_last)->tqh_last)
#define	TAILQ_PREV(e, name, f)						\
	(*((struct name *)(void *)(e)->f.tqe_prev)->tqh_last)
#define	TAILQ_FOREACH(e, h, f)	KERN_EACH(TAILQ, e, h, f)
#define	TAILQ_FOREACH_FROM(e, h, f)	KERN_EACH_FROM(TAILQ, e, h, f)
#define	TAILQ_FOREACH_SAFE(e, h, f, t)	KERN_EACH_SAFE(TAILQ, e, h, f, t)
#define	TAILQ_FOREACH_REVERSE(e, head, name, f)				\
	KERN_WALK(e, TAILQ_LAST(head, name), TAILQ_PREV(e, name, f))
#define	TAILQ_FOREACH_REVERSE_SAFE(e, head, name, f, after)		\
	KERN_WALK_SAFE(e, TAILQ_LAST(head, name), TAILQ_PREV(e, name, f), after)
#define	KERN_TAILQ_INSERT(head, at, e, f) do {				\
	if ((TAILQ_NEXT(e, f) = (at)) != NULL)				\
		(at)->f.tqe_prev = &TAILQ_NEXT(e, f);			\
	else								\
		(head)->tqh_last = &TAILQ_NEXT(e, f);			\
	(e)->f.tqe_prev = &(at);					\
	KERN_PUBLISH(at, e);						\
} while (0)
#define	TAILQ_INSERT_HEAD(head, e, f)					\
	KERN_TAILQ_INSERT(head, TAILQ_FIRST(head), e, f)
#define	TAILQ_INSERT_AFTER(head, after, e, f)				\
	KERN_TAILQ_INSERT(head, TAILQ_NEXT(after, f), e, f)
#define	TAILQ_INSERT_BEFORE(before, e, f) do {				\
	(e)->f.tqe_prev = (before)->f.tqe_prev;				\
	TAILQ_NEXT(e, f) = (before);					\
	KERN_PUBLISH(*(before)->f.tqe_prev, e);				\
	(before)->f.tqe_prev = &TAILQ_NEXT(e, f);			\
} while (0)
#define	TAILQ_INSERT_TAIL(head, e, f) do {				\
	TAILQ_NEXT(e, f) = NULL;					\
	(e)->f.tqe_prev = (head)->tqh_last;				\
	KERN_PUBLISH(*(head)->tqh_last, e);				\
	(head)->tqh_last = &TAILQ_NEXT(e, f);				\
} while (0)
#define	TAILQ_REMOVE(head, e, f) do {					\
	if (TAILQ_NEXT(e, f) != NULL)					\
		TAILQ_NEXT(e, f)->f.tqe_prev = (e)->f.tqe_prev;		\
	else								\
		(head)->tqh_last = (e)->f.tqe_prev;			\
	*(e)->f.tqe_prev = TAILQ_NEXT(e, f);				\
} while (0)
#define	TAILQ_REPLACE(head, e, by, f) do {				\
	TAILQ_INSERT_BEFORE(e, by, f);					\
	TAILQ_REMOVE(head, e, f);					\
} while (0)
#define	TAILQ_CONCAT(a, b, f) do {					\
	if (!TAILQ_EMPTY(b)) {						\
		TAILQ_FIRST(b)->f.tqe_prev = (a)->tqh_last;		\
		KERN_PUBLISH(*(a)->tqh_last, TAILQ_FIRST(b));		\
		(a)->tqh_last = (b)->tqh_last;				\
		TAILQ_INIT(b);						\
	}								\
} while (0)
#define	KERN_TAILQ_MOVED(head, f) do {					\
	if (TAILQ_EMPTY(head))						\
		(head)->tqh_last = &TAILQ_FIRST(head);			\
	else								\
		TAILQ_FIRST(head)->f.tqe_prev = &TAILQ_FIRST(head);	\
} while (0)
#define	TAILQ_SWAP(a, b, type, f) do {					\
	KERN_SWAP(TAILQ_FIRST(a), TAILQ_FIRST(b));			\
	KERN_SWAP((a)->tqh_last, (b)->tqh_last);			\
	KERN_TAILQ_MOVED(a, f);						\
	KERN_TAILQ_MOVED(b, f);						\
} while (0)
