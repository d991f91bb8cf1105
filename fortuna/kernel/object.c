#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fortuna/kernel/object.h"
#include "lib/base/parse_number.h"

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
 * name, so each copy has a name with one more slash.
 */
static void *
load(const struct kernel_source *ks)
{
	enum { NAMES = 3000 };
	char path[NAMES + 64];
	void *handle = NULL;
	unsigned slashes;
	int error, fd;

	fd = memfd_create("kernel", MFD_CLOEXEC);
	if (fd < 0)
		return (NULL);
	error = copy_file(fd, ks->ks_fd, ks->ks_bytes);
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
	unsigned i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
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
	for (i = 0; i < info->dlpi_phnum; i++) {
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

static struct kernel_copy *
copy_new(const struct kernel_source *ks)
{
	struct kernel_copy *kc = calloc(1, sizeof(*kc));
	struct search s;

	if (kc == NULL)
		return (NULL);
	kc->kc_handle = load(ks);
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
	memcpy(kc->kc_image, kc->kc_data, kc->kc_data_bytes);
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
kernel_copy_get(struct kernel_source *ks, uint64_t run)
{
	static _Thread_local char thread;
	struct kernel_copy *kc;

	pthread_mutex_lock(&ks->ks_mutex);
	for (kc = ks->ks_copies; kc != NULL && !is_free(kc, run, &thread);
	    kc = kc->kc_next)
		continue;
	if (kc != NULL) {
		memcpy(kc->kc_data, kc->kc_image, kc->kc_data_bytes);
	} else {
		kc = copy_new(ks);
		if (kc != NULL) {
			kc->kc_next = ks->ks_copies;
			ks->ks_copies = kc;
		}
	}
	if (kc != NULL) {
		kc->kc_used = true;
		kc->kc_run = run;
		kc->kc_thread = &thread;
	}
	pthread_mutex_unlock(&ks->ks_mutex);
	return (kc);
}

void
kernel_copy_put(struct kernel_source *ks, struct kernel_copy *kc)
{

	pthread_mutex_lock(&ks->ks_mutex);
	kc->kc_used = false;
	pthread_mutex_unlock(&ks->ks_mutex);
}

/* Names the profile's rows; sites after the last row share it. */
static void
name_sites(struct kernel_source *ks, const struct kernel_object *ko)
{
	const unsigned n = ko->ko_site_count();
	const char *file;
	unsigned i;

	ks->ks_site_count = n < LOCKPROF_SITES_MAX ? n : LOCKPROF_SITES_MAX;
	for (i = 0; i < ks->ks_site_count; i++) {
		file = strrchr(ko->ko_sites[i].kt_file, '/');
		file = file != NULL ? file + 1 : ko->ko_sites[i].kt_file;
		snprintf(ks->ks_site[i], sizeof(ks->ks_site[i]), "%s:%d", file,
		    ko->ko_sites[i].kt_line);
		ks->ks_sites[i] = ks->ks_site[i];
	}
	if (n > LOCKPROF_SITES_MAX)
		snprintf(ks->ks_site[i - 1], sizeof(ks->ks_site[0]), "others");
}

/* The machines' sources of each design, this one's first. */
enum { MACHINES = 3 };
static struct kernel_source *sources[MACHINES * 64];
static unsigned source_count;

static int64_t
value_of(const struct kernel_sysctl *kx)
{

	switch (kx->kx_type) {
	case KERNEL_SYSCTL_BOOL:
		return (*(const bool *)kx->kx_value);
	case KERNEL_SYSCTL_UINT:
		return (*(const unsigned *)kx->kx_value);
	default:
		return (*(const int *)kx->kx_value);
	}
}

bool
kernel_setting_apply(const struct kernel_object *ko,
    const struct kernel_setting *set, int *error)
{
	struct kernel_sysctl *kx;
	unsigned i;

	for (i = 0; (kx = ko->ko_sysctl(i)) != NULL; i++) {
		if (strcmp(kx->kx_name, set->kt_name) != 0)
			continue;
		*error = kx->kx_set(kx, set->kt_value);
		/* The source's bounds may have moved it. */
		if (*error == 0 && value_of(kx) != set->kt_value)
			*error = ERANGE;
		return (true);
	}
	return (false);
}

/*
 * Boots a source of this machine, for its sysctls; boot_end() ends it.  The
 * caller may be no machine thread yet.
 */
struct boot {
	struct generator *b_generator;
	const struct kernel_object *b_object;
	struct mthread	 b_td;
	bool		 b_attached;
};

static int
boot_begin(struct boot *b, struct kernel_source *ks)
{
	int error;

	b->b_attached = machine_curthread() == NULL;
	if (b->b_attached)
		machine_attach(&b->b_td, "boot");
	error = real_kernel_boot(ks, &b->b_generator, &b->b_object);
	if (error != 0 && b->b_attached)
		machine_detach();
	return (error);
}

static void
boot_end(struct boot *b)
{

	generator_free(b->b_generator);
	if (b->b_attached)
		machine_detach();
}

static int
keep(struct kernel_source *ks, const struct kernel_setting *set)
{
	unsigned i;

	for (i = 0; i < ks->ks_setting_count &&
	    strcmp(set->kt_name, ks->ks_setting[i].kt_name) != 0; i++)
		continue;
	if (i == KERNEL_SETTINGS_MAX)
		return (ENOSPC);
	ks->ks_setting[i] = *set;
	ks->ks_setting_count += i == ks->ks_setting_count;
	return (0);
}

/* Sets it in a design, if it has that; found is set then. */
static int
set_one(struct kernel_source **machines, const struct kernel_setting *set,
    bool *found, char error[KERNEL_ERROR_SIZE])
{
	struct boot b;
	unsigned i;
	int e = 0;

	if (boot_begin(&b, machines[0]) != 0)
		return (ENOMEM);
	if (kernel_setting_apply(b.b_object, set, &e)) {
		*found = true;
		for (i = 0; e == 0 && i < MACHINES; i++)
			e = keep(machines[i], set);
		if (e != 0)
			snprintf(error, KERNEL_ERROR_SIZE, "%s refuses it%s",
			    machines[0]->ks_name, e == ERANGE ? ": it is out "
			    "of the source's bounds" : e == ENOSPC ? ": there "
			    "are too many" : "");
	}
	boot_end(&b);
	return (e == 0 ? 0 : EINVAL);
}

int
kernel_design_set(const char *name, const char *value,
    char error[KERNEL_ERROR_SIZE])
{
	struct kernel_setting set = { .kt_value = 0 };
	bool found = false;
	uint64_t v = 0;
	unsigned i;
	int e = 0;

	snprintf(set.kt_name, sizeof(set.kt_name), "%s", name);
	if (parse_number(value, &v) != 0 || v > UINT32_MAX) {
		snprintf(error, KERNEL_ERROR_SIZE, "expected a number");
		e = EINVAL;
		v = 0;
	}
	set.kt_value = (int64_t)v;
	for (i = 0; e == 0 && i < source_count; i += MACHINES)
		e = set_one(&sources[i], &set, &found, error);
	return (e == 0 && !found ? ENOENT : e);
}

bool
kernel_design_sysctl(const char *design, unsigned i, char *name, char *descr,
    char *value)
{
	struct kernel_sysctl *kx;
	struct boot b;
	unsigned k;

	for (k = 0; k < source_count && strcmp(sources[k]->ks_name, design) !=
	    0; k += MACHINES)
		continue;
	if (k >= source_count || boot_begin(&b, sources[k]) != 0)
		return (false);
	kx = b.b_object->ko_sysctl(i);
	if (kx != NULL) {
		snprintf(name, KERNEL_NAME_SIZE, "%s", kx->kx_name);
		snprintf(descr, KERNEL_NAME_SIZE, "%s", kx->kx_descr);
		snprintf(value, KERNEL_NAME_SIZE, "%jd",
		    (intmax_t)value_of(kx));
	}
	boot_end(&b);
	return (kx != NULL);
}

int
kernel_source_open(struct kernel_source *ks, const char *name,
    const char *object, char error[KERNEL_ERROR_SIZE])
{
	struct kernel_copy *kc;
	struct stat st;

	memset(ks, 0, sizeof(*ks));
	pthread_mutex_init(&ks->ks_mutex, NULL);
	snprintf(ks->ks_name, sizeof(ks->ks_name), "%s", name);
	ks->ks_fd = open(object, O_RDONLY | O_CLOEXEC);
	if (ks->ks_fd < 0 || fstat(ks->ks_fd, &st) != 0) {
		snprintf(error, KERNEL_ERROR_SIZE, "%s: %s", object,
		    strerror(errno));
		return (EINVAL);
	}
	ks->ks_bytes = (size_t)st.st_size;
	kc = kernel_copy_get(ks, 0);
	if (kc == NULL || kc->kc_object->ko_abi != KERNEL_ABI) {
		snprintf(error, KERNEL_ERROR_SIZE, "%s: %s", object,
		    kc != NULL ? "compiled by another version of rngsim" :
		    errno == ENOEXEC ? dlerror() : strerror(errno));
		close(ks->ks_fd);
		return (EINVAL);
	}
	name_sites(ks, kc->kc_object);
	snprintf(ks->ks_descr, sizeof(ks->ks_descr), "a kernel source: %s",
	    *kc->kc_object->ko_algorithm);
	ks->ks_algorithm.ra_poolcount = *kc->kc_object->ko_poolcount;
	ks->ks_probed = kc->kc_object->ko_state != NULL;
	kernel_copy_put(ks, kc);
	return (0);
}

int	real_kernel_design_make(const char *, const char *,
	    struct kernel_source **, char [KERNEL_ERROR_SIZE]);
int	bare_kernel_design_make(const char *, const char *,
	    struct kernel_source **, char [KERNEL_ERROR_SIZE]);
int	virtual_kernel_design_make(const char *, const char *,
	    struct kernel_source **, char [KERNEL_ERROR_SIZE]);

int
kernel_design_add(const char *name, const char *const object[KERNEL_FLAVOURS],
    char error[KERNEL_ERROR_SIZE])
{
	static int (*const make[])(const char *, const char *,
	    struct kernel_source **, char [KERNEL_ERROR_SIZE]) = {
		real_kernel_design_make, bare_kernel_design_make,
		virtual_kernel_design_make
	};
	unsigned i;
	int e = 0;

	error[0] = '\0';
	for (i = 0; e == 0 && i < sizeof(make) / sizeof(make[0]); i++) {
		if (source_count == sizeof(sources) / sizeof(sources[0]))
			return (ENOMEM);
		e = make[i](name, object[i == 2 ? KERNEL_SIMULATED :
		    KERNEL_REAL], &sources[source_count], error);
		source_count += e == 0;
	}
	return (e);
}
