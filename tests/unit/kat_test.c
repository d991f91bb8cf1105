/*
 * FreeBSD's known answers, and those of other designs' models, through the
 * generators that run under load.
 *
 * Compiled a second time with two-word counters, against a library compiled
 * the same way.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/survey/kat.h"
#include "fortuna/fortuna.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

/* The whole of a small file; the caller frees. */
static char *
slurp(const char *path)
{
	char *text;
	size_t n;
	FILE *f;

	f = fopen(path, "r");
	ATF_REQUIRE_MSG(f != NULL, "%s: %s", path, strerror(errno));
	text = calloc(1, 1 << 20);
	ATF_REQUIRE(text != NULL);
	n = fread(text, 1, (1 << 20) - 1, f);
	ATF_REQUIRE_MSG(n < (1 << 20) - 1, "%s is too large", path);
	fclose(f);
	return (text);
}

/* Runs a script: its answers and, in *complaint, its message, for free(). */
static char *
answers(const char *name, char *script, const char *design, int *error,
    char **complaint)
{
	char *out = NULL;
	FILE *err, *f, *in;
	size_t n, m;

	in = fmemopen(script, strlen(script), "r");
	f = open_memstream(&out, &n);
	err = open_memstream(complaint, &m);
	ATF_REQUIRE(in != NULL && f != NULL && err != NULL);
	*error = kat_run(name, in, design, f, err);
	fclose(in);
	fclose(f);
	fclose(err);
	return (out);
}

/* Starts what scripts need and finds the folder of vectors. */
static void
start(const atf_tc_t *tc, struct mthread *self, const char *name,
    char folder[512])
{
	bool given = atf_tc_has_config_var(tc, "source");

	support_crypto();
	machine_attach(self, "test");
	snprintf(folder, 512, "%s%s/tests/%s", atf_tc_get_config_var(tc, given ?
	    "source" : "srcdir"), given ? "" : "/../..", name);
}

/*
 * Runs the scripts of a folder: those whose names begin so and, unless mode is
 * NULL, those of that mode.  All run the design ident in place of their own,
 * unless that is NULL.
 *
 *   differs  out  the first script with other answers; "": none
 *
 * Returns: how many it ran.
 */
static unsigned
run_scripts(const char *folder, const char *begins, const char *mode,
    const char *ident, char differs[256])
{
	char *complaint, line[64], *out, path[1024], *script, *wanted;
	struct dirent *entry;
	unsigned count = 0;
	int error;
	DIR *dir;

	differs[0] = '\0';
	dir = opendir(folder);
	ATF_REQUIRE_MSG(dir != NULL, "%s: %s", folder, strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		const char *name = entry->d_name;
		char *dot = strrchr(name, '.');

		if (dot == NULL || strcmp(dot, ".script") != 0 ||
		    strncmp(name, begins, strlen(begins)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		script = slurp(path);
		if (mode != NULL) {
			snprintf(line, sizeof(line), "\nmode %s\n", mode);
			if (strstr(script, line) == NULL) {
				free(script);
				continue;
			}
		}
		out = answers(name, script, ident, &error, &complaint);
		ATF_CHECK_EQ_MSG(0, error, "%s: %d: %s", name, error,
		    complaint);
		snprintf(path, sizeof(path), "%s/%.*s.expected", folder,
		    (int)(dot - name), name);
		wanted = slurp(path);
		if (differs[0] == '\0' && strcmp(wanted, out) != 0)
			snprintf(differs, 256, "%.255s", name);
		free(wanted);
		free(out);
		free(complaint);
		free(script);
		count++;
	}
	closedir(dir);
	return (count);
}

TEST(kat__vectors, "Every script of FreeBSD's own answers is reproduced byte "
    "for byte")
{
	char differs[256], folder[512];
	struct mthread self;
	unsigned count;

	start(tc, &self, "vectors", folder);
	count = run_scripts(folder, "", NULL, NULL, differs);
	ATF_CHECK_MSG(count >= 46, "only %u scripts", count);
	ATF_CHECK_MSG(differs[0] == '\0', "%s differs", differs);
}

TEST(kat__designs_with_fortunas_bytes, "A design that claims Fortuna's bytes "
    "answers every script of one of the two modes as FreeBSD does")
{
	static const char *const modes[] = { "locked", "concurrent" };
	char differs[2][256], folder[512];
	struct mthread self;

	start(tc, &self, "vectors", folder);
	for (unsigned d = 0; d < generator_count; d++) {
		if ((generators[d]->ra_flags & RA_FORTUNA_BYTES) == 0)
			continue;
		for (unsigned m = 0; m < 2; m++)
			ATF_CHECK_MSG(run_scripts(folder, "", modes[m],
			    generators[d]->ra_ident, differs[m]) >= 23,
			    "few scripts of mode %s", modes[m]);
		/* The answers of one mode, and not of both. */
		ATF_CHECK_MSG((differs[0][0] == '\0') !=
		    (differs[1][0] == '\0'), "%s: differs at \"%s\", \"%s\"",
		    generators[d]->ra_ident, differs[0], differs[1]);
	}
}

TEST(kat__designs, "Every design that does not promise Fortuna's bytes gives "
    "those of its model, with each cipher")
{
	char begins[64], differs[256], folder[512];
	struct mthread self;

	start(tc, &self, "vectors-designs", folder);
	for (unsigned i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & (RA_NULL | RA_FORTUNA_BYTES)) !=
		    0)
			continue;
		for (unsigned c = 0; c < cipher_count; c++) {
			snprintf(begins, sizeof(begins), "%s-%s-",
			    generators[i]->ra_ident, ciphers[c]->ci_alias);
			ATF_CHECK_MSG(run_scripts(folder, begins, NULL,
			    NULL, differs) > 0, "no vectors %s* in %s",
			    begins, folder);
			ATF_CHECK_MSG(differs[0] == '\0', "%s differs",
			    differs);
		}
	}
}

TEST(kat__names_the_line, "A bad line is named by file, number and what was "
    "expected, after the answers before it")
{
	char script[] = "cipher aes\nmode locked\ninit\nstate\n\nread x\n";
	char *complaint, folder[512], *out;
	struct mthread self;
	int error;

	start(tc, &self, "vectors", folder);
	out = answers("a.script", script, NULL, &error, &complaint);
	ATF_CHECK_EQ(EINVAL, error);
	ATF_CHECK_MSG(strncmp(out, "state counter=", 14) == 0, "%s", out);
	ATF_CHECK_MSG(strncmp(complaint, "a.script:6: ", 12) == 0 &&
	    strstr(complaint, "expected") != NULL, "%s", complaint);
	free(out);
	free(complaint);
}

/* A read of n bytes, of the generator that the script below makes, into buf. */
static void
read_whole(const char *cipher, const char *mode, uint8_t *buf, size_t n)
{
	struct generator_params params = {
		.gp_cipher = cipher_find(cipher),
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(1),
		.gp_config = generator_config_default(),
		.gp_places = 1,
	};
	const struct random_algorithm *ra = generator_find(mode);
	struct uio uio = uio_buffer(buf, n);
	struct generator_reader gr;
	struct generator *g;
	struct fortuna *f;

	ATF_REQUIRE_EQ(0, generator_new(ra, &g, &params));
	ATF_REQUIRE_EQ(0, generator_reader_init(g, &gr));
	f = fortuna_of(g);
	f->f_state.fs_counter = uint128_make(0, 0xff);
	random_fortuna_publish(f);
	ra->ra_read(g, &gr, &uio);
	ATF_REQUIRE_EQ(0, uio.uio_resid);
	generator_reader_fini(g, &gr);
	generator_free(g);
}

TEST(kat__long_reads_are_streams, "Reads larger than the window and as large "
    "have the bytes of one read into memory, in all four combinations")
{
	static const char *const names[][2] = { { "aes", "locked" },
	    { "aes", "concurrent" }, { "chacha", "locked" },
	    { "chacha", "concurrent" } };
	static const size_t sizes[] = { 1 << 20, (5 << 20) + 17 };
	char *complaint, folder[512], hex[2 * DIGEST_BYTES + 1], *out;
	char script[512];
	uint8_t *buf = support_alloc(1, sizes[1]), sum[DIGEST_BYTES];
	struct mthread self;
	struct digest dg;
	unsigned b, i, s;
	int error;

	start(tc, &self, "vectors", folder);
	for (i = 0; i < nitems(names); i++) {
		read_whole(names[i][0], names[i][1], buf, sizes[1]);
		for (s = 0; s < nitems(sizes); s++) {
			snprintf(script, sizeof(script), "cipher %s\nmode %s\n"
			    "init\nset-counter ff%030d\nread %zu\n",
			    names[i][0], names[i][1], 0, sizes[s]);
			out = answers("long", script, NULL, &error, &complaint);
			ATF_REQUIRE_EQ_MSG(0, error, "%s", complaint);
			ATF_REQUIRE_EQ(0, digest_init(&dg));
			digest_update(&dg, buf, sizes[s]);
			digest_finish(&dg, sum);
			digest_fini(&dg);
			for (b = 0; b < sizeof(sum); b++)
				snprintf(hex + 2 * b, 3, "%02x", sum[b]);
			ATF_CHECK_MSG(strstr(out, hex) != NULL,
			    "%s %s: %s is not %s", names[i][0], names[i][1],
			    out, hex);
			free(out);
			free(complaint);
		}
	}
	free(buf);
}

TEST_PROGRAM()
