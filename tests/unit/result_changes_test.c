/*
 * Results with one value changed: each value in turn is taken away and replaced
 * by what does not belong there.  Such a file is refused with the value's name,
 * or taken and shown.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atf-c.h>
#include <jansson.h>

#include "bench/report/report.h"
#include "bench/result/result.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	SHOWN_EACH	= 16,	/* one in so many of those that are taken */
	PATH_SIZE	= 512,
	NAMES		= 16	/* of keys above a value */
};

static const char file[] = "changed.json";

/* Where a change is: the keys that lead there. */
struct place {
	const char	*pl_key[NAMES];
	unsigned	 pl_keys;
};

static struct counts {
	unsigned	 co_refused;
	unsigned	 co_taken;
} counts;

static json_t *whole;
static FILE *sink;

/* Whether a message names a value, or one that it is part of. */
static bool
names_it(const struct place *pl, const char *error)
{
	for (unsigned i = 0; i < pl->pl_keys; i++)
		if (strstr(error, pl->pl_key[i]) != NULL)
			return (true);
	/* Lists that must agree with each other: either is to blame. */
	return (pl->pl_keys == 0 || strstr(error, "repeats") != NULL ||
	    strstr(error, "readers") != NULL || strstr(error, "CPUs") != NULL ||
	    strstr(error, "schema") != NULL);
}

/* Tries the whole, as it is now. */
static bool
try(const struct place *pl, const char *change)
{
	char error[RESULT_TEXT_SIZE] = "";
	struct result r;
	int status;

	ATF_REQUIRE_EQ(0, json_dump_file(whole, file, 0));
	status = result_load(file, &r, error);
	if (status != 0) {
		counts.co_refused++;
		ATF_CHECK_MSG(error[0] != '\0' && names_it(pl, error),
		    "%s %s: \"%s\"", pl->pl_keys == 0 ? "all" :
		    pl->pl_key[pl->pl_keys - 1], change, error);
		return (false);
	}
	if (counts.co_taken++ % SHOWN_EACH == 0)
		for (unsigned f = 0; f < REPORTS; f++)
			report_printers[f](sink, &r);
	result_free(&r);
	return (true);
}

/* What a value is replaced by. */
static const char *const others[] = { "null", "true", "\"\"", "\"x\"", "0",
    "1", "-1", "0.5", "-1e300", "1e300", "9223372036854775807", "[]", "{}",
    "[1, 0]", "[\"x\"]", "[{}]", "[[]]" };

/* Puts something in the place of a member, or of an element. */
static void
put(json_t *parent, const char *key, size_t i, json_t *value)
{
	ATF_REQUIRE_EQ(0, key != NULL ?
	    json_object_set_new(parent, key, value) :
	    json_array_set_new(parent, i, value));
}

/* Replaces a value by each of the others, then puts it back. */
static void
replace(const struct place *pl, json_t *parent, const char *key, size_t i,
    json_t *value)
{
	json_t *other;

	json_incref(value);
	for (unsigned k = 0; k < nitems(others); k++) {
		other = json_loads(others[k], JSON_DECODE_ANY, NULL);
		ATF_REQUIRE(other != NULL);
		put(parent, key, i, other);
		(void)try(pl, others[k]);
	}
	put(parent, key, i, value);
}

static void change(json_t *value, struct place *pl);

static void
change_members(json_t *object, struct place *pl)
{
	char *keys[256];
	json_t *value;
	const char *key;
	unsigned n = 0;

	json_object_foreach(object, key, value) {
		ATF_REQUIRE(n < nitems(keys));
		keys[n++] = strdup(key);
	}
	for (unsigned i = 0; i < n; i++) {
		ATF_REQUIRE(pl->pl_keys < NAMES);
		pl->pl_key[pl->pl_keys++] = keys[i];
		value = json_incref(json_object_get(object, keys[i]));
		ATF_REQUIRE_EQ(0, json_object_del(object, keys[i]));
		(void)try(pl, "taken away");
		ATF_REQUIRE_EQ(0, json_object_set(object, keys[i], value));
		replace(pl, object, keys[i], 0, value);
		change(value, pl);
		json_decref(value);
		pl->pl_keys--;
	}
	for (unsigned i = 0; i < n; i++)
		free(keys[i]);
}

/* The first and the last are replaced; what is in them is alike. */
static void
change_elements(json_t *array, struct place *pl)
{
	size_t n = json_array_size(array);
	json_t *value;

	for (size_t i = 0; i < n; i += n > 1 ? n - 1 : 1) {
		value = json_incref(json_array_get(array, i));
		ATF_REQUIRE_EQ(0, json_array_remove(array, i));
		(void)try(pl, "without an element");
		ATF_REQUIRE_EQ(0, json_array_insert(array, i, value));
		ATF_REQUIRE_EQ(0, json_array_append(array, value));
		(void)try(pl, "with an element too many");
		ATF_REQUIRE_EQ(0, json_array_remove(array, n));
		replace(pl, array, NULL, i, value);
		if (i == 0)
			change(value, pl);
		json_decref(value);
	}
}

static void
change(json_t *value, struct place *pl)
{
	if (json_is_object(value))
		change_members(value, pl);
	else if (json_is_array(value))
		change_elements(value, pl);
}

/* All changes of one result. */
static void
change_all(const char *path)
{
	struct place pl = { .pl_keys = 0 };
	json_error_t where;

	memset(&counts, 0, sizeof(counts));
	whole = json_load_file(path, 0, &where);
	ATF_REQUIRE_MSG(whole != NULL, "%s: %s", path, where.text);
	sink = fopen("/dev/null", "w");
	ATF_REQUIRE(sink != NULL);
	ATF_REQUIRE_MSG(try(&pl, "unchanged"), "%s", path);
	change(whole, &pl);
	ATF_REQUIRE_MSG(try(&pl, "unchanged"), "%s", path);
	fclose(sink);
	json_decref(whole);
	printf("%s: %u refused, %u taken\n", path, counts.co_refused,
	    counts.co_taken);
	/* Most values are needed, and of one kind. */
	ATF_CHECK(counts.co_refused > counts.co_taken);
}

/* A small result of the program that has this too. */
static void
made(const atf_tc_t *tc, const char *options)
{
	char command[2 * PATH_SIZE];

	snprintf(command, sizeof(command), "%s/../rngsim sweep -t 0.01 -n 2 "
	    "-c aes -S rngsim.warmup_ms=0 --seed 1 -o made.json %s >out 2>&1",
	    atf_tc_get_config_var(tc, "srcdir"), options);
	ATF_REQUIRE_EQ_MSG(0, system(command), "%s", command);
	change_all("made.json");
}

#define	VIRTUAL	"--engine virtual --profile epyc-9654-2s --cpus 2 "

TEST(result_load__changed_measured,
    "What was measured, each value changed, is refused by name or can be shown")
{
	made(tc, "-d concurrent -r 1 -s 4k");
}

TEST(result_load__changed_predicted,
    "The same of what was predicted, with the hash of its output and a ledger")
{
	made(tc, VIRTUAL "-d percpu -r 2 -s 4k --verify --ledger");
}

TEST(result_load__changed_uncertain, "The same of intervals over profiles")
{
	made(tc, VIRTUAL "-d concurrent -r 1 -s 4k --uncertainty 10");
}

TEST_PROGRAM()
