#include <string.h>

#include "lib/vm/vm.h"

enum { FS_PER_PS = 1000, SHA256_BLOCK_BYTES = 64, KEY_BYTES = 32 };

struct cipher_costs {
	const char	*vcc_cipher;
	bool		 vcc_native;
	enum profile_key vcc_byte;
	enum profile_key vcc_setup;
	enum profile_key vcc_call;
	enum profile_key vcc_wipe;
	unsigned	vcc_block_bytes;
};

#define	CIPHER(name, native, KEY, block_bytes)				\
	{ name, native, PROFILE_##KEY##_BYTE, PROFILE_##KEY##_SETUP,	\
	    PROFILE_##KEY##_CALL, PROFILE_##KEY##_WIPE, block_bytes }

static const struct cipher_costs ciphers[] = {
	CIPHER("aes", false, AES_KERNEL, 16),
	CIPHER("aes", true, AES_NATIVE, 16),
	CIPHER("chacha20", false, CHACHA20_KERNEL, 64),
	CIPHER("chacha20", true, CHACHA20_NATIVE, 64),
};

static const struct cipher_costs *
cipher_costs(const char *cipher, bool native)
{
	unsigned i;

	for (i = 0; strcmp(ciphers[i].vcc_cipher, cipher) != 0 ||
	    ciphers[i].vcc_native != native; i++)
		KASSERT(i + 1 < sizeof(ciphers) / sizeof(ciphers[0]),
		    ("no costs of %s", cipher));
	return (&ciphers[i]);
}

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
		[VM_SELF] = PROFILE_LAT_HIT,
		[VM_SMT] = PROFILE_LAT_SMT,
		[VM_CCX] = PROFILE_LAT_CCX,
		[VM_SOCK] = PROFILE_LAT_SOCK,
		[VM_REMOTE] = PROFILE_LAT_REMOTE,
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
	const struct cipher_costs *cc = cipher_costs(cipher, native);
	const uint64_t *ps = vc->vc_ps;
	uint64_t *each = vc->vc_cost_ps, *unit = vc->vc_unit_fs, drawn;

	memset(vc, 0, sizeof(*vc));
	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		if (pr->pr_from[i] != PROVENANCE_ABSENT &&
		    profile_fields[i].pf_unit >= PROFILE_NS)
			vc->vc_ps[i] = profile_ps(pr, (enum profile_key)i);
	fill_latencies(pr, vc);
	unit[COST_KEYSTREAM] = millionths(pr, cc->vcc_byte);
	each[COST_KEYSTREAM] = ps[cc->vcc_call];
	unit[COST_KEYSTREAM_MORE] = unit[COST_KEYSTREAM];
	vc->vc_less[COST_KEYSTREAM] = cc->vcc_block_bytes - 1;
	vc->vc_less[COST_KEYSTREAM_MORE] = vc->vc_less[COST_KEYSTREAM];
	drawn = each[COST_KEYSTREAM] + unit[COST_KEYSTREAM] / FS_PER_PS *
	    ((KEY_BYTES + vc->vc_less[COST_KEYSTREAM]) &
	    ~vc->vc_less[COST_KEYSTREAM]);
	if (ps[cc->vcc_setup] > drawn)
		each[COST_KEY_SET] = ps[cc->vcc_setup] - drawn;
	unit[COST_WIPE] = ps[cc->vcc_wipe] * FS_PER_PS;
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
	vc->vc_cong = pr->pr_from[PROFILE_LAT_CONG] == PROVENANCE_ABSENT ? 0 :
	    pr->pr_value[PROFILE_LAT_CONG];
	vc->vc_keep_ppm = millionths(pr, PROFILE_LINE_KEEP);
	vc->vc_local_ppm = millionths(pr, PROFILE_LINE_LOCAL);
	vc->vc_ahead_ppm = millionths(pr, PROFILE_LINE_AHEAD);
	vc->vc_shared = pr->pr_value[PROFILE_LINE_SHARED] != 0;
	vc->vc_stores = pr->pr_value[PROFILE_CPU_STORES] != 0;
	vc->vc_jitter[0] = pr->pr_value[PROFILE_JITTER_CV];
	vc->vc_jitter[1] = pr->pr_value[PROFILE_JITTER_GAP];
	if (vc->vc_jitter[1] == 0)
		vc->vc_jitter[1] = vc->vc_jitter[0];
	vc->vc_preempt = pr->pr_value[PROFILE_OS_PREEMPT] != 0;
}
