/*
 * FreeBSD's known answers, and those of other designs' models, through the
 * generators that run under load.
 *
 * Compiled a second time with two-word counters, against a library compiled
 * the same way.
 */
#include <atf-c.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/kat.h"
#include "fortuna/generator.h"
#include "lib/crypto.h"
#include "lib/machine.h"

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

/* What a script answers; the caller frees. */
static char *
answers(const char *name, FILE *in, int *error, char **complaint)
{
	char *out = NULL;
	size_t n, m;
	FILE *err, *f;

	f = open_memstream(&out, &n);
	err = open_memstream(complaint, &m);
	ATF_REQUIRE(f != NULL && err != NULL);
	*error = kat_run(name, in, f, err);
	fclose(f);
	fclose(err);
	return (out);
}

static void
vectors_folder(const atf_tc_t *tc, const char *name, char *buf, size_t size)
{

	if (atf_tc_has_config_var(tc, "source"))
		snprintf(buf, size, "%s/tests/%s",
		    atf_tc_get_config_var(tc, "source"), name);
	else
		snprintf(buf, size, "%s/../../tests/%s",
		    atf_tc_get_config_var(tc, "srcdir"), name);
}

static void
start(struct mthread *self)
{
	const char *missing;

	ATF_REQUIRE_EQ_MSG(0, crypto_init(&missing), "%s", missing);
	machine_attach(self, "test");
}

/* The script path with its answers in place of its commands. */
static void
check_script(const char *path)
{
	const char *dot = strrchr(path, '.');
	char *complaint, *out, *wanted, expected[1024];
	int error;
	FILE *in;

	in = fopen(path, "r");
	ATF_REQUIRE_MSG(in != NULL, "%s: %s", path, strerror(errno));
	out = answers(path, in, &error, &complaint);
	fclose(in);
	ATF_CHECK_EQ_MSG(0, error, "%s: %d: %s", path, error, complaint);
	snprintf(expected, sizeof(expected), "%.*s.expected",
	    (int)(dot - path), path);
	wanted = slurp(expected);
	ATF_CHECK_MSG(strcmp(wanted, out) == 0, "%s differs", path);
	free(wanted);
	free(out);
	free(complaint);
}

/* Checks the scripts of a folder whose names begin so; returns how many. */
static unsigned
check_scripts(const char *folder, const char *begins)
{
	struct dirent *entry;
	unsigned count = 0;
	char path[1024];
	DIR *dir;

	dir = opendir(folder);
	ATF_REQUIRE_MSG(dir != NULL, "%s: %s", folder, strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		char *dot = strrchr(entry->d_name, '.');

		if (dot == NULL || strcmp(dot, ".script") != 0 ||
		    strncmp(entry->d_name, begins, strlen(begins)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		check_script(path);
		count++;
	}
	closedir(dir);
	return (count);
}

ATF_TC(kat__vectors);
ATF_TC_HEAD(kat__vectors, tc)
{

	atf_tc_set_md_var(tc, "descr", "Every script of FreeBSD's own answers "
	    "is reproduced byte for byte");
}
ATF_TC_BODY(kat__vectors, tc)
{
	struct mthread self;
	char folder[512];
	unsigned count;

	start(&self);
	vectors_folder(tc, "vectors", folder, sizeof(folder));
	count = check_scripts(folder, "");
	ATF_CHECK_MSG(count >= 46, "only %u scripts", count);
}

/*
 * The script with "mode as" replaced by "mode ident"; NULL where it has no such
 * line.  The caller frees.
 */
static char *
in_mode(const char *script, const char *as, const char *ident)
{
	char *changed, line[64];
	const char *at;

	snprintf(line, sizeof(line), "\nmode %s\n", as);
	at = strstr(script, line);
	if (at == NULL)
		return (NULL);
	changed = malloc(strlen(script) + strlen(ident) + 1);
	ATF_REQUIRE(changed != NULL);
	sprintf(changed, "%.*s\nmode %s\n%s", (int)(at - script), script, ident,
	    at + strlen(line));
	return (changed);
}

/*
 * Runs every script of one mode with another design.
 *
 *   first  out  the first script that it answers otherwise; "" when there is
 *               none
 *
 * Returns: how many there are.
 */
static unsigned
scripts_of(const char *folder, const char *mode, const char *ident,
    char first[256])
{
	char *changed, *complaint, *out, path[1024], *script, *wanted;
	struct dirent *entry;
	unsigned count = 0;
	int error;
	DIR *dir;

	first[0] = '\0';
	dir = opendir(folder);
	ATF_REQUIRE_MSG(dir != NULL, "%s: %s", folder, strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		char *dot = strrchr(entry->d_name, '.');
		FILE *in;

		if (dot == NULL || strcmp(dot, ".script") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		script = slurp(path);
		changed = in_mode(script, mode, ident);
		free(script);
		if (changed == NULL)
			continue;
		in = fmemopen(changed, strlen(changed), "r");
		ATF_REQUIRE(in != NULL);
		out = answers(entry->d_name, in, &error, &complaint);
		fclose(in);
		ATF_CHECK_EQ_MSG(0, error, "%s: %s: %s", ident, entry->d_name,
		    complaint);
		snprintf(path, sizeof(path), "%s/%.*s.expected", folder,
		    (int)(dot - entry->d_name), entry->d_name);
		wanted = slurp(path);
		if (first[0] == '\0' && strcmp(wanted, out) != 0)
			snprintf(first, 256, "%.255s", entry->d_name);
		free(wanted);
		free(out);
		free(complaint);
		free(changed);
		count++;
	}
	closedir(dir);
	return (count);
}

ATF_TC(kat__designs_with_fortunas_bytes);
ATF_TC_HEAD(kat__designs_with_fortunas_bytes, tc)
{

	atf_tc_set_md_var(tc, "descr", "A design that claims Fortuna's bytes "
	    "answers every script of one of the two modes as FreeBSD does");
}
ATF_TC_BODY(kat__designs_with_fortunas_bytes, tc)
{
	static const char *const modes[] = { "locked", "concurrent" };
	char differs[2][256], folder[512];
	struct mthread self;
	unsigned d, m;

	start(&self);
	vectors_folder(tc, "vectors", folder, sizeof(folder));
	for (d = 0; d < generator_count; d++) {
		if ((generators[d]->ra_flags & RA_FORTUNA_BYTES) == 0)
			continue;
		for (m = 0; m < 2; m++)
			ATF_CHECK_MSG(scripts_of(folder, modes[m],
			    generators[d]->ra_ident, differs[m]) >= 23,
			    "few scripts of mode %s", modes[m]);
		ATF_CHECK_MSG(differs[0][0] == '\0' || differs[1][0] == '\0',
		    "%s: neither mode's answers: %s, %s",
		    generators[d]->ra_ident, differs[0], differs[1]);
		/* The two are told apart. */
		ATF_CHECK_MSG(differs[0][0] != '\0' || differs[1][0] != '\0',
		    "%s: both modes' answers", generators[d]->ra_ident);
	}
}

ATF_TC(kat__designs);
ATF_TC_HEAD(kat__designs, tc)
{

	atf_tc_set_md_var(tc, "descr", "Every design that does not promise "
	    "Fortuna's bytes gives those of its model, with each cipher");
}
ATF_TC_BODY(kat__designs, tc)
{
	char begins[64], folder[512];
	struct mthread self;
	unsigned c, i;

	start(&self);
	vectors_folder(tc, "vectors-designs", folder, sizeof(folder));
	for (i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & (RA_NULL | RA_FORTUNA_BYTES)) !=
		    0)
			continue;
		for (c = 0; c < cipher_count; c++) {
			snprintf(begins, sizeof(begins), "%s-%s-",
			    generators[i]->ra_ident, ciphers[c]->ci_alias);
			ATF_CHECK_MSG(check_scripts(folder, begins) > 0,
			    "no vectors %s* in %s", begins, folder);
		}
	}
}

ATF_TC(kat__names_the_line);
ATF_TC_HEAD(kat__names_the_line, tc)
{

	atf_tc_set_md_var(tc, "descr", "A bad line is named by file, number "
	    "and what was expected, after the answers before it");
}
ATF_TC_BODY(kat__names_the_line, tc)
{
	char script[] = "cipher aes\nmode locked\ninit\nstate\n\nread x\n";
	char *complaint, *out;
	struct mthread self;
	int error;
	FILE *in;

	start(&self);
	in = fmemopen(script, sizeof(script) - 1, "r");
	ATF_REQUIRE(in != NULL);
	out = answers("a.script", in, &error, &complaint);
	fclose(in);
	ATF_CHECK_EQ(EINVAL, error);
	ATF_CHECK_MSG(strncmp(out, "state counter=", 14) == 0, "%s", out);
	ATF_CHECK_MSG(strncmp(complaint, "a.script:6: ", 12) == 0 &&
	    strstr(complaint, "expected") != NULL, "%s", complaint);
	free(out);
	free(complaint);
}

ATF_TC(kat__long_reads_are_streams);
ATF_TC_HEAD(kat__long_reads_are_streams, tc)
{

	atf_tc_set_md_var(tc, "descr", "A read larger than the window equals "
	    "one that fits as far as that one goes, in all four combinations");
}
ATF_TC_BODY(kat__long_reads_are_streams, tc)
{
	static const char *const ciphers_used[] = { "aes", "chacha" };
	static const char *const modes[] = { "locked", "concurrent" };
	static const unsigned long sizes[] = { 1 << 20, (5 << 20) + 17 };
	char *complaint, head[2][65], *out, script[512];
	struct mthread self;
	unsigned c, m, s;
	int error;
	FILE *in;

	start(&self);
	for (c = 0; c < 2; c++)
	for (m = 0; m < 2; m++) {
		for (s = 0; s < 2; s++) {
			const char *h;

			snprintf(script, sizeof(script), "cipher %s\nmode %s\n"
			    "init\nset-counter %032d\nset-counter ff%030d\n"
			    "read %lu\n", ciphers_used[c], modes[m], 0, 0,
			    sizes[s]);
			in = fmemopen(script, strlen(script), "r");
			ATF_REQUIRE(in != NULL);
			out = answers("long", in, &error, &complaint);
			fclose(in);
			ATF_REQUIRE_EQ_MSG(0, error, "%s", complaint);
			h = strstr(out, "head=");
			ATF_REQUIRE_MSG(h != NULL, "%s", out);
			snprintf(head[s], sizeof(head[s]), "%.64s", h + 5);
			free(out);
			free(complaint);
		}
		ATF_CHECK_STREQ_MSG(head[0], head[1], "%s %s",
		    ciphers_used[c], modes[m]);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, kat__vectors);
	ATF_TP_ADD_TC(tp, kat__designs_with_fortunas_bytes);
	ATF_TP_ADD_TC(tp, kat__designs);
	ATF_TP_ADD_TC(tp, kat__names_the_line);
	ATF_TP_ADD_TC(tp, kat__long_reads_are_streams);
	return (atf_no_error());
}
