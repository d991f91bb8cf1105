/*
 * Lists, of kern.h: sys/queue.h and sys/ck.h.
 */
#ifndef KERN_QUEUE_H
#define	KERN_QUEUE_H

#define	LIST_HEAD(name, type)	struct name { struct type *lh_first; }
#define	LIST_HEAD_INITIALIZER(head)	{ NULL }
#define	LIST_ENTRY(type)						\
	struct { struct type *le_next; struct type **le_prev; }
#define	LIST_EMPTY(head)	((head)->lh_first == NULL)
#define	LIST_FIRST(head)	((head)->lh_first)
#define	LIST_NEXT(e, field)	((e)->field.le_next)
#define	LIST_FOREACH(e, head, field)					\
	for ((e) = LIST_FIRST(head); (e) != NULL; (e) = LIST_NEXT(e, field))
#define	LIST_INSERT_HEAD(head, e, field) do {				\
	if (((e)->field.le_next = (head)->lh_first) != NULL)		\
		(head)->lh_first->field.le_prev = &(e)->field.le_next;	\
	(e)->field.le_prev = &(head)->lh_first;				\
	__compiler_membar();						\
	(head)->lh_first = (e);						\
} while (0)
#define	LIST_REMOVE(e, field) do {					\
	if ((e)->field.le_next != NULL)					\
		(e)->field.le_next->field.le_prev = (e)->field.le_prev;	\
	*(e)->field.le_prev = (e)->field.le_next;			\
} while (0)

#define	CK_LIST_HEAD			LIST_HEAD
#define	CK_LIST_HEAD_INITIALIZER	LIST_HEAD_INITIALIZER
#define	CK_LIST_ENTRY			LIST_ENTRY
#define	CK_LIST_FOREACH			LIST_FOREACH
#define	CK_LIST_INSERT_HEAD		LIST_INSERT_HEAD
#define	CK_LIST_REMOVE			LIST_REMOVE

#endif
