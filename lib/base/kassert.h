/*
 * Assertions with the kernel's names, KASSERT(9).
 *
 * KASSERT is always compiled in and stands in code that is not timed.  MPASS
 * exists in INVARIANTS builds only, which a result records.
 */
#pragma once

/* Called by a failed assertion, to print and abort.  Tests replace it. */
typedef void kassert_handler(const char *file, int line, const char *func,
    const char *expr, const char *msg);
extern kassert_handler *kassert_failed;

/*
 * The same for simulated code that stops, as a kernel would: the default prints
 * and exits with EXIT_FAILURE.  Does not return.
 */
void kassert_panic(const char *file, int line, const char *who,
    const char *text);

/* Returns: a static buffer. */
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
#define	KASSERT_INVARIANTS	true
#else
#define	MPASS(exp)	((void)sizeof(!(exp)))
#define	KASSERT_INVARIANTS	false
#endif
