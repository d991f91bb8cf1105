#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fortuna/kernel/object.h"

#ifdef __SANITIZE_THREAD__
/* FreeBSD's unlocked load of the counter: rngsim-kernel(7). */
const char *__tsan_default_suppressions(void);

const char *
__tsan_default_suppressions(void)
{
	return ("race_top:random_fortuna_*seeded\n");
}
#endif

/* Copies loaded so far, of all sources. */
static _Atomic unsigned loaded;

static int
copy_file(int to, int from, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, from, 0);
	size_t done = 0;
	ssize_t n = 0;

	if (p == MAP_FAILED)
		return (errno);
	for (; done < bytes && n >= 0; done += n > 0 ? (size_t)n : 0)
		n = write(to, (char *)p + done, bytes - done);
	munmap(p, bytes);
	return (n < 0 ? errno : 0);
}

/*
 * Loads a copy from a file of its own: the loader knows files by inode, and by
 * name, so each copy has a name with one more slash.  The first one is the
 * object itself, where sanitizers find the names of functions.
 */
static void *
load(const struct kernel_file *kf)
{
	enum { NAMES = 3000 };
	char path[NAMES + 64];
	void *handle = dlopen(kf->kf_path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	unsigned slashes;
	int error, fd;

	if (handle == NULL) {
		handle = dlopen(kf->kf_path, RTLD_NOW | RTLD_LOCAL);
		errno = ENOEXEC;
		return (handle);
	}
	dlclose(handle);
	handle = NULL;
	fd = memfd_create("kernel", MFD_CLOEXEC);
	if (fd < 0)
		return (NULL);
	error = copy_file(fd, kf->kf_fd, kf->kf_bytes);
	slashes = atomic_fetch_add(&loaded, 1) + 1;
	if (error == 0 && slashes > NAMES)
		error = EMFILE;
	if (error == 0) {
		memset(path, '/', slashes);
		snprintf(path + slashes, 64, "proc/self/fd/%d", fd);
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (handle == NULL)
			error = ENOEXEC;
	}
	close(fd);
	errno = error;
	return (handle);
}

struct search {
	const struct kernel_object *s_object;
	uint8_t		*s_data;
	size_t		 s_bytes;
};

/* Finds the writable part of the object that holds a symbol. */
static int
find_data(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const ElfW(Phdr) *ph;
	uintptr_t start, end, from = 0, to = 0;
	bool here = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		ph = &info->dlpi_phdr[i];
		start = info->dlpi_addr + ph->p_vaddr;
		end = start + ph->p_memsz;
		if (ph->p_type != PT_LOAD)
			continue;
		if ((uintptr_t)s->s_object >= start &&
		    (uintptr_t)s->s_object < end)
			here = true;
		if ((ph->p_flags & PF_W) != 0) {
			from = start;
			to = end;
		}
	}
	if (!here)
		return (0);
	/* The loader has made the relocated constants read-only. */
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		ph = &info->dlpi_phdr[i];
		if (ph->p_type == PT_GNU_RELRO && info->dlpi_addr +
		    ph->p_vaddr <= from)
			from = (info->dlpi_addr + ph->p_vaddr + ph->p_memsz +
			    (uintptr_t)sysconf(_SC_PAGESIZE) - 1) &
			    ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	}
	s->s_data = (uint8_t *)from;
	s->s_bytes = to > from ? to - from : 0;
	return (1);
}

/* Word by word, as a sanitizer has zones between variables. */
__attribute__((noinline, no_sanitize("address", "thread")))
static void
copy_data(volatile uint8_t *to, const volatile uint8_t *from, size_t n)
{
	size_t i;

	for (i = 0; i + sizeof(uint64_t) <= n; i += sizeof(uint64_t))
		*(volatile uint64_t *)(volatile void *)(to + i) =
		    *(const volatile uint64_t *)(const volatile void *)
		    (from + i);
	for (; i < n; i++)
		to[i] = from[i];
}

static struct kernel_copy *
copy_new(const struct kernel_file *kf)
{
	struct kernel_copy *kc = calloc(1, sizeof(*kc));
	struct search s;

	if (kc == NULL)
		return (NULL);
	kc->kc_handle = load(kf);
	if (kc->kc_handle == NULL)
		goto fail;
	kc->kc_object = dlsym(kc->kc_handle, "kernel_object");
	errno = ENOEXEC;
	if (kc->kc_object == NULL)
		goto fail;
	s = (struct search){ .s_object = kc->kc_object };
	dl_iterate_phdr(find_data, &s);
	kc->kc_data = s.s_data;
	kc->kc_data_bytes = s.s_bytes;
	errno = ENOEXEC;
	if (kc->kc_data_bytes == 0)
		goto fail;
	kc->kc_image = malloc(kc->kc_data_bytes);
	if (kc->kc_image == NULL)
		goto fail;
	copy_data(kc->kc_image, kc->kc_data, kc->kc_data_bytes);
	return (kc);
fail:
	if (kc->kc_handle != NULL)
		dlclose(kc->kc_handle);
	free(kc);
	return (NULL);
}

/* Not in use, or left behind by a run that was ended early. */
static bool
is_free(const struct kernel_copy *kc, uint64_t run, const void *thread)
{
	return (!kc->kc_used || (kc->kc_run != 0 && kc->kc_run != run &&
	    kc->kc_thread == thread));
}

struct kernel_copy *
kernel_copy_get(struct kernel_file *kf, uint64_t run)
{
	static _Thread_local char thread;
	struct kernel_copy *kc;

	pthread_mutex_lock(&kf->kf_mutex);
	for (kc = kf->kf_copies; kc != NULL && !is_free(kc, run, &thread);)
		kc = kc->kc_next;
	if (kc != NULL && kc->kc_used) {
		copy_data(kc->kc_data, kc->kc_image, kc->kc_data_bytes);
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
kernel_copy_put(struct kernel_file *kf, struct kernel_copy *kc)
{
	/* Also clears the keys. */
	copy_data(kc->kc_data, kc->kc_image, kc->kc_data_bytes);
	pthread_mutex_lock(&kf->kf_mutex);
	kc->kc_used = false;
	pthread_mutex_unlock(&kf->kf_mutex);
}

/* Names the profile's rows; sites after the last row share it. */
static void
name_sites(struct kernel_file *kf, const struct kernel_object *ko)
{
	const unsigned n = ko->ko_site_count();
	const char *file;
	unsigned i;

	kf->kf_site_count = n < LOCKPROF_SITES_MAX ? n : LOCKPROF_SITES_MAX;
	for (i = 0; i < kf->kf_site_count; i++) {
		file = strrchr(ko->ko_sites[i].kt_file, '/');
		file = file != NULL ? file + 1 : ko->ko_sites[i].kt_file;
		snprintf(kf->kf_site[i], sizeof(kf->kf_site[i]), "%s:%d", file,
		    ko->ko_sites[i].kt_line);
		kf->kf_sites[i] = kf->kf_site[i];
	}
	if (n > LOCKPROF_SITES_MAX)
		snprintf(kf->kf_site[i - 1], sizeof(kf->kf_site[0]), "others");
}

int
kernel_file_open(struct kernel_file *kf, const char *path,
    struct kernel_copy **kcp, char error[KERNEL_ERROR_SIZE])
{
	const char *why;
	struct kernel_copy *kc;
	struct stat st;

	pthread_mutex_init(&kf->kf_mutex, NULL);
	snprintf(kf->kf_path, sizeof(kf->kf_path), "%s", path);
	kf->kf_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (kf->kf_fd < 0 || fstat(kf->kf_fd, &st) != 0) {
		snprintf(error, KERNEL_ERROR_SIZE, "%s: %s", path,
		    strerror(errno));
		return (EINVAL);
	}
	kf->kf_bytes = (size_t)st.st_size;
	kc = kernel_copy_get(kf, 0);
	if (kc == NULL || kc->kc_object->ko_abi != KERNEL_ABI) {
		why = kc != NULL ? "compiled by another version of rngsim" :
		    errno == ENOEXEC ? dlerror() : strerror(errno);
		snprintf(error, KERNEL_ERROR_SIZE, "%s: %s", path,
		    why != NULL ? why : "no object of a kernel source");
		close(kf->kf_fd);
		return (EINVAL);
	}
	name_sites(kf, kc->kc_object);
	*kcp = kc;
	return (0);
}
