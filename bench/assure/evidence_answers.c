/*
 * Known answers: what FreeBSD's own code gives for the same scripts, and for
 * other designs what their models give.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/share.h"
#include "bench/cell/kat.h"
#include "lib/crypto.h"

#define	SCRIPT	".script"

/* How many scripts of one kind there are, and give what they should. */
struct tally {
	unsigned	ta_scripts;
	unsigned	ta_right;
	char		ta_wrong[64];	/* the first that does not */
};

/* The whole of a file in malloc(3)ed memory, or NULL. */
static char *
read_whole(const char *path)
{
	char piece[4096], *text = NULL;
	size_t n, size;
	FILE *in, *out;

	in = fopen(path, "re");
	if (in == NULL)
		return (NULL);
	out = open_memstream(&text, &size);
	while (out != NULL && (n = fread(piece, 1, sizeof(piece), in)) > 0)
		fwrite(piece, 1, n, out);
	if (out != NULL)
		fclose(out);
	fclose(in);
	return (text);
}

/* The script with another design after "mode". */
static char *
with_mode(const char *script, const char *design)
{
	char *text = NULL;
	const char *end;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	if (out == NULL)
		return (NULL);
	for (; *script != '\0'; script = end) {
		end = strchr(script, '\n');
		end = end == NULL ? script + strlen(script) : end + 1;
		if (strncmp(script, "mode ", 5) == 0)
			fprintf(out, "mode %s\n", design);
		else
			fwrite(script, 1, (size_t)(end - script), out);
	}
	fclose(out);
	return (text);
}

/* What a script prints, or NULL. */
static char *
answer(char *script)
{
	char *text = NULL;
	FILE *err, *in, *out;
	size_t size;
	int error;

	in = fmemopen(script, strlen(script), "r");
	out = open_memstream(&text, &size);
	err = fopen("/dev/null", "we");
	error = in == NULL || out == NULL || err == NULL ? ENOMEM :
	    kat_run("script", in, out, err);
	if (in != NULL)
		fclose(in);
	if (err != NULL)
		fclose(err);
	if (out != NULL)
		fclose(out);
	if (error != 0) {
		free(text);
		return (NULL);
	}
	return (text);
}

static bool
is_right(const char *folder, const char *name, const char *design)
{
	char *expected, *given = NULL, path[2 * EVIDENCE_PATH_SIZE], *script;
	char *asked = NULL;
	bool right = false;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	script = read_whole(path);
	memcpy(strrchr(path, '.'), ".expected", sizeof(".expected"));
	expected = read_whole(path);
	if (script != NULL)
		asked = with_mode(script, design);
	if (asked != NULL)
		given = answer(asked);
	if (given != NULL && expected != NULL)
		right = strcmp(given, expected) == 0;
	free(given);
	free(expected);
	free(asked);
	free(script);
	return (right);
}

/* All scripts of a folder whose names have that part. */
static void
try_folder(const char *folder, const char *part, const char *design,
    struct tally *ta)
{
	struct dirent **names;
	const char *name, *end;
	int i, n;

	memset(ta, 0, sizeof(*ta));
	n = scandir(folder, &names, NULL, alphasort);
	for (i = 0; i < n; i++) {
		name = names[i]->d_name;
		end = strrchr(name, '.');
		if (end != NULL && strcmp(end, SCRIPT) == 0 &&
		    strstr(name, part) != NULL) {
			ta->ta_scripts++;
			if (is_right(folder, name, design))
				ta->ta_right++;
			else if (ta->ta_wrong[0] == '\0')
				snprintf(ta->ta_wrong, sizeof(ta->ta_wrong),
				    "%.*s", (int)(end - name), name);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void
fortuna(const struct assure_params *ap, struct evidence_row *row)
{
	static const char *const modes[] = { "locked", "concurrent" };
	char folder[EVIDENCE_PATH_SIZE], part[32];
	struct tally best = { .ta_right = 0 }, ta;
	const char *mode = modes[0];
	unsigned i;

	if (!share_find(ap, "vectors", "tests/vectors", folder)) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "No known answers beside the program.");
		return;
	}
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		snprintf(part, sizeof(part), "-%s-", modes[i]);
		try_folder(folder, part, ap->ap_design, &ta);
		if (i == 0 || ta.ta_right > best.ta_right) {
			best = ta;
			mode = modes[i];
		}
	}
	if (best.ta_scripts == 0) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "No scripts in %s.", folder);
	} else if (best.ta_right < best.ta_scripts)
		evidence_fail(row, "%u of %u scripts of FreeBSD's %s mode give "
		    "FreeBSD's bytes; %s does not.", best.ta_right,
		    best.ta_scripts, mode, best.ta_wrong);
	else
		evidence_say(row, "All %u scripts of FreeBSD's %s mode give "
		    "FreeBSD's bytes, K and C, both ciphers.", best.ta_scripts,
		    mode);
}

static void
modelled(const struct assure_params *ap, struct evidence_row *row)
{
	char folder[EVIDENCE_PATH_SIZE], part[64];
	struct tally ta = { .ta_scripts = 0 };

	snprintf(part, sizeof(part), "%s-", ap->ap_design);
	if (share_find(ap, "vectors-designs", "tests/vectors-designs", folder))
		try_folder(folder, part, ap->ap_design, &ta);
	if (ta.ta_scripts == 0) {
		row->er_state = EVIDENCE_NONE;
		evidence_say(row, "It does not say that its bytes are "
		    "FreeBSD's, and nobody has written a model of them.");
		evidence_unshown(row, "that its bytes are those that it should "
		    "give.");
	} else if (ta.ta_right < ta.ta_scripts)
		evidence_fail(row, "%u of %u scripts give its model's bytes; "
		    "%s does not.", ta.ta_right, ta.ta_scripts, ta.ta_wrong);
	else
		evidence_say(row, "All %u scripts give the bytes of its model "
		    "in Python.", ta.ta_scripts);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct mthread self;

	machine_attach(&self, "kat");
	if ((generator_find(ap->ap_design)->ra_flags & RA_FORTUNA_BYTES) != 0)
		fortuna(ap, row);
	else
		modelled(ap, row);
	machine_detach();
}

const struct evidence evidence_answers = {
	.ev_name	= "answers",
	.ev_descr	= "known answers of FreeBSD's code, or of a model",
	.ev_share	= 0.02,
	.ev_gather	= gather,
};
