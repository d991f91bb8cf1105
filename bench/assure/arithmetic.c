#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/arithmetic.h"
#include "bench/assure/counting.h"
#include "fortuna/fortuna.h"

enum {
	SEED_EVENTS	= 4096,		/* more than any design needs */
	PROBE_BYTES	= 512		/* past all buffers */
};

/* A sweep under way. */
struct sweep {
	struct counting	sw_counting;
	const struct arithmetic_params *sw_params;
	struct arithmetic *sw_result;
	struct generator *sw_g;
	struct generator_reader sw_gr;
	uint8_t		*sw_buf;
	bool		sw_begun;
	uint128_t	sw_next;	/* of a line: the first not used */
	/* The last size that used counters, and what it passed over. */
	uint64_t	sw_bytes;
	int64_t		sw_slack;
};

static void
fail(struct sweep *sw, uint64_t bytes, int64_t twice, const char *how)
{
	struct arithmetic *ar = sw->sw_result;

	if (ar->ar_failed)
		return;
	ar->ar_failed = true;
	snprintf(ar->ar_text, sizeof(ar->ar_text), "%s, %s: a read of %" PRIu64
	    " bytes uses %" PRId64 " counter%s %s",
	    sw->sw_params->ap_design->ra_ident,
	    sw->sw_params->ap_cipher->ci_name, bytes, twice,
	    twice == 1 ? "" : "s", how);
}

/* A size is done with when what follows it is known. */
static void
size_done(struct sweep *sw)
{
	const struct arithmetic_params *ap = sw->sw_params;
	struct arithmetic *ar = sw->sw_result;

	if (sw->sw_slack < ar->ar_slack_min)
		ar->ar_slack_min = sw->sw_slack;
	if (sw->sw_slack > ar->ar_slack_max)
		ar->ar_slack_max = sw->sw_slack;
	if (sw->sw_slack != 0 && ar->ar_slack_sizes++ == 0)
		ar->ar_slack_first = sw->sw_bytes;
	if (sw->sw_slack < 0)
		fail(sw, sw->sw_bytes, -sw->sw_slack, "more than it set aside");
	if (ap->ap_size != NULL)
		ap->ap_size(ap->ap_context, sw->sw_bytes, sw->sw_slack);
}

static void
check_line(struct sweep *sw, uint64_t bytes, uint128_t base)
{
	struct counting *cn = &sw->sw_counting;
	size_t i, n;
	int64_t gap;

	n = counting_order(cn, base);
	if (sw->sw_begun) {
		gap = counting_gap(sw->sw_next, cn->cn_order[0]->u_lo);
		sw->sw_slack = gap < 0 ? gap : sw->sw_slack + gap;
		size_done(sw);
	}
	sw->sw_begun = true;
	sw->sw_bytes = bytes;
	sw->sw_slack = 0;
	sw->sw_next = cn->cn_order[0]->u_lo;
	for (i = 0; i < n; i++) {
		gap = counting_gap(sw->sw_next, cn->cn_order[i]->u_lo);
		sw->sw_next = counting_end(cn->cn_order[i]);
		if (gap < 0) {
			sw->sw_slack = gap;
			size_done(sw);
			return;
		}
		sw->sw_slack += gap;
	}
}

/* Reads n bytes and looks at what that used. */
static void
read_size(struct sweep *sw, uint64_t n)
{
	struct uio uio = uio_buffer(sw->sw_buf, (size_t)n);
	struct counting *cn = &sw->sw_counting;
	uint128_t base;
	int64_t twice;

	sw->sw_params->ap_design->ra_read(sw->sw_g, &sw->sw_gr, &uio);
	if (cn->cn_no_memory || cn->cn_count == cn->cn_old)
		return;
	base = counting_before(sw->sw_begun ? sw->sw_next :
	    cn->cn_use[cn->cn_old].u_lo, uint128_make(1, 0));
	twice = counting_twice(cn, base);
	if (twice != 0)
		fail(sw, n, twice, "twice under one key");
	if (sw->sw_result->ar_line)
		check_line(sw, n, base);
	counting_next(cn);
}

/* Whether two reads begin at different counters. */
static bool
is_line(struct sweep *sw)
{
	struct counting *cn = &sw->sw_counting;
	uint128_t lo[2] = { uint128_make(0, 0), uint128_make(0, 0) };
	unsigned i;

	sw->sw_result->ar_line = false;
	for (i = 0; i < 2; i++) {
		read_size(sw, PROBE_BYTES);
		if (cn->cn_count == 0)
			return (false);
		/* All of them are the last read's now. */
		cn->cn_old = 0;
		counting_order(cn, uint128_make(0, 0));
		lo[i] = cn->cn_order[0]->u_lo;
		cn->cn_old = cn->cn_count;
	}
	return (!uint128_equals(lo[0], lo[1]));
}

static void
forget(struct sweep *sw)
{

	sw->sw_begun = false;
	counting_forget(&sw->sw_counting);
}

static void
seed(struct sweep *sw)
{
	const struct random_algorithm *ra = sw->sw_params->ap_design;
	struct harvest_event event = {
		.he_source = RANDOM_CACHED,
		.he_size = HARVEST_ENTROPY_BYTES,
	};
	uint32_t i;

	for (i = 0; i < SEED_EVENTS && !ra->ra_seeded(sw->sw_g); i++) {
		event.he_somecounter = i;
		event.he_destination = (uint8_t)i;
		ra->ra_event_processor(sw->sw_g, &event);
	}
	KASSERT(ra->ra_seeded(sw->sw_g), ("%s: not seeded by %u events",
	    ra->ra_ident, i));
}

static void
sweep_fini(struct sweep *sw)
{

	sw->sw_result->ar_calls = sw->sw_counting.cn_calls;
	sw->sw_result->ar_blocks = sw->sw_counting.cn_blocks;
	if (sw->sw_g != NULL) {
		sw->sw_params->ap_design->ra_reader_fini(sw->sw_g, &sw->sw_gr);
		sw->sw_params->ap_design->ra_fini(sw->sw_g);
	}
	counting_fini(&sw->sw_counting);
	free(sw->sw_buf);
	free(sw);
}

static int
sweep_init(struct sweep **swp, const struct arithmetic_params *ap,
    struct arithmetic *ar)
{
	struct generator_params gp = {
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(1),
		.gp_config = generator_config_default(),
		.gp_places = 1,
	};
	struct sweep *sw;
	int error;

	memset(ar, 0, sizeof(*ar));
	sw = calloc(1, sizeof(*sw));
	if (sw == NULL)
		return (ENOMEM);
	sw->sw_params = ap;
	sw->sw_result = ar;
	gp.gp_cipher = &sw->sw_counting.cn_cipher;
	error = counting_init(&sw->sw_counting, ap->ap_cipher);
	sw->sw_buf = malloc((size_t)ap->ap_bytes + PROBE_BYTES);
	if (sw->sw_buf == NULL)
		error = ENOMEM;
	if (error == 0)
		error = ap->ap_design->ra_init(&sw->sw_g, &gp);
	if (error == 0) {
		error = ap->ap_design->ra_reader_init(sw->sw_g, &sw->sw_gr);
		if (error != 0) {
			ap->ap_design->ra_fini(sw->sw_g);
			sw->sw_g = NULL;
		}
	}
	if (error != 0) {
		sweep_fini(sw);
		return (error);
	}
	sw->sw_gr.gr_place = 0;
	sw->sw_g->g_paced = false;
	seed(sw);
	forget(sw);
	ar->ar_line = is_line(sw);
	forget(sw);
	*swp = sw;
	return (0);
}

/* Why to go no further: an errno value, or 0 to go on. */
static int
sweep_stop(const struct sweep *sw)
{
	const struct arithmetic_params *ap = sw->sw_params;

	if (sw->sw_counting.cn_no_memory)
		return (ENOMEM);
	return (ap->ap_stop != NULL &&
	    __atomic_load_n(ap->ap_stop, __ATOMIC_RELAXED) ? EINTR : 0);
}

/* The size after n: the next one, or one near an edge. */
static uint64_t
next_size(struct sweep *sw, uint64_t n)
{
	const struct arithmetic_params *ap = sw->sw_params;
	uint64_t off;

	n++;
	if (ap->ap_calls == 0 ||
	    sw->sw_counting.cn_calls < ap->ap_calls) {
		sw->sw_result->ar_all = n;
		return (n);
	}
	off = n % ARITHMETIC_EDGE_BYTES;
	if (off > ARITHMETIC_NEAR_BYTES &&
	    off < ARITHMETIC_EDGE_BYTES - ARITHMETIC_NEAR_BYTES)
		n += ARITHMETIC_EDGE_BYTES - ARITHMETIC_NEAR_BYTES - off;
	return (n);
}

int
arithmetic_sweep(const struct arithmetic_params *ap, struct arithmetic *ar)
{
	struct sweep *sw;
	uint64_t n;
	int error;

	error = sweep_init(&sw, ap, ar);
	if (error != 0)
		return (error);
	if (sw->sw_counting.cn_calls == 0) {
		sweep_fini(sw);
		return (0);
	}
	for (n = 0; n <= ap->ap_bytes && error == 0 && !ar->ar_failed;
	    n = next_size(sw, n)) {
		read_size(sw, n);
		ar->ar_sizes++;
		error = sweep_stop(sw);
	}
	if (ar->ar_all > ap->ap_bytes)
		ar->ar_all = ap->ap_bytes;
	/* What follows the last one. */
	if (error == 0 && !ar->ar_failed) {
		read_size(sw, PROBE_BYTES);
		error = sweep_stop(sw);
	}
	sweep_fini(sw);
	return (error);
}

/* One read from counter C on, which is compared with the C that it leaves. */
static void
read_at(struct sweep *sw, uint64_t n, uint128_t c)
{
	uint128_t *counter = &fortuna_of(sw->sw_g)->f_state.fs_counter;
	int64_t gap;

	/* That would say that it is not seeded. */
	if (uint128_is_zero(c))
		return;
	forget(sw);
	*counter = c;
	read_size(sw, n);
	sw->sw_result->ar_sizes++;
	if (sw->sw_counting.cn_no_memory || sw->sw_result->ar_failed)
		return;
	MPASS(sw->sw_begun);
	gap = counting_gap(sw->sw_next, *counter);
	sw->sw_slack = gap < 0 ? gap : sw->sw_slack + gap;
	size_done(sw);
}

/* Reads of n bytes that begin before a wrap, reach it and pass it. */
static void
read_around(struct sweep *sw, uint64_t n, uint128_t wrap)
{
	uint64_t back, used;

	used = sw->sw_counting.cn_blocks;
	read_at(sw, n, uint128_make(0, 1));
	used = sw->sw_counting.cn_blocks - used;
	for (back = 0; back <= used + 2; back++) {
		/* Both ends and the middle. */
		if (back == 4 && used / 2 > back)
			back = used / 2;
		if (back == used / 2 + 2 && used > back + 4)
			back = used - 4;
		read_at(sw, n, counting_before(wrap,
		    uint128_make(0, back)));
	}
}

int
arithmetic_wraps(const struct arithmetic_params *ap, struct arithmetic *ar)
{
	static const uint64_t sizes[] = { 0, 1, 15, 16, 17, 63, 64, 65, 1024,
	    4095, 4096, 4097, RANDOM_FORTUNA_MAX_READ - 16,
	    RANDOM_FORTUNA_MAX_READ - 15, RANDOM_FORTUNA_MAX_READ,
	    RANDOM_FORTUNA_MAX_READ + 1, 2 * RANDOM_FORTUNA_MAX_READ,
	    ARITHMETIC_BYTES };
	const uint128_t wraps[] = { uint128_make(0, UINT64_C(1) << 32),
	    uint128_make(1, 0), uint128_make(UINT64_C(1) << 32, 0),
	    uint128_make(0, 0) };
	struct sweep *sw = NULL;
	unsigned i, k;
	int error;

	if ((ap->ap_design->ra_flags & RA_FORTUNA_STATE) == 0) {
		memset(ar, 0, sizeof(*ar));
		return (0);
	}
	error = sweep_init(&sw, ap, ar);
	ar->ar_wraps = true;
	for (i = 0; error == 0 && i < sizeof(wraps) / sizeof(wraps[0]); i++) {
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			if (sizes[k] <= ap->ap_bytes && !ar->ar_failed)
				read_around(sw, sizes[k], wraps[i]);
		}
		error = sweep_stop(sw);
	}
	if (sw != NULL)
		sweep_fini(sw);
	return (error);
}

void
arithmetic_format(const struct arithmetic *ar, char *buf, size_t size)
{
	int n;

	if (ar->ar_failed) {
		snprintf(buf, size, "%s", ar->ar_text);
		return;
	}
	if (ar->ar_sizes == 0) {
		snprintf(buf, size, "no keystream was asked for");
		return;
	}
	if (ar->ar_wraps)
		n = snprintf(buf, size, "%" PRIu64 " reads around wraps; ",
		    ar->ar_sizes);
	else
		n = snprintf(buf, size, "%" PRIu64 " sizes, all to %" PRIu64
		    " bytes: ", ar->ar_sizes, ar->ar_all);
	if (n < 0 || (size_t)n >= size)
		return;
	if (ar->ar_line && ar->ar_slack_sizes == 0)
		snprintf(buf + n, size - (size_t)n, "reserved - used 0 "
		    "counters, always");
	else if (ar->ar_line)
		snprintf(buf + n, size - (size_t)n, "reserved - used %" PRId64
		    " to %" PRId64 " counters, more than 0 for %" PRIu64
		    " sizes", ar->ar_slack_min, ar->ar_slack_max,
		    ar->ar_slack_sizes);
	else
		snprintf(buf + n, size - (size_t)n, "no counter twice under a "
		    "key, each key from the start");
}
