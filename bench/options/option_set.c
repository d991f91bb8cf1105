#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options/option_set.h"
#include "lib/number.h"

static bool
takes_lists(const struct options *op)
{

	return (op->op_kind == OPTIONS_SWEEP);
}

static int
list_add(const struct options *op, struct option_list *ol, const char *name,
    const char *item, uint64_t value)
{
	unsigned i;

	for (i = 0; i < ol->ol_count; i++)
		if (ol->ol_value[i] == value)
			return (usage_error(op->op_command, "%s: \"%s\" is "
			    "named twice", name, item));
	if (ol->ol_count == OPTIONS_LIST_MAX)
		return (usage_error(op->op_command, "%s: more than %d members",
		    name, OPTIONS_LIST_MAX));
	ol->ol_value[ol->ol_count++] = value;
	return (0);
}

/* What each_item() walks a list for. */
struct walk {
	struct options	*wa_options;
	struct option_list *wa_list;
	int		(*wa_add)(struct options *, struct option_list *,
			    const char *, const char *);
};

static int
walk_add(void *context, const char *label, const char *item)
{
	const struct walk *wa = context;

	return (wa->wa_add(wa->wa_options, wa->wa_list, label, item));
}

/* As choice_each(); a second item where one is wanted is an error. */
static int
each_item(struct options *op, struct option_list *ol, const char *name,
    const char *text, int (*add)(struct options *, struct option_list *,
    const char *, const char *))
{
	struct walk wa = { op, ol, add };

	if (!takes_lists(op) && strchr(text, ',') != NULL)
		return (usage_error(op->op_command, "%s: \"%s\" is a list: "
		    "expected one value; sweep takes lists", name, text));
	ol->ol_count = 0;
	return (choice_each(op->op_command, name, text, walk_add, &wa));
}

const char *
option_design_name(unsigned i)
{

	return (generators[i]->ra_ident);
}

const char *
option_lock_name(unsigned i)
{

	return (lock_classes[i]->lc_name);
}

const char *
option_cipher_name(unsigned i)
{

	return (ciphers[i]->ci_name);
}

const char *
option_crypto_name(unsigned i)
{

	return (crypto_mode_names[i]);
}

const char *
option_format_name(unsigned i)
{

	return (report_format_names[i]);
}

static int
add_design(struct options *op, struct option_list *ol, const char *name,
    const char *item)
{
	unsigned i = 0;
	int error;

	error = choice_find(op->op_command, name, item, generator_count,
	    option_design_name, &i);
	return (error != 0 ? error : list_add(op, ol, name, item, i));
}

static int
add_lock(struct options *op, struct option_list *ol, const char *name,
    const char *item)
{
	unsigned i = 0;
	int error;

	error = choice_find(op->op_command, name, item, lock_class_count,
	    option_lock_name, &i);
	return (error != 0 ? error : list_add(op, ol, name, item, i));
}

static int
add_cipher(struct options *op, struct option_list *ol, const char *name,
    const char *item)
{
	unsigned i = 0;
	int error;

	error = choice_find(op->op_command, name, item, cipher_count,
	    option_cipher_name, &i);
	return (error != 0 ? error : list_add(op, ol, name, item, i));
}

/* One reader count, or a range of them. */
static int
add_readers(struct options *op, struct option_list *ol, const char *name,
    const char *item)
{
	char low[64], *dash;
	uint64_t first, last, v;
	int error = 0;

	snprintf(low, sizeof(low), "%s", item);
	dash = strchr(low, '-');
	if (dash != NULL && takes_lists(op))
		*dash++ = '\0';
	else
		dash = NULL;
	if (number_parse(low, &first) != 0 || first < 1 ||
	    first > CELL_READERS_MAX)
		error = EINVAL;
	last = first;
	if (error == 0 && dash != NULL && (number_parse(dash, &last) != 0 ||
	    last < 1 || last > CELL_READERS_MAX))
		error = EINVAL;
	if (error != 0)
		return (usage_error(op->op_command, "%s: \"%s\": expected a "
		    "number of readers%s, 1..%d", name, item, takes_lists(op) ?
		    " or a range such as 1-4" : "", CELL_READERS_MAX));
	if (last < first)
		return (usage_error(op->op_command, "%s: \"%s\" descends: "
		    "expected the smaller number first", name, item));
	for (v = first; error == 0 && v <= last; v++)
		error = list_add(op, ol, name, item, v);
	return (error);
}

static int
add_size(struct options *op, struct option_list *ol, const char *name,
    const char *item)
{
	uint64_t v;

	if (number_parse_size(item, &v) != 0 || v < 1 ||
	    v > OPTIONS_SIZE_MAX_BYTES)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "bytes, 1..1g, with k, m or g for 2^10, 2^20, 2^30", name,
		    item));
	return (list_add(op, ol, name, item, v));
}

int
option_designs(struct options *op, const char *name, const char *text)
{

	return (each_item(op, &op->op_designs, name, text, add_design));
}

int
option_locks(struct options *op, const char *name, const char *text)
{

	return (each_item(op, &op->op_locks, name, text, add_lock));
}

int
option_ciphers(struct options *op, const char *name, const char *text)
{

	return (each_item(op, &op->op_ciphers, name, text, add_cipher));
}

int
option_readers(struct options *op, const char *name, const char *text)
{

	return (each_item(op, &op->op_readers, name, text, add_readers));
}

int
option_sizes(struct options *op, const char *name, const char *text)
{

	return (each_item(op, &op->op_sizes, name, text, add_size));
}

int
option_time(struct options *op, const char *name, const char *text)
{

	if (number_parse_real(text, &op->op_time_s) != 0 ||
	    op->op_time_s < 0.01 || op->op_time_s > 86400)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "seconds, 0.01..86400", name, text));
	return (0);
}

/* -n: repeats of a cell, or the bytes that cat writes. */
int
option_count(struct options *op, const char *name, const char *text)
{
	uint64_t v;

	if (op->op_kind == OPTIONS_CAT) {
		if (number_parse_size(text, &op->op_bytes) != 0)
			return (usage_error(op->op_command, "%s: \"%s\": "
			    "expected bytes, with k, m or g for 2^10, 2^20, "
			    "2^30; 0 for no end", name, text));
		return (0);
	}
	if (number_parse(text, &v) != 0 || v < 1 || v > 10000)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "repeats, 1..10000", name, text));
	op->op_repeats = (unsigned)v;
	return (0);
}

int
option_crypto(struct options *op, const char *name, const char *text)
{
	unsigned i = 0;
	int error;

	error = choice_find(op->op_command, name, text, CRYPTO_MODES,
	    option_crypto_name, &i);
	if (error == 0)
		op->op_crypto = (enum crypto_mode)i;
	return (error);
}

int
option_format(struct options *op, const char *name, const char *text)
{
	unsigned i = 0;
	int error;

	error = choice_find(op->op_command, name, text, REPORT_FORMATS,
	    option_format_name, &i);
	if (error == 0)
		op->op_format = (enum report_format)i;
	op->op_format_given = true;
	return (error);
}

int
option_seed(struct options *op, const char *name, const char *text)
{

	if (number_parse(text, &op->op_seed) != 0)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "0..18446744073709551615", name, text));
	op->op_seed_given = true;
	return (0);
}

int
option_output(struct options *op, const char *name, const char *text)
{

	if (text[0] == '\0')
		return (usage_error(op->op_command, "%s: \"\": expected a file "
		    "name", name));
	op->op_output = text;
	return (0);
}

int
option_resume(struct options *op, const char *name, const char *text)
{

	if (text[0] == '\0')
		return (usage_error(op->op_command, "%s: \"\": expected a file "
		    "name", name));
	op->op_resume = text;
	return (0);
}

/* Which CPUs there are is known when all options are. */
int
option_place(struct options *op, const char *name, const char *text)
{

	(void)name;
	op->op_place_text = text;
	return (0);
}

int
option_place_finish(struct options *op)
{
	char why[PLACE_ERROR_SIZE];
	int error;

	if (op->op_place_text == NULL)
		op->op_place_text = "compact";
	error = op->op_simulated ? place_parse_virtual(&op->op_place,
	    op->op_place_text, &op->op_machine.vi_topology, why) :
	    place_parse(&op->op_place, op->op_place_text, why);
	if (error == EINVAL)
		return (usage_error(op->op_command, "--place: \"%s\": %s",
		    op->op_place_text, why));
	if (error != 0)
		return (run_error(op->op_command, "--place: %s", why));
	return (0);
}

/* Whether the tunable called name was set already. */
bool
option_tunable_seen(const struct options *op, const char *name)
{
	size_t n = strlen(name);
	unsigned i;

	for (i = 0; i < op->op_tunable_count; i++)
		if (strncmp(op->op_tunables[i], name, n) == 0 &&
		    op->op_tunables[i][n] == '=')
			return (true);
	return (false);
}

int
option_tunable(struct options *op, const char *option, const char *text)
{
	struct tunable_set sets[BENCH_TUNABLE_SETS];
	const struct tunable_set *set = NULL;
	const struct tunable *tn;
	char name[128], range[512];
	const char *value;
	char **grown;

	value = strchr(text, '=');
	if (value == NULL || value == text ||
	    (size_t)(value - text) >= sizeof(name))
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "name=value; \"rngsim list tunables\" has the names",
		    option, text));
	snprintf(name, sizeof(name), "%.*s", (int)(value - text), text);
	value++;
	bench_config_sets(&op->op_config, sets);
	tn = tunable_find(sets, BENCH_TUNABLE_SETS, name, &set);
	if (tn == NULL)
		return (usage_error(op->op_command, "%s: \"%s\" is no tunable; "
		    "\"rngsim list tunables\" has the names", option, name));
	if (option_tunable_seen(op, name))
		return (usage_error(op->op_command, "%s: %s is set twice",
		    option, name));
	if (tunable_set_text(tn, set->ts_base, value) != 0) {
		tunable_range(tn, range, sizeof(range));
		return (usage_error(op->op_command, "%s: %s: \"%s\": expected "
		    "%s", option, name, value, range));
	}
	grown = realloc(op->op_tunables, (op->op_tunable_count + 2) *
	    sizeof(*grown));
	if (grown == NULL || (op->op_tunables = grown,
	    grown[op->op_tunable_count] = strdup(text)) == NULL)
		return (run_error(op->op_command, "no memory"));
	grown[++op->op_tunable_count] = NULL;
	return (0);
}
