#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include "lib/kern/object.h"

#ifdef __SANITIZE_THREAD__
/* FreeBSD's unlocked load of the counter, and how its thread is ended. */
const char *__tsan_default_suppressions(void);

const char *
__tsan_default_suppressions(void)
{
	return ("race_top:random_fortuna_*seeded\n"
	    "race_top:random_harvestq_deinit\n");
}
#endif

enum { OBJECT_MAX = 64 << 20 };

/* Copies loaded so far, of all objects. */
static _Atomic unsigned loaded;

int
kern_file_image(const struct kern_file *kf)
{
	const char *object = kf->kf_object;
	const int fd = memfd_create("kernel", MFD_CLOEXEC);
	ssize_t done = 0;

	if (fd < 0)
		return (-1);
	for (size_t at = 0; at < kf->kf_bytes && done >= 0; at += (size_t)done)
		done = write(fd, object + at, kf->kf_bytes - at);
	if (done >= 0)
		return (fd);
	close(fd);
	return (-1);
}

/*
 * Loads a copy from a file of its own: the loader knows files by inode, and by
 * name, so each copy has a name with one more slash.
 */
static void *
load_copy(const struct kern_file *kf)
{
	enum { NAMES = 3000 };
	char path[NAMES + 64];
	void *handle;
	const unsigned slashes = atomic_fetch_add(&loaded, 1) + 1;
	int fd;

	if (slashes > NAMES) {
		errno = EMFILE;
		return (NULL);
	}
	fd = kern_file_image(kf);
	if (fd < 0)
		return (NULL);
	memset(path, '/', slashes);
	snprintf(path + slashes, 64, "proc/self/fd/%d", fd);
#ifdef __FreeBSD__
	handle = fdlopen(fd, RTLD_NOW | RTLD_LOCAL);
#else
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
	close(fd);
	errno = ENOEXEC;
	return (handle);
}

/* The first one is the file itself, where sanitizers find functions' names. */
static void *
load(const struct kern_file *kf)
{
	void *handle;

	if (kf->kf_path == NULL)
		return (load_copy(kf));
	handle = dlopen(kf->kf_path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (handle != NULL) {
		dlclose(handle);
		return (load_copy(kf));
	}
	handle = dlopen(kf->kf_path, RTLD_NOW | RTLD_LOCAL);
	errno = ENOEXEC;
	return (handle);
}

/* Finds a copy's object and its writable part. */
static int
find_data(struct dl_phdr_info *info, size_t size __unused, void *arg)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct kern_copy *kc = arg;
	const ElfW(Phdr) *ph;
	uintptr_t start, end, from = 0, to = 0, constants = 0, last = 0;
	bool here = false;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		ph = &info->dlpi_phdr[i];
		start = info->dlpi_addr + ph->p_vaddr;
		end = start + ph->p_memsz;
		/* The loader has made the relocated constants read-only. */
		if (ph->p_type == PT_GNU_RELRO)
			constants = (end + page - 1) & ~(page - 1);
		if (ph->p_type != PT_LOAD)
			continue;
		here |= (uintptr_t)kc->kc_object >= start &&
		    (uintptr_t)kc->kc_object < end;
		last = end;
		if ((ph->p_flags & PF_W) != 0) {
			from = start;
			to = end;
		}
	}
	if (!here)
		return (0);
	kc->kc_base = info->dlpi_addr;
	kc->kc_bytes = last - kc->kc_base;
	from = MAX(from, constants);
	kc->kc_data = (uint8_t *)from;
	kc->kc_data_bytes = to > from ? to - from : 0;
	return (1);
}

/* Word by word, as a sanitizer has zones between variables. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
__attribute__((noinline, no_sanitize("address", "thread")))
static void
copy_data(volatile uint8_t *to, const volatile uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}
#define	is_zero(p, n)		false
#else
#define	copy_data(to, from, n)	memcpy(to, from, n)

static bool
is_zero(const uint8_t *p, size_t n)
{
	return (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}
#endif

enum { PART_BYTES = 1024 };	/* of variables, at once */

static size_t
part_bytes(const struct kern_copy *kc, size_t at)
{
	return (MIN(kc->kc_data_bytes - at, PART_BYTES));
}

/*
 * In the kernel's order; what is undone, in the opposite one, of a subsystem
 * after the process was ended: releases differ in the order of that.
 */
static int
by_order(const void *a, const void *b)
{
	const struct kern_sysinit *x = *(const struct kern_sysinit *const *)a;
	const struct kern_sysinit *y = *(const struct kern_sysinit *const *)b;

	if (x->ki_uninit != y->ki_uninit)
		return (x->ki_uninit - y->ki_uninit);
	if (x->ki_sub == y->ki_sub && x->ki_ends_process != y->ki_ends_process)
		return (y->ki_ends_process - x->ki_ends_process);
	return ((x->ki_uninit ? -1 : 1) * (x->ki_sub != y->ki_sub ?
	    x->ki_sub - y->ki_sub : x->ki_order != y->ki_order ?
	    x->ki_order - y->ki_order : x < y ? -1 : x > y));
}

static struct kern_copy *
copy_new(const struct kern_file *kf)
{
	const struct kern_object *ko;
	struct kern_copy *kc;
	void *handle = load(kf);
	unsigned n;

	if (handle == NULL)
		return (NULL);
	kc = xcalloc(1, sizeof(*kc));
	kc->kc_object = ko = dlsym(handle, "kern_object");
	if (ko != NULL && ko->ko_abi == KERN_ABI)
		dl_iterate_phdr(find_data, kc);
	if (kc->kc_data_bytes == 0) {
		free(kc);
		dlclose(handle);
		errno = ENOEXEC;
		return (NULL);
	}
	kc->kc_file = kf;
	kc->kc_name = "kernel";
	kern_fault_add(kc);
	kc->kc_heap = map_zeros(KERN_HEAP_BYTES);
	if (kc->kc_heap == NULL)
		no_memory();
	kc->kc_freed = xcalloc(KERN_HEAP_BYTES / MACHINE_CACHE_LINE + 1,
	    sizeof(bool));
	n = (unsigned)(ko->ko_sysinits_end - ko->ko_sysinits);
	kc->kc_inits = xcalloc(n, sizeof(*kc->kc_inits));
	for (unsigned i = 0; i < n; i++) {
		kc->kc_inits[i] = &ko->ko_sysinits[i];
		kc->kc_uninit_count += ko->ko_sysinits[i].ki_uninit;
	}
	kc->kc_init_count = n - kc->kc_uninit_count;
	qsort(kc->kc_inits, n, sizeof(*kc->kc_inits), by_order);
	/* Their names stay. */
	(void)kern_sysctl_find(ko, "");
	/* The variables as they are, and which parts are zeros. */
	kc->kc_image = xmalloc(kc->kc_data_bytes);
	kc->kc_zero = xcalloc(kc->kc_data_bytes / PART_BYTES + 1, sizeof(bool));
	copy_data(kc->kc_image, kc->kc_data, kc->kc_data_bytes);
	for (size_t at = 0; at < kc->kc_data_bytes; at += PART_BYTES)
		kc->kc_zero[at / PART_BYTES] = is_zero(kc->kc_image + at,
		    part_bytes(kc, at));
	return (kc);
}

/* Also clears the keys. */
static void
put_back(struct kern_copy *kc)
{
	size_t n;

	/* Most parts are zeros and still so: a queue of a thousand events. */
	for (size_t at = 0; at < kc->kc_data_bytes; at += n) {
		n = part_bytes(kc, at);
		if (!kc->kc_zero[at / PART_BYTES] ||
		    !is_zero(kc->kc_data + at, n))
			copy_data(kc->kc_data + at, kc->kc_image + at, n);
	}
	wipe(kc->kc_heap, kc->kc_heap_used);
	memset(kc->kc_freed, 0, kc->kc_heap_used / MACHINE_CACHE_LINE);
	kc->kc_heap_used = 0;
}

struct kern_copy *
kern_copy_get(struct kern_file *kf, uint64_t run)
{
	static _Thread_local char thread;
	struct kern_copy *kc;

	kern_fault_catch();
	pthread_mutex_lock(&kf->kf_mutex);
	/* Not in use, or left behind by a run that was ended early. */
	for (kc = kf->kf_copies; kc != NULL && kc->kc_used && (kc->kc_run ==
	    0 || kc->kc_run == run || kc->kc_thread != &thread);)
		kc = kc->kc_next;
	if (kc != NULL && kc->kc_used) {
		put_back(kc);
	} else if (kc == NULL && (kc = copy_new(kf)) != NULL) {
		kc->kc_next = kf->kf_copies;
		kf->kf_copies = kc;
	}
	if (kc != NULL) {
		kc->kc_used = true;
		kc->kc_run = run;
		kc->kc_thread = &thread;
	}
	pthread_mutex_unlock(&kf->kf_mutex);
	return (kc);
}

void
kern_copy_put(struct kern_file *kf, struct kern_copy *kc)
{
	put_back(kc);
	pthread_mutex_lock(&kf->kf_mutex);
	kc->kc_used = false;
	pthread_mutex_unlock(&kf->kf_mutex);
}

/* Names the profile's rows; sites after the last row share it. */
static void
name_sites(struct kern_file *kf, const struct kern_object *ko)
{
	const unsigned n = (unsigned)(ko->ko_sites_end - ko->ko_sites);
	const char *file;
	unsigned i;

	kf->kf_site_count = MIN(n, LOCKPROF_SITES_MAX);
	for (i = 0; i < kf->kf_site_count; i++) {
		file = strrchr(ko->ko_sites[i].kw_file, '/');
		file = file != NULL ? file + 1 : ko->ko_sites[i].kw_file;
		snprintf(kf->kf_site[i], sizeof(kf->kf_site[i]), "%s:%d", file,
		    ko->ko_sites[i].kw_line);
		kf->kf_sites[i] = kf->kf_site[i];
	}
	if (n > LOCKPROF_SITES_MAX)
		snprintf(kf->kf_site[i - 1], sizeof(kf->kf_site[0]), "others");
}

int
kern_file_open(struct kern_file *kf, const char *path, const void *object,
    size_t n, struct kern_copy **kcp, char error[KERN_ERROR_SIZE])
{
	char *text = NULL;
	const char *why;
	int fd, rc = 0;

	pthread_mutex_init(&kf->kf_mutex, NULL);
	if (path != NULL) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		rc = fd < 0 ? errno : read_file(fd, OBJECT_MAX, &text, &n);
		if (fd >= 0)
			close(fd);
		kf->kf_path = xstrdup(path);
		object = text;
	}
	kf->kf_object = object;
	kf->kf_bytes = n;
	*kcp = rc != 0 ? NULL : kern_copy_get(kf, 0);
	if (*kcp != NULL) {
		name_sites(kf, (*kcp)->kc_object);
		return (0);
	}
	rc = rc != 0 ? rc : errno;
	why = rc == ENOEXEC ? dlerror() : strerror(rc);
	snprintf(error, KERN_ERROR_SIZE, "%s%s%s", path == NULL ? "" : path,
	    path == NULL ? "" : ": ", why != NULL ? why :
	    "no object of kernel sources, or of another version of rngsim");
	free(text);
	free(kf->kf_path);
	pthread_mutex_destroy(&kf->kf_mutex);
	return (path == NULL ? rc : EINVAL);
}

void
kern_copy_name(const struct kern_file *kf, const struct kern_copy *kc,
    const void *p, char name[KERN_NAME_SIZE])
{
	const uint8_t *elf = kf->kf_object;
	const ElfW(Ehdr) *eh = kf->kf_object;
	const ElfW(Shdr) *sh = (const void *)(elf + eh->e_shoff);
	const ElfW(Sym) *sym, *end;
	const uintptr_t at = (uintptr_t)p - kc->kc_base;

	snprintf(name, KERN_NAME_SIZE, "?");
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		if (sh[i].sh_type != SHT_SYMTAB)
			continue;
		sym = (const void *)(elf + sh[i].sh_offset);
		for (end = sym + sh[i].sh_size / sizeof(*sym); sym < end; sym++)
			if (at - sym->st_value < sym->st_size &&
			    (sym->st_info & 0xf) <= STT_FUNC)
				snprintf(name, KERN_NAME_SIZE, "%.40s",
				    (const char *)elf +
				    sh[sh[i].sh_link].sh_offset + sym->st_name);
	}
}

struct kern_sysctl *
kern_sysctl_find(const struct kern_object *ko, const char *name)
{
	struct kern_sysctl *kx;

	for (unsigned i = 0; (kx = ko->ko_sysctl(i)) != NULL; i++)
		if (strcmp(kx->kx_name, name) == 0)
			break;
	return (kx);
}
