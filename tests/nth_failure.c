/*
 * Makes the n-th call of a kind fail, in a program that it is loaded into with
 * LD_PRELOAD.
 *
 *	NTH_FAILURE=KIND:N	which; with N 0 none, only counted
 *	NTH_FAILURE_COUNT=FILE	gets the number of such calls, when the program
 *				ends, if it ends by itself
 *	NTH_FAILURE_TRAP=1	SIGTRAP there: a debugger shows where that is
 *
 * Kinds: alloc, with strdup(3) and its like; thread; write; fsync; open, with
 * rename(2): all where the program itself calls them.  alloc-all, also where
 * its libraries do.  crypto: libcrypto's functions.  space: N is the size that
 * files cannot exceed.
 *
 * Not counted in alloc-all is what three libraries allocate where they do not
 * look whether they got it, and die: hwloc 2.9 in hwloc_topology_init(),
 * hwloc_topology_load(), hwloc_get_cpubind() and hwloc_set_thread_cpubind();
 * libconfig 1.5 in config_init() and config_read_string(); libcrypto 3.0 in
 * fetching and in loading a provider.
 *
 * Calls are counted from the program's first on, whichever thread makes them.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hwloc.h>
#include <libconfig.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

enum kind {
	ALLOC,
	ALLOC_ALL,
	THREAD,
	CRYPTO,
	WRITE,
	FSYNC,
	OPEN,
	SPACE,
	KINDS
};

static const char *const names[KINDS] = { "alloc", "alloc-all", "thread",
    "crypto", "write", "fsync", "open", "space" };

/* Before the constructor has run nothing is counted. */
static enum kind which = KINDS;
static uint64_t fails_at;
static _Atomic uint64_t reached;
static uintptr_t program_start, program_end;
static const char *count_file;
static bool trap;

/* The thread is in a library that cannot do without memory. */
static _Thread_local bool excused;

/* For what dlsym(3) asks for before there is a malloc(3) to ask. */
static _Alignas(64) unsigned char early[65536];
static size_t early_used;

static void *
next(const char *name)
{

	return (dlsym(RTLD_NEXT, name));
}

#define	REAL(name)							\
	static __typeof__(name) *real;					\
									\
	if (real == NULL)						\
		real = (__typeof__(name) *)(uintptr_t)next(#name)

static void *
early_alloc(size_t size)
{
	void *p = early + early_used;

	size = (size + 63) / 64 * 64;
	if (size > sizeof(early) - early_used)
		abort();
	early_used += size;
	return (p);
}

static bool
is_early(const void *p)
{

	return ((uintptr_t)p >= (uintptr_t)early &&
	    (uintptr_t)p < (uintptr_t)early + sizeof(early));
}

static bool
due(enum kind kind)
{

	if (which != kind || atomic_fetch_add(&reached, 1) + 1 != fails_at)
		return (false);
	if (trap)
		raise(SIGTRAP);
	return (true);
}

/* The same, if the program itself calls. */
static bool
own_due(enum kind kind, const void *caller)
{

	return (which == kind && (uintptr_t)caller >= program_start &&
	    (uintptr_t)caller < program_end && due(kind));
}

/* An allocation by whoever is at that address. */
static bool
alloc_due(const void *caller)
{

	return (which == ALLOC_ALL ? !excused && due(ALLOC_ALL) :
	    own_due(ALLOC, caller));
}

static int
program_range(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned i;

	(void)size;
	(void)arg;
	program_start = UINTPTR_MAX;
	for (i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (start < program_start)
			program_start = start;
		if (start + info->dlpi_phdr[i].p_memsz > program_end)
			program_end = start + info->dlpi_phdr[i].p_memsz;
	}
	/* The first is the program. */
	return (1);
}

static void __attribute__((constructor))
begin(void)
{
	const char *text = getenv("NTH_FAILURE");
	struct rlimit limit;
	unsigned i;

	count_file = getenv("NTH_FAILURE_COUNT");
	trap = getenv("NTH_FAILURE_TRAP") != NULL;
	if (text == NULL)
		return;
	dl_iterate_phdr(program_range, NULL);
	for (i = 0; i < KINDS; i++) {
		size_t n = strlen(names[i]);

		if (strncmp(text, names[i], n) != 0 || text[n] != ':')
			continue;
		fails_at = strtoull(text + n + 1, NULL, 10);
		if (i == SPACE) {
			limit.rlim_cur = limit.rlim_max = fails_at;
			setrlimit(RLIMIT_FSIZE, &limit);
		}
		which = (enum kind)i;
	}
	if (which == KINDS) {
		dprintf(2, "NTH_FAILURE=%s: no such kind\n", text);
		_exit(99);
	}
}

static void __attribute__((destructor))
end(void)
{
	uint64_t count = atomic_load(&reached);
	int fd;

	which = KINDS;
	if (count_file == NULL)
		return;
	fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd != -1) {
		dprintf(fd, "%ju\n", (uintmax_t)count);
		close(fd);
	}
}

#define	CALLER	__builtin_return_address(0)

#define	NO_MEMORY(caller)						\
	if (alloc_due(caller)) {					\
		errno = ENOMEM;						\
		return (NULL);						\
	}

void *
malloc(size_t size)
{
	static bool asking;
	static __typeof__(malloc) *real;

	if (real == NULL) {
		if (asking)
			return (early_alloc(size));
		asking = true;
		real = (__typeof__(malloc) *)(uintptr_t)next("malloc");
	}
	NO_MEMORY(CALLER);
	return (real(size));
}

void *
calloc(size_t n, size_t size)
{
	static bool asking;
	static __typeof__(calloc) *real;

	if (real == NULL) {
		if (asking)
			return (early_alloc(n * size));
		asking = true;
		real = (__typeof__(calloc) *)(uintptr_t)next("calloc");
	}
	NO_MEMORY(CALLER);
	return (real(n, size));
}

void *
realloc(void *p, size_t size)
{
	REAL(realloc);
	void *q;

	NO_MEMORY(CALLER);
	if (!is_early(p))
		return (real(p, size));
	q = malloc(size);
	if (q != NULL)
		memcpy(q, p, size);
	return (q);
}

void
free(void *p)
{
	REAL(free);

	if (!is_early(p))
		real(p);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	REAL(reallocarray);

	NO_MEMORY(CALLER);
	return (real(p, n, size));
}

void *
aligned_alloc(size_t align, size_t size)
{
	REAL(aligned_alloc);

	NO_MEMORY(CALLER);
	return (real(align, size));
}

int
posix_memalign(void **p, size_t align, size_t size)
{
	REAL(posix_memalign);

	return (alloc_due(CALLER) ? ENOMEM : real(p, align, size));
}

void *
mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	REAL(mmap);

	if (which != ALLOC_ALL && alloc_due(CALLER)) {
		errno = ENOMEM;
		return (MAP_FAILED);
	}
	return (real(at, n, prot, flags, fd, off));
}

/* What allocates on the program's behalf. */
char *
strdup(const char *s)
{
	REAL(strdup);

	if (which == ALLOC)
		NO_MEMORY(CALLER);
	return (real(s));
}

char *
strndup(const char *s, size_t n)
{
	REAL(strndup);

	if (which == ALLOC)
		NO_MEMORY(CALLER);
	return (real(s, n));
}

char *
realpath(const char *path, char *out)
{
	REAL(realpath);

	if (which == ALLOC)
		NO_MEMORY(CALLER);
	return (real(path, out));
}

FILE *
open_memstream(char **p, size_t *n)
{
	REAL(open_memstream);

	if (which == ALLOC)
		NO_MEMORY(CALLER);
	return (real(p, n));
}

FILE *
fmemopen(void *p, size_t n, const char *mode)
{
	REAL(fmemopen);

	if (which == ALLOC)
		NO_MEMORY(CALLER);
	return (real(p, n, mode));
}

/* Calls during which what is allocated is let be. */
#define	EXCUSED(type, name, arguments, call)				\
type									\
name arguments								\
{									\
	REAL(name);							\
	bool before = excused;						\
	type result;							\
									\
	excused = true;							\
	result = real call;						\
	excused = before;						\
	return (result);						\
}

EXCUSED(int, hwloc_topology_init, (hwloc_topology_t *topology), (topology))
EXCUSED(int, hwloc_topology_load, (hwloc_topology_t topology), (topology))
EXCUSED(int, hwloc_get_cpubind, (hwloc_topology_t topology, hwloc_cpuset_t set,
    int flags), (topology, set, flags))
EXCUSED(int, hwloc_set_thread_cpubind, (hwloc_topology_t topology,
    hwloc_thread_t thread, hwloc_const_cpuset_t set, int flags), (topology,
    thread, set, flags))
void
config_init(config_t *config)
{
	REAL(config_init);
	bool before = excused;

	excused = true;
	real(config);
	excused = before;
}

EXCUSED(int, config_read_string, (config_t *config, const char *text),
    (config, text))

int
pthread_create(pthread_t *td, const pthread_attr_t *attr, void *(*fn)(void *),
    void *arg)
{
	REAL(pthread_create);

	return (own_due(THREAD, CALLER) ? EAGAIN : real(td, attr, fn, arg));
}

ssize_t
write(int fd, const void *p, size_t n)
{
	REAL(write);

	if (own_due(WRITE, CALLER)) {
		errno = ENOSPC;
		return (-1);
	}
	return (real(fd, p, n));
}

int
fsync(int fd)
{
	REAL(fsync);

	if (own_due(FSYNC, CALLER)) {
		errno = EIO;
		return (-1);
	}
	return (real(fd));
}

/* A file's mode, where one is passed. */
#define	OPEN_MODE(flags, mode)	do {					\
	va_list ap;							\
									\
	va_start(ap, flags);						\
	mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(ap, int) : 0;	\
	va_end(ap);							\
} while (0)

int
open(const char *path, int flags, ...)
{
	REAL(open);
	mode_t mode;

	OPEN_MODE(flags, mode);
	if (own_due(OPEN, CALLER)) {
		errno = EMFILE;
		return (-1);
	}
	return (real(path, flags, mode));
}

FILE *
fopen(const char *path, const char *mode)
{
	REAL(fopen);

	if (own_due(OPEN, CALLER)) {
		errno = EMFILE;
		return (NULL);
	}
	return (real(path, mode));
}

int
rename(const char *from, const char *to)
{
	REAL(rename);

	if (own_due(OPEN, CALLER)) {
		errno = EIO;
		return (-1);
	}
	return (real(from, to));
}

FILE *
fdopen(int fd, const char *mode)
{
	REAL(fdopen);

	if (own_due(OPEN, CALLER) || (which == ALLOC && alloc_due(CALLER))) {
		errno = ENOMEM;
		return (NULL);
	}
	return (real(fd, mode));
}

#define	CRYPTO_CALL(type, name, none, arguments, call)			\
type									\
name arguments								\
{									\
	REAL(name);							\
	bool before = excused;						\
	type result;							\
									\
	if (due(CRYPTO))						\
		return (none);						\
	excused = before || strstr(#name, "_fetch") != NULL ||		\
	    strstr(#name, "_load") != NULL;				\
	result = real call;						\
	excused = before;						\
	return (result);						\
}

CRYPTO_CALL(EVP_CIPHER *, EVP_CIPHER_fetch, NULL, (OSSL_LIB_CTX *ctx,
    const char *name, const char *properties), (ctx, name, properties))
CRYPTO_CALL(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, NULL, (void), ())
CRYPTO_CALL(int, EVP_EncryptInit_ex2, 0, (EVP_CIPHER_CTX *ctx,
    const EVP_CIPHER *cipher, const unsigned char *key,
    const unsigned char *iv, const OSSL_PARAM params[]), (ctx, cipher, key,
    iv, params))
CRYPTO_CALL(int, EVP_EncryptUpdate, 0, (EVP_CIPHER_CTX *ctx,
    unsigned char *out, int *outl, const unsigned char *in, int inl), (ctx,
    out, outl, in, inl))
CRYPTO_CALL(EVP_MD *, EVP_MD_fetch, NULL, (OSSL_LIB_CTX *ctx,
    const char *name, const char *properties), (ctx, name, properties))
CRYPTO_CALL(EVP_MD_CTX *, EVP_MD_CTX_new, NULL, (void), ())
CRYPTO_CALL(int, EVP_DigestInit_ex2, 0, (EVP_MD_CTX *ctx, const EVP_MD *md,
    const OSSL_PARAM params[]), (ctx, md, params))
CRYPTO_CALL(int, EVP_DigestUpdate, 0, (EVP_MD_CTX *ctx, const void *p,
    size_t n), (ctx, p, n))
CRYPTO_CALL(int, EVP_DigestFinal_ex, 0, (EVP_MD_CTX *ctx, unsigned char *out,
    unsigned *n), (ctx, out, n))
CRYPTO_CALL(int, EVP_DigestFinalXOF, 0, (EVP_MD_CTX *ctx, unsigned char *out,
    size_t n), (ctx, out, n))
CRYPTO_CALL(int, EVP_MD_up_ref, 0, (EVP_MD *md), (md))
CRYPTO_CALL(EVP_MAC *, EVP_MAC_fetch, NULL, (OSSL_LIB_CTX *ctx,
    const char *name, const char *properties), (ctx, name, properties))
CRYPTO_CALL(EVP_MAC_CTX *, EVP_MAC_CTX_new, NULL, (EVP_MAC *mac), (mac))
CRYPTO_CALL(int, EVP_MAC_CTX_set_params, 0, (EVP_MAC_CTX *ctx,
    const OSSL_PARAM params[]), (ctx, params))
CRYPTO_CALL(int, EVP_MAC_init, 0, (EVP_MAC_CTX *ctx, const unsigned char *key,
    size_t n, const OSSL_PARAM params[]), (ctx, key, n, params))
CRYPTO_CALL(int, EVP_MAC_update, 0, (EVP_MAC_CTX *ctx, const unsigned char *p,
    size_t n), (ctx, p, n))
CRYPTO_CALL(int, EVP_MAC_final, 0, (EVP_MAC_CTX *ctx, unsigned char *out,
    size_t *n, size_t size), (ctx, out, n, size))
CRYPTO_CALL(OSSL_PROVIDER *, OSSL_PROVIDER_try_load, NULL, (OSSL_LIB_CTX *ctx,
    const char *name, int retain), (ctx, name, retain))
