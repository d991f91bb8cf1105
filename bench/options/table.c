/* The table of options, families of names, and options of their own syntax. */
#include "bench/kernel/ksource.h"
#include "bench/options/options.h"

enum { TRACE_MS_MAX = 86400 * 1000 };

bool
options_tunable_seen(const struct options *op, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (strncmp(op->op_tunables[i], name, n) == 0 &&
		    op->op_tunables[i][n] == '=')
			return (true);
	return (false);
}

void
options_sysctls(void (*each)(void *context, const struct design *de,
    const struct design_sysctl *dy), void *context)
{
	struct design_sysctl seen[2 * DESIGN_SYSCTLS_MAX];
	const struct design *de;
	unsigned count = 0, k, n;
	size_t base;

	for (size_t d = 0; (de = design_at(d)) != NULL && count <=
	    DESIGN_SYSCTLS_MAX; d++) {
		n = design_sysctls(de, &seen[count]);
		if (n == 0 && errno != 0)
			each(context, de, NULL);
		for (unsigned i = count; n-- > 0; i++) {
			for (k = 0; k < count && strcmp(seen[k].dy_name,
			    seen[i].dy_name) != 0;)
				k++;
			if (k < count ||
			    bench_tunable(seen[i].dy_name, &base) != NULL)
				continue;
			seen[count] = seen[i];
			each(context, de, &seen[count++]);
		}
	}
}

int
option_tunable(struct options *op, const char *label, const char *text)
{
	char range[FORMAT_TEXT];
	const struct tunable *tn;
	const char *value;
	int error;

	tn = bench_config_set(&op->op_config, text, &value, &error);
	if (value == NULL)
		return (usage_error("%s: \"%s\": expected name=value; \"rngsim "
		    "list tunables\" has the names", label, text));
	/* Another name may be a kernel source's: finish_tunables(). */
	snprintf(range, sizeof(range), "%.*s", (int)(value - 1 - text), text);
	if (options_tunable_seen(op, range))
		return (usage_error("%s: %s is set twice", label, range));
	if (tn != NULL && error != 0) {
		tunable_range(tn, range, sizeof(range));
		return (usage_error("%s: %s: \"%s\": expected %s", label,
		    tn->tn_name, value, range));
	}
	field_add_word(&op->op_tunables, text);
	op->op_tunable_count++;
	return (0);
}

static int
option_define(struct options *op __unused, const char *label, const char *text)
{
	return (ksource_define(text) ? 0 : usage_error("%s: \"%s\": expected "
	    "NAME or NAME=VALUE, as config(5) has options", label, text));
}

int
option_failpoint(struct options *op, const char *label, const char *text)
{
	char why[FAILPOINTS_ERROR_SIZE];

	return (failpoints_parse(&op->op_faults, text, why) == 0 ? 0 :
	    usage_error("%s: %s", label, why));
}

static int
option_fail_if(struct options *op, const char *label, const char *text)
{
	if (op->op_fail_ifs == OPTIONS_FAIL_IF_MAX)
		return (usage_error("%s is given more than %d times", label,
		    OPTIONS_FAIL_IF_MAX));
	op->op_fail_if[op->op_fail_ifs++] = text;
	return (0);
}

static int
option_trace_time(struct options *op, const char *label, const char *text)
{
	const char *dash = strchr(text, '-');
	const char *from = dash == NULL ? "0" :
	    FORMATF("%.*s", (int)(dash - text), text);
	double ms[2];

	if (parse_real(from, &ms[0]) == 0 && ms[0] <= TRACE_MS_MAX &&
	    parse_real(dash == NULL ? text : dash + 1, &ms[1]) == 0 &&
	    ms[1] <= TRACE_MS_MAX) {
		op->op_trace_from_ps = (uint64_t)(ms[0] * PS_PER_MS + 0.5);
		op->op_trace_to_ps = (uint64_t)(ms[1] * PS_PER_MS + 0.5);
		if (op->op_trace_to_ps > op->op_trace_from_ps)
			return (0);
	}
	return (usage_error("%s: \"%s\": expected milliseconds of the window, "
	    "more than 0, or from when to when, such as 5-7.5, at most %d",
	    label, text, TRACE_MS_MAX));
}

bool
option_read_part(const char *text, unsigned *part, unsigned *parts)
{
	const char *of = strchr(text, '/');
	uint64_t v[2];

	if (of == NULL || parse_number(FORMATF("%.*s", (int)(of - text),
	    text), &v[0]) != 0 || parse_number(of + 1, &v[1]) != 0 ||
	    v[0] < 1 || v[0] > v[1] || v[1] > OPTIONS_PARTS_MAX)
		return (false);
	*part = (unsigned)v[0];
	*parts = (unsigned)v[1];
	return (true);
}

static int
option_part(struct options *op, const char *label, const char *text)
{
	return (option_read_part(text, &op->op_part, &op->op_part_of) ? 0 :
	    usage_error("%s: \"%s\": expected I/N, 1 <= I <= N <= %d", label,
	    text, OPTIONS_PARTS_MAX));
}

#define	PARSED(name, member)						\
static int								\
option_##name(struct options *op, const char *label, const char *text)	\
{									\
	char why[WORKLOAD_ERROR_SIZE] = "";				\
	const int error = member##_parse(text, &op->op_##member, why);	\
									\
	return (error == 0 ? 0 : complain(error == EINVAL ? EXIT_USAGE : \
	    EXIT_FAILURE, "%s: %s", label, why));			\
}

PARSED(workload, workload)
PARSED(producer, producing)

#define	IN(command)	(1u << COMMAND_##command)
#define	BIT(format)	(1u << FORMAT_##format)
#define	NONE		{ 0, NULL }
#define	MEMBER(field)							\
	.od_offset = offsetof(struct options, field),			\
	.od_size = sizeof(((struct options *)0)->field)

/* What a row's type is. */
#define	SWITCH		.od_type = TYPE_SWITCH
#define	FLAG(field)	SWITCH, MEMBER(field)
#define	RANGE(type, field, min, max, what)				\
	.od_type = (type), MEMBER(field), .od_min = (min),		\
	.od_max = (max), .od_what = (what)
#define	NUMBER(...)	RANGE(TYPE_NUMBER, __VA_ARGS__)
#define	NUMBERS(...)	RANGE(TYPE_NUMBERS, __VA_ARGS__)
#define	BYTES(...)	RANGE(TYPE_BYTES, __VA_ARGS__)
#define	SIZES(...)	RANGE(TYPE_SIZES, __VA_ARGS__, "bytes")
#define	REAL(field, low, high, what)					\
	.od_type = TYPE_REAL, MEMBER(field), .od_low = (low),		\
	.od_high = (high), .od_what = (what)
#define	PERCENT(field, low)						\
	.od_type = TYPE_PERCENT, MEMBER(field), .od_low = (low),	\
	.od_high = 100, .od_what = "percent"
#define	ONE_OF(field, family, mask)					\
	.od_type = TYPE_NAME, MEMBER(field), .od_max = (mask),		\
	.od_family = &family_##family
#define	NAME(field, family)	ONE_OF(field, family, 0)
#define	NAMES(field, family)						\
	.od_type = TYPE_NAMES, MEMBER(field),				\
	.od_family = &family_##family
#define	LISTED(field, family)						\
	.od_type = TYPE_TEXT, MEMBER(field), .od_family = &family_##family
#define	TEXT(field)	.od_type = TYPE_TEXT, MEMBER(field)
#define	FILENAME(field)							\
	.od_type = TYPE_FILENAME, MEMBER(field), .od_what = "a file name"
#define	SPECIAL(setter)	.od_type = TYPE_SPECIAL, .od_set = (setter)

const struct option_def option_defs[OPTIONS] = {
#define	OPTION(id, letter, name, value, type, flags, commands, descr, ...) \
	[OPTION_##id] = { .od_letter = (letter), .od_name = (name),	\
	    .od_value = (value), type, .od_flags = (flags),		\
	    .od_commands = (commands), .od_descr = (descr),		\
	    .od_default = { __VA_ARGS__ } },
#include "bench/options/options.tbl"
};

const struct command_text command_texts[COMMANDS] = {
#define	COMMAND(name, operands, usage, line, text)			\
	[COMMAND_##name] = { #name, (operands), (usage), (line), (text) },
#include "bench/options/command.tbl"
};

FAMILY_DESCR(family_commands, command_texts[i].ct_line)
FAMILY(family_commands, COMMANDS, command_texts[i].ct_name,
    .fa_descr = family_commands_descr, .fam_title = NULL);

struct family operand_families[COMMANDS];

bool
option_takes(enum command_id cm, unsigned id)
{
	return ((option_defs[id].od_commands & 1u << cm) != 0);
}

unsigned
option_find(enum command_id cm, const char *word)
{
	const bool letter = word[0] == '-' && word[1] != '-';
	const size_t n = strcspn(word, "=");
	const struct option_def *od;
	unsigned id;

	for (id = 0; id < OPTIONS; id++) {
		od = &option_defs[id];
		if (option_takes(cm, id) && (letter ? word[1] != '\0' &&
		    od->od_letter == word[1] : n == 2 + strlen(od->od_name) &&
		    memcmp(word + 2, od->od_name, n - 2) == 0))
			break;
	}
	return (id);
}

const char *
options_given_of(const struct options *op, const enum option_id ids[])
{
	for (; *ids < OPTIONS; ids++)
		if (op->op_text[*ids] != NULL)
			return (option_label(*ids));
	return (NULL);
}

const char *
option_label(unsigned id)
{
	static char labels[OPTIONS][OPTION_LABEL_SIZE];
	const struct option_def *od = &option_defs[id];

	if (od->od_letter != '\0')
		snprintf(labels[id], OPTION_LABEL_SIZE, "-%c", od->od_letter);
	else
		snprintf(labels[id], OPTION_LABEL_SIZE, "--%s", od->od_name);
	return (labels[id]);
}

const char *
option_default(const struct option_def *od, enum command_id cm)
{
	for (unsigned i = 0; i < nitems(od->od_default); i++)
		if ((od->od_default[i].df_commands & 1u << cm) != 0)
			return (od->od_default[i].df_text);
	return (NULL);
}

const char *
option_range(struct text *t, const struct option_def *od)
{
	const enum option_type type = od->od_type;

	if (type == TYPE_NUMBER || type == TYPE_NUMBERS)
		text_add(t, "%" PRIu64 "..%" PRIu64, od->od_min, od->od_max);
	else if (type == TYPE_REAL || type == TYPE_PERCENT)
		text_add(t, "%g..%.9g", od->od_low, od->od_high);
	else if ((type == TYPE_BYTES || type == TYPE_SIZES) &&
	    od->od_max != UINT64_MAX)
		text_add(t, "%s..%s", FORMAT(size, od->od_min),
		    FORMAT(size, od->od_max));
	return (t->s);
}

const char *
option_accepted(struct text *t, const struct option_def *od, enum command_id cm)
{
	const bool sizes = od->od_type == TYPE_BYTES ||
	    od->od_type == TYPE_SIZES;
	const bool ranges = od->od_type == TYPE_NUMBERS &&
	    cm != COMMAND_run && cm != COMMAND_cat;
	const char *range = TEXT_OF(option_range, od);

	if (od->od_type == TYPE_NAME || od->od_type == TYPE_NAMES)
		return (family_join(t, od->od_family, (unsigned)od->od_max,
		    od->od_family == &family_designs ?
		    (od->od_flags & ALL) != 0 ? "kernel:PATH or all" :
		    "kernel:PATH" : (od->od_flags & ALL) != 0 ? "all" : NULL));
	text_add(t, "%s%s%s%s%s", od->od_what != NULL ? od->od_what :
	    od->od_value, ranges ? " or a range such as 1-4" : "",
	    range[0] != '\0' ? ", " : "", range,
	    sizes ? ", with k, m or g for 2^10, 2^20, 2^30" : "");
	return (t->s);
}

int
option_list_add(struct option_list *ol, const char *label, const char *item,
    uint64_t value)
{
	for (unsigned i = 0; i < ol->ol_count; i++)
		if (ol->ol_value[i] == value)
			return (usage_error("%s: \"%s\" is named twice", label,
			    item));
	*ARRAY_ADD(ol->ol_value, ol->ol_count) = value;
	return (0);
}

uint64_t
option_list_max(const struct option_list *ol)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < ol->ol_count; i++)
		v = MAX(ol->ol_value[i], v);
	return (v);
}

/* A family whose names are words of a table of its own. */
#define	WORDS(which, ...)						\
	static const char *const words_##which[] = { __VA_ARGS__ };	\
	FAMILY(family_##which, sizeof(words_##which) / sizeof(char *),	\
	    words_##which[i], .fam_title = NULL)

WORDS(bits, "32", "64");
WORDS(comparisons, "design", "lock", "cipher", "host");
WORDS(clones, "none", "unnoticed", "vmgenid");
WORDS(engines, "real", "virtual");
WORDS(loops, "read", "lock");
WORDS(formats, "table", "csv", "json", "ministat", "sentences");

/* Those that can be chosen. */
FAMILY(family_arrivals, ARRIVALS_RECORDED - ARRIVALS_CONSTANT,
    workload_arrivals_names[ARRIVALS_CONSTANT + i], .fam_title = NULL);
FAMILY(family_ciphers, cipher_count, ciphers[i]->ci_name,
    .fam_title = "cipher");
FAMILY(family_crypto, CRYPTO_CHOICES, crypto_mode_names[i], .fam_title = NULL);
FAMILY(family_designs, design_at(i) == NULL ? 0 : i + 1, design_at(i)->de_ident,
    .fam_title = "design");
FAMILY(family_hashes, hash_count(), hash_get(i)->ha_name,
    .fam_topic = "hashes");
FAMILY(family_properties, LEDGER_ANSWERS + 1, i == LEDGER_SOURCES ?
    "sources" : i == LEDGER_ANSWERS ? "answers" :
    ledger_properties[i].lgp_word, .fam_title = NULL);
FAMILY(family_locks, lock_class_count, lock_classes[i]->lc_name,
    .fam_title = "lock");
FAMILY(family_memories, VM_MEMORIES, vm_memory_names[i], .fam_title = NULL);

struct family family_benchmarks, family_evidences, family_number_sources;
struct family family_panels, family_quantities, family_simulated_locks;
struct family family_strategies, family_units;

int
family_find(const struct family *fa, const char *name)
{
	const char *member;

	for (unsigned i = 0; (member = fa->fa_name(i)) != NULL; i++)
		if (strcmp(member, name) == 0)
			return ((int)i);
	return (-1);
}

int
family_refuse(const struct family *fa, const char *label, const char *text,
    const char *accepted)
{
	const char *near = fa == NULL ? NULL : nearest_name(fa->fa_name, text);

	/* Not all members may be accepted. */
	return (usage_error("%s\"%s\": expected %s%s", label, text,
	    accepted != NULL ? accepted : TEXT_OF(family_join, fa, 0, NULL),
	    near == NULL || (accepted != NULL && fa->fam_topic == NULL &&
	    strstr(accepted, near) == NULL) ? "" :
	    FORMATF("; did you mean %s?", near)));
}

const char *
family_join(struct text *t, const struct family *fa, unsigned mask,
    const char *also)
{
	unsigned left = also != NULL;
	const char *name;

	if (fa->fam_topic != NULL) {
		text_add(t, "a name that \"rngsim list %s\" prints",
		    fa->fam_topic);
		return (t->s);
	}
	for (unsigned i = 0; fa->fa_name(i) != NULL; i++)
		left += mask == 0 || (mask & 1u << i) != 0;
	for (unsigned i = 0; left > 0; i++) {
		name = fa->fa_name(i);
		if (name != NULL && mask != 0 && (mask & 1u << i) == 0)
			continue;
		left--;
		text_add(t, "%s%s", t->s[0] == '\0' ? "" : left == 0 ? " or " :
		    ", ", name != NULL ? name : also);
	}
	return (t->s);
}
