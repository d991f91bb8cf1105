/*
 * Lists, of kern.h: queue(3) and sys/ck.h.  An element is linked to before what
 * links to it, with a fence: all of them can be read meanwhile, as ck's.
 */

#define	KERN_PUBLISH(at, e)	(atomic_thread_fence_rel(), (void)((at) = (e)))
#define	KERN_WALK(e, first, next) for ((e) = (first); (e) != NULL; (e) = next)
#define	KERN_WALK_SAFE(e, first, next, after)				\
	for ((e) = (first); (e) != NULL && ((after) = next, 1); (e) = (after))
/* All kinds begin alike: what is the same for them is in alias.tbl. */
#define	SLIST_HEAD(name, type)	struct name { struct type *q_first; }
#define	SLIST_HEAD_INITIALIZER(head)	{ NULL }
#define	SLIST_ENTRY(type)	struct { struct type *q_next; }
#define	SLIST_INIT(head)	((void)(SLIST_FIRST(head) = NULL))
#define	SLIST_EMPTY(head)	(SLIST_FIRST(head) == NULL)
#define	SLIST_FIRST(head)	((head)->q_first)
#define	SLIST_NEXT(e, f)	((e)->f.q_next)
#define	SLIST_FOREACH(e, h, f) KERN_WALK(e, SLIST_FIRST(h), SLIST_NEXT(e, f))
#define	SLIST_FOREACH_FROM(e, h, f)					\
	KERN_WALK(e, (e) != NULL ? (e) : SLIST_FIRST(h), SLIST_NEXT(e, f))
#define	SLIST_FOREACH_SAFE(e, h, f, after)				\
	KERN_WALK_SAFE(e, SLIST_FIRST(h), SLIST_NEXT(e, f), after)
#define	KERN_LINK(at, e, next)	((void)(next = (at)), KERN_PUBLISH(at, e))
#define	SLIST_INSERT_HEAD(head, e, f)					\
	KERN_LINK(SLIST_FIRST(head), e, SLIST_NEXT(e, f))
#define	SLIST_INSERT_AFTER(after, e, f)					\
	KERN_LINK(SLIST_NEXT(after, f), e, SLIST_NEXT(e, f))
#define	SLIST_REMOVE_HEAD(head, f)					\
	((void)(SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), f)))
#define	SLIST_REMOVE_AFTER(e, f)					\
	((void)(SLIST_NEXT(e, f) = SLIST_NEXT(SLIST_NEXT(e, f), f)))
#define	KERN_REMOVE(head, e, type, f, cut) do {				\
	struct type **kern_at = &SLIST_FIRST(head);			\
									\
	while (*kern_at != (e))						\
		kern_at = &SLIST_NEXT(*kern_at, f);			\
	cut;								\
} while (0)
#define	SLIST_REMOVE(head, e, type, f)					\
	KERN_REMOVE(head, e, type, f, *kern_at = SLIST_NEXT(e, f))
#define	SLIST_SWAP(a, b, type)	KERN_SWAP(SLIST_FIRST(a), SLIST_FIRST(b))
#define	KERN_SWAP(a, b) do {						\
	__typeof__(a) kern_swapped = (a);				\
									\
	(a) = (b);							\
	(b) = kern_swapped;						\
} while (0)

#define	LIST_ENTRY(type)	struct { struct type *q_next, **q_prev; }
#define	LIST_PREV(e, head, type, f)					\
	((e)->f.q_prev == &LIST_FIRST(head) ? NULL :			\
	    __containerof((e)->f.q_prev, struct type, f.q_next))
#define	KERN_LIST_INSERT(at, e, f) do {					\
	if (((e)->f.q_next = (at)) != NULL)				\
		(at)->f.q_prev = &(e)->f.q_next;			\
	(e)->f.q_prev = &(at);						\
	KERN_PUBLISH(at, e);						\
} while (0)
#define	LIST_INSERT_HEAD(head, e, f)	KERN_LIST_INSERT(LIST_FIRST(head), e, f)
#define	LIST_INSERT_AFTER(after, e, f)					\
	KERN_LIST_INSERT(LIST_NEXT(after, f), e, f)
#define	LIST_INSERT_BEFORE(before, e, f) do {				\
	(e)->f.q_prev = (before)->f.q_prev;				\
	(e)->f.q_next = (before);					\
	KERN_PUBLISH(*(before)->f.q_prev, e);				\
	(before)->f.q_prev = &(e)->f.q_next;				\
} while (0)
#define	LIST_REMOVE(e, f) do {						\
	if ((e)->f.q_next != NULL)					\
		(e)->f.q_next->f.q_prev = (e)->f.q_prev;		\
	*(e)->f.q_prev = (e)->f.q_next;					\
} while (0)
#define	LIST_REPLACE(e, by, f) do {					\
	if (((by)->f.q_next = (e)->f.q_next) != NULL)			\
		(by)->f.q_next->f.q_prev = &(by)->f.q_next;		\
	(by)->f.q_prev = (e)->f.q_prev;					\
	KERN_PUBLISH(*(e)->f.q_prev, by);				\
} while (0)
#define	KERN_LIST_MOVED(head, f) do {					\
	if (!LIST_EMPTY(head))						\
		LIST_FIRST(head)->f.q_prev = &LIST_FIRST(head);		\
} while (0)
#define	LIST_SWAP(a, b, type, f) do {					\
	KERN_SWAP(LIST_FIRST(a), LIST_FIRST(b));			\
	KERN_LIST_MOVED(a, f);						\
	KERN_LIST_MOVED(b, f);						\
} while (0)

#define	STAILQ_HEAD(name, type) struct name { struct type *q_first, **q_last; }
#define	STAILQ_HEAD_INITIALIZER(head)	{ NULL, &(head).q_first }
#define	STAILQ_INIT(head) do {						\
	STAILQ_FIRST(head) = NULL;					\
	(head)->q_last = &STAILQ_FIRST(head);				\
} while (0)
#define	STAILQ_LAST(head, type, f)					\
	(STAILQ_EMPTY(head) ? NULL :					\
	    __containerof((head)->q_last, struct type, f.q_next))
#define	KERN_STAILQ_INSERT(head, at, e, f) do {				\
	if ((STAILQ_NEXT(e, f) = (at)) == NULL)				\
		(head)->q_last = &STAILQ_NEXT(e, f);			\
	KERN_PUBLISH(at, e);						\
} while (0)
#define	STAILQ_INSERT_HEAD(head, e, f)					\
	KERN_STAILQ_INSERT(head, STAILQ_FIRST(head), e, f)
#define	STAILQ_INSERT_AFTER(head, after, e, f)				\
	KERN_STAILQ_INSERT(head, STAILQ_NEXT(after, f), e, f)
#define	STAILQ_INSERT_TAIL(head, e, f) do {				\
	STAILQ_NEXT(e, f) = NULL;					\
	KERN_PUBLISH(*(head)->q_last, e);				\
	(head)->q_last = &STAILQ_NEXT(e, f);				\
} while (0)
#define	KERN_STAILQ_CUT(head, at, f) do {				\
	if (((at) = STAILQ_NEXT(at, f)) == NULL)			\
		(head)->q_last = &(at);					\
} while (0)
#define	STAILQ_REMOVE_HEAD(head, f) KERN_STAILQ_CUT(head, STAILQ_FIRST(head), f)
#define	STAILQ_REMOVE_AFTER(head, e, f)					\
	KERN_STAILQ_CUT(head, STAILQ_NEXT(e, f), f)
#define	STAILQ_REMOVE(head, e, type, f)					\
	KERN_REMOVE(head, e, type, f, KERN_STAILQ_CUT(head, *kern_at, f))
#define	STAILQ_CONCAT(a, b) do {					\
	if (!STAILQ_EMPTY(b)) {						\
		KERN_PUBLISH(*(a)->q_last, STAILQ_FIRST(b));		\
		(a)->q_last = (b)->q_last;				\
		STAILQ_INIT(b);						\
	}								\
} while (0)
#define	STAILQ_SWAP(a, b, type) do {					\
	KERN_SWAP(STAILQ_FIRST(a), STAILQ_FIRST(b));			\
	KERN_SWAP((a)->q_last, (b)->q_last);				\
	if (STAILQ_EMPTY(a))						\
		(a)->q_last = &STAILQ_FIRST(a);				\
	if (STAILQ_EMPTY(b))						\
		(b)->q_last = &STAILQ_FIRST(b);				\
} while (0)

/* A head begins as an entry does: the last but one links to the last. */
#define	TAILQ_LAST(head, name)						\
	(*((struct name *)(void *)(head)->q_last)->q_last)
#define	TAILQ_PREV(e, name, f) (*((struct name *)(void *)(e)->f.q_prev)->q_last)
#define	TAILQ_FOREACH_REVERSE(e, head, name, f)				\
	KERN_WALK(e, TAILQ_LAST(head, name), TAILQ_PREV(e, name, f))
#define	TAILQ_FOREACH_REVERSE_SAFE(e, head, name, f, after)		\
	KERN_WALK_SAFE(e, TAILQ_LAST(head, name), TAILQ_PREV(e, name, f), after)
#define	KERN_TAILQ_INSERT(head, at, e, f) do {				\
	if ((at) == NULL)						\
		(head)->q_last = &TAILQ_NEXT(e, f);			\
	KERN_LIST_INSERT(at, e, f);					\
} while (0)
#define	TAILQ_INSERT_HEAD(head, e, f)					\
	KERN_TAILQ_INSERT(head, TAILQ_FIRST(head), e, f)
#define	TAILQ_INSERT_AFTER(head, after, e, f)				\
	KERN_TAILQ_INSERT(head, TAILQ_NEXT(after, f), e, f)
#define	TAILQ_INSERT_TAIL(head, e, f) do {				\
	(e)->f.q_prev = (head)->q_last;					\
	STAILQ_INSERT_TAIL(head, e, f);					\
} while (0)
#define	TAILQ_REMOVE(head, e, f) do {					\
	if (TAILQ_NEXT(e, f) == NULL)					\
		(head)->q_last = (e)->f.q_prev;				\
	LIST_REMOVE(e, f);						\
} while (0)
#define	TAILQ_REPLACE(head, e, by, f) do {				\
	TAILQ_INSERT_BEFORE(e, by, f);					\
	TAILQ_REMOVE(head, e, f);					\
} while (0)
#define	TAILQ_CONCAT(a, b, f) do {					\
	if (!TAILQ_EMPTY(b))						\
		TAILQ_FIRST(b)->f.q_prev = (a)->q_last;			\
	STAILQ_CONCAT(a, b);						\
} while (0)
#define	TAILQ_SWAP(a, b, type, f) do {					\
	STAILQ_SWAP(a, b, type);					\
	KERN_LIST_MOVED(a, f);						\
	KERN_LIST_MOVED(b, f);						\
} while (0)
