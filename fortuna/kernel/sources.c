/*
 * Kernel sources: each is a design of every machine, with the settings that
 * -S made for it.
 */
#include <errno.h>
#include <stdlib.h>

#include "fortuna/kernel/object.h"
#include "lib/base/parse_number.h"
#include "lib/crypto/hash.h"

/* All, in order. */
static struct kernel_source *sources;

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

	for (unsigned i = 0; (kx = ko->ko_sysctl(i)) != NULL; i++) {
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
 * A source that was started on this machine, for its sysctls; boot_end() ends
 * it.  The caller may be no machine thread yet.
 */
struct boot {
	struct generator *b_generator;
	const struct kernel_object *b_object;
	struct mthread	 b_td;
	bool		 b_attached;
};

static void
boot_end(struct boot *b)
{
	generator_free(b->b_generator);
	if (b->b_attached)
		machine_detach();
}

static int
boot_begin(struct boot *b, struct kernel_source *ks)
{
	int error;

	*b = (struct boot){ .b_attached = machine_curthread() == NULL };
	if (b->b_attached)
		machine_attach(&b->b_td, "boot");
	error = real_kernel_boot(&ks->ks_design[0], &b->b_generator,
	    &b->b_object);
	if (error != 0)
		boot_end(b);
	return (error);
}

static int
keep(struct kernel_source *ks, const struct kernel_setting *set)
{
	unsigned i;

	for (i = 0; i < ks->ks_setting_count &&
	    strcmp(set->kt_name, ks->ks_setting[i].kt_name) != 0;)
		i++;
	if (i == KERNEL_SETTINGS_MAX)
		return (ENOSPC);
	ks->ks_setting[i] = *set;
	ks->ks_setting_count += i == ks->ks_setting_count;
	return (0);
}

/* Sets it in a source, if it has that; found is set then. */
static int
set_one(struct kernel_source *ks, const struct kernel_setting *set,
    bool *found, char error[KERNEL_ERROR_SIZE])
{
	struct boot b;
	int e = 0;

	if (boot_begin(&b, ks) != 0)
		return (ENOMEM);
	if (kernel_setting_apply(b.b_object, set, &e)) {
		*found = true;
		if (e == 0)
			e = keep(ks, set);
		if (e != 0)
			snprintf(error, KERNEL_ERROR_SIZE, "%s refuses it%s",
			    ks->ks_name, e == ERANGE ? ": it is out of the "
			    "source's bounds" : e == ENOSPC ? ": there are "
			    "too many" : "");
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
	int e = 0;

	snprintf(set.kt_name, sizeof(set.kt_name), "%s", name);
	if (parse_number(value, &v) != 0 || v > UINT32_MAX) {
		snprintf(error, KERNEL_ERROR_SIZE, "expected a number");
		return (EINVAL);
	}
	set.kt_value = (int64_t)v;
	for (struct kernel_source *ks = sources; e == 0 && ks != NULL;
	    ks = ks->ks_next)
		e = set_one(ks, &set, &found, error);
	return (e == 0 && !found ? ENOENT : e);
}

bool
kernel_design_sysctl(const char *design, unsigned i, char *name, char *descr,
    char *value)
{
	struct kernel_sysctl *kx;
	struct kernel_source *ks;
	struct boot b;

	for (ks = sources; ks != NULL && strcmp(ks->ks_name, design) != 0;)
		ks = ks->ks_next;
	if (ks == NULL || boot_begin(&b, ks) != 0)
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
kernel_design_add(const char *name, const char *const object[KERNEL_FLAVOURS],
    char error[KERNEL_ERROR_SIZE])
{
	struct kernel_source *ks = calloc(1, sizeof(*ks)), **last = &sources;
	struct kernel_file *kf;
	struct kernel_copy *kc;

	if (ks == NULL)
		return (ENOMEM);
	/* Where libcrypto lacks it, a source that needs it ends the run. */
	(void)hash_load(hash_find("blake2b-512"));
	snprintf(ks->ks_name, sizeof(ks->ks_name), "%s", name);
	for (unsigned i = 0; i < KERNEL_FLAVOURS; i++) {
		kf = &ks->ks_file[i];
		if (kernel_file_open(kf, object[i], &kc, error) != 0) {
			free(ks);
			return (EINVAL);
		}
		snprintf(ks->ks_descr, sizeof(ks->ks_descr),
		    "a kernel source: %s", *kc->kc_object->ko_algorithm);
		ks->ks_poolcount = *kc->kc_object->ko_poolcount;
		ks->ks_stored_bytes = kc->kc_object->ko_stored_bytes;
		ks->ks_probed = kc->kc_object->ko_state != NULL;
		kernel_copy_put(kf, kc);
	}
	kf = ks->ks_file;
	if (!real_kernel_design_make(ks, &ks->ks_design[0], &kf[KERNEL_REAL]) ||
	    !bare_kernel_design_make(ks, &ks->ks_design[1], &kf[KERNEL_REAL]) ||
	    !virtual_kernel_design_make(ks, &ks->ks_design[2],
	    &kf[KERNEL_SIMULATED]))
		return (ENOMEM);
	while (*last != NULL)
		last = &(*last)->ks_next;
	*last = ks;
	return (0);
}
