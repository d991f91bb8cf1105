#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options/option_resume.h"
#include "bench/options/option_set.h"
#include "lib/kassert.h"
#include "lib/number.h"

/* Options that say where the result goes or how it is shown. */
static const char *const aside[] = { "resume", "output", "format", NULL };

/* Arguments as they are given. */
struct words {
	struct option_given *wo_given;
	unsigned	 wo_count;
};

struct resuming {
	enum options_kind rs_kind;
	const char	*rs_command;
	const char	*rs_file;
	const struct options_begun *rs_begun;
	struct words	 rs_old;
	struct words	 rs_new;
};

static bool
is_aside(const char *name)
{
	unsigned i;

	for (i = 0; aside[i] != NULL; i++)
		if (strcmp(aside[i], name) == 0)
			return (true);
	return (false);
}

static int
read_words(enum options_kind kind, int argc, char *argv[], struct words *wo,
    bool *help)
{

	wo->wo_count = 0;
	wo->wo_given = calloc((size_t)argc + 1, sizeof(*wo->wo_given));
	if (wo->wo_given == NULL)
		return (run_error(argv[0], "no memory"));
	return (options_given(kind, argc, argv, wo->wo_given, &wo->wo_count,
	    help));
}

/* An option's only value; NULL where it is not given. */
static const struct option_given *
find(const struct words *wo, const char *name)
{
	unsigned i;

	for (i = 0; i < wo->wo_count; i++)
		if (strcmp(wo->wo_given[i].og_name, name) == 0)
			return (&wo->wo_given[i]);
	return (NULL);
}

int
options_resume_file(enum options_kind kind, int argc, char *argv[],
    const char **file)
{
	const struct option_given *og;
	struct words wo = { .wo_given = NULL };
	bool help = false;
	int error, i;

	*file = NULL;
	/* Whatever else is wrong is said when all of it is read. */
	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--resume") == 0 ||
		    strncmp(argv[i], "--resume=", 9) == 0)
			break;
	if (i == argc)
		return (0);
	error = read_words(kind, argc, argv, &wo, &help);
	og = error == 0 && !help ? find(&wo, "resume") : NULL;
	if (og != NULL && og->og_value[0] != '\0')
		*file = og->og_value;
	free(wo.wo_given);
	return (error);
}

static bool
same(const char *a, const char *b)
{

	return (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0));
}

/* Bytes of a tunable's name, or of all that has no "=". */
static size_t
name_length(const char *text)
{

	return (strcspn(text, "="));
}

/* What the run was begun with that og would say otherwise. */
static const struct option_given *
counterpart(const struct resuming *rs, const struct option_given *og)
{
	const struct option_given *old;
	unsigned i;
	size_t n;

	if (!og->og_repeats)
		return (find(&rs->rs_old, og->og_name));
	n = name_length(og->og_value);
	for (i = 0; i < rs->rs_old.wo_count; i++) {
		old = &rs->rs_old.wo_given[i];
		if (strcmp(old->og_name, og->og_name) == 0 &&
		    name_length(old->og_value) == n &&
		    strncmp(old->og_value, og->og_value, n) == 0)
			return (old);
	}
	return (NULL);
}

static int
differs(const struct resuming *rs, const struct option_given *og,
    const struct option_given *old)
{
	const char *value = og->og_value != NULL ? og->og_value : "";
	const char *blank = og->og_value != NULL ? " " : "";

	if (old == NULL)
		return (usage_error(rs->rs_command, "--resume: %s was begun "
		    "without %s, not with %s%s%s: leave it out, as what it was "
		    "begun with is known", rs->rs_file, og->og_label,
		    og->og_label, blank, value));
	return (usage_error(rs->rs_command, "--resume: %s was begun with %s "
	    "%s, not with %s%s%s: leave it out, as what it was begun with is "
	    "known", rs->rs_file, old->og_label, old->og_value, og->og_label,
	    blank, value));
}

/* Options as words of a command line, into a NULL-terminated array. */
static char **
words_of(const struct resuming *rs, const struct words *first,
    const struct words *second)
{
	const struct words *const both[2] = { first, second };
	size_t size;
	char **argv;
	unsigned i, k, n = 0;

	argv = calloc((size_t)first->wo_count + second->wo_count + 3,
	    sizeof(*argv));
	if (argv == NULL)
		return (NULL);
	argv[n] = strdup(rs->rs_command);
	for (k = 0; argv[n] != NULL && k < 2; k++)
		for (i = 0; i < both[k]->wo_count; i++) {
			const struct option_given *og = &both[k]->wo_given[i];
			const char *value = og->og_value != NULL ?
			    og->og_value : "";

			size = strlen(og->og_name) + strlen(value) + 4;
			argv[++n] = malloc(size);
			if (argv[n] == NULL)
				break;
			snprintf(argv[n], size, "--%s%s%s", og->og_name,
			    og->og_value != NULL ? "=" : "", value);
		}
	if (argv[n] == NULL) {
		options_free_words(argv);
		return (NULL);
	}
	return (argv);
}

/* Options read from words, which become op's. */
static int
parse_words(const struct resuming *rs, struct options *op,
    const struct words *first, const struct words *second)
{
	char **argv = words_of(rs, first, second);
	int argc = 0, error;

	if (argv == NULL)
		return (run_error(rs->rs_command, "no memory"));
	while (argv[argc] != NULL)
		argc++;
	error = options_parse(op, rs->rs_kind, argc, argv);
	op->op_words = argv;
	/* Lives longer than the words. */
	op->op_command = rs->rs_command;
	return (error);
}

/* All old ones but those that are not about the run, and name. */
static struct words
without(const struct words *from, const char *name, struct option_given *room)
{
	struct words wo = { .wo_given = room };
	unsigned i;

	for (i = 0; i < from->wo_count; i++)
		if (!is_aside(from->wo_given[i].og_name) &&
		    strcmp(from->wo_given[i].og_name, name) != 0)
			room[wo.wo_count++] = from->wo_given[i];
	return (wo);
}

/*
 * Whether another spelling of an option comes to the same: it does when all
 * options with it in place of the old one do.
 */
static int
check_meaning(const struct resuming *rs, const struct option_given *og,
    const struct option_given *old)
{
	struct words alone = { (struct option_given *)(uintptr_t)og, 1 };
	struct words none = { NULL, 0 };
	struct option_given *room;
	struct options a, b;
	json_t *ja = NULL, *jb = NULL;
	struct words rest;
	int error;

	room = calloc((size_t)rs->rs_old.wo_count + 1, sizeof(*room));
	if (room == NULL)
		return (run_error(rs->rs_command, "no memory"));
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	rest = without(&rs->rs_old, "", room);
	error = parse_words(rs, &a, &rest, &none);
	if (error == 0) {
		ja = options_describe(&a);
		rest = without(&rs->rs_old, og->og_name, room);
		error = parse_words(rs, &b, &rest, &alone);
	}
	if (error == 0)
		jb = options_describe(&b);
	if (error == 0 && (ja == NULL || jb == NULL))
		error = run_error(rs->rs_command, "no memory");
	/* What no key tells of is compared by its words alone. */
	if (error == 0 && (json_object_get(ja, og->og_name) == NULL ||
	    !json_equal(ja, jb)))
		error = differs(rs, og, old);
	json_decref(ja);
	json_decref(jb);
	options_free(&a);
	options_free(&b);
	free(room);
	return (error);
}

static int
check_seed(const struct resuming *rs, const struct option_given *og)
{
	char text[24];
	struct option_given begun = { .og_name = og->og_name,
	    .og_label = og->og_label, .og_value = text };
	uint64_t seed;

	if (number_parse(og->og_value, &seed) == 0 &&
	    seed == rs->rs_begun->ob_seed)
		return (0);
	snprintf(text, sizeof(text), "%llu",
	    (unsigned long long)rs->rs_begun->ob_seed);
	return (differs(rs, og, &begun));
}

static int
check_given(const struct resuming *rs, const struct option_given *og)
{
	const struct option_given *old = counterpart(rs, og);

	if (strcmp(og->og_name, "output") == 0)
		return (same(og->og_value, rs->rs_file) ? 0 :
		    usage_error(rs->rs_command, "--resume goes on with %s, "
		    "and -o names %s: expected one of them", rs->rs_file,
		    og->og_value));
	if (is_aside(og->og_name))
		return (0);
	if (strcmp(og->og_name, "seed") == 0)
		return (check_seed(rs, og));
	if (old != NULL && same(og->og_value, old->og_value))
		return (0);
	/* One spelling each; without it other options are refused. */
	if (og->og_repeats || (strcmp(og->og_name, "engine") == 0 &&
	    !same(og->og_value, old != NULL ? old->og_value : "real")))
		return (differs(rs, og, old));
	return (check_meaning(rs, og, old));
}

static int
check_all(const struct resuming *rs)
{
	unsigned i;
	int error = 0;

	for (i = 0; error == 0 && i < rs->rs_new.wo_count; i++)
		error = check_given(rs, &rs->rs_new.wo_given[i]);
	return (error);
}

/* What it was begun with, its format or a new one, and the file. */
static int
parse_begun(const struct resuming *rs, struct options *op)
{
	struct option_given extra[2] = {
		{ .og_name = "output", .og_label = "-o",
		    .og_value = rs->rs_file },
	};
	struct words more = { extra, 1 };
	const struct option_given *format;
	struct option_given *room;
	struct words rest;
	int error;

	format = find(&rs->rs_new, "format");
	if (format == NULL)
		format = find(&rs->rs_old, "format");
	if (format != NULL)
		extra[more.wo_count++] = *format;
	room = calloc((size_t)rs->rs_old.wo_count + 1, sizeof(*room));
	if (room == NULL)
		return (run_error(rs->rs_command, "no memory"));
	rest = without(&rs->rs_old, "", room);
	error = parse_words(rs, op, &rest, &more);
	free(room);
	op->op_resume = rs->rs_file;
	op->op_seed = rs->rs_begun->ob_seed;
	op->op_seed_given = true;
	return (error);
}

int
options_parse_resumed(struct options *op, enum options_kind kind, int argc,
    char *argv[], const char *file, const struct options_begun *ob)
{
	struct resuming rs = { .rs_kind = kind, .rs_command = argv[0],
	    .rs_file = file, .rs_begun = ob };
	char *const *old = ob->ob_argv;
	bool help = false;
	int error, n = 0;

	memset(op, 0, sizeof(*op));
	while (old[n] != NULL)
		n++;
	if (n < 2 || strcmp(old[1], argv[0]) != 0)
		return (usage_error(argv[0], "--resume: %s was begun by "
		    "\"rngsim %s\": expected that command", file, n < 2 ? "" :
		    old[1]));
	error = read_words(kind, argc, argv, &rs.rs_new, &help);
	if (error == 0)
		error = read_words(kind, n - 1, (char **)(uintptr_t)(old + 1),
		    &rs.rs_old, &help);
	if (error == 0)
		error = check_all(&rs);
	if (error == 0)
		error = parse_begun(&rs, op);
	free(rs.rs_new.wo_given);
	free(rs.rs_old.wo_given);
	return (error);
}
