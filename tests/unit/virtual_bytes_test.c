/*
 * What devices make on a simulated machine is what they make on a real one.
 *
 * The driver of known-answer scripts is compiled here once more, for simulated
 * machines, under another name; the real one is the program's.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL
#define	kat_run		simulated_kat_run
#include "bench/survey/kat.c"
#undef kat_run

#include "tests/unit/patched.h"
#include "tests/unit/test.h"
#include <dirent.h>

#include "bench/cell/cell.h"
#include "bench/cell/virtual.h"
#include "fortuna/device/design.h"
#include "lib/crypto/crypto.h"
#include "lib/machine/cpu.h"
#include "lib/machine/tick.h"

/* The real one; its header has been read under the other name. */
int kat_run(struct lines *li, const char *design, FILE *out);

/* The real machine's, likewise. */
struct real_thread {
	_Alignas(MACHINE_CACHE_LINE) char room[1024];
};

#undef machine_attach
void machine_attach(struct real_thread *td, const char *name);

enum {
	SCRIPT_BYTES	= 1 << 20,
	TEXT_BYTES	= 1 << 20,
	/* What line_ns()'s machine charges; no sum of a few is another's. */
	BYTE_NS		= 1,
	CALL_NS		= 100000,
	SETUP_NS	= 1000000,
	WIPE_NS		= 10000000,
	EVENTS		= 6	/* that seed each design */
};

static struct virtual_machine machine;

static void
start(void)
{
	static struct real_thread self;
	char why[PROFILE_ERROR_SIZE];
	const char *missing;

	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_REQUIRE_EQ_MSG(0, crypto_init(&missing), "%s", missing);
	tick_calibrate();
	machine_attach(&self, "test");
	ATF_REQUIRE_EQ_MSG(0, virtual_make(&machine, "epyc-9654-2s", 4, 0,
	    why), "%s", why);
}

/* A script on its way through a machine. */
struct script {
	const char	*sc_name;
	const char	*sc_text;
	char		*sc_out;
	char		*sc_err;
	int		 sc_error;
	int		(*sc_run)(struct lines *, const char *, FILE *);
};

static void
run_script(void *arg)
{
	struct script *sc = arg;
	struct lines li = { .li_name = sc->sc_name,
	    .li_in = fmemopen((char *)(uintptr_t)sc->sc_text,
	    strlen(sc->sc_text), "r"), .li_text = malloc(LINES_BYTES_MAX),
	    .li_message = calloc(1, LINES_ERROR_SIZE) };
	size_t n;
	FILE *out = open_memstream(&sc->sc_out, &n);

	ATF_REQUIRE(li.li_in != NULL && li.li_text != NULL &&
	    li.li_message != NULL && out != NULL);
	sc->sc_error = sc->sc_run(&li, NULL, out);
	sc->sc_err = li.li_message;
	lines_close(&li);
	fclose(out);
}

/* By a thread that has a CPU, so that all is charged. */
static void
first_thread(void *arg)
{
	static struct mthread td;

	ATF_REQUIRE_EQ(0, machine_spawn(&td, "script", 0, run_script, arg));
	machine_join(&td);
}

/* What a script answers on a simulated machine; the caller frees. */
static char *
simulated(const char *name, const char *text, const struct cipher *cipher)
{
	struct script sc = { .sc_name = name, .sc_text = text,
	    .sc_run = simulated_kat_run };
	struct machine_config mc = { .mc_topology = machine.vi_topology,
	    .mc_seed = 1 };
	struct machine_outcome mo;

	vm_costs(&machine.vi_profile, cipher->ci_name, false, &mc.mc_costs);
	ATF_REQUIRE_EQ_MSG(0, vm_run(&mc, first_thread, &sc, &mo), "%s",
	    mo.mo_stuck);
	ATF_CHECK_EQ_MSG(0, sc.sc_error, "%s: %s", name, sc.sc_err);
	ATF_CHECK_MSG(mo.mo_time_ps > 0, "%s took no time", name);
	free(sc.sc_err);
	return (sc.sc_out);
}

/* What a line of a script takes that is run once more, on a bare machine. */
static uint64_t
line_ns(const char *design, const struct cipher *cipher, const char *line)
{
	struct script sc = { .sc_name = design, .sc_run = simulated_kat_run };
	struct machine_config mc = { .mc_topology = machine.vi_topology,
	    .mc_seed = 1 };
	struct vm_costs *vc = &mc.mc_costs;
	struct machine_outcome mo;
	uint64_t took_ps[2];
	char text[1024];
	unsigned i, k, n;

	/* A machine must have these two. */
	vc->vc_ps[PROFILE_CPU_PAUSE] = vc->vc_ps[PROFILE_OS_TICK] = 1000;
	vc->vc_unit_fs[COST_KEYSTREAM] = BYTE_NS * UINT64_C(1000000);
	vc->vc_unit_fs[COST_KEYSTREAM_MORE] = BYTE_NS * UINT64_C(1000000);
	vc->vc_cost_ps[COST_KEYSTREAM] = CALL_NS * UINT64_C(1000);
	vc->vc_cost_ps[COST_KEY_SET] = SETUP_NS * UINT64_C(1000);
	vc->vc_unit_fs[COST_WIPE] = WIPE_NS * UINT64_C(1000000);
	vc->vc_less[COST_KEYSTREAM] = cipher->ci_block_bytes - 1;
	vc->vc_less[COST_KEYSTREAM_MORE] = cipher->ci_block_bytes - 1;
	for (i = 0; i < 2; i++) {
		n = (unsigned)sprintf(text, "cipher %s\nmode %s\ninit\n",
		    cipher->ci_alias, design);
		for (k = 0; k < EVENTS; k++)
			n += (unsigned)sprintf(text + n,
			    "event 0 %u 0011223344556677\n", k);
		n += (unsigned)sprintf(text + n, "seeded\n");
		for (k = 0; k < 2 + i; k++)
			n += (unsigned)sprintf(text + n, "%s\n", line);
		sc.sc_text = text;
		ATF_REQUIRE_EQ_MSG(0, vm_run(&mc, first_thread, &sc, &mo),
		    "%s", mo.mo_stuck);
		ATF_REQUIRE_EQ_MSG(0, sc.sc_error, "%s: %s", design,
		    sc.sc_err);
		free(sc.sc_err);
		free(sc.sc_out);
		took_ps[i] = mo.mo_time_ps;
	}
	return ((took_ps[1] - took_ps[0]) / 1000);
}

static char *
real(const char *name, const char *text)
{
	struct script sc = { .sc_name = name, .sc_text = text,
	    .sc_run = kat_run };

	run_script(&sc);
	ATF_CHECK_EQ_MSG(0, sc.sc_error, "%s: %s", name, sc.sc_err);
	free(sc.sc_err);
	return (sc.sc_out);
}

static char *
slurp(const char *folder, const char *name, const char *ending)
{
	char path[1024], *text;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%.*s%s", folder,
	    (int)(strrchr(name, '.') - name), name, ending);
	f = fopen(path, "r");
	ATF_REQUIRE_MSG(f != NULL, "%s: %s", path, strerror(errno));
	text = calloc(1, TEXT_BYTES);
	ATF_REQUIRE(text != NULL);
	n = fread(text, 1, TEXT_BYTES - 1, f);
	ATF_REQUIRE_MSG(n < TEXT_BYTES - 1, "%s is too large", path);
	fclose(f);
	return (text);
}

/* Simulates every script in tests/name; returns how many. */
static unsigned
check_folder(const char *folder)
{
	char *out, *script, *wanted;
	struct dirent *entry;
	unsigned count = 0;
	DIR *dir;

	dir = opendir(folder);
	ATF_REQUIRE_MSG(dir != NULL, "%s: %s", folder, strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		char *dot = strrchr(entry->d_name, '.');

		if (dot == NULL || strcmp(dot, ".script") != 0)
			continue;
		script = slurp(folder, entry->d_name, ".script");
		wanted = slurp(folder, entry->d_name, ".expected");
		out = simulated(entry->d_name, script, ciphers[0]);
		ATF_CHECK_MSG(strcmp(wanted, out) == 0, "%s differs",
		    entry->d_name);
		free(out);
		free(wanted);
		free(script);
		count++;
	}
	closedir(dir);
	return (count);
}

TEST(virtual_bytes__charges, "A read is charged for the keystream it makes and "
    "the keys it draws, sets and forgets")
{
	static const struct {
		const char	*design;
		const char	*cipher;
		const char	*line;
		uint64_t	 ns;
	} want[] = {
		/* A block and a key, twice: the odd byte is another part. */
		{ "locked", "aes", "read 17", 4 * CALL_NS + 2 * (16 + 32) *
		    BYTE_NS + 2 * SETUP_NS },
		{ "locked", "chacha", "read 17", 2 * CALL_NS + 2 * 64 *
		    BYTE_NS + SETUP_NS },
		/* AES has runs of 1 KiB. */
		{ "concurrent", "aes", "read 4096", 5 * CALL_NS + (32 + 4096) *
		    BYTE_NS + SETUP_NS + WIPE_NS },
		{ "concurrent", "chacha", "read 4096", 2 * CALL_NS + (64 +
		    4096) * BYTE_NS + SETUP_NS + WIPE_NS },
		{ "fxrng", "chacha", "read 4096", 2 * CALL_NS + (64 + 4096) *
		    BYTE_NS + SETUP_NS + WIPE_NS },
		/* More than half a buffer: each fills it anew. */
		{ "fxrng", "aes", "read 127", 2 * CALL_NS + (32 + 128) *
		    BYTE_NS + SETUP_NS },
		/* A block of ChaCha20 is a key and 32 bytes of output. */
		{ "pcpu", "chacha", "read 32", CALL_NS + 64 * BYTE_NS +
		    SETUP_NS + WIPE_NS },
		/* Two keys are drawn in one call. */
		{ "pcpu", "aes", "read 4096", 5 * CALL_NS + (64 + 4096) *
		    BYTE_NS + 2 * (SETUP_NS + WIPE_NS) },
	};
	uint64_t ns;

	start();
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		ns = line_ns(want[i].design, cipher_find(want[i].cipher),
		    want[i].line);
		ATF_CHECK_EQ_MSG(want[i].ns, ns, "%s %s %s: %ju ns, not %ju",
		    want[i].design, want[i].cipher, want[i].line,
		    (uintmax_t)ns, (uintmax_t)want[i].ns);
	}
}

TEST(virtual_bytes__vectors, "FreeBSD's own answers, and those of other "
    "designs' models, come out of a simulated machine byte for byte")
{
	unsigned count;

	char folder[512];

	start();
	patched_path(tc, "tests/vectors", folder, sizeof(folder));
	count = check_folder(folder);
	ATF_CHECK_MSG(count >= 46, "only %u scripts", count);
	snprintf(folder, sizeof(folder), "%s/vectors-designs",
	    atf_tc_get_config_var(tc, "srcdir"));
	ATF_CHECK(check_folder(folder) > 0);
}

/* One reader's requests with events and reseeds between them. */
static void
make_script(char *text, const char *design, const struct cipher *cipher,
    uint64_t seed)
{
	static const unsigned sizes[] = { 1, 15, 16, 17, 64, 255, 2048, 4095,
	    4096, 4097, 65536, 65551 };
	unsigned i, k, n = 0;

	n += (unsigned)sprintf(text + n, "cipher %s\nmode %s\ninit\n",
	    cipher->ci_alias, design);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (k = 0; k < 32; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1;
			n += (unsigned)sprintf(text + n, "event %u %u %016"
			    PRIx64 "\n", k, (unsigned)(seed >> 40), seed);
		}
		n += (unsigned)sprintf(text + n, "preread\nseeded\n"
		    "read %u\nread 2048\n", sizes[i]);
		ATF_REQUIRE(n < SCRIPT_BYTES / 2);
	}
}

TEST(virtual_bytes__as_real, "The same requests, events and reseeds give the "
    "same bytes on both machines, and others with another event")
{
	static char script[SCRIPT_BYTES];
	char *other, *there, *wanted;
	const struct design *de;

	start();
	for (size_t d = 0; (de = design_at(d)) != NULL; d++) {
		if ((de->de_flags & DE_NULL) != 0)
			continue;
		for (unsigned c = 0; c < cipher_count; c++) {
			make_script(script, de->de_ident, ciphers[c], 7);
			wanted = real("real", script);
			there = simulated("simulated", script, ciphers[c]);
			ATF_CHECK_MSG(strcmp(wanted, there) == 0,
			    "%s %s differs", de->de_ident,
			    ciphers[c]->ci_name);
			make_script(script, de->de_ident, ciphers[c], 8);
			other = simulated("other", script, ciphers[c]);
			ATF_CHECK_MSG(strcmp(wanted, other) != 0,
			    "%s %s does not heed events", de->de_ident,
			    ciphers[c]->ci_name);
			free(other);
			free(there);
			free(wanted);
		}
	}
}

static void
run_cell(const struct cell *ce, bool bytes, uint64_t seed,
    struct cell_measure *cm)
{
	static const volatile sig_atomic_t stop = 0;
	char why[CELL_ERROR_SIZE];
	struct bench_config config;
	struct machine_config mc;
	struct pinning place;
	struct cell_params cp = { .cp_cell = *ce, .cp_config = &config,
	    .cp_place = &place, .cp_time_s = 0.01, .cp_seed = seed,
	    .cp_machine = &mc, .cp_bytes = bytes, .cp_stop = &stop };

	CTASSERT((int)PINNING_ERROR_SIZE <= (int)CELL_ERROR_SIZE);
	bench_config_default(&config, machine.vi_topology.tp_cpus);
	/* Long enough for a reseed from what sources gave. */
	config.bc_program.warmup_ms = 120;
	ATF_REQUIRE_EQ(0, pinning_parse(&place, "compact",
	    &machine.vi_topology, why));
	virtual_config(&machine, &machine.vi_profile, &cp, false,
	    virtual_seed(seed, 0, ce), &mc);
	ATF_REQUIRE_EQ_MSG(0, ENGINE(virtual).en_run(&cp, cm, why), "%s", why);
	pinning_free(&place);
}

static bool
same_output(const struct cell_measure *a, const struct cell_measure *b,
    unsigned readers)
{
	ATF_REQUIRE(a->cm_sample.output_sha256 != NULL);
	ATF_REQUIRE(b->cm_sample.output_sha256 != NULL);
	return (memcmp(a->cm_sample.output_sha256, b->cm_sample.output_sha256,
	    readers * RESULT_SHA256_SIZE) == 0);
}

TEST(virtual_bytes__no_trace_of_them, "Whether bytes are made shows in nothing "
    "else of a run, and they follow from its seed")
{
	static struct cell_measure again, stub, made, other;
	struct cell ce = { .ce_lock = "mtx", .ce_readers = 3,
	    .ce_request_bytes = 5000 };
	const struct design *de;

	start();
	for (size_t d = 0; (de = design_at(d)) != NULL; d++) {
		if ((de->de_flags & DE_NULL) != 0)
			continue;
		ce.ce_design = de->de_ident;
		ce.ce_cipher = ciphers[d % cipher_count];
		run_cell(&ce, true, 5, &made);
		run_cell(&ce, true, 5, &again);
		run_cell(&ce, false, 5, &stub);
		run_cell(&ce, true, 6, &other);
		ATF_CHECK(made.cm_outcome.mo_hash == stub.cm_outcome.mo_hash);
		ATF_CHECK(made.cm_sample.total_mb_per_s > 0);
		ATF_CHECK_EQ(made.cm_sample.total_mb_per_s,
		    stub.cm_sample.total_mb_per_s);
		ATF_CHECK(stub.cm_sample.output_sha256 == NULL);
		ATF_CHECK(same_output(&made, &again, 3));
		ATF_CHECK(!same_output(&made, &other, 3));
		cell_measure_free(&made);
		cell_measure_free(&again);
		cell_measure_free(&stub);
		cell_measure_free(&other);
	}
}

TEST_PROGRAM()
