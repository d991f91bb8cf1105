/*
 * Kernel sources and their compiled objects.  Each generator has a loaded copy
 * of its own, as the kernel's variables are the object's.
 */
#ifndef FORTUNA_KERNEL_OBJECT_H
#define FORTUNA_KERNEL_OBJECT_H

#include <limits.h>
#include <pthread.h>

#include "fortuna/kernel/abi.h"
#include "fortuna/kernel/design.h"
#include "fortuna/generator.h"

enum {
	KERNEL_SETTINGS_MAX	= 32,
	KERNEL_MACHINES		= 3
};

struct kernel_copy {
	struct kernel_copy *kc_next;
	void		*kc_handle;	/* dlopen(3)'s */
	const struct kernel_object *kc_object;
	/* Its variables, and what they are before boot. */
	uint8_t		*kc_data;
	size_t		 kc_data_bytes;
	uint8_t		*kc_image;
	bool		 kc_used;
	/* The simulated machine's run and its host thread; or 0. */
	uint64_t	 kc_run;
	const void	*kc_thread;
};

/* An object, and its copies. */
struct kernel_file {
	char		 kf_path[PATH_MAX];
	int		 kf_fd;
	size_t		 kf_bytes;
	pthread_mutex_t	 kf_mutex;	/* guards the copies */
	struct kernel_copy *kf_copies;
	/* Profile rows: a name for each site. */
	char		 kf_site[LOCKPROF_SITES_MAX][KERNEL_NAME_SIZE];
	const char	*kf_sites[LOCKPROF_SITES_MAX];
	unsigned	 kf_site_count;
};

/* The design of one machine. */
struct kernel_design {
	struct random_algorithm kd_algorithm;	/* first */
	struct kernel_source *kd_source;
	struct kernel_file *kd_file;
};

struct kernel_source {
	struct kernel_source *ks_next;
	char		 ks_name[KERNEL_NAME_SIZE];
	char		 ks_descr[KERNEL_NAME_SIZE];
	bool		 ks_probed;	/* its private names are known */
	unsigned	 ks_poolcount;
	unsigned	 ks_stored_bytes;
	struct kernel_file ks_file[KERNEL_FLAVOURS];
	struct kernel_design ks_design[KERNEL_MACHINES];	/* real first */
	/* What -S set of the source's own. */
	struct kernel_setting {
		char	 kt_name[KERNEL_NAME_SIZE];
		int64_t	 kt_value;
	}		 ks_setting[KERNEL_SETTINGS_MAX];
	unsigned	 ks_setting_count;
};

/*
 * Opens an object, and takes a first copy, to be put.
 *
 * Returns: 0, or EINVAL and what is wrong with it.
 */
int kernel_file_open(struct kernel_file *kf, const char *path,
    struct kernel_copy **kcp, char error[KERNEL_ERROR_SIZE]);

/*
 * A copy with its variables as loaded.
 *
 *   run  in  the simulated machine's; copies of its host thread's earlier runs
 *            that were not returned are taken again.  0: none.
 *
 * Returns: NULL with errno set when none can be loaded.
 */
struct kernel_copy *kernel_copy_get(struct kernel_file *kf, uint64_t run);
void kernel_copy_put(struct kernel_file *kf, struct kernel_copy *kc);

/* Applies a setting to a booted object; false: it has no such name. */
bool kernel_setting_apply(const struct kernel_object *ko,
    const struct kernel_setting *set, int *error);

/*
 * Each machine's: makes its design and adds it to its generators[]; false when
 * there is no room.  kernel_boot() makes a generator with stub ciphers, to look
 * at what the source has; needs no crypto_init(); returns as generator_new().
 */
#define	KERNEL_MACHINE(flavour)						\
bool flavour##_kernel_design_make(struct kernel_source *ks,		\
    struct kernel_design *kd, struct kernel_file *kf);			\
int flavour##_kernel_boot(const struct kernel_design *kd,		\
    struct generator **g, const struct kernel_object **ko);
KERNEL_MACHINE(real)
KERNEL_MACHINE(bare)
KERNEL_MACHINE(virtual)

#endif
