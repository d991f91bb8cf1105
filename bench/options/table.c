/*
 * The table of options, and what its rows accept.
 */
#include <inttypes.h>

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
#define	PICTURE(field)							\
	.od_type = TYPE_PICTURE, FIELD(field),				\
	.od_what = "a name that ends in .png or .svg"
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
#include "bench/cmd.tbl"
#undef COMMAND
};

const char *
option_label(enum option_id id, char buf[OPTION_LABEL_SIZE])
{
	const struct option_def *od = &option_defs[id];

	if (od->od_letter != '\0')
		snprintf(buf, OPTION_LABEL_SIZE, "-%c", od->od_letter);
	else
		snprintf(buf, OPTION_LABEL_SIZE, "--%s", od->od_name);
	return (buf);
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

static void
render_list(const struct option_def *od, const struct option_list *ol,
    char buf[OPTION_TEXT_SIZE])
{
	char number[24];
	size_t used = 0;

	for (unsigned i = 0; i < ol->ol_count && used < OPTION_TEXT_SIZE; i++) {
		snprintf(number, sizeof(number), "%" PRIu64, ol->ol_value[i]);
		used += (size_t)snprintf(buf + used, OPTION_TEXT_SIZE - used,
		    "%s%s", i > 0 ? "," : "", od->od_family == NULL ? number :
		    od->od_family->fa_name((unsigned)ol->ol_value[i]));
	}
}

void
option_render(const struct options *op, enum option_id id,
    char buf[OPTION_TEXT_SIZE])
{
	const struct option_def *od = &option_defs[id];
	const void *field = (const char *)op + od->od_offset;
	const char *text = op->op_text[id];
	uint64_t v = 0;

	buf[0] = '\0';
	memcpy(&v, field, od->od_size <= sizeof(v) ? od->od_size : 0);
	switch (od->od_type) {
	case TYPE_SWITCH:
		snprintf(buf, OPTION_TEXT_SIZE, "%s", text != NULL ? "yes" :
		    "no");
		break;
	case TYPE_NUMBER:
	case TYPE_BYTES:
		snprintf(buf, OPTION_TEXT_SIZE, "%" PRIu64, v);
		break;
	case TYPE_REAL:
		snprintf(buf, OPTION_TEXT_SIZE, "%.15g",
		    *(const double *)field);
		break;
	case TYPE_NAME:
		snprintf(buf, OPTION_TEXT_SIZE, "%s",
		    od->od_family->fa_name((unsigned)v));
		break;
	case TYPE_NAMES:
	case TYPE_NUMBERS:
	case TYPE_SIZES:
		render_list(od, field, buf);
		break;
	case TYPE_TEXT:
	case TYPE_FILENAME:
	case TYPE_PICTURE:
		text = *(const char *const *)field;
		/* FALLTHROUGH */
	case TYPE_SPECIAL:
		snprintf(buf, OPTION_TEXT_SIZE, "%s", text != NULL ? text : "");
		break;
	}
}
