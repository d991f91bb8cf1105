/*
 * Loaded copies of compiled kernel sources.  Each generator has one of its own,
 * as the kernel's variables are the object's.
 */
#ifndef FORTUNA_KERNEL_OBJECT_H
#define FORTUNA_KERNEL_OBJECT_H

#include <pthread.h>
#include <stdint.h>

#include "fortuna/kernel/abi.h"
#include "fortuna/kernel/design.h"
#include "fortuna/generator.h"

enum { KERNEL_SETTINGS_MAX = 32 };

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

/* A source: its object for one machine, and the design made of it. */
struct kernel_source {
	struct random_algorithm ks_algorithm;	/* first: a design is one */
	char		 ks_name[KERNEL_NAME_SIZE];
	char		 ks_descr[KERNEL_NAME_SIZE];
	bool		 ks_probed;	/* its private names are known */
	int		 ks_fd;		/* the object's file */
	size_t		 ks_bytes;
	pthread_mutex_t	 ks_mutex;	/* guards what follows */
	struct kernel_copy *ks_copies;
	/* Profile rows: a name for each site. */
	char		 ks_site[LOCKPROF_SITES_MAX][KERNEL_NAME_SIZE];
	const char	*ks_sites[LOCKPROF_SITES_MAX];
	unsigned	 ks_site_count;
	/* What -S set of the source's own. */
	struct kernel_setting {
		char	 kt_name[KERNEL_NAME_SIZE];
		int64_t	 kt_value;
	}		 ks_setting[KERNEL_SETTINGS_MAX];
	unsigned	 ks_setting_count;
};

/*
 * Opens an object and fills in all but ks_algorithm.
 *
 * Returns: 0, EINVAL and what is wrong with the object, or an errno value.
 */
int kernel_source_open(struct kernel_source *ks, const char *name,
    const char *object, char error[KERNEL_ERROR_SIZE]);

/* Applies a setting to a booted object; false: it has no such name. */
bool kernel_setting_apply(const struct kernel_object *ko,
    const struct kernel_setting *set, int *error);

#define	kernel_design_make	FLAVOURED(kernel_design_make)
#define	kernel_boot		FLAVOURED(kernel_boot)

/*
 * Makes a generator with stub ciphers, to look at what the source has; needs no
 * crypto_init().  Returns: as generator_new().
 */
int kernel_boot(struct kernel_source *ks, struct generator **g,
    const struct kernel_object **ko);

/*
 * Adds the design of one machine.  Returns: as kernel_source_open(); ENOSPC.
 *
 *   ksp  out  lasts as long as the program
 */
int kernel_design_make(const char *name, const char *object,
    struct kernel_source **ksp, char error[KERNEL_ERROR_SIZE]);

/*
 * A copy with its variables as loaded.
 *
 *   run  in  the simulated machine's; copies of its host thread's earlier runs
 *            that were not returned are taken again.  0: none.
 *
 * Returns: NULL with errno set when none can be loaded.
 */
struct kernel_copy *kernel_copy_get(struct kernel_source *ks, uint64_t run);
void kernel_copy_put(struct kernel_source *ks, struct kernel_copy *kc);

#endif
