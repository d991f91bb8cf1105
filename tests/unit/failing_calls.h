/*
 * Makes a chosen call fail: the n-th allocation, file, thread or call of
 * libcrypto.
 *
 * The linker puts __wrap_NAME() in place of NAME() for each WRAP(), MAKE(),
 * COMPUTE() and FETCH() here, and each __wrap_NAME().
 */
#ifndef TESTS_UNIT_FAILING_CALLS_H
#define TESTS_UNIT_FAILING_CALLS_H

#include <sys/mman.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unwind.h>

#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_rng.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

enum kind { MEMORY, FILES, THREADS, CRYPTO, KINDS };

enum {
	CALLS_MAX	= 1 << 20,
	FRAMES		= 32	/* of a stack */
};

/* Shared with the processes that run commands. */
static struct {
	enum kind	 fa_kind;
	uint64_t	 fa_at;		/* 0: none fails */
	_Atomic bool	 fa_armed;
	_Atomic uint64_t fa_reached;
	uint64_t	 fa_stack[CALLS_MAX];	/* its sum, with fa_at 0 */
} *failure;

/* Inside a call that libcrypto does not survive without memory. */
static _Thread_local bool excused;

struct stack {
	uint64_t	st_sum;
	unsigned	st_frames;
};

static _Unwind_Reason_Code
add_frame(struct _Unwind_Context *context, void *arg)
{
	struct stack *st = arg;

	st->st_sum = (st->st_sum ^ _Unwind_GetIP(context)) * 0x100000001b3;
	return (++st->st_frames < FRAMES ? _URC_NO_REASON :
	    _URC_NORMAL_STOP);
}

/* Whether this call is the one. */
static bool
fails(enum kind kind, int error)
{
	struct stack st = { 0, 0 };
	uint64_t n;

	if (failure == NULL || !atomic_load(&failure->fa_armed) ||
	    kind != failure->fa_kind || excused)
		return (false);
	n = atomic_fetch_add(&failure->fa_reached, 1) + 1;
	if (failure->fa_at == 0 && n <= CALLS_MAX) {
		_Unwind_Backtrace(add_frame, &st);
		failure->fa_stack[n - 1] = st.st_sum;
	}
	if (n != failure->fa_at)
		return (false);
	errno = error;
	return (true);
}

/* Takes a while: once, before processes are forked. */
void __real_tick_calibrate(void);
void __wrap_tick_calibrate(void);
void
__wrap_tick_calibrate(void)
{
	static bool done;

	if (!done)
		__real_tick_calibrate();
	done = true;
}

/* A function that fails with an error and the value none. */
#define	WRAP(name, type, kind, error, none, arguments, call)		\
	type __real_##name arguments;					\
	type __wrap_##name arguments;					\
	type								\
	__wrap_##name arguments						\
	{								\
									\
		return (fails(kind, error) ? (none) : __real_##name call); \
	}

WRAP(malloc, void *, MEMORY, ENOMEM, NULL, (size_t size), (size))
WRAP(calloc, void *, MEMORY, ENOMEM, NULL, (size_t n, size_t size), (n, size))
WRAP(realloc, void *, MEMORY, ENOMEM, NULL, (void *p, size_t size), (p, size))
WRAP(reallocarray, void *, MEMORY, ENOMEM, NULL,
    (void *p, size_t n, size_t size), (p, n, size))
WRAP(aligned_alloc, void *, MEMORY, ENOMEM, NULL, (size_t to, size_t size),
    (to, size))
WRAP(mmap, void *, MEMORY, ENOMEM, MAP_FAILED, (void *at, size_t n, int prot,
    int flags, int fd, off_t off), (at, n, prot, flags, fd, off))
WRAP(strdup, char *, MEMORY, ENOMEM, NULL, (const char *text), (text))
WRAP(strndup, char *, MEMORY, ENOMEM, NULL, (const char *text, size_t n),
    (text, n))
WRAP(realpath, char *, MEMORY, ENOMEM, NULL, (const char *path, char *real),
    (path, real))
WRAP(open_memstream, FILE *, MEMORY, ENOMEM, NULL, (char **text, size_t *n),
    (text, n))
WRAP(fmemopen, FILE *, MEMORY, ENOMEM, NULL, (void *p, size_t n,
    const char *mode), (p, n, mode))
WRAP(gsl_rng_alloc, gsl_rng *, MEMORY, ENOMEM, NULL, (const gsl_rng_type *t),
    (t))
WRAP(gsl_multifit_nlinear_alloc, gsl_multifit_nlinear_workspace *, MEMORY,
    ENOMEM, NULL, (const gsl_multifit_nlinear_type *t,
    const gsl_multifit_nlinear_parameters *params, const size_t n,
    const size_t p), (t, params, n, p))
WRAP(fopen, FILE *, FILES, EMFILE, NULL, (const char *path, const char *mode),
    (path, mode))
WRAP(fdopen, FILE *, FILES, EMFILE, NULL, (int fd, const char *mode),
    (fd, mode))
WRAP(write, ssize_t, FILES, ENOSPC, -1, (int fd, const void *p, size_t n),
    (fd, p, n))
WRAP(pwrite, ssize_t, FILES, ENOSPC, -1, (int fd, const void *p, size_t n,
    off_t at), (fd, p, n, at))
WRAP(fsync, int, FILES, EIO, -1, (int fd), (fd))
WRAP(rename, int, FILES, EACCES, -1, (const char *from, const char *to),
    (from, to))
WRAP(pipe2, int, FILES, EMFILE, -1, (int ends[2], int flags), (ends, flags))
WRAP(pthread_create, int, THREADS, EAGAIN, EAGAIN, (pthread_t *td,
    const pthread_attr_t *attr, void *(*fn)(void *), void *arg), (td, attr, fn,
    arg))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	int mode = 0;	/* as mode_t is passed, which may be a short */
	va_list ap;

	if ((flags & O_CREAT) != 0) {
		va_start(ap, flags);
		mode = va_arg(ap, int);
		va_end(ap);
	}
	return (fails(FILES, EMFILE) ? -1 : __real_open(path, flags, mode));
}

int __real_asprintf(char **text, const char *fmt, ...);
int __wrap_asprintf(char **text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

int
__wrap_asprintf(char **text, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (fails(MEMORY, ENOMEM))
		return (-1);
	va_start(ap, fmt);
	n = vasprintf(text, fmt, ap);
	va_end(ap);
	return (n);
}

#define	MAKE(name, type, arguments, call)				\
	WRAP(name, type *, CRYPTO, 0, NULL, arguments, call)
#define	COMPUTE(name, arguments, call)					\
	WRAP(name, int, CRYPTO, 0, 0, arguments, call)

/* Without memory libcrypto 3.0 crashes in these. */
#define	FETCH(name, type, option)					\
	type *__real_##name(OSSL_LIB_CTX *ctx, const char *what, option x); \
	type *__wrap_##name(OSSL_LIB_CTX *ctx, const char *what, option x); \
	type *								\
	__wrap_##name(OSSL_LIB_CTX *ctx, const char *what, option x)	\
	{								\
		type *made;						\
									\
		if (fails(CRYPTO, 0))					\
			return (NULL);					\
		excused = true;						\
		made = __real_##name(ctx, what, x);			\
		excused = false;					\
		return (made);						\
	}

FETCH(EVP_CIPHER_fetch, EVP_CIPHER, const char *)
FETCH(EVP_MD_fetch, EVP_MD, const char *)
FETCH(OSSL_PROVIDER_try_load, OSSL_PROVIDER, int)
MAKE(EVP_CIPHER_CTX_new, EVP_CIPHER_CTX, (void), ())
MAKE(EVP_MD_CTX_new, EVP_MD_CTX, (void), ())
COMPUTE(EVP_EncryptInit_ex2, (EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher,
    const unsigned char *key, const unsigned char *iv,
    const OSSL_PARAM params[]), (ctx, cipher, key, iv, params))
COMPUTE(EVP_EncryptUpdate, (EVP_CIPHER_CTX *ctx, unsigned char *out, int *outl,
    const unsigned char *in, int inl), (ctx, out, outl, in, inl))
COMPUTE(EVP_DigestInit_ex2, (EVP_MD_CTX *ctx, const EVP_MD *md,
    const OSSL_PARAM params[]), (ctx, md, params))
COMPUTE(EVP_DigestUpdate, (EVP_MD_CTX *ctx, const void *p, size_t n), (ctx, p,
    n))
COMPUTE(EVP_DigestFinal_ex, (EVP_MD_CTX *ctx, unsigned char *out, unsigned *n),
    (ctx, out, n))
COMPUTE(EVP_DigestFinalXOF, (EVP_MD_CTX *ctx, unsigned char *out, size_t n),
    (ctx, out, n))
COMPUTE(EVP_MD_up_ref, (EVP_MD *md), (md))

#endif
