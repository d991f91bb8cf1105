/* Known answers: of FreeBSD's own code, or of other designs' models. */
#include <dirent.h>

#include "bench/assure/evidence.h"
#include "bench/survey/kat.h"
#include "fortuna/device/randomdev.h"

enum { WRONG_SIZE = 512, NAMED = 3 };

/* Scripts of one kind, and how many give what they must. */
struct tally {
	unsigned	tly_scripts, tly_right;
	unsigned	tly_named;	/* of the others, these: */
	char		tly_wrong[WRONG_SIZE];
};

/* Whether all lines are; a state that is hidden is as any. */
static bool
is_same(char *expected, char *given)
{
	char *line, *other;

	do {
		line = strsep(&given, "\n");
		other = strsep(&expected, "\n");
	} while (line != NULL && other != NULL && (strcmp(line, other) == 0 ||
	    strcmp(line, "state hidden") == 0));
	return (line == NULL && other == NULL);
}

/* path is a script's, without its ".script".  !*run: it sets a hidden state. */
static bool
is_right(const char *path, const struct design *de, bool *run)
{
	char file[2 * EVIDENCE_PATH_SIZE], *expected = NULL, *given = NULL;
	char why[LINES_ERROR_SIZE];
	FILE *out, *wanted;
	struct lines li;
	size_t size;
	bool right;

	snprintf(file, sizeof(file), "%s.script", path);
	(void)lines_open(&li, file, why);
	snprintf(file, sizeof(file), "%s.expected", path);
	wanted = fopen(file, "re");
	out = xmemstream(&given, &size);
	right = kat_run(&li, de->de_ident, out) == 0;
	*run = right || design_info(de).di_probed;
	right = right && wanted != NULL &&
	    read_file(fileno(wanted), SIZE_MAX, &expected, &size) == 0;
	xmemclose(out);
	right = right && is_same(expected, given);
	lines_close(&li);
	if (wanted != NULL)
		fclose(wanted);
	free(given);
	free(expected);
	return (right);
}

/* Adds all scripts of a folder whose names have that part. */
static void
try_folder(struct tally *ta, const char *folder, const char *part,
    const struct design *de)
{
	const unsigned most = ta->tly_named + NAMED;
	char path[EVIDENCE_PATH_SIZE + 256];
	struct dirent **names = NULL;
	char *end, *name;
	bool right, run;
	int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; free(names[i++])) {
		name = names[i]->d_name;
		end = strrchr(name, '.');
		if (end == NULL || strcmp(end, ".script") != 0 ||
		    strstr(name, part) == NULL)
			continue;
		*end = '\0';
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		right = is_right(path, de, &run);
		ta->tly_scripts += run;
		ta->tly_right += right;
		if (!right && run && ta->tly_named < most)
			APPEND(ta->tly_wrong, WRONG_SIZE, "%s%s",
			    ta->tly_named++ == 0 ? "" : ", ", name);
	}
	free(names);
}

static void
say_wrong(const struct tally *ta, const char *whose, struct evidence_row *row)
{
	const unsigned others = ta->tly_scripts - ta->tly_right - ta->tly_named;

	row_fails(row, "%u of %u scripts %s bytes. Not: %s", ta->tly_right,
	    ta->tly_scripts, whose, ta->tly_wrong);
	if (others > 0)
		row_says(row, " and %u others", others);
	row_says(row, ". ");
}

/* Tries the model's answers; false: none, or a source answers otherwise. */
static bool
try_model(const struct assure_params *ap, const char *model,
    struct evidence_row *row)
{
	char folder[EVIDENCE_PATH_SIZE + 16], script[EVIDENCE_PATH_SIZE + 16];
	const char *const argv[] = { "python3", "-B", script, folder, model,
	    NULL };
	char models[EVIDENCE_PATH_SIZE], part[64], *text;
	struct tally ta = { .tly_scripts = 0 };
	int status;

	if (!program_data("models", "tests/models", models)) {
		row_missing(row, "No models beside the program.");
		return (true);
	}
	snprintf(script, sizeof(script), "%s/vectors.py", models);
	snprintf(folder, sizeof(folder), "%s/answers", ap->ap_scratch);
	snprintf(part, sizeof(part), "%s-", model);
	status = child_output(argv, NULL, true, &text);
	free(text);
	if (status != 0) {
		row_missing(row, "The model gave no answers: is python3 "
		    "installed? ");
		program_say_end(status, STDERR_FILENO, row);
		return (true);
	}
	try_folder(&ta, folder, part, ap->ap_design);
	if (ta.tly_scripts == 0 || (ta.tly_right < ta.tly_scripts &&
	    (ap->ap_design->de_flags & DE_ADDED) != 0))
		return (false);
	if (ta.tly_right < ta.tly_scripts)
		say_wrong(&ta, "give its model's", row);
	else
		row_says(row, "All %u scripts give the bytes of "
		    "its model in Python.", ta.tly_scripts);
	return (true);
}

/* What a design's hash.c gives; false: its functions are others. */
static bool
hash_of(const struct design *de, const struct cipher *ci,
    uint8_t out[RANDOM_ABI_HASH_BYTES])
{
	const struct randomdev_params params = {
		.rp_design = de, .rp_kernel.kp_cipher = ci,
		.rp_kernel.kp_lock = lock_class_find("mtx"),
		.rp_kernel.kp_lock_config = lock_config_default(1),
		.rp_kernel.kp_cpus = 1, .rp_kernel.kp_unpaced = true,
	};
	struct randomdev *rd;
	bool known;

	if (randomdev_new(&rd, &params) != 0)
		return (false);
	known = randomdev_hash(rd, out);
	randomdev_free(rd);
	return (known);
}

/*
 * Whether a source whose bytes are others is at fault: its hash.c gives what
 * FreeBSD's does not.
 */
static bool
is_wrong(const struct assure_params *ap, const struct tally *ta,
    struct evidence_row *row)
{
	uint8_t ours[RANDOM_ABI_HASH_BYTES], own[RANDOM_ABI_HASH_BYTES];

	for (unsigned i = 0; i < cipher_count; i++)
		if (hash_of(design_find("concurrent"), ciphers[i], ours) &&
		    hash_of(ap->ap_design, ciphers[i], own) &&
		    memcmp(ours, own, sizeof(own)) != 0)
			row_fails(row, "Its hash.c, with %s: the %s not "
			    "FreeBSD's. ", ciphers[i]->ci_name, memcmp(ours,
			    own, RANDOM_ABI_KEY_BYTES) != 0 ? "hash is" :
			    memcmp(ours, own, RANDOM_ABI_KEY_BYTES +
			    RANDOM_ABI_STREAM_BYTES) != 0 ? "keystream is" :
			    "counter after keystream is");
	if (row->er_state == EVIDENCE_FAILS)
		say_wrong(ta, "of FreeBSD give its", row);
	return (row->er_state == EVIDENCE_FAILS);
}

/*
 * Scripts of FreeBSD, of the mode that it has or of both; or of the model of a
 * design of the source's name.  A source with Fortuna's private names that
 * claims no other K is Fortuna, and so is one that gives the bytes of a script:
 * others differ by a fault, or by intent.
 */
static void
try_fortuna(const struct assure_params *ap, const char *folder,
    struct evidence_row *row)
{
	const struct design *de = ap->ap_design;
	const bool modes = design_has_modes(ap->ap_design);
	struct tally locked = { .tly_scripts = 0 }, ta = locked;
	const char *whose = "of FreeBSD's concurrent mode give FreeBSD's";

	try_folder(&ta, folder, "-concurrent-", de);
	try_folder(modes ? &ta : &locked, folder, "-locked-", de);
	if (modes) {
		whose = "of FreeBSD's two modes give FreeBSD's";
	} else if (locked.tly_right > ta.tly_right || (locked.tly_right ==
	    ta.tly_right && de->de_setting.kv_name[0] != '\0' &&
	    de->de_setting.kv_value == 0)) {
		ta = locked;
		whose = "of FreeBSD's locked mode give FreeBSD's";
	}
	if (ta.tly_scripts == 0)
		row_missing(row, "No scripts in %s.", folder);
	else if (ta.tly_right == ta.tly_scripts)
		row_says(row, "All %u scripts %s bytes, %sboth ciphers.",
		    ta.tly_scripts, whose, design_info(de).di_probed ?
		    "K and C, " : "");
	else if ((de->de_flags & DE_ADDED) == 0)
		say_wrong(&ta, whose, row);
	else if (!is_wrong(ap, &ta, row) &&
	    !try_model(ap, strchr(de->de_ident, ':') + 1, row)) {
		if ((design_info(de).di_probed || ta.tly_right > 0) &&
		    (ledger_allowed >> LEDGER_ANSWERS & 1) == 0) {
			say_wrong(&ta, whose, row);
			row_says(row, "If its bytes are meant to be others: "
			    "--allow answers.");
			return;
		}
		/* It may be Fortuna with an error, or another algorithm. */
		row_none(row, "%u of %u scripts of FreeBSD give its bytes; a "
		    "source whose bytes are others needs a model.",
		    ta.tly_right, ta.tly_scripts);
		evidence_say(row->er_unshown, "that its bytes are correct.");
	}
}

void
answers_gather(const struct assure_params *ap, struct evidence_row *row)
{
	const struct design *de = ap->ap_design;
	const bool aes_alone = design_info(de).di_ciphers == 1;
	const char *name = aes_alone ? strchr(de->de_ident, ':') + 1 :
	    de->de_ident;
	char folder[EVIDENCE_PATH_SIZE];
	struct mthread self;

	machine_attach(&self, "kat");
	/* Before r349154 reseeds hashed a key's schedule and stale stack. */
	if ((de->de_flags & (DE_FORTUNA_BYTES | DE_ADDED)) == 0 || aes_alone) {
		if (!try_model(ap, name, row)) {
			row_none(row, "Its bytes need not be %s, and no "
			    "model of them exists.", aes_alone ? "those of "
			    "releases that have ChaCha20" : "FreeBSD's");
			evidence_say(row->er_unshown, "that its bytes are "
			    "correct.");
		}
	} else if (program_data("vectors", "tests/vectors", folder))
		try_fortuna(ap, folder, row);
	else
		row_missing(row, "No known answers beside the program.");
	machine_detach();
}
