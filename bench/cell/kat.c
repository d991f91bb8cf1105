#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/kat.h"
#include "fortuna/fortuna.h"
#include "lib/cpu.h"
#include "lib/crypto.h"
#include "lib/number.h"
#include "lib/wipe.h"

enum {
	KAT_LINE_BYTES	= 256,
	KAT_COUNTED_MAX	= 1 << 20,	/* bytes of a line that is too long */
	KAT_ARGS_MAX	= 4,
	KAT_WINDOW_BYTES = 1 << 20,
	KAT_HEAD_BYTES	= 32,
	KAT_TAIL_BYTES	= 16,
	KAT_PLACES	= 4,
	KAT_PLACES_MAX	= 64
};

/* A running script. */
struct kat {
	const char	*k_name;
	FILE		*k_out;
	FILE		*k_err;
	uint64_t	 k_line;
	const struct cipher *k_cipher;
	const struct random_algorithm *k_algorithm;
	struct generator *k_generator;	/* NULL before init */
	struct generator_reader k_reader;
	unsigned	 k_places;	/* of what init makes */
	unsigned	 k_index;	/* the thread's own */
	uint8_t		*k_window;
};

/* Output on its way into a digest; the uio's window is reused. */
struct kat_sink {
	struct uio	ks_uio;		/* first: the drain finds the rest */
	struct digest	ks_digest;
	uint64_t	ks_seen;
	uint8_t		ks_head[KAT_HEAD_BYTES];
	uint8_t		ks_tail[KAT_TAIL_BYTES];
};

struct kat_command {
	const char	*kc_name;
	unsigned	 kc_args;
	unsigned	 kc_optional;	/* beyond these */
	const char	*kc_usage;
	bool		 kc_needs_init;
	int		(*kc_run)(struct kat *k, char **args);
};

static int __attribute__((format(printf, 2, 3)))
complain(const struct kat *k, const char *fmt, ...)
{
	va_list ap;

	fprintf(k->k_err, "%s:%" PRIu64 ": ", k->k_name, k->k_line);
	va_start(ap, fmt);
	vfprintf(k->k_err, fmt, ap);
	va_end(ap);
	fputc('\n', k->k_err);
	return (EINVAL);
}

static void
print_hex(FILE *out, const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		fprintf(out, "%02x", bytes[i]);
}

static void
kat_forget(struct kat *k)
{

	if (k->k_generator == NULL)
		return;
	k->k_algorithm->ra_reader_fini(k->k_generator, &k->k_reader);
	k->k_algorithm->ra_fini(k->k_generator);
	k->k_generator = NULL;
	machine_curthread()->mt_index = k->k_index;
}

static int
kat_cipher(struct kat *k, char **args)
{
	const struct cipher *cipher;

	cipher = cipher_find(args[0]);
	if (cipher == NULL)
		return (complain(k, "cipher \"%s\": expected aes or chacha",
		    args[0]));
	kat_forget(k);
	k->k_cipher = cipher;
	return (0);
}

static int
kat_mode(struct kat *k, char **args)
{

	const struct random_algorithm *ra = generator_find(args[0]);
	char known[256] = "";
	unsigned i;

	if (ra != NULL && (ra->ra_flags & RA_NULL) == 0) {
		kat_forget(k);
		k->k_algorithm = ra;
		return (0);
	}
	for (i = 0; i < generator_count; i++)
		if ((generators[i]->ra_flags & RA_NULL) == 0)
			snprintf(known + strlen(known),
			    sizeof(known) - strlen(known), "%s%s",
			    known[0] == '\0' ? "" : ", ",
			    generators[i]->ra_ident);
	return (complain(k, "mode \"%s\": expected one of %s", args[0],
	    known));
}

/* Parts of a design that has one for each CPU or node. */
static int
kat_places(struct kat *k, char **args)
{
	uint64_t n;

	if (number_parse(args[0], &n) != 0 || n < 1 || n > KAT_PLACES_MAX)
		return (complain(k, "places \"%s\": expected 1..%d", args[0],
		    KAT_PLACES_MAX));
	kat_forget(k);
	k->k_places = (unsigned)n;
	return (0);
}

static int
kat_init(struct kat *k, char **args)
{
	struct generator_params params = {
		.gp_cipher = k->k_cipher,
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(1),
		.gp_config = generator_config_default(),
		.gp_places = k->k_places,
	};
	int error;

	(void)args;
	if (k->k_cipher == NULL || k->k_algorithm == NULL)
		return (complain(k, "init: expected \"cipher\" and \"mode\" "
		    "lines before it"));
	kat_forget(k);
	error = k->k_algorithm->ra_init(&k->k_generator, &params);
	if (error != 0)
		return (error);
	error = k->k_algorithm->ra_reader_init(k->k_generator, &k->k_reader);
	if (error != 0) {
		k->k_algorithm->ra_fini(k->k_generator);
		k->k_generator = NULL;
		return (error);
	}
	/* Scripts know no time. */
	k->k_generator->g_paced = false;
	k->k_reader.gr_place = 0;
	machine_curthread()->mt_index = 0;
	return (0);
}

static int
kat_event(struct kat *k, char **args)
{
	struct harvest_event event = { .he_size = 0 };
	uint64_t counter, destination, source = RANDOM_CACHED;
	size_t n;

	if (number_parse(args[0], &destination) != 0 || destination > UINT8_MAX)
		return (complain(k, "event destination \"%s\": expected 0..255",
		    args[0]));
	if (number_parse(args[1], &counter) != 0 || counter > UINT32_MAX)
		return (complain(k, "event counter \"%s\": expected "
		    "0..4294967295", args[1]));
	if (number_parse_hex(args[2], event.he_entropy, HARVEST_ENTROPY_BYTES,
	    &n) != 0)
		return (complain(k, "event bytes \"%s\": expected 1..8 bytes "
		    "in hexadecimal", args[2]));
	if (args[3] != NULL && (number_parse(args[3], &source) != 0 ||
	    source >= ENTROPYSOURCE))
		return (complain(k, "event source \"%s\": expected 0..%d",
		    args[3], ENTROPYSOURCE - 1));
	event.he_source = (uint8_t)source;
	event.he_destination = (uint8_t)destination;
	event.he_somecounter = (uint32_t)counter;
	event.he_size = (uint8_t)n;
	k->k_algorithm->ra_event_processor(k->k_generator, &event);
	return (0);
}

/*
 * On which CPU or node what follows is; where nodes are pretended, threads are
 * on them by their index.
 */
static int
kat_place(struct kat *k, char **args)
{
	uint64_t place;

	if (number_parse(args[0], &place) != 0 || place >= k->k_places)
		return (complain(k, "place \"%s\": expected 0..%u", args[0],
		    k->k_places - 1));
	k->k_reader.gr_place = (int)place;
	machine_curthread()->mt_index = (unsigned)place;
	return (0);
}

/* What the design's timers do that long after it was made. */
static int
kat_timer(struct kat *k, char **args)
{
	uint64_t ms;

	if (number_parse(args[0], &ms) != 0 || ms > INT64_MAX / NS_PER_MS)
		return (complain(k, "timer \"%s\": expected milliseconds, "
		    "0..%" PRId64, args[0], INT64_MAX / NS_PER_MS));
	if (k->k_algorithm->ra_timer == NULL)
		return (complain(k, "timer: %s has none: expected a design "
		    "with timers", k->k_algorithm->ra_ident));
	k->k_algorithm->ra_timer(k->k_generator, (int64_t)ms * NS_PER_MS);
	return (0);
}

static int
kat_preread(struct kat *k, char **args)
{

	(void)args;
	k->k_algorithm->ra_pre_read(k->k_generator);
	return (0);
}

/* What each request asks first. */
static int
kat_seeded(struct kat *k, char **args)
{

	(void)args;
	fprintf(k->k_out, "seeded %s\n",
	    k->k_algorithm->ra_seeded(k->k_generator) ? "yes" : "no");
	return (0);
}

/* Takes a full window: hashes it, keeps the first and the latest bytes. */
static void
sink_drain(struct uio *uio, size_t n)
{
	struct kat_sink *ks = (struct kat_sink *)(void *)uio;
	size_t keep;

	digest_update(&ks->ks_digest, uio->uio_base, n);
	if (ks->ks_seen < KAT_HEAD_BYTES) {
		keep = KAT_HEAD_BYTES - (size_t)ks->ks_seen;
		memcpy(ks->ks_head + ks->ks_seen, uio->uio_base,
		    n < keep ? n : keep);
	}
	if (n >= KAT_TAIL_BYTES) {
		memcpy(ks->ks_tail, uio->uio_base + n - KAT_TAIL_BYTES,
		    KAT_TAIL_BYTES);
	} else {
		memmove(ks->ks_tail, ks->ks_tail + n, KAT_TAIL_BYTES - n);
		memcpy(ks->ks_tail + KAT_TAIL_BYTES - n, uio->uio_base, n);
	}
	ks->ks_seen += n;
}

static int
kat_read(struct kat *k, char **args)
{
	struct kat_sink ks = { .ks_seen = 0 };
	struct generator_status gs;
	uint8_t sum[DIGEST_BYTES];
	uint64_t n;
	size_t head, tail;
	int error;

	if (number_parse(args[0], &n) != 0)
		return (complain(k, "read \"%s\": expected a number of bytes, "
		    "0..18446744073709551615", args[0]));
	/*
	 * Not ra_seeded(), which would try a pre_read: the script decides when
	 * there is one.
	 */
	k->k_algorithm->ra_status(k->k_generator, &gs);
	if (!gs.gs_seeded) {
		fprintf(k->k_out, "read %" PRIu64 " unseeded\n", n);
		return (0);
	}
	error = digest_init(&ks.ks_digest);
	if (error != 0)
		return (error);
	ks.ks_uio.uio_base = k->k_window;
	ks.ks_uio.uio_room = KAT_WINDOW_BYTES;
	ks.ks_uio.uio_resid = n;
	ks.ks_uio.uio_drain = sink_drain;
	k->k_algorithm->ra_read(k->k_generator, &k->k_reader, &ks.ks_uio);
	KASSERT(ks.ks_seen == n, ("read %ju of %ju bytes",
	    (uintmax_t)ks.ks_seen, (uintmax_t)n));
	digest_finish(&ks.ks_digest, sum);
	digest_fini(&ks.ks_digest);
	head = n < KAT_HEAD_BYTES ? (size_t)n : KAT_HEAD_BYTES;
	tail = n < KAT_TAIL_BYTES ? (size_t)n : KAT_TAIL_BYTES;
	if (crypto_failed() != NULL)
		return (0);
	fprintf(k->k_out, "read %" PRIu64 " sha256=", n);
	print_hex(k->k_out, sum, sizeof(sum));
	fputs(" head=", k->k_out);
	print_hex(k->k_out, ks.ks_head, head);
	fputs(" tail=", k->k_out);
	print_hex(k->k_out, ks.ks_tail + KAT_TAIL_BYTES - tail, tail);
	fputc('\n', k->k_out);
	wipe(&ks, sizeof(ks));
	return (0);
}

/* Fortuna's state, or NULL and a complaint where a design has not one of it. */
static struct fortuna *
kat_fortuna(struct kat *k, const char *command)
{

	if ((k->k_algorithm->ra_flags & RA_FORTUNA_STATE) != 0)
		return (fortuna_of(k->k_generator));
	complain(k, "%s: %s has no one K and C: expected a design that has",
	    command, k->k_algorithm->ra_ident);
	return (NULL);
}

static int
kat_set_counter(struct kat *k, char **args)
{
	struct fortuna *f = kat_fortuna(k, "set-counter");
	uint8_t le[UINT128_BYTES];
	struct lock_node node;
	size_t n;

	if (f == NULL)
		return (EINVAL);
	if (number_parse_hex(args[0], le, sizeof(le), &n) != 0 ||
	    n != sizeof(le))
		return (complain(k, "set-counter \"%s\": expected 16 bytes in "
		    "hexadecimal", args[0]));
	lock_acquire(&f->f_mtx, &node, SITE_READ);
	f->f_state.fs_counter = uint128_decode_le(le);
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
	return (0);
}

static int
kat_state(struct kat *k, char **args)
{
	struct fortuna *f = kat_fortuna(k, "state");
	const struct fortuna_state *fs;
	uint8_t le[UINT128_BYTES];

	(void)args;
	if (f == NULL)
		return (EINVAL);
	fs = &f->f_state;
	uint128_encode_le(le, fs->fs_counter);
	fputs("state counter=", k->k_out);
	print_hex(k->k_out, le, sizeof(le));
	fprintf(k->k_out, " reseeds=%" PRIu32 " pool0len=%" PRIu32 " key=",
	    fs->fs_reseedcount, fs->fs_pool[0].fsp_length);
	print_hex(k->k_out, fs->fs_key->ck_raw, CIPHER_KEY_BYTES);
	fputc('\n', k->k_out);
	return (0);
}

static const struct kat_command commands[] = {
	{ "cipher", 1, 0, "cipher aes|chacha", false, kat_cipher },
	{ "mode", 1, 0, "mode DESIGN", false, kat_mode },
	{ "places", 1, 0, "places NUMBER", false, kat_places },
	{ "init", 0, 0, "init", false, kat_init },
	{ "event", 3, 1, "event DESTINATION COUNTER HEX [SOURCE]", true,
	    kat_event },
	{ "place", 1, 0, "place NUMBER", true, kat_place },
	{ "timer", 1, 0, "timer MILLISECONDS", true, kat_timer },
	{ "preread", 0, 0, "preread", true, kat_preread },
	{ "seeded", 0, 0, "seeded", true, kat_seeded },
	{ "read", 1, 0, "read BYTES", true, kat_read },
	{ "set-counter", 1, 0, "set-counter HEX", true, kat_set_counter },
	{ "state", 0, 0, "state", true, kat_state },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int
kat_line(struct kat *k, char *line)
{
	const struct kat_command *kc;
	char *args[KAT_ARGS_MAX + 1], *save = NULL, *word;
	unsigned n = 0;

	word = strtok_r(line, " \t\r\n", &save);
	if (word == NULL || word[0] == '#')
		return (0);
	for (kc = commands; kc < commands + COMMANDS; kc++)
		if (strcmp(kc->kc_name, word) == 0)
			break;
	if (kc == commands + COMMANDS)
		return (complain(k, "\"%s\" is no command: expected cipher, "
		    "mode, places, init, event, place, timer, preread, seeded, "
		    "read, set-counter or state", word));
	while (n <= KAT_ARGS_MAX &&
	    (args[n] = strtok_r(NULL, " \t\r\n", &save)) != NULL)
		n++;
	if (n < kc->kc_args || n > kc->kc_args + kc->kc_optional)
		return (complain(k, "%u operands: expected \"%s\"", n,
		    kc->kc_usage));
	if (kc->kc_needs_init && k->k_generator == NULL)
		return (complain(k, "%s: expected \"init\" before it",
		    kc->kc_name));
	return (kc->kc_run(k, args));
}

/*
 * Reads a line.  Of one that is longer than any command the rest is read and
 * counted, but not kept: a comment may be of any length.  Another line is read
 * as far as its first NUL, or as it can be counted.
 *
 *   length  out  bytes read, without the newline
 *
 * Returns: false at the end of the script.
 */
static bool
line_read(FILE *in, char line[KAT_LINE_BYTES], uint64_t *length)
{
	bool blank = true, comment = false;
	uint64_t n = 0;
	int c;

	while ((c = getc(in)) != EOF && c != '\n') {
		if (blank && c != ' ' && c != '\t') {
			blank = false;
			comment = c == '#';
		}
		if (n < KAT_LINE_BYTES - 1)
			line[n] = (char)c;
		n++;
		if (!comment && (c == '\0' || n == KAT_COUNTED_MAX))
			break;
	}
	line[n < KAT_LINE_BYTES - 1 ? n : KAT_LINE_BYTES - 1] = '\0';
	*length = n;
	return (n > 0 || c != EOF);
}

/* Whether a line is whole text; says what is wrong if not. */
static int
line_check(struct kat *k, const char *line, uint64_t length)
{

	if (line[strspn(line, " \t")] == '#')
		return (0);
	if (length >= KAT_LINE_BYTES)
		return (complain(k, "%" PRIu64 " bytes%s: expected a command "
		    "of at most %d", length, length == KAT_COUNTED_MAX ?
		    " or more" : "", KAT_LINE_BYTES - 1));
	if (strlen(line) != length)
		return (complain(k, "a NUL byte: expected text"));
	return (0);
}

int
kat_run(const char *name, FILE *in, FILE *out, FILE *err)
{
	struct kat k = { .k_name = name, .k_out = out, .k_err = err,
	    .k_places = KAT_PLACES,
	    .k_index = machine_curthread()->mt_index };
	char line[KAT_LINE_BYTES];
	uint64_t length;
	int error = 0;

	k.k_window = malloc(KAT_WINDOW_BYTES);
	if (k.k_window == NULL)
		return (ENOMEM);
	errno = 0;
	while (error == 0 && line_read(in, line, &length)) {
		k.k_line++;
		error = line_check(&k, line, length);
		if (error == 0)
			error = kat_line(&k, line);
		if (error == 0 && crypto_failed() != NULL)
			error = complain(&k, "libcrypto refused to compute %s",
			    crypto_failed());
	}
	if (error == 0 && ferror(in))
		error = errno != 0 ? errno : EIO;
	kat_forget(&k);
	wipe(k.k_window, KAT_WINDOW_BYTES);
	free(k.k_window);
	return (error);
}
