/* Reads a command line into struct options, as the table has it. */
#include "bench/kernel/ksource.h"
#include "bench/options/options.h"

enum { ITEM_SIZE = 64 };	/* of a list's member */

static bool
takes_lists(const struct options *op, const struct option_def *od)
{
	return (od->od_family == &family_properties || (op->op_cmd !=
	    COMMAND_run && op->op_cmd != COMMAND_cat && (op->op_cmd !=
	    COMMAND_assure || strcmp(od->od_name, "only") == 0)));
}

/* "-r: "x": expected ..." */
static int
refuse(const struct options *op, const struct option_def *od,
    const char *label, const char *text)
{
	return (family_refuse(od->od_family, FORMATF("%s: ", label), text,
	    TEXT_OF(option_accepted, od, op->op_cmd)));
}

/* One number, or a range of them where lists are taken. */
static int
add_numbers(const struct options *op, const struct option_def *od,
    struct option_list *ol, const char *label, const char *item)
{
	char low[ITEM_SIZE], *dash;
	uint64_t first, last;
	int error = 0;

	snprintf(low, sizeof(low), "%.*s", ITEM_SIZE - 1, item);
	dash = takes_lists(op, od) ? strchr(low, '-') : NULL;
	if (dash != NULL)
		*dash++ = '\0';
	if (parse_number(low, &first) != 0 || first < od->od_min ||
	    parse_number(dash != NULL ? dash : low, &last) != 0 ||
	    last < first || last > od->od_max)
		return (refuse(op, od, label, item));
	for (uint64_t v = first; error == 0 && v <= last; v++)
		error = option_list_add(ol, label, item, v);
	return (error);
}

static int
add_item(const struct options *op, const struct option_def *od,
    struct option_list *ol, const char *label, const char *item)
{
	char why[KSOURCE_WHY_SIZE];
	uint64_t v;
	int i;

	if ((od->od_flags & ZERO) != 0 && strcmp(item, "0") == 0 &&
	    (op->op_cmd == COMMAND_run || op->op_cmd == COMMAND_sweep))
		return (option_list_add(ol, label, item, 0));
	if (od->od_type == TYPE_NUMBERS)
		return (add_numbers(op, od, ol, label, item));
	if (od->od_type == TYPE_SIZES)
		return (parse_size(item, &v) != 0 || v < od->od_min ||
		    v > od->od_max ? refuse(op, od, label, item) :
		    option_list_add(ol, label, item, v));
	/* A kernel source is then called as its design is. */
	if (od->od_family == &family_designs && ksource_named(item) &&
	    (i = ksource_open(item, op->op_crypto == CRYPTO_SOURCE, &item,
	    why)) != 0)
		return (complain(i, "%s: \"%.200s\": %s", label, item, why));
	i = family_find(od->od_family, item);
	if (i == -1 && (od->od_flags & ALL) != 0 && strcmp(item, "all") == 0)
		return (usage_error("%s: \"all\" among others: expected it "
		    "alone", label));
	return (i == -1 ? refuse(op, od, label, item) :
	    option_list_add(ol, label, item, (uint64_t)i));
}

/* Items between commas, empty ones too, with a label that says so. */
static int
set_list(const struct options *op, const struct option_def *od,
    struct option_list *ol, const char *label, const char *text)
{
	char *copy, *item, *rest;
	int error = 0;

	if (!takes_lists(op, od) && strchr(text, ',') != NULL)
		return (usage_error("%s: \"%s\" is a list: expected one "
		    "value%s", label, text, op->op_cmd == COMMAND_assure ? "" :
		    "; sweep takes lists"));
	ol->ol_count = 0;
	if ((od->od_flags & ALL) != 0 && strcmp(text, "all") == 0)
		return (0);
	copy = rest = xstrdup(text);
	while (error == 0 && (item = strsep(&rest, ",")) != NULL)
		error = add_item(op, od, ol, item[0] != '\0' ? label :
		    FORMATF("%s: empty item in \"%.40s\"", label, text), item);
	free(copy);
	return (error);
}

/* Sets an option from its value, or from its default. */
static int
set(struct options *op, unsigned id, const char *label, const char *text)
{
	const struct option_def *od = &option_defs[id];
	const bool percent = od->od_type == TYPE_PERCENT;
	void *field = (char *)op + od->od_offset;
	unsigned narrow;
	double real;
	uint64_t v;
	size_t n;
	int i;

	switch (od->od_type) {
	case TYPE_SWITCH:
		if (od->od_size == sizeof(bool))
			*(bool *)field = true;
		return (0);
	case TYPE_NUMBER:
	case TYPE_BYTES:
		if ((od->od_type == TYPE_NUMBER ? parse_number :
		    parse_size)(text, &v) != 0 || v < od->od_min ||
		    v > od->od_max)
			break;
		narrow = (unsigned)v;
		memcpy(field, od->od_size == sizeof(v) ? (void *)&v : &narrow,
		    od->od_size);
		return (0);
	case TYPE_REAL:
	case TYPE_PERCENT:
		n = strlen(text);
		n -= percent && n > 0 && text[n - 1] == '%';
		if (parse_real(FORMATF("%.*s", (int)n, text), &real) != 0 ||
		    real < od->od_low || real > od->od_high)
			break;
		*(double *)field = percent ? real / 100 : real;
		return (0);
	case TYPE_NAME:
		i = family_find(od->od_family, text);
		narrow = (unsigned)i;
		if (i == -1 || (od->od_max != 0 && (od->od_max >> i & 1) == 0))
			break;
		if (od->od_size == sizeof(bool))
			*(bool *)field = i != 0;
		else
			memcpy(field, &narrow, sizeof(narrow));
		return (0);
	case TYPE_TEXT:
	case TYPE_FILENAME:
		if (od->od_type == TYPE_FILENAME && text[0] == '\0')
			break;
		*(const char **)field = text;
		return (0);
	case TYPE_NAMES:
	case TYPE_NUMBERS:
	case TYPE_SIZES:
		return (set_list(op, od, field, label, text));
	case TYPE_SPECIAL:
		return (od->od_set(op, label, text));
	}
	return (refuse(op, od, label, text));
}

/* Takes one option with its value: text, or if that is NULL the next word. */
static int
take(struct options *op, unsigned id, const char *text, char *const **next)
{
	const struct option_def *od = &option_defs[id];
	const char *label = option_label(id);

	if (text == NULL && od->od_value != NULL) {
		if (**next == NULL)
			return (usage_error("%s: expected %s after it", label,
			    od->od_value));
		text = *(*next)++;
	}
	if (op->op_text[id] != NULL && (od->od_flags & REPEATS) == 0)
		return (usage_error("%s is given twice", label));
	op->op_text[id] = text != NULL ? text : "";
	op->op_given++;
	op->op_help = id == OPTION_HELP;
	/* Kernel sources are compiled as --crypto, wherever it stands, says. */
	return (od->od_family == &family_designs ? 0 :
	    set(op, id, label, text));
}

static enum command_id asked;

static const char *
name_of(unsigned id)
{
	return (id == OPTIONS ? NULL : option_takes(asked, id) ?
	    option_defs[id].od_name : "");
}

/* Complains of n letters that are no option. */
static int
unknown(const struct options *op, const char *word, size_t n)
{
	const char *const command = command_texts[op->op_cmd].ct_name;
	const char *nearest = NULL;

	asked = op->op_cmd;
	if (n > 3)
		nearest = nearest_name(name_of, FORMATF("%.*s", (int)n - 2,
		    word + 2));
	return (usage_error("unknown option %.*s;%s \"rngsim %s --help\" lists "
	    "them", (int)n, word, nearest == NULL ? "" :
	    FORMATF(" nearest is --%s;", nearest), command));
}

/* A long name; or letters of switches, at the end of one with a value. */
static int
parse_option(struct options *op, const char *word, char *const **next)
{
	const bool full = word[0] == '-' && word[1] == '-';
	const char letter[] = { '-', word[1], '\0' };
	const size_t n = full ? strcspn(word, "=") : 2;
	const char *name = full ? word : letter, *rest = word + n;
	const unsigned id = option_find(op->op_cmd, name);
	int error;

	if (id == OPTIONS)
		return (unknown(op, name, n));
	if (option_defs[id].od_value != NULL)
		return (take(op, id, *rest == '\0' ? NULL : rest + full, next));
	if (full && *rest == '=')
		return (usage_error("%s takes no value, unlike \"%s\"",
		    option_label(id), word));
	error = take(op, id, NULL, next);
	return (error != 0 || op->op_help || *rest == '\0' ? error :
	    parse_option(op, word + 1, next));
}

static int
parse(struct options *op, char *const *next)
{
	const struct command_text *ct = &command_texts[op->op_cmd];
	bool operands = false;	/* behind "--" */
	unsigned inputs = 0;
	const char *word;
	int error = 0;

	while (error == 0 && !op->op_help && (word = *next++) != NULL) {
		if (!operands && word[0] == '-' && word[1] != '\0') {
			operands = strcmp(word, "--") == 0;
			error = operands ? 0 : parse_option(op, word, &next);
		} else if (op->op_operands == ct->ct_operands)
			error = usage_error("surplus operand \"%s\"; usage: "
			    "rngsim %s %s", word, ct->ct_name, ct->ct_usage);
		else if (strcmp(word, "-") == 0 && inputs++ > 0)
			error = usage_error("-: expected stdin once");
		else
			*ARRAY_ADD(op->op_operand, op->op_operands) = word;
	}
	return (error);
}

int
options_read(struct options *op, enum command_id cm, char *const argv[])
{
	int error;

	memset(op, 0, sizeof(*op));
	op->op_cmd = cm;
	usage_command = command_texts[cm].ct_name;
	workload_init(&op->op_workload);
	bench_config_default(&op->op_config, cpu_count());
	error = parse(op, argv + 1);
	if (error != 0 || op->op_help)
		return (error);
	op->op_seed_given = GIVEN(op, SEED);
	for (unsigned id = 0; error == 0 && id < OPTIONS; id++) {
		const struct option_def *od = &option_defs[id];
		const char *given = op->op_text[id], *text = given;

		if (given == NULL && option_takes(op->op_cmd, id))
			text = option_default(od, op->op_cmd);
		if (text == NULL || (given != NULL ?
		    od->od_family != &family_designs : text[0] == '('))
			continue;
		error = set(op, id, option_label(id), text);
		KASSERT(given != NULL || error != EXIT_USAGE,
		    ("default %s of %s", text, od->od_name));
	}
	for (unsigned i = 0; i < op->op_allowed.ol_count; i++)
		ledger_allowed |= 1u << op->op_allowed.ol_value[i];
	return (error != 0 || (error = options_check_relations(op)) != 0 ||
	    (error = options_check_crypto(op)) != 0 || (error =
	    options_check_ciphers(op)) != 0 ? error : options_check_files(op));
}

int
options_action(struct options *op)
{
	const char *at = command_texts[op->op_cmd].ct_usage;
	const int last = op->op_operands - 1;
	const char *action = last < 0 ? "" : op->op_operand[0];
	const size_t n = strlen(action);
	bool takes;

	for (; at != NULL; at = (at = strstr(at, " | ")) == NULL ? NULL :
	    at + 3) {
		if (strncmp(at, action, n) != 0)
			continue;
		takes = at[n] == ' ' && at[n + 1] >= 'A' && at[n + 1] <= 'Z';
		if ((at[n] == ' ' || at[n] == '\0') && last == takes)
			return (0);
	}
	return (usage_error("\"%s\": expected %s", last < 0 ? "" :
	    op->op_operand[last], command_texts[op->op_cmd].ct_usage));
}

int
options_parse(struct options *op, enum command_id cm, char *const argv[])
{
	int error = options_read(op, cm, argv);

	return (error != 0 || op->op_help ? error : options_finish(op));
}

int
options_resume(struct options *op, const struct options *given,
    char *const argv[], uint64_t seed)
{
	const char *begun = argv[0] == NULL ? NULL : argv[1];
	int error;

	memset(op, 0, sizeof(*op));
	if (given->op_given > 1U + GIVEN(given, FORMAT))
		return (usage_error("--resume: %s has the options it was begun "
		    "with: expected no other one beside --resume but --format",
		    given->op_resume));
	if (begun == NULL || strcmp(begun, usage_command) != 0)
		return (usage_error("--resume: %s was begun by \"rngsim %s\": "
		    "expected that command", given->op_resume, begun == NULL ?
		    "" : begun));
	error = options_parse(op, given->op_cmd, argv + 1);
	if (error == 0 && op->op_help)
		error = usage_error("--resume: %s has --help among its "
		    "arguments: the file was edited", given->op_resume);
	op->op_seed = seed;
	op->op_seed_given = true;
	op->op_resume = given->op_resume;
	op->op_output = given->op_resume;
	if (GIVEN(given, FORMAT))
		op->op_format = given->op_format;
	return (error);
}

void
options_free(struct options *op)
{
	for (unsigned id = 0; id < OPTIONS; id++) {
		const struct option_def *od = &option_defs[id];
		struct option_list *ol = (void *)((char *)op + od->od_offset);

		if (od->od_type != TYPE_NAMES && od->od_type != TYPE_NUMBERS &&
		    od->od_type != TYPE_SIZES)
			continue;
		free(ol->ol_value);
		ol->ol_value = NULL;
	}
	field_free_words(op->op_tunables);
	free(op->op_operand);
	pinning_free(&op->op_place);
	workload_free(&op->op_workload);
	memset(op, 0, sizeof(*op));
}
