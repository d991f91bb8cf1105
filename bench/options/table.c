/*
 * The table of options, and what its rows accept.
 */
#include <inttypes.h>

#include "bench/cli/memory.h"
#include "bench/options/options.h"

#define	IN(command)	(1u << COMMAND_##command)
#define	BIT(format)	(1u << FORMAT_##format)
#define	NONE		{ 0, NULL }
#define	FIELD(field)							\
	.od_offset = offsetof(struct options, field),			\
	.od_size = sizeof(((struct options *)0)->field)

/* What a row's type is. */
#define	SWITCH		.od_type = TYPE_SWITCH
#define	FLAG(field)	SWITCH, FIELD(field)
#define	RANGE(type, field, min, max, what)				\
	.od_type = (type), FIELD(field), .od_min = (min),		\
	.od_max = (max), .od_what = (what)
#define	NUMBER(...)	RANGE(TYPE_NUMBER, __VA_ARGS__)
#define	NUMBERS(...)	RANGE(TYPE_NUMBERS, __VA_ARGS__)
#define	BYTES(...)	RANGE(TYPE_BYTES, __VA_ARGS__)
#define	SIZES(...)	RANGE(TYPE_SIZES, __VA_ARGS__, "bytes")
#define	REAL(field, low, high, what)					\
	.od_type = TYPE_REAL, FIELD(field), .od_low = (low),		\
	.od_high = (high), .od_what = (what)
#define	PERCENT(field, low)						\
	.od_type = TYPE_PERCENT, FIELD(field), .od_low = (low),		\
	.od_high = 100, .od_what = "percent"
#define	ONE_OF(field, family, mask)					\
	.od_type = TYPE_NAME, FIELD(field), .od_max = (mask),		\
	.od_family = &family_##family
#define	NAME(field, family)	ONE_OF(field, family, 0)
#define	NAMES(field, family)						\
	.od_type = TYPE_NAMES, FIELD(field), .od_family = &family_##family
#define	LISTED(field, family)						\
	.od_type = TYPE_TEXT, FIELD(field), .od_family = &family_##family
#define	TEXT(field)	.od_type = TYPE_TEXT, FIELD(field)
#define	FILENAME(field)							\
	.od_type = TYPE_FILENAME, FIELD(field), .od_what = "a file name"
#define	SPECIAL(setter)	.od_type = TYPE_SPECIAL, .od_set = (setter)

const struct option_def option_defs[OPTIONS] = {
#define	OPTION(id, letter, name, value, type, flags, commands, descr, ...) \
	[OPTION_##id] = { .od_letter = (letter), .od_name = (name),	\
	    .od_value = (value), type, .od_flags = (flags),		\
	    .od_commands = (commands), .od_descr = (descr),		\
	    .od_default = { __VA_ARGS__ } },
#include "bench/options/options.tbl"
#undef OPTION
};

const struct command_text command_texts[COMMANDS] = {
#define	COMMAND(name, operands, usage, line, text)			\
	[COMMAND_##name] = { #name, (operands), (usage), (line), (text) },
#include "bench/options/command.tbl"
#undef COMMAND
};

struct family operand_families[COMMANDS];

unsigned
command_find(const char *name)
{
	unsigned cm = 0;

	while (cm < COMMANDS && strcmp(command_texts[cm].ct_name, name) != 0)
		cm++;
	return (cm);
}

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
	for (unsigned i = 0;
	    i < sizeof(od->od_default) / sizeof(*od->od_default); i++)
		if ((od->od_default[i].df_commands & 1u << cm) != 0)
			return (od->od_default[i].df_text);
	return (NULL);
}

/* Bytes as they are typed: 65536 is "64k". */
static void
format_size(char buf[24], uint64_t v)
{
	static const char *const units[] = { "", "k", "m", "g" };
	unsigned u = 0;

	while (v != 0 && v % 1024 == 0 && u < 3) {
		v /= 1024;
		u++;
	}
	snprintf(buf, 24, "%" PRIu64 "%s", v, units[u]);
}

void
option_range(const struct option_def *od, char buf[OPTION_RANGE_SIZE])
{
	char low[24], high[24];

	buf[0] = '\0';
	switch (od->od_type) {
	case TYPE_NUMBER:
	case TYPE_NUMBERS:
		snprintf(buf, OPTION_RANGE_SIZE, "%" PRIu64 "..%" PRIu64,
		    od->od_min, od->od_max);
		break;
	case TYPE_BYTES:
	case TYPE_SIZES:
		format_size(low, od->od_min);
		format_size(high, od->od_max);
		if (od->od_max != UINT64_MAX)
			snprintf(buf, OPTION_RANGE_SIZE, "%s..%s", low, high);
		break;
	case TYPE_REAL:
	case TYPE_PERCENT:
		snprintf(buf, OPTION_RANGE_SIZE, "%g..%.9g", od->od_low,
		    od->od_high);
		break;
	default:
		break;
	}
}

void
option_accepted(const struct option_def *od, enum command_id cm,
    char buf[OPTION_TEXT_SIZE])
{
	const bool sizes = od->od_type == TYPE_BYTES ||
	    od->od_type == TYPE_SIZES;
	const bool ranges = od->od_type == TYPE_NUMBERS &&
	    cm != COMMAND_run && cm != COMMAND_cat;
	char range[OPTION_RANGE_SIZE];

	option_range(od, range);
	if (od->od_type == TYPE_NAME || od->od_type == TYPE_NAMES)
		family_join(od->od_family, (unsigned)od->od_max,
		    (od->od_flags & ALL) != 0 ? "all" : NULL, buf,
		    OPTION_TEXT_SIZE);
	else
		snprintf(buf, OPTION_TEXT_SIZE, "%s%s%s%s%s", od->od_what !=
		    NULL ? od->od_what : od->od_value,
		    ranges ? " or a range such as 1-4" : "",
		    range[0] != '\0' ? ", " : "", range,
		    sizes ? ", with k, m or g for 2^10, 2^20, 2^30" : "");
}

int
option_list_add(struct option_list *ol, const char *label, const char *item,
    uint64_t value)
{

	for (unsigned i = 0; i < ol->ol_count; i++)
		if (ol->ol_value[i] == value)
			return (usage_error("%s: \"%s\" is named twice", label,
			    item));
	if (ol->ol_count == OPTIONS_LIST_MAX)
		return (usage_error("%s: more than %d members", label,
		    OPTIONS_LIST_MAX));
	ol->ol_value = xreallocarray(ol->ol_value, ol->ol_count + 1,
	    sizeof(*ol->ol_value));
	ol->ol_value[ol->ol_count++] = value;
	return (0);
}

uint64_t
option_list_max(const struct option_list *ol)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < ol->ol_count; i++)
		v = ol->ol_value[i] > v ? ol->ol_value[i] : v;
	return (v);
}
