/*
 * FreeBSD's known answers, and those of other designs' models, through the
 * devices that run under load.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/survey/kat.h"
#include "lib/crypto/cipher.h"
#include "tests/unit/patched.h"
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
	struct lines li = { .li_name = name,
	    .li_in = fmemopen(script, strlen(script), "r"),
	    .li_text = malloc(LINES_BYTES_MAX),
	    .li_message = calloc(1, LINES_ERROR_SIZE) };
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	ATF_REQUIRE(li.li_in != NULL && li.li_text != NULL &&
	    li.li_message != NULL && f != NULL);
	*error = kat_run(&li, design, f);
	*complaint = li.li_message;
	lines_close(&li);
	fclose(f);
	return (out);
}

/* Starts what scripts need and finds the folder of vectors. */
static void
start(const atf_tc_t *tc, const char *name, char folder[512])
{
	static struct mthread self;

	support_machine(&self);
	support_crypto();
	patched_path(tc, name, folder, 512);
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
	unsigned count;

	start(tc, "tests/vectors", folder);
	count = run_scripts(folder, "", NULL, NULL, differs);
	ATF_CHECK_MSG(count >= 46, "only %u scripts", count);
	ATF_CHECK_MSG(differs[0] == '\0', "%s differs", differs);
}

/* Whether the answers are those of one mode, and not of both. */
static void
check_modes(const char *folder, const char *design)
{
	static const char *const modes[] = { "locked", "concurrent" };
	char differs[2][256];

	for (unsigned m = 0; m < 2; m++)
		ATF_CHECK_MSG(run_scripts(folder, "", modes[m], design,
		    differs[m]) >= 23, "few scripts of mode %s", modes[m]);
	ATF_CHECK_MSG((differs[0][0] == '\0') != (differs[1][0] == '\0'),
	    "%s: differs at \"%s\", \"%s\"", design, differs[0],
	    differs[1]);
}

TEST(kat__designs_with_fortunas_bytes, "A design that claims Fortuna's bytes "
    "answers every script of one of the two modes as FreeBSD does")
{
	const struct design *de;
	char folder[512];

	start(tc, "tests/vectors", folder);
	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		if ((de->de_flags & DE_FORTUNA_BYTES) != 0)
			check_modes(folder, de->de_ident);
}

TEST(kat__named_sources, "A file that is named answers as the same file that "
    "is part of the program, in the mode that a script says, and without its "
    "last step as none")
{
	static const struct patch unkeyed = { .p_from =
	    " random_fortuna_rekey(&fortuna_state.fs_key, "
	    "&fortuna_state.fs_counter, newkey); RANDOM_RESEED_UNLOCK();",
	    .p_to = "\n	RANDOM_RESEED_UNLOCK();",
	    .p_in = "random_fortuna_read_concurrent" };
	char differs[256], folder[512], path[512];

	start(tc, "tests/vectors", folder);
	patched_path(tc, "fortuna/fortuna.c", path, sizeof(path));
	ATF_CHECK(run_scripts(folder, "", NULL, patched_open(tc, path)->
	    de_ident, differs) >= 46);
	ATF_CHECK_MSG(differs[0] == '\0', "%s differs", differs);
	(void)run_scripts(folder, "", "concurrent", patched(tc,
	    "fortuna/fortuna.c", &unkeyed, 1)->de_ident, differs);
	ATF_CHECK(differs[0] != '\0');
}

TEST(kat__designs, "Every design that does not promise Fortuna's bytes gives "
    "those of its model, with each cipher")
{
	char begins[64], differs[256], folder[512];
	const struct design *de;

	start(tc, "tests", folder);
	snprintf(folder, sizeof(folder), "%s/vectors-designs",
	    atf_tc_get_config_var(tc, "srcdir"));
	for (size_t i = 0; (de = design_at(i)) != NULL; i++) {
		if ((de->de_flags & (DE_NULL | DE_FORTUNA_BYTES)) != 0)
			continue;
		for (unsigned c = 0; c < cipher_count; c++) {
			snprintf(begins, sizeof(begins), "%s-%s-",
			    de->de_ident, ciphers[c]->ci_alias);
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
	int error;

	start(tc, "tests/vectors", folder);
	out = answers("a.script", script, NULL, &error, &complaint);
	ATF_CHECK_EQ(EINVAL, error);
	ATF_CHECK_MSG(strncmp(out, "state counter=", 14) == 0, "%s", out);
	ATF_CHECK_MSG(strncmp(complaint, "a.script:6: ", 12) == 0 &&
	    strstr(complaint, "expected") != NULL, "%s", complaint);
	free(out);
	free(complaint);
}

TEST_PROGRAM()
