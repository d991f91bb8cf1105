/* What nearly every file needs: C's headers, assertions, memory, numbers. */
#pragma once

#include <sys/param.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define	CTASSERT(x)	_Static_assert(x, #x)
#ifndef __unused
#define	__unused		__attribute__((unused))
#endif
#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

/* Appends what printf(3) would print to the text in so many bytes; cuts it. */
#define	APPEND(text, size, ...)						\
	((void)snprintf((text) + strlen(text), (size) - strlen(text),	\
	    __VA_ARGS__))

/* Copies a text into an array of characters; cuts it. */
#define	TEXT_SET(array, text) ((void)snprintf(array, sizeof(array), "%s", text))

/* As vsnprintf(3), of the arguments behind fmt of a function. */
#define	VFORMAT(text, size, fmt) do {					\
	va_list vformat_ap;						\
									\
	va_start(vformat_ap, fmt);					\
	(void)vsnprintf(text, size, fmt, vformat_ap);			\
	va_end(vformat_ap);						\
} while (0)

/*
 * Assertions with the kernel's names, KASSERT(9).
 *
 * KASSERT is always compiled in and stands in code that is not timed.  MPASS
 * exists in INVARIANTS builds only, which a result records.
 */

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

/* Memory.  If none is left these print that and end the program, status 1. */

/* As malloc(3), calloc(3), reallocarray(3) and strdup(3). */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *text);

/* Makes room for an element behind those of an allocated array. */
#define	ARRAY_EXTEND(array, count)					\
	((array) = xreallocarray(array, (size_t)(count) + 1, sizeof(*(array))))

/* The same, and counts it.  Returns: where it is. */
#define	ARRAY_ADD(array, count)						\
	(ARRAY_EXTEND(array, count), &(array)[(count)++])

/* As aligned_alloc(3), with zeros; any size. */
void *xaligned(size_t alignment, size_t size);

/* As free(3).  This and those above are each a hold: hold_begin(). */
void xfree(void *p);

/* Pages of zeros, taken when written, for munmap(2); NULL with errno set. */
void *map_zeros(size_t n);

/* As open_memstream(3); closes such a stream: its text is whole. */
FILE *xmemstream(char **text, size_t *len);
void xmemclose(FILE *stream);

/* What they do without memory. */
void no_memory(void) __attribute__((noreturn));

/*
 * Reads an open file or pipe from where it is to its end, into *text, which is
 * to be freed and ends with a NUL beyond *size.  Returns: 0; EFBIG above max
 * bytes; else the error of read(2).
 */
int read_file(int fd, size_t max, char **text, size_t *size);

/*
 * Numbers: decimal digits, or 0x and hexadecimal ones; no sign, space or
 * leading zero.  All return 0; EINVAL for other text; ERANGE above UINT64_MAX.
 */
int parse_number(const char *text, uint64_t *value);

/* The same with an optional k, m or g for 2^10, 2^20, 2^30. */
int parse_size(const char *text, uint64_t *value);

/* Pairs of hexadecimal digits, 1 to max of them; *count is how many. */
int parse_hex(const char *text, uint8_t *bytes, size_t max, size_t *count);

/* A number such as 0.25, of at most fifteen digits, in the C locale. */
int parse_real(const char *text, double *value);

/* Cuts the next word off, between blanks, tabs, carriage returns; or "". */
char *parse_word(char **text);

/*
 * Of names up to a NULL the one that a text meant: it begins with the text or
 * has it behind a colon, or one letter is wrong, or two neighbours of four or
 * more, or two changed places; NULL: none.
 */
const char *nearest_name(const char *(*name)(unsigned i), const char *text);

/* SplitMix64: for simulations, and for hashes that no attacker chooses. */

#define	SPLITMIX_STEP	UINT64_C(0x9e3779b97f4a7c15)

/* Its output function, a bijection. */
static inline uint64_t
splitmix_out(uint64_t v)
{
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return (v ^ v >> 31);
}

/* A step and its output. */
static inline uint64_t
splitmix(uint64_t v)
{
	return (splitmix_out(v + SPLITMIX_STEP));
}

/* The next draw. */
static inline uint64_t
splitmix_next(uint64_t *state)
{
	return (splitmix_out(*state += SPLITMIX_STEP));
}

/*
 * Exponential with mean 1, by von Neumann's comparisons, as libraries differ in
 * logarithms.  Of uniform draws that descend, a run of length n from x has an
 * odd n with chance exp(-x); each start given up stands for a whole unit.
 */
static inline double
splitmix_exponential(uint64_t *state)
{
	uint64_t first, last, next;
	unsigned n;

	for (unsigned whole = 0;; whole++) {
		first = last = splitmix_next(state);
		for (n = 1; (next = splitmix_next(state)) < last; n++)
			last = next;
		if (n % 2 == 1)
			return (whole + (double)(first >> 11) * 0x1p-53);
	}
}

/*
 * Writes n zeros, even when p is dead afterwards.  Inlined for small objects on
 * the read path; OPENSSL_cleanse() calls through a table.
 */
static inline void
wipe(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ volatile("" : : "r"(p) : "memory");
}

/*
 * Parts of a thread's work in which lib/machine/freezer.h is not to stop it, as
 * others may wait for what it holds: the locks of malloc(3).
 */
struct hold {
	volatile sig_atomic_t ho_depth;
	/* Set by the handler of a signal that came meanwhile; or 0. */
	volatile sig_atomic_t ho_signal;
};

extern _Thread_local struct hold hold_self;

static inline void
hold_begin(void)
{
	hold_self.ho_depth++;
}

void hold_raise(void) __attribute__((cold));

/* At the end of the outermost part the signal comes again. */
static inline void
hold_end(void)
{
	if (--hold_self.ho_depth == 0 && hold_self.ho_signal != 0)
		hold_raise();
}
