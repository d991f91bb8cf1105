#include "fortuna/device/randomdev.h"
#include "lib/base/embed.h"

/* The object NAME-real.so and its like, in the program's own file. */
#define	OBJECT(name, files)						\
	EMBED(name##_0, KERNEL_OBJECTS "/" #name "-real.so");		\
	EMBED(name##_1, KERNEL_OBJECTS "/" #name "-real-2019.so");	\
	EMBED(name##_2, KERNEL_OBJECTS "/" #name "-simulated.so");	\
	EMBED(name##_3, KERNEL_OBJECTS "/" #name "-simulated-2019.so");
#include "fortuna/device/object.tbl"

struct design_object {
	/* By machine and queue: its bytes in the program, or a file. */
	const char	*do_bytes[DESIGN_VARIANTS], *do_end[DESIGN_VARIANTS];
	char		*do_path[DESIGN_VARIANTS];
	struct kern_file do_file[DESIGN_VARIANTS];
	bool		 do_opened[DESIGN_VARIANTS];
	struct design_info do_info;
};

/* Opening is rare. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

#define	PART(name, i)	embedded_##name##_##i
#define	OBJECT(name, files)						\
static struct design_object object_##name = {				\
	.do_bytes = { PART(name, 0), PART(name, 1), PART(name, 2),	\
	    PART(name, 3) },						\
	.do_end = { PART(name, 0_end), PART(name, 1_end),		\
	    PART(name, 2_end), PART(name, 3_end) } };
#include "fortuna/device/object.tbl"

#define	NONE		{ .kv_name = "" }
#define	SET(name, value)	{ .kv_name = name, .kv_value = (value) }
#define	DESIGN(name, object, setting, flags, descr, stands, argument)	\
	{ #name, descr, stands, argument, flags, &object_##object, setting },
static const struct design shipped[] = {
#include "fortuna/device/design.tbl"
};
#undef DESIGN

enum { SHIPPED = nitems(shipped) };

/* Those that were added, in order. */
static const struct design **added;
static unsigned added_count;

const struct failpoint_def failpoint_defs[FAILPOINTS] = {
#define	FAILPOINT(name, where, descr)	{ #name, where, descr },
#include "fortuna/device/failpoint.tbl"
};

const char *const design_queue_names[HARVEST_MODELS + 1] = {
#define	HARVEST_MODEL(name, word)	word,
#include "fortuna/device/queue.tbl"
	NULL
};

const char *const random_source_names[ENTROPYSOURCE] = {
#define	EVENT_SOURCE(name)	#name,
#include "fortuna/device/event.tbl"
};

const struct design *
design_at(size_t i)
{
	return (i < SHIPPED ? &shipped[i] : i - SHIPPED < added_count ?
	    added[i - SHIPPED] : NULL);
}

const struct design *
design_find(const char *name)
{
	const struct design *de;

	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		if (strcmp(de->de_ident, name) == 0)
			break;
	return (de);
}

CTASSERT(RANDOM_ANY == LEDGER_LAG_ANY);

static uint32_t
points_of(const struct kern_object *ko)
{
	uint32_t points = 0;

	for (const char *const *p = ko->ko_points; p < ko->ko_points_end; p++)
		for (unsigned i = 0; i < FAILPOINTS; i++)
			points |= (uint32_t)(strcmp(*p,
			    failpoint_defs[i].fd_name) == 0) << i;
	return (points);
}

static void
take_info(struct design_object *dob, const struct kern_object *ko)
{
	const struct random_object *ro = ko->ko_device();
	const struct random_claims *rm = ro->ro_claims;

	dob->do_info = (struct design_info){
		.di_poolcount = *ro->ro_poolcount,
		.di_lag = rm->rm_lag,
		.di_stored_bytes = rm->rm_stored_bytes == RANDOM_ANY ?
		    LEDGER_STORED_ANY : rm->rm_stored_bytes,
		.di_never_blocks = rm->rm_never_blocks,
		.di_clones = rm->rm_clones,
		.di_cored = ro->ro_key != NULL,
		.di_probed = ro->ro_state != NULL,
		.di_held = ko->ko_holds != ko->ko_holds_end,
		/* Of all variants, as queues differ. */
		.di_points = dob->do_info.di_points | points_of(ko),
		.di_ciphers = ro->ro_aes_alone ? 1 : cipher_count,
		.di_queued = dob->do_path[0] != NULL &&
		    dob->do_path[HARVEST_MODEL_ring] == NULL,
	};
}

/* Opens one variant of an object; what is wrong is in error. */
static int
open_variant(struct design_object *dob, unsigned i, char error[KERN_ERROR_SIZE])
{
	struct kern_copy *kc;
	int rc = 0;

	pthread_mutex_lock(&opening);
	/* A source without a queue of its own has one variant for each. */
	if (i % HARVEST_MODELS != 0 && dob->do_path[0] != NULL &&
	    dob->do_path[i] == NULL)
		i -= i % HARVEST_MODELS;
	if (!dob->do_opened[i]) {
		/* Where a library lacks one, a source that uses it panics. */
		(void)hash_load(hash_find("blake2b-512"));
		(void)hash_load(hash_find("blake2s-256"));
		(void)hash_load(hash_blake2s_keyed());
		rc = kern_file_open(&dob->do_file[i], dob->do_path[i],
		    dob->do_bytes[i], (size_t)(dob->do_end[i] -
		    dob->do_bytes[i]), &kc, error);
		if (rc == 0) {
			take_info(dob, kc->kc_object);
			kern_copy_put(&dob->do_file[i], kc);
			dob->do_opened[i] = true;
		}
	}
	pthread_mutex_unlock(&opening);
	return (rc);
}

struct kern_file *
design_file(const struct design *de, enum design_machine machine,
    enum design_queue queue)
{
	struct design_object *dob = de->de_object;
	unsigned i = machine * HARVEST_MODELS + queue;
	char error[KERN_ERROR_SIZE];

	errno = open_variant(dob, i, error);
	/* It was looked at when it was added: this is the system's fault. */
	if (errno == EINVAL)
		errno = EIO;
	return (errno != 0 ? NULL : &dob->do_file[dob->do_opened[i] ? i :
	    i - i % HARVEST_MODELS]);
}

struct design_info
design_info(const struct design *de)
{
	struct design_info di;

	(void)design_file(de, DESIGN_REAL, HARVEST_MODEL_newest);
	pthread_mutex_lock(&opening);
	di = de->de_object->do_info;
	pthread_mutex_unlock(&opening);
	return (di);
}

int
design_add(const char *name, const char *const path[DESIGN_VARIANTS],
    char error[KERN_ERROR_SIZE])
{
	struct { struct design de; struct design_object dob; } *both;
	struct design_object *dob;
	int rc = 0;

	both = xcalloc(1, sizeof(*both));
	ARRAY_EXTEND(added, added_count);
	/* It stays, as variants that were opened refer to it. */
	added[added_count] = &both->de;
	dob = &both->dob;
	for (unsigned i = 0; i < DESIGN_VARIANTS && rc == 0; i++) {
		if (path[i] == NULL)
			continue;
		dob->do_path[i] = xstrdup(path[i]);
		rc = open_variant(dob, i, error);
	}
	if (rc != 0)
		return (EINVAL);
	both->de = (struct design){
		.de_ident = xstrdup(name), .de_descr = "a kernel source",
		.de_stands = "A kernel source, as it is.",
		.de_argument = "Why it is secure is for its author to say.",
		.de_flags = DE_ADDED, .de_object = dob,
	};
	added_count++;
	return (0);
}

/* A design that was booted on this machine, for its sysctls. */
struct trial {
	struct randomdev *tr_device;
	struct mthread	 tr_td;
	bool		 tr_attached;
};

static void
trial_end(struct trial *tr)
{
	randomdev_free(tr->tr_device);
	if (tr->tr_attached)
		machine_detach();
}

/* The caller may be no machine thread yet. */
static int
trial_begin(struct trial *tr, const struct design *de, enum design_queue queue)
{
	const struct randomdev_params rp = {
		.rp_design = de,
		.rp_queue = queue,
		.rp_kernel.kp_cipher = cipher_stub(ciphers[0]),
		.rp_kernel.kp_lock = lock_class_find("mtx"),
		.rp_kernel.kp_lock_config = lock_config_default(1),
	};
	int error;

	*tr = (struct trial){ .tr_attached = machine_curthread() == NULL };
	if (tr->tr_attached)
		machine_attach(&tr->tr_td, "boot");
	if ((error = randomdev_new(&tr->tr_device, &rp)) != 0)
		trial_end(tr);
	return (error);
}

/* Settings are not negative; a handler may not see what its type cuts off. */
static int64_t
most_of_type(const struct kern_sysctl *kx)
{
	return (kx->kx_type == KERN_SYSCTL_BOOL ? 1 :
	    kx->kx_type == KERN_SYSCTL_INT ? INT32_MAX : UINT32_MAX);
}

static bool
takes(struct kern_sysctl *kx, int64_t value)
{
	return (value >= 0 && value <= most_of_type(kx) &&
	    kx->kx_set(kx, value) == 0 && (!kx->kx_stored ||
	    kx->kx_get(kx) == value));
}

/* The last value on the way from one that it takes to one that it does not. */
static int64_t
bound(struct kern_sysctl *kx, int64_t good, int64_t bad)
{
	int64_t mid;

	while ((mid = good + (bad - good) / 2) != good)
		*(takes(kx, mid) ? &good : &bad) = mid;
	return (good);
}

/* value: the one at boot. */
static void
takes_range(struct kern_sysctl *kx, int64_t value,
    char range[DESIGN_RANGE_SIZE])
{
	const int64_t least = bound(kx, value, -1);
	const int64_t most = bound(kx, value, most_of_type(kx) + 1);

	snprintf(range, DESIGN_RANGE_SIZE, kx->kx_type == KERN_SYSCTL_BOOL ?
	    "%" PRId64 " or %" PRId64 : "%" PRId64 "..%" PRId64, least, most);
}

void
design_setting(struct kern_setting *set, const char *text)
{
	const size_t n = strcspn(text, "=");
	uint64_t value;

	snprintf(set->kv_name, sizeof(set->kv_name), "%.*s", (int)n, text);
	set->kv_value = text[n] == '=' && parse_number(text + n + 1, &value) ==
	    0 && value <= INT64_MAX ? (int64_t)value : -1;
}

int
design_check(const struct design *de, enum design_queue queue,
    const struct kern_setting *set, char range[DESIGN_RANGE_SIZE])
{
	struct kern_sysctl *kx;
	struct trial tr;
	int64_t value;
	int rc = trial_begin(&tr, de, queue);

	if (rc != 0)
		return (rc);
	kx = kern_sysctl_find(randomdev_object(tr.tr_device), set->kv_name);
	if (kx == NULL) {
		rc = ENOENT;
	} else {
		value = kx->kx_get(kx);
		rc = takes(kx, set->kv_value) ? 0 : EINVAL;
		takes_range(kx, value, range);
	}
	trial_end(&tr);
	return (rc);
}

bool
design_has_modes(const struct design *de)
{
	const struct kern_setting locked = { DESIGN_MODE, 0 };
	char range[DESIGN_RANGE_SIZE];

	return (de->de_setting.kv_name[0] == '\0' && design_check(de,
	    HARVEST_MODEL_newest, &locked, range) == 0);
}

unsigned
design_sysctls(const struct design *de,
    struct design_sysctl list[DESIGN_SYSCTLS_MAX])
{
	const struct kern_object *ko;
	struct kern_sysctl *kx;
	struct trial tr;
	unsigned n;

	if ((errno = trial_begin(&tr, de, HARVEST_MODEL_newest)) != 0)
		return (0);
	ko = randomdev_object(tr.tr_device);
	for (n = 0; n < DESIGN_SYSCTLS_MAX &&
	    (kx = ko->ko_sysctl(n)) != NULL; n++) {
		snprintf(list[n].dy_name, KERN_NAME_SIZE, "%s", kx->kx_name);
		snprintf(list[n].dy_descr, KERN_NAME_SIZE, "%s", kx->kx_descr);
		list[n].dy_value = kx->kx_get(kx);
		takes_range(kx, list[n].dy_value, list[n].dy_range);
	}
	trial_end(&tr);
	return (n);
}
