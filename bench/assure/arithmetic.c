#include "bench/assure/arithmetic.h"
#include "bench/assure/evidence.h"
#include "bench/cell/cell.h"
#include "bench/cli/stop.h"

enum {
	PROBE_BYTES	= 512,		/* more than any buffer holds */
	PAGE_BYTES	= 4096,
	LONG_BYTES	= (16 << 20) + 2 * PAGE_BYTES + 1,
	KEY_BYTES	= 1 << 20	/* of one AES key, in Fortuna */
};

/*
 * Consecutive counters under one key.  The lower halves of counters are enough:
 * those of two reads are less than 2^63 apart.
 */
struct use {
	uint8_t		u_key[CIPHER_KEY_BYTES];
	uint64_t	u_lo;
	uint64_t	u_end;		/* the first behind it */
	int64_t		u_at;		/* u_lo, from a counter near all */
	bool		u_old;		/* of the read before */
};

/* A sweep.  The cipher is first: keystream() gets to the rest from it. */
struct sweep {
	struct cipher	swp_cipher;
	uint64_t	swp_calls;	/* for keystream */
	uint64_t	swp_blocks;
	uint64_t	swp_first;	/* counter of the last read */
	uint64_t	swp_bytes;	/* of the last read that used any */
	struct use	*swp_use;	/* of this read and the last */
	size_t		swp_uses;
	struct arithmetic *swp_result;
	struct randomdev *swp_device;
	uint8_t		*swp_buf;
};

static void
add_use(struct sweep *sw, const uint8_t *key, uint64_t lo, uint64_t end)
{
	struct use now = { .u_lo = lo, .u_end = end }, *u = sw->swp_uses == 0 ?
	    NULL : &sw->swp_use[sw->swp_uses - 1];

	if (u != NULL && !u->u_old && lo == u->u_end && lo != end &&
	    memcmp(u->u_key, key, CIPHER_KEY_BYTES) == 0) {
		u->u_end = end;
		return;
	}
	/* The key may be one of the array, which is moved. */
	memcpy(now.u_key, key, CIPHER_KEY_BYTES);
	/* AddressSanitizer copies all of it each time. */
	if ((sw->swp_uses & (sw->swp_uses - 1)) == 0)
		sw->swp_use = xreallocarray(sw->swp_use, 2 * sw->swp_uses + 1,
		    sizeof(now));
	sw->swp_use[sw->swp_uses++] = now;
}

static void
keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	struct sweep *sw = (struct sweep *)(uintptr_t)ck->ck_cipher;
	const uint64_t lo = uint128_lo(*ctr);

	cipher_stub(sw->swp_result->ar_cipher)->ci_keystream(ck, ctr, out, n);
	sw->swp_calls++;
	sw->swp_blocks += uint128_lo(*ctr) - lo;
	if (uint128_lo(*ctr) != lo)
		add_use(sw, ck->ck_raw, lo, uint128_lo(*ctr));
}

static int
compare_at(const void *a, const void *b)
{
	const int64_t x = ((const struct use *)a)->u_at;
	const int64_t y = ((const struct use *)b)->u_at;

	return ((x > y) - (x < y));
}

static int
compare_key(const void *a, const void *b)
{
	int c = memcmp(((const struct use *)a)->u_key,
	    ((const struct use *)b)->u_key, CIPHER_KEY_BYTES);

	return (c != 0 ? c : compare_at(a, b));
}

/*
 * Checks what a read used, whose uses are those from the old-th on.  Of a line
 * the slack of the read before is known now: what is skipped behind its uses.
 */
static void
check_uses(struct sweep *sw, size_t old, uint64_t n)
{
	struct arithmetic *ar = sw->swp_result;
	struct use *use = sw->swp_use;
	int64_t gap, slack = 0;
	bool across, same;
	size_t kept = 0;

	sw->swp_first = use[old].u_lo;
	for (size_t i = 0; i < sw->swp_uses; i++)
		use[i].u_at = (int64_t)(use[i].u_lo - sw->swp_first);
	qsort(use, sw->swp_uses, sizeof(*use), ar->ar_line ? compare_at :
	    compare_key);
	for (size_t i = 1; i < sw->swp_uses; i++) {
		same = memcmp(use[i - 1].u_key, use[i].u_key,
		    CIPHER_KEY_BYTES) == 0;
		if (!ar->ar_line && !same)
			continue;
		across = ar->ar_line && use[i - 1].u_old != use[i].u_old;
		gap = (int64_t)(use[i].u_lo - use[i - 1].u_end);
		if (gap < 0 && !ar->ar_failed)
			snprintf(ar->ar_text, sizeof(ar->ar_text), "%s, %s: a "
			    "read of %" PRIu64 " bytes uses %" PRId64
			    " counter%s %s", ar->ar_design->de_ident,
			    ar->ar_cipher->ci_name, across ? sw->swp_bytes : n,
			    -gap, PLURAL(-gap), same && !across ? "twice under "
			    "one key" : "more than it reserved");
		ar->ar_failed |= gap < 0;
		if (use[i - 1].u_old || across)
			slack += gap;
	}
	if (ar->ar_line && old > 0) {
		ar->ar_slack_max = MAX(ar->ar_slack_max, slack);
		ar->ar_slack_sizes += slack != 0;
	}
	sw->swp_bytes = n;
	for (size_t i = 0; i < sw->swp_uses; i++)
		if (!use[i].u_old) {
			use[kept] = use[i];
			use[kept++].u_old = true;
		}
	sw->swp_uses = kept;
}

/* Reads n bytes and checks what that used. */
static void
read_size(struct sweep *sw, uint64_t n)
{
	const size_t old = sw->swp_uses;

	randomdev_generate(sw->swp_device, 0, sw->swp_buf, (size_t)n);
	if (sw->swp_uses > old)
		check_uses(sw, old, n);
}

/*
 * Whether reads use ever higher counters; a large one may have its own key.
 * Where C is known they are those from C on: a source with more keys than K
 * reserves none of C for reads.
 */
static bool
is_line(struct sweep *sw)
{
	struct random_state rs;
	uint64_t first;
	size_t i;
	bool line;

	if (design_info(sw->swp_result->ar_design).di_probed &&
	    randomdev_core(sw->swp_device, &rs, false)) {
		first = uint128_lo(rs.rst_counter);
		wipe(&rs, sizeof(rs));
		read_size(sw, PROBE_BYTES);
		for (line = false, i = 0; i < sw->swp_uses; i++)
			line |= sw->swp_use[i].u_lo == first;
		sw->swp_uses = 0;
		if (!line)
			return (false);
	}
	read_size(sw, PROBE_BYTES);
	first = sw->swp_first;
	read_size(sw, PROBE_BYTES);
	line = sw->swp_first != first;
	read_size(sw, PAGE_BYTES);
	for (i = 0; i < sw->swp_uses; i++)
		line &= (int64_t)(sw->swp_use[i].u_lo - first) >= 0;
	sw->swp_uses = 0;
	return (line);
}

static void
sweep_free(struct sweep *sw)
{
	randomdev_free(sw->swp_device);
	free(sw->swp_use);
	free(sw->swp_buf);
	free(sw);
}

static int
sweep_new(struct sweep **swp, struct arithmetic *ar)
{
	const uint64_t seed = 1;
	struct randomdev_params rp = { .rp_design = ar->ar_design,
	    .rp_kernel.kp_lock = lock_class_find("mtx"),
	    .rp_kernel.kp_lock_config = lock_config_default(1),
	    .rp_kernel.kp_cpus = 1, .rp_kernel.kp_unpaced = true,
	    .rp_kernel.kp_preload = prime_bytes(BOOT_ENTROPY_BYTES, &seed),
	    .rp_kernel.kp_preload_bytes = BOOT_ENTROPY_BYTES };
	int error = errno;
	struct sweep *sw = *swp = xcalloc(1, sizeof(*sw));

	if (rp.rp_kernel.kp_preload == NULL)
		return (error);
	sw->swp_result = ar;
	sw->swp_cipher = *cipher_stub(ar->ar_cipher);
	sw->swp_cipher.ci_keystream = keystream;
	rp.rp_kernel.kp_cipher = &sw->swp_cipher;
	sw->swp_buf = xmalloc(ARITHMETIC_BYTES + PROBE_BYTES);
	error = randomdev_new(&sw->swp_device, &rp);
	free(rp.rp_kernel.kp_preload);
	if (error != 0)
		return (error);
	if (!randomdev_seeded(sw->swp_device))
		return (EWOULDBLOCK);
	sw->swp_uses = 0;
	ar->ar_line = is_line(sw);
	return (0);
}

/* The size after n: the next one, or one near an edge. */
static uint64_t
next_size(struct sweep *sw, uint64_t n)
{
	struct arithmetic *ar = sw->swp_result;
	uint64_t edge = ARITHMETIC_EDGE_BYTES, off;

	n++;
	if (ar->ar_calls == 0 || sw->swp_calls < ar->ar_calls) {
		ar->ar_all = n;
		return (n);
	}
	while (sw->swp_calls > ar->ar_calls + ARITHMETIC_CALLS &&
	    edge + ARITHMETIC_NEAR_BYTES < n)
		edge *= 2;
	off = n % edge;
	if (off > ARITHMETIC_NEAR_BYTES && off < edge - ARITHMETIC_NEAR_BYTES)
		n += edge - ARITHMETIC_NEAR_BYTES - off;
	return (n);
}

int
arithmetic_sweep(struct arithmetic *ar)
{
	struct sweep *sw;
	int error = sweep_new(&sw, ar);

	for (uint64_t n = 0; error == 0 && sw->swp_calls > 0 &&
	    n <= ARITHMETIC_BYTES && !ar->ar_failed; n = next_size(sw, n)) {
		read_size(sw, n);
		ar->ar_sizes++;
		error = stop_asked() ? EINTR : 0;
	}
	ar->ar_all = MIN(ar->ar_all, ARITHMETIC_BYTES);
	/* Shows the slack of the last one. */
	if (error == 0 && ar->ar_sizes > 0 && !ar->ar_failed) {
		read_size(sw, PROBE_BYTES);
		error = stop_asked() ? EINTR : 0;
	}
	sweep_free(sw);
	return (error);
}

/* One read from counter C on, compared with the C that it leaves. */
static void
read_at(struct sweep *sw, uint64_t n, uint128_t c)
{
	struct random_state rs = { .rst_counter = c };
	uint64_t left;

	/* C = 0 means not seeded. */
	if (c == 0)
		return;
	sw->swp_uses = 0;
	(void)randomdev_core(sw->swp_device, &rs, true);
	read_size(sw, n);
	sw->swp_result->ar_sizes++;
	if (sw->swp_result->ar_failed)
		return;
	MPASS(sw->swp_uses > 0);
	(void)randomdev_core(sw->swp_device, &rs, false);
	left = uint128_lo(rs.rst_counter);
	wipe(&rs, sizeof(rs));
	/* As if another read began there. */
	add_use(sw, sw->swp_use[0].u_key, left, left);
	check_uses(sw, sw->swp_uses - 1, n);
}

/* Reads of n bytes that end before a wrap, reach it and pass it. */
static void
read_around(struct sweep *sw, uint64_t n, uint128_t wrap)
{
	uint64_t used = sw->swp_blocks;

	read_at(sw, n, uint128_make(0, 1));
	used = sw->swp_blocks - used;
	/* Both ends and the middle. */
	for (uint64_t back = 0; back <= used + 2; back++)
		if (back < 4 || back + 4 >= used ||
		    (back >= used / 2 && back < used / 2 + 2))
			read_at(sw, n, wrap - back);
}

int
arithmetic_wraps(struct arithmetic *ar)
{
	static const uint64_t sizes[] = { 0, 1, 15, 16, 17, 63, 64, 65, 1024,
	    4095, 4096, 4097, KEY_BYTES - 16, KEY_BYTES - 15, KEY_BYTES,
	    KEY_BYTES + 1, 2 * KEY_BYTES, ARITHMETIC_BYTES };
	const uint128_t wraps[] = { uint128_make(0, UINT64_C(1) << 32),
	    uint128_make(1, 0), uint128_make(UINT64_C(1) << 32, 0),
	    uint128_make(0, 0) };
	unsigned i, k, last = nitems(wraps);
	struct sweep *sw;
	int error;

	if (!design_info(ar->ar_design).di_probed)
		return (0);
	error = sweep_new(&sw, ar);
	/* Releases of AES alone assert that C never gets to 0. */
	if (design_info(ar->ar_design).di_ciphers == 1)
		last--;
	for (i = 0; error == 0 && ar->ar_line && i < last; i++) {
		for (k = 0; k < nitems(sizes); k++)
			if (!ar->ar_failed)
				read_around(sw, sizes[k], wraps[i]);
		error = stop_asked() ? EINTR : 0;
	}
	sweep_free(sw);
	return (error);
}

/* A read is long enough to look for signals; the last one has one. */
static void
read_long(const struct assure_params *ap, struct evidence_row *row)
{
	struct arithmetic ar = { .ar_design = ap->ap_design,
	    .ar_cipher = ciphers[0] };
	struct sweep *sw;
	int error = sweep_new(&sw, &ar);
	size_t left;

	sw->swp_buf = xreallocarray(sw->swp_buf, LONG_BYTES, 1);
	for (unsigned i = 0; error == 0 && i < 2; i++) {
		if (i > 0)
			machine_interrupt(machine_curthread());
		error = randomdev_read(sw->swp_device, KERNEL_CPU_HERE,
		    sw->swp_buf, LONG_BYTES, &left, false);
		if (error != (left == LONG_BYTES ? EINTR : 0) ||
		    (i == 0 && left > 0))
			row_fails(row, "read_random_uio() of %d bytes%s "
			    "returns %s, and %zu bytes are missing. ",
			    LONG_BYTES, i > 0 ? " with a signal" : "",
			    error == 0 ? "0" : "an error", left);
	}
	/* 2^32, as other bits may get lost, of memory that is not there. */
	if ((error == 0 || error == EINTR) && randomdev_read(sw->swp_device,
	    KERNEL_CPU_HERE, NULL, (size_t)UINT32_MAX + 1, &left, false) == 0)
		row_fails(row, "A read of 4 GiB at NULL returns no error. ");
	sweep_free(sw);
}

/* Says what a sweep found. */
static void
say(const struct arithmetic *ar, struct evidence_row *row)
{
	row_says(row, "%s: ", ar->ar_cipher->ci_name);
	if (ar->ar_failed)
		row_fails(row, "%s. ", ar->ar_text);
	else if (ar->ar_sizes == 0)
		row_says(row, "no keystream was asked for. ");
	if (ar->ar_failed || ar->ar_sizes == 0)
		return;
	row_says(row, "%" PRIu64 " sizes, all to %" PRIu64 " bytes: ",
	    ar->ar_sizes, ar->ar_all);
	if (!ar->ar_line)
		row_says(row, "no counter twice under a key, "
		    "each key from the start. ");
	else if (ar->ar_slack_sizes == 0)
		row_says(row, "no counter unused, none used twice. ");
	else
		row_says(row, "up to %" PRId64 " counters unused, "
		    "at %" PRIu64 " sizes; none used twice. ",
		    ar->ar_slack_max, ar->ar_slack_sizes);
}

void
arithmetic_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct arithmetic ar, wraps;
	struct mthread self;
	int error;

	machine_attach(&self, "arithmetic");
	for (unsigned i = 0; i < design_info(ap->ap_design).di_ciphers; i++) {
		ar = wraps = (struct arithmetic){ .ar_design = ap->ap_design,
		    .ar_cipher = ciphers[i], .ar_calls = ARITHMETIC_CALLS };
		if ((error = arithmetic_sweep(&ar)) == 0)
			error = arithmetic_wraps(&wraps);
		if (error == 0)
			say(&ar, row);
		else
			row_missing(row, "%s: %s. ", ciphers[i]->ci_name,
			    strerror(error));
		if (error == 0 && wraps.ar_failed)
			row_fails(row, "%s, at carries: %s. ",
			    ciphers[i]->ci_name, wraps.ar_text);
	}
	read_long(ap, row);
	machine_detach();
	evidence_say(row->er_bounds, "one reader, sizes to %d bytes, lock "
	    "mtx.", ARITHMETIC_BYTES);
}
