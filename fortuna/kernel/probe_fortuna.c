/*
 * Reads the private state of dev/random/fortuna.c, for known-answer scripts and
 * the ledger.  A source with other names brings a file of its own.
 */
static void
kern_probe_words(uint64_t ctr[2])
{
	uint8_t le[16];

	le128enc(le, fortuna_state.fs_counter);
	ctr[0] = le64dec(le);
	ctr[1] = le64dec(le + 8);
}

static void
kern_probe_counter(uint64_t ctr[2])
{
	kern_probe_words(ctr);
}

static void *
kern_probe_key(void)
{
	return (&fortuna_state.fs_key);
}

static void
kern_probe_state(struct kernel_state *ks, bool set)
{
	const void *key = NULL;
	uint8_t le[16];
	size_t n;

	if (set) {
		le64enc(le, ks->ks_counter[0]);
		le64enc(le + 8, ks->ks_counter[1]);
		fortuna_state.fs_counter = le128dec(le);
	}
	kern_probe_words(ks->ks_counter);
	ks->ks_reseeds = fortuna_state.fs_reseedcount;
	ks->ks_pool0_bytes = fortuna_state.fs_pool[0].fsp_length;
	/* hash.c panics where there is no key yet. */
	if (fortuna_state.fs_reseedcount == 0)
		return;
	randomdev_getkey(&fortuna_state.fs_key, &key, &n);
	__builtin_memcpy(ks->ks_key, key, KERNEL_KEY_BYTES);
}
