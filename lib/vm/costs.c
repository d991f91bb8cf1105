#include "lib/vm/vm.h"

enum { FS_PER_PS = 1000, SHA256_BLOCK_BYTES = 64, KEY_BYTES = 32 };

/* A cipher's values in the profile: four of each kind, in this order. */
enum { BYTE, SETUP, CALL, WIPE, CIPHER_VALUES };

CTASSERT(PROFILE_AES_NATIVE_BYTE == PROFILE_AES_KERNEL_BYTE + CIPHER_VALUES);
CTASSERT(PROFILE_CHACHA20_KERNEL_BYTE == PROFILE_AES_NATIVE_BYTE +
    CIPHER_VALUES);
CTASSERT(PROFILE_CHACHA20_NATIVE_WIPE == PROFILE_CHACHA20_KERNEL_BYTE +
    CIPHER_VALUES + (int)WIPE);

/* A value in millionths. */
static uint64_t
millionths(const struct profile *pr, enum profile_key key)
{
	return ((uint64_t)(pr->pr_value[key] * 1e6 + 0.5));
}

/* A distance without a value does not occur on that machine. */
static void
fill_latencies(const struct profile *pr, struct vm_costs *vc)
{
	static const enum profile_key key[VM_DISTANCES] = {
		[VM_SELF] = PROFILE_LAT_HIT, [VM_SMT] = PROFILE_LAT_SMT,
		[VM_CCX] = PROFILE_LAT_CCX, [VM_SOCK] = PROFILE_LAT_SOCK,
		[VM_NEAR] = PROFILE_LAT_NEAR, [VM_REMOTE] = PROFILE_LAT_REMOTE
	};

	for (unsigned d = 0; d < VM_DISTANCES; d++) {
		vc->vc_lat_ps[d] = vc->vc_ps[key[d]];
		vc->vc_service_ps[d] = (uint64_t)((double)vc->vc_lat_ps[d] *
		    pr->pr_value[PROFILE_LINE_SERVICE] + 0.5);
	}
}

void
vm_costs(const struct profile *pr, const char *cipher, bool native,
    struct vm_costs *vc)
{
	const bool chacha = strcmp(cipher, "chacha20") == 0;
	const enum profile_key of = (chacha ? PROFILE_CHACHA20_KERNEL_BYTE :
	    PROFILE_AES_KERNEL_BYTE) + (native ? CIPHER_VALUES : 0);
	const uint64_t *ps = vc->vc_ps;
	uint64_t *each = vc->vc_cost_ps, *unit = vc->vc_unit_fs, drawn;

	memset(vc, 0, sizeof(*vc));
	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		if (pr->pr_from[i] != PROVENANCE_ABSENT &&
		    profile_fields[i].pf_unit >= PROFILE_NS)
			vc->vc_ps[i] = profile_ps(pr, (enum profile_key)i);
	fill_latencies(pr, vc);
	unit[COST_KEYSTREAM] = millionths(pr, of);
	each[COST_KEYSTREAM] = ps[of + CALL];
	unit[COST_KEYSTREAM_MORE] = unit[COST_KEYSTREAM];
	vc->vc_less[COST_KEYSTREAM] = chacha ? 63 : 15;
	vc->vc_less[COST_KEYSTREAM_MORE] = vc->vc_less[COST_KEYSTREAM];
	drawn = each[COST_KEYSTREAM] + unit[COST_KEYSTREAM] / FS_PER_PS *
	    ((KEY_BYTES + vc->vc_less[COST_KEYSTREAM]) &
	    ~vc->vc_less[COST_KEYSTREAM]);
	if (ps[of + SETUP] > drawn)
		each[COST_KEY_SET] = ps[of + SETUP] - drawn;
	unit[COST_WIPE] = ps[of + WIPE] * FS_PER_PS;
	each[COST_ABSORB] = ps[PROFILE_SHA256_UPDATE];
	unit[COST_ABSORB] = ps[PROFILE_SHA256_BLOCK] * FS_PER_PS /
	    SHA256_BLOCK_BYTES;
	unit[COST_ABSORB_MORE] = unit[COST_ABSORB];
	/* A digest is hashed again, and goes into a hash that ends so too. */
	each[COST_DIGEST] = 2 * ps[PROFILE_SHA256_FINAL];
	unit[COST_DIGEST] = (2 * ps[PROFILE_SHA256_FINAL] +
	    ps[PROFILE_SHA256_BLOCK]) * FS_PER_PS;
	unit[COST_COPYOUT] = millionths(pr, PROFILE_MEM_COPY);
	unit[COST_SYSCALL] = ps[PROFILE_OS_READ] * FS_PER_PS;
	each[COST_DEVICE_READ] = ps[PROFILE_EV_SOURCE];
	each[COST_LOCK] = ps[PROFILE_OP_LOCK_PAIR];
	each[COST_UNLOCKED] = ps[PROFILE_OP_LOCK_AFTER];
	unit[COST_WORK] = 1000 * FS_PER_PS;
	vc->vc_cong_ppm = millionths(pr, PROFILE_LAT_CONG);
	vc->vc_keep_ppm = millionths(pr, PROFILE_LINE_KEEP);
	vc->vc_local_ppm = millionths(pr, PROFILE_LINE_LOCAL);
	vc->vc_ahead_ppm = millionths(pr, PROFILE_LINE_AHEAD);
	vc->vc_shared = pr->pr_value[PROFILE_LINE_SHARED] != 0;
	vc->vc_strict = pr->pr_value[PROFILE_LINE_STRICT] != 0;
	vc->vc_stores = pr->pr_value[PROFILE_CPU_STORES] != 0;
	vc->vc_jitter[0] = pr->pr_value[PROFILE_JITTER_CV];
	vc->vc_jitter[1] = pr->pr_value[PROFILE_JITTER_GAP];
	if (vc->vc_jitter[1] == 0)
		vc->vc_jitter[1] = vc->vc_jitter[0];
	vc->vc_preempt = pr->pr_value[PROFILE_OS_PREEMPT] != 0;
}
