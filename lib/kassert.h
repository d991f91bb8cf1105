/*
 * Assertions with the kernel's names, KASSERT(9).
 *
 * KASSERT guards what is not timed and is always compiled in.  MPASS guards
 * the timed path and exists only in INVARIANTS builds; a result says which
 * build it came from.  CTASSERT is checked by the compiler.
 */
#ifndef LIB_KASSERT_H
#define LIB_KASSERT_H

#include <stdbool.h>

#define	CTASSERT(x)	_Static_assert(x, #x)

/*
 * What a failed assertion calls; never returns.  The default prints file,
 * line, function, expression and message to stderr and aborts.  Tests replace
 * it, with a function that must not return either, to prove that assertions
 * fire.
 */
typedef void kassert_handler(const char *file, int line, const char *func,
    const char *expr, const char *msg);
extern kassert_handler *kassert_failed;

/*
 * Formats the message of a failed KASSERT.
 *
 * Returns: a static buffer, valid until the next call; only the dying
 * thread uses it.
 */
const char *kassert_msg(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#define	KASSERT(exp, msg) do {						\
	if (__builtin_expect(!(exp), 0)) {				\
		kassert_failed(__FILE__, __LINE__, __func__, #exp,	\
		    kassert_msg msg);					\
		__builtin_unreachable();				\
	}								\
} while (0)

#ifdef INVARIANTS
#define	MPASS(exp)	KASSERT(exp, ("invariant broken"))
#else
#define	MPASS(exp)	((void)sizeof(!(exp)))
#endif

/* True in INVARIANTS builds; goes into every result. */
#ifdef INVARIANTS
#define	KASSERT_INVARIANTS	true
#else
#define	KASSERT_INVARIANTS	false
#endif

#endif
