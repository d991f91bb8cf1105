/*
 * Compiled objects.  Each kernel has a loaded copy of its own, as the kernel's
 * variables are the object's.
 */
#pragma once

#include "lib/kern/abi.h"
#include "lib/lock/profiling.h"

enum {
	KERN_NAME_SIZE	= 64,
	KERN_ERROR_SIZE	= 1024,
	KERN_HEAP_BYTES	= 8 << 20	/* malloc(9)'s, of a copy, at most */
};

/* A value for a sysctl of a source. */
struct kern_setting {
	char		 kv_name[KERN_NAME_SIZE];
	int64_t		 kv_value;
};

struct kern_copy {
	struct kern_copy *kc_next;
	const struct kern_object *kc_object;
	/* Its variables, and what they are before boot. */
	uint8_t		*kc_data;
	size_t		 kc_data_bytes;
	uint8_t		*kc_image;
	bool		*kc_zero;	/* by part */
	uint8_t		*kc_heap;	/* zeros but for kc_heap_used */
	size_t		 kc_heap_used;
	bool		*kc_freed;	/* by line of the heap */
	/* SYSINIT(9)s, then SYSUNINIT(9)s, in order. */
	const struct kern_sysinit **kc_inits;
	unsigned	 kc_init_count, kc_uninit_count;
	bool		 kc_used;
	/* The simulated machine's run and its host thread; or 0. */
	uint64_t	 kc_run;
	const void	*kc_thread;
	/* For fault.c: its design's name, and all copies of all objects. */
	const char	*kc_name;
	const struct kern_file *kc_file;
	uintptr_t	 kc_base;
	size_t		 kc_bytes;
	struct kern_copy *kc_listed;
};

/* An object, and its copies. */
struct kern_file {
	char		*kf_path;	/* NULL: in memory only */
	const void	*kf_object;
	size_t		 kf_bytes;
	pthread_mutex_t	 kf_mutex;	/* guards the copies */
	struct kern_copy *kf_copies;
	/* Profile rows: a name for each site. */
	char		 kf_site[LOCKPROF_SITES_MAX][KERN_NAME_SIZE];
	const char	*kf_sites[LOCKPROF_SITES_MAX];
	unsigned	 kf_site_count;
};

/*
 * Opens an object, of a file or, without a path, of n bytes, and takes a first
 * copy, to be put.  Returns: 0, or EINVAL and what is wrong with it; without a
 * path also the error of write(2), EFBIG if the limit on the size of files,
 * which holds in memory too, is below the object's.
 */
int kern_file_open(struct kern_file *kf, const char *path, const void *object,
    size_t n, struct kern_copy **kcp, char error[KERN_ERROR_SIZE]);

/*
 * A copy with its variables as loaded.  In a run of a simulated machine, else
 * 0, copies that its host thread's earlier runs did not return are taken again.
 * Returns: NULL with errno set when none can be loaded.
 */
struct kern_copy *kern_copy_get(struct kern_file *kf, uint64_t run);
void kern_copy_put(struct kern_file *kf, struct kern_copy *kc);

/* The name of the variable or function that has p, or "?". */
void kern_copy_name(const struct kern_file *kf, const struct kern_copy *kc,
    const void *p, char name[KERN_NAME_SIZE]);
/* The object as a file in memory, to be closed; -1 with errno set. */
int kern_file_image(const struct kern_file *kf);

/*
 * A fault of the calling thread inside a copy, or an endless loop there, is
 * then a panic of its source.  Cheap to repeat.
 */
void kern_fault_catch(void);

/* Ends the run with a panic of what at a source's line, if one called this. */
void kern_fault_here(const char *what);

/* Calls into copies by this thread, and the last one's. */
extern _Thread_local uint64_t kern_fault_calls;
extern _Thread_local const struct kern_copy *kern_fault_copy;
void kern_fault_add(struct kern_copy *kc);

/* An attached object's sysctl, until the next call; NULL: it has none. */
struct kern_sysctl *kern_sysctl_find(const struct kern_object *ko,
    const char *name);
