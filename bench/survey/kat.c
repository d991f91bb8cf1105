#include "bench/kernel/ksource.h"
#include "bench/survey/kat.h"
#include "fortuna/device/randomdev.h"
#include "lib/crypto/crypto.h"

#define	REFUSE(k, ...)	lines_refuse((k)->kat_lines, __VA_ARGS__)

enum {
	KAT_COMMAND_BYTES = 255,
	KAT_ARGS_MAX	= 4,
	KAT_READ_MAX	= 1 << 30,
	KAT_HEAD_BYTES	= 32,
	KAT_TAIL_BYTES	= 16,
	KAT_PLACES	= 4,
	KAT_PLACES_MAX	= 64,
	KAT_TURNS_MAX	= 1 << 16,
	/* Of a turn: events, of which some fill pool 0; bytes of a read. */
	TURN_EVENTS	= 8,
	TURN_FILLS	= 6,
	TURN_READ_BYTES	= 16,
	TURN_DRAWN_BYTES = 300
};

struct kat {
	struct lines	*kat_lines;
	const char	*kat_design;	/* in the place of others; or NULL */
	FILE		*kat_out;
	uint64_t	 kat_commands;	/* so far */
	const struct cipher *kat_cipher;
	const struct design *kat_algorithm;
	struct kern_setting kat_mode;	/* of a source that has both */
	struct randomdev *kat_device;	/* NULL before init */
	char		*kat_args[KAT_ARGS_MAX + 1];	/* a line's */
	unsigned	 kat_places;	/* of what init makes */
	int		 kat_cpu;	/* of the commands that follow */
	unsigned	 kat_index;	/* the thread's own */
	uint64_t	 kat_turns;	/* since init */
};

/* Parses operand i: a number of low..high. */
static int
number(const struct kat *k, unsigned i, const char *what, uint64_t low,
    uint64_t high, uint64_t *v)
{
	const char *text = k->kat_args[i];

	if (parse_number(text, v) == 0 && *v >= low && *v <= high)
		return (0);
	return (REFUSE(k, "%s \"%s\": expected a number of %" PRIu64 "..%"
	    PRIu64, what, text, low, high));
}

static void
print_hex(struct kat *k, const char *label, const uint8_t *bytes, size_t n)
{
	fputs(label, k->kat_out);
	while (n-- > 0)
		fprintf(k->kat_out, "%02x", *bytes++);
}

static void
kat_forget(struct kat *k)
{
	randomdev_free(k->kat_device);
	k->kat_device = NULL;
	machine_curthread()->mt_index = k->kat_index;
}

static int
kat_cipher(struct kat *k)
{
	const struct cipher *cipher = cipher_find(k->kat_args[0]);

	if (cipher == NULL)
		return (REFUSE(k, "cipher \"%s\": expected aes or chacha",
		    k->kat_args[0]));
	kat_forget(k);
	k->kat_cipher = cipher;
	return (0);
}

static int
kat_mode(struct kat *k)
{
	const char *name = k->kat_design != NULL ? k->kat_design :
	    k->kat_args[0];
	const struct design *de = design_find(name);
	struct text known = { .s = "" };

	if (de != NULL && (de->de_flags & DE_NULL) == 0) {
		kat_forget(k);
		k->kat_algorithm = de;
		k->kat_mode.kv_name[0] = '\0';
		if (ksource_named(name) && (strcmp(k->kat_args[0], "locked") ==
		    0 || strcmp(k->kat_args[0], "concurrent") == 0))
			k->kat_mode = (struct kern_setting){
			    "kern.random.fortuna.concurrent_read",
			    k->kat_args[0][0] == 'c' };
		return (0);
	}
	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		if ((de->de_flags & DE_NULL) == 0)
			text_list(&known, "%s", de->de_ident);
	return (REFUSE(k, "mode \"%s\": expected one of %s", k->kat_args[0],
	    known.s));
}

/* Parts of a design that has one for each CPU or node. */
static int
kat_places(struct kat *k)
{
	uint64_t n;

	if (number(k, 0, "places", 1, KAT_PLACES_MAX, &n) != 0)
		return (EINVAL);
	kat_forget(k);
	k->kat_places = (unsigned)n;
	return (0);
}

static int
kat_init(struct kat *k)
{
	struct randomdev_params params = {
		.rp_design = k->kat_algorithm,
		.rp_kernel.kp_cipher = k->kat_cipher,
		.rp_kernel.kp_lock = lock_class_find("mtx"),
		.rp_kernel.kp_lock_config = lock_config_default(k->kat_places),
		.rp_kernel.kp_settings = &k->kat_mode,
		.rp_kernel.kp_setting_count = k->kat_mode.kv_name[0] != '\0',
		.rp_kernel.kp_cpus = k->kat_places,
		/* Scripts know no time. */
		.rp_kernel.kp_unpaced = true,
	};

	if (k->kat_cipher == NULL || k->kat_algorithm == NULL)
		return (REFUSE(k, "init: expected \"cipher\" and \"mode\" "
		    "lines before it"));
	if (k->kat_cipher == ciphers[cipher_count - 1] &&
	    design_info(k->kat_algorithm).di_ciphers < cipher_count)
		return (REFUSE(k, "cipher \"chacha20\": design %s is of a "
		    "release without it: expected aes",
		    k->kat_algorithm->de_ident));
	kat_forget(k);
	machine_curthread()->mt_index = 0;
	k->kat_cpu = 0;
	k->kat_turns = 0;
	return (randomdev_new(&k->kat_device, &params));
}

static int
kat_event(struct kat *k)
{
	struct random_event event = { .he_size = 0 };
	uint64_t counter, destination, source = RANDOM_CACHED;
	size_t n;

	if (number(k, 0, "event destination", 0, UINT8_MAX, &destination) !=
	    0 || number(k, 1, "event counter", 0, UINT32_MAX, &counter) != 0)
		return (EINVAL);
	if (parse_hex(k->kat_args[2], event.he_entropy, HARVEST_ENTROPY_BYTES,
	    &n) != 0)
		return (REFUSE(k, "event bytes \"%s\": expected 1..8 bytes "
		    "in hexadecimal", k->kat_args[2]));
	if (k->kat_args[3] != NULL && number(k, 3, "event source", 0,
	    ENTROPYSOURCE - 1, &source) != 0)
		return (EINVAL);
	event.he_source = (uint8_t)source;
	event.he_destination = (uint8_t)destination;
	event.he_somecounter = (uint32_t)counter;
	event.he_size = (uint8_t)n;
	randomdev_deliver(k->kat_device, &event);
	return (0);
}

static int
kat_place(struct kat *k)
{
	uint64_t place;

	if (number(k, 0, "place", 0, k->kat_places - 1, &place) != 0)
		return (EINVAL);
	k->kat_cpu = (int)place;
	machine_curthread()->mt_index = (unsigned)place;
	return (0);
}

/* Runs the design's timers, that long after it was made. */
static int
kat_timer(struct kat *k)
{
	uint64_t ms;

	if (number(k, 0, "timer: milliseconds", 0, INT64_MAX / NS_PER_MS,
	    &ms) != 0)
		return (EINVAL);
	return (randomdev_timer(k->kat_device, (int64_t)ms * NS_PER_MS) ? 0 :
	    REFUSE(k, "timer: %s has none: expected a design with timers",
	    k->kat_algorithm->de_ident));
}

static int
kat_preread(struct kat *k)
{
	randomdev_pre_read(k->kat_device);
	return (0);
}

/* The check that each request makes first. */
static int
kat_seeded(struct kat *k)
{
	fprintf(k->kat_out, "seeded %s\n",
	    randomdev_seeded(k->kat_device) ? "yes" : "no");
	return (0);
}

static int
kat_read(struct kat *k)
{
	struct device_status ds;
	uint8_t *bytes, sum[DIGEST_BYTES];
	struct digest dg;
	uint64_t n;

	if (number(k, 0, "read: number of bytes", 0, KAT_READ_MAX, &n) != 0)
		return (EINVAL);
	/* To ask for it would run a pre_read that the script did not. */
	randomdev_status(k->kat_device, &ds);
	if (!ds.ds_seeded) {
		fprintf(k->kat_out, "read %" PRIu64 " unseeded\n", n);
		return (0);
	}
	if (digest_init(&dg, hash_sha256()) != 0)
		no_memory();
	bytes = xmalloc((size_t)n + 1);
	randomdev_generate(k->kat_device, k->kat_cpu, bytes, (size_t)n);
	digest_update(&dg, bytes, (size_t)n);
	digest_finish(&dg, sum);
	digest_fini(&dg);
	if (crypto_failed() == NULL) {
		const size_t tail = MIN(n, KAT_TAIL_BYTES);

		fprintf(k->kat_out, "read %" PRIu64, n);
		print_hex(k, " sha256=", sum, sizeof(sum));
		print_hex(k, " head=", bytes, MIN(n, KAT_HEAD_BYTES));
		print_hex(k, " tail=", bytes + n - tail, tail);
		fputc('\n', k->kat_out);
	}
	wipe(bytes, (size_t)n);
	free(bytes);
	return (0);
}

/* Events of which two go anywhere, a reseed, and two reads. */
static void
turn(struct kat *k, struct digest *dg)
{
	uint8_t bytes[TURN_READ_BYTES + TURN_DRAWN_BYTES];
	struct random_event event = { .he_source = RANDOM_CACHED,
	    .he_size = HARVEST_ENTROPY_BYTES };
	uint64_t draw, random = k->kat_turns++;
	struct device_status ds;
	size_t n;

	for (unsigned i = 0; i < TURN_EVENTS; i++) {
		draw = splitmix_next(&random);
		memcpy(event.he_entropy, &draw, sizeof(draw));
		event.he_somecounter = (uint32_t)draw;
		event.he_destination = i < TURN_FILLS ? 0 :
		    (uint8_t)(draw >> 32);
		randomdev_deliver(k->kat_device, &event);
	}
	randomdev_pre_read(k->kat_device);
	randomdev_status(k->kat_device, &ds);
	if (!ds.ds_seeded)
		return;
	n = splitmix_next(&random) % TURN_DRAWN_BYTES;
	randomdev_generate(k->kat_device, k->kat_cpu, bytes, TURN_READ_BYTES);
	randomdev_generate(k->kat_device, k->kat_cpu, bytes + TURN_READ_BYTES,
	    n);
	digest_update(dg, bytes, TURN_READ_BYTES + n);
	wipe(bytes, sizeof(bytes));
}

/* What a script of many lines would show, in one. */
static int
kat_turns(struct kat *k)
{
	uint8_t sum[DIGEST_BYTES];
	struct digest dg;
	uint64_t n;

	if (number(k, 0, "turns", 1, KAT_TURNS_MAX, &n) != 0)
		return (EINVAL);
	if (digest_init(&dg, hash_sha256()) != 0)
		no_memory();
	for (uint64_t i = 0; i < n; i++)
		turn(k, &dg);
	digest_finish(&dg, sum);
	digest_fini(&dg);
	if (crypto_failed() == NULL) {
		fprintf(k->kat_out, "turns %" PRIu64, n);
		print_hex(k, " sha256=", sum, sizeof(sum));
		fputc('\n', k->kat_out);
	}
	return (0);
}

/* Gets or sets the state of a design that has one K and C. */
static int
kat_core(struct kat *k, const char *command, struct random_state *rs, bool set)
{
	return (randomdev_core(k->kat_device, rs, set) ? 0 :
	    REFUSE(k, "%s: %s has no one K and C: expected a design that "
	    "has", command, k->kat_algorithm->de_ident));
}

static int
kat_set_counter(struct kat *k)
{
	struct random_state rs = { .rst_reseeds = 0 };
	uint8_t le[UINT128_BYTES];
	size_t n;

	if (parse_hex(k->kat_args[0], le, sizeof(le), &n) != 0 ||
	    n != sizeof(le))
		return (REFUSE(k, "set-counter \"%s\": expected 16 bytes in "
		    "hexadecimal", k->kat_args[0]));
	rs.rst_counter = uint128_decode_le(le);
	return (kat_core(k, "set-counter", &rs, true));
}

static int
kat_set_reseeds(struct kat *k)
{
	struct random_state rs;
	uint64_t n;

	if (number(k, 0, "set-reseeds", 1, UINT32_MAX, &n) != 0 ||
	    kat_core(k, "set-reseeds", &rs, false) != 0)
		return (EINVAL);
	rs.rst_reseeds = (uint32_t)n;
	(void)kat_core(k, "set-reseeds", &rs, true);
	wipe(&rs, sizeof(rs));
	return (0);
}

static int
kat_state(struct kat *k)
{
	struct random_state rs;
	uint8_t le[UINT128_BYTES];

	if (!randomdev_core(k->kat_device, &rs, false)) {
		fputs("state hidden\n", k->kat_out);
		return (0);
	}
	uint128_encode_le(le, rs.rst_counter);
	print_hex(k, "state counter=", le, sizeof(le));
	fprintf(k->kat_out, " reseeds=%" PRIu32 " pool0len=%" PRIu32,
	    rs.rst_reseeds, rs.rst_pool0_bytes);
	print_hex(k, " key=", rs.rst_key, CIPHER_KEY_BYTES);
	fputc('\n', k->kat_out);
	wipe(&rs, sizeof(rs));
	return (0);
}

static const struct kat_command {
	const char	*kc_name;
	const char	*kc_operands;	/* one in brackets may be left out */
	bool		 kc_needs_init;
	int		(*kc_run)(struct kat *k);
} commands[] = {
	{ "cipher", " aes|chacha", false, kat_cipher },
	{ "mode", " DESIGN", false, kat_mode },
	{ "places", " NUMBER", false, kat_places },
	{ "init", "", false, kat_init },
	{ "event", " DESTINATION COUNTER HEX [SOURCE]", true, kat_event },
	{ "place", " NUMBER", true, kat_place },
	{ "timer", " MILLISECONDS", true, kat_timer },
	{ "preread", "", true, kat_preread },
	{ "seeded", "", true, kat_seeded },
	{ "read", " BYTES", true, kat_read },
	{ "turns", " NUMBER", true, kat_turns },
	{ "set-counter", " HEX", true, kat_set_counter },
	{ "set-reseeds", " NUMBER", true, kat_set_reseeds },
	{ "state", "", true, kat_state },
};

static int
kat_line(struct kat *k, char *line)
{
	const struct kat_command *kc;
	const size_t size = strlen(line);
	char *save = NULL, *word = strtok_r(line, " \t\r", &save);
	unsigned most = 0, n = 0;

	if (word == NULL || word[0] == '#')
		return (0);
	if (size > KAT_COMMAND_BYTES)
		return (REFUSE(k, "a longer line: expected a command of at "
		    "most %d bytes", KAT_COMMAND_BYTES));
	k->kat_commands++;
	for (kc = commands; strcmp(kc->kc_name, word) != 0;)
		if (++kc == commands + nitems(commands))
			return (REFUSE(k, "\"%s\" is no command: expected "
			    "cipher, mode, places, init, event, place, timer, "
			    "preread, seeded, read, turns, set-counter, "
			    "set-reseeds or state", word));
	while (n <= KAT_ARGS_MAX &&
	    (k->kat_args[n] = strtok_r(NULL, " \t\r", &save)) != NULL)
		n++;
	for (const char *c = kc->kc_operands; *c != '\0'; c++)
		most += *c == ' ';
	if (n > most || n < most - (strchr(kc->kc_operands, '[') != NULL))
		return (REFUSE(k, "%u operands: expected \"%s%s\"", n,
		    kc->kc_name, kc->kc_operands));
	if (kc->kc_needs_init && k->kat_device == NULL)
		return (REFUSE(k, "%s: expected \"init\" before it",
		    kc->kc_name));
	return (kc->kc_run(k));
}

int
kat_run(struct lines *li, const char *design, FILE *out)
{
	struct kat k = { .kat_lines = li, .kat_design = design, .kat_out = out,
	    .kat_places = KAT_PLACES,
	    .kat_index = machine_curthread()->mt_index };
	int error;

	while (lines_next(li)) {
		if ((error = kat_line(&k, li->li_text)) != 0)
			lines_fail(li, error, false, "%s", strerror(error));
		if (crypto_failed() != NULL)
			REFUSE(&k, "libcrypto refused to compute %s",
			    crypto_failed());
	}
	if (k.kat_commands == 0)
		lines_refuse_file(li, "no command: expected a script");
	kat_forget(&k);
	return (li->li_error);
}
