#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/profile_syntax.h"

enum {
	LIST_SIZE	= 160,
	RANGE_SIZE	= 96,
	ELEMENTS	= 4	/* number, unit, provenance, source */
};

static const char name_key[] = "name", descr_key[] = "descr";

/* A profile being read. */
struct parsing {
	struct profile_syntax pa_syntax;
	struct profile	*pa_pr;
	unsigned	 pa_line[PROFILE_VALUES];	/* 0: not there yet */
};

#define	refuse(pa, ...)	profile_refuse(&(pa)->pa_syntax, __VA_ARGS__)

static int
find_key(const char *path)
{
	int key;

	for (key = 0; key < PROFILE_VALUES; key++)
		if (strcmp(path, profile_fields[key].pf_key) == 0)
			return (key);
	return (-1);
}

/* The part behind "path." of a key that begins so, or NULL. */
static const char *
behind(const char *key, const char *path)
{
	const size_t n = strlen(path);

	if (n == 0)
		return (key);
	return (strncmp(key, path, n) == 0 && key[n] == '.' ? key + n + 1 :
	    NULL);
}

/* The names that a group may have; "" where path is none. */
static void
members_of(const char *path, char list[LIST_SIZE])
{
	const char *before = "", *part;
	size_t n = 0, same;
	unsigned key;

	list[0] = '\0';
	if (*path == '\0')
		n = (size_t)snprintf(list, LIST_SIZE, "%s, %s", name_key,
		    descr_key);
	for (key = 0; key < PROFILE_VALUES; key++) {
		part = behind(profile_fields[key].pf_key, path);
		if (part == NULL)
			continue;
		/* Groups stand together in the table. */
		same = strcspn(part, ".");
		if (same == strcspn(before, ".") &&
		    strncmp(before, part, same) == 0)
			continue;
		before = part;
		n += (size_t)snprintf(list + n, LIST_SIZE - n, "%s%.*s",
		    n == 0 ? "" : ", ", (int)same, part);
	}
}

static const char *
kind_of(const config_setting_t *s)
{

	switch (config_setting_type(s)) {
	case CONFIG_TYPE_GROUP:
		return ("a group");
	case CONFIG_TYPE_STRING:
		return ("a string");
	case CONFIG_TYPE_BOOL:
		return ("a boolean");
	case CONFIG_TYPE_ARRAY:
		return ("an array");
	case CONFIG_TYPE_LIST:
		return ("a list");
	default:
		return ("a number");
	}
}

/*
 * Copies a string that is to be printed one day.
 *
 *   what  in  the string's place in its setting, or ""
 */
static int
parse_text(const struct parsing *pa, const config_setting_t *s,
    const char *key, const char *what, char *text, size_t size)
{
	const unsigned line = config_setting_source_line(s);
	const char *p, *value = config_setting_get_string(s);

	if (value == NULL)
		return (refuse(pa, line, key, "%sis %s; expected a string",
		    what, kind_of(s)));
	for (p = value; *p != '\0'; p++)
		if (!isascii((unsigned char)*p) || !isprint((unsigned char)*p))
			return (refuse(pa, line, key, "%shas the byte 0x%02x; "
			    "expected printable ASCII", what,
			    (unsigned char)*p));
	if (p == value || (size_t)(p - value) >= size)
		return (refuse(pa, line, key, "%sis %zu bytes long; expected "
		    "1..%zu", what, (size_t)(p - value), size - 1));
	memcpy(text, value, (size_t)(p - value) + 1);
	return (0);
}

static int
parse_name(const struct parsing *pa, const config_setting_t *s)
{
	char *name = pa->pa_pr->pr_name;
	int error;

	error = parse_text(pa, s, name_key, "", name, PROFILE_NAME_SIZE);
	if (error != 0)
		return (error);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789._-") != strlen(name))
		return (refuse(pa, config_setting_source_line(s), name_key,
		    "\"%s\"; expected letters, digits, \".\", \"_\" and \"-\"",
		    name));
	return (0);
}

static int
parse_number(const struct parsing *pa, const config_setting_t *s, int key)
{
	const struct profile_field *pf = &profile_fields[key];
	const unsigned line = config_setting_source_line(s);
	const char *wrong = NULL;
	char range[RANGE_SIZE];
	double v;

	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
		v = config_setting_get_int(s);
		break;
	case CONFIG_TYPE_INT64:
		v = (double)config_setting_get_int64(s);
		break;
	case CONFIG_TYPE_FLOAT:
		v = config_setting_get_float(s);
		break;
	default:
		return (refuse(pa, line, pf->pf_key, "NUMBER is %s; expected "
		    "a number", kind_of(s)));
	}
	snprintf(range, sizeof(range), "expected %s%g..%g%s%s",
	    pf->pf_unit == PROFILE_COUNT || pf->pf_unit == PROFILE_SWITCH ?
	    "a whole number, " : "", pf->pf_least, pf->pf_most,
	    *profile_unit_name(pf->pf_unit) == '\0' ? "" : " ",
	    profile_unit_name(pf->pf_unit));
	if (config_setting_get_format(s) == CONFIG_FORMAT_HEX)
		return (refuse(pa, line, pf->pf_key, "the number is "
		    "hexadecimal; %s, in decimal", range));
	if (pa->pa_syntax.ps_long == line &&
	    config_setting_type(s) != CONFIG_TYPE_FLOAT)
		return (refuse(pa, line, pf->pf_key, "a number of more than "
		    "%d digits; %s", PROFILE_DIGITS_MAX, range));
	if (!isfinite(v))
		wrong = "not finite";
	else if (v < 0)
		wrong = "negative";
	else if (v < pf->pf_least)
		wrong = "too small";
	else if (v > pf->pf_most)
		wrong = "too large";
	else if ((pf->pf_unit == PROFILE_COUNT ||
	    pf->pf_unit == PROFILE_SWITCH) && v != floor(v))
		wrong = "no whole number";
	if (wrong != NULL)
		return (refuse(pa, line, pf->pf_key, "%g is %s; %s", v, wrong,
		    range));
	/* Not -0, which would be written as such. */
	pa->pa_pr->pr_value[key] = v == 0 ? 0 : v;
	return (0);
}

static int
parse_provenance(const struct parsing *pa, const config_setting_t *s, int key)
{
	const char *text = config_setting_get_string(s);
	unsigned from;

	for (from = 0; text != NULL && from < PROVENANCE_ABSENT; from++)
		if (strcmp(text, provenance_name(from)) == 0) {
			pa->pa_pr->pr_from[key] = from;
			return (0);
		}
	return (refuse(pa, config_setting_source_line(s),
	    profile_fields[key].pf_key, "PROVENANCE is %s%.40s%s; expected "
	    "\"measured\", \"published\", \"fitted\" or \"guessed\"",
	    text == NULL ? "" : "\"", text == NULL ? kind_of(s) : text,
	    text == NULL ? "" : "\""));
}

static int
parse_value(struct parsing *pa, const config_setting_t *s, int key)
{
	const struct profile_field *pf = &profile_fields[key];
	const char *unit, *want = profile_unit_name(pf->pf_unit);
	const config_setting_t *at;
	int error, n;

	pa->pa_line[key] = config_setting_source_line(s);
	n = config_setting_is_aggregate(s) ? config_setting_length(s) : 0;
	if (!config_setting_is_list(s) || n != ELEMENTS)
		return (refuse(pa, pa->pa_line[key], pf->pf_key, "is %s%s; "
		    "expected (NUMBER, \"%s\", \"PROVENANCE\", \"SOURCE\")",
		    !config_setting_is_list(s) ? kind_of(s) : n < ELEMENTS ?
		    "too short" : "too long",
		    config_setting_is_list(s) ? " a list" : "", want));
	error = parse_number(pa, config_setting_get_elem(s, 0), key);
	if (error != 0)
		return (error);
	at = config_setting_get_elem(s, 1);
	unit = config_setting_get_string(at);
	if (unit == NULL || strcmp(unit, want) != 0)
		return (refuse(pa, config_setting_source_line(at), pf->pf_key,
		    "UNIT is %s%.40s%s; expected \"%s\"", unit == NULL ? "" :
		    "\"", unit == NULL ? kind_of(at) : unit,
		    unit == NULL ? "" : "\"", want));
	error = parse_provenance(pa, config_setting_get_elem(s, 2), key);
	if (error != 0)
		return (error);
	return (parse_text(pa, config_setting_get_elem(s, 3), pf->pf_key,
	    "SOURCE ", pa->pa_pr->pr_source[key], PROFILE_TEXT_SIZE));
}

static int
parse_group(struct parsing *pa, const config_setting_t *group)
{
	char path[PROFILE_KEY_SIZE], path_group[PROFILE_KEY_SIZE];
	char list[LIST_SIZE];
	const config_setting_t *s;
	int error = 0, i, key;

	for (i = 0; i < config_setting_length(group) && error == 0; i++) {
		s = config_setting_get_elem(group, (unsigned)i);
		profile_path(s, path);
		key = find_key(path);
		members_of(path, list);
		if (key >= 0)
			error = parse_value(pa, s, key);
		else if (strcmp(path, name_key) == 0)
			error = parse_name(pa, s);
		else if (strcmp(path, descr_key) == 0)
			error = parse_text(pa, s, path, "",
			    pa->pa_pr->pr_descr, PROFILE_TEXT_SIZE);
		else if (list[0] != '\0' && config_setting_is_group(s))
			error = parse_group(pa, s);
		else if (list[0] != '\0')
			error = refuse(pa, config_setting_source_line(s), path,
			    "is %s; expected a group of %s", kind_of(s), list);
		else {
			profile_path(group, path_group);
			members_of(path_group, list);
			error = refuse(pa, config_setting_source_line(s), path,
			    "there is no such key; expected one of %s", list);
		}
	}
	return (error);
}

/* Complains of what is not there, in the line of its group. */
static int
refuse_missing(const struct parsing *pa, const char *key, const char *expected)
{
	const config_setting_t *group, *next;
	unsigned line = pa->pa_syntax.ps_lines;
	const char *dot, *part = key;
	char name[PROFILE_KEY_SIZE];

	group = config_root_setting(&pa->pa_syntax.ps_config);
	for (; (dot = strchr(part, '.')) != NULL; part = dot + 1) {
		snprintf(name, sizeof(name), "%.*s", (int)(dot - part), part);
		next = config_setting_get_member(group, name);
		if (next == NULL)
			break;
		group = next;
		line = config_setting_source_line(group);
	}
	return (refuse(pa, line, key, "is missing; expected %s", expected));
}

static int
check_missing(const struct parsing *pa, unsigned first, unsigned end)
{
	char expected[LIST_SIZE];
	unsigned key;

	for (key = first; key < end; key++) {
		const struct profile_field *pf = &profile_fields[key];

		if (pa->pa_line[key] != 0 || !profile_used(pa->pa_pr, key))
			continue;
		snprintf(expected, sizeof(expected), "(NUMBER, \"%s\", "
		    "\"PROVENANCE\", \"SOURCE\")",
		    profile_unit_name(pf->pf_unit));
		return (refuse_missing(pa, pf->pf_key, expected));
	}
	return (0);
}

static int
check_topology(const struct parsing *pa)
{
	const double *v = pa->pa_pr->pr_value;
	const double cpus = v[PROFILE_TOPO_CPUS], smt = v[PROFILE_TOPO_SMT];
	const double cores = cpus / smt;
	enum profile_key key;

	if (cores != floor(cores))
		return (refuse(pa, pa->pa_line[PROFILE_TOPO_CPUS], "topo.cpus",
		    "%g is no multiple of topo.smt; expected one of %g", cpus,
		    smt));
	key = v[PROFILE_TOPO_NODES] > cores ? PROFILE_TOPO_NODES :
	    PROFILE_TOPO_CCX;
	if (v[key] > cores)
		return (refuse(pa, pa->pa_line[key], profile_fields[key].pf_key,
		    "%g is above the number of cores; expected 1..%g", v[key],
		    cores));
	return (0);
}

static int
check_percentiles(const struct parsing *pa, enum profile_key p50,
    enum profile_key p99)
{
	const double *v = pa->pa_pr->pr_value;

	if (v[p99] >= v[p50])
		return (0);
	return (refuse(pa, pa->pa_line[p99], profile_fields[p99].pf_key,
	    "%g is below %s; expected at least %g", v[p99],
	    profile_fields[p50].pf_key, v[p50]));
}

static int
check(const struct parsing *pa)
{
	const struct profile *pr = pa->pa_pr;
	int error;

	if (pa->pa_syntax.ps_long != 0)
		return (refuse(pa, pa->pa_syntax.ps_long, "", "a number of "
		    "more than %d digits; expected less", PROFILE_DIGITS_MAX));
	if (pr->pr_name[0] == '\0')
		return (refuse_missing(pa, name_key, "name = \"TEXT\""));
	if (pr->pr_descr[0] == '\0')
		return (refuse_missing(pa, descr_key, "descr = \"TEXT\""));
	/* Which of the others must be there depends on the topology. */
	error = check_missing(pa, 0, PROFILE_TOPO_CCX + 1);
	if (error == 0)
		error = check_topology(pa);
	if (error == 0)
		error = check_missing(pa, PROFILE_TOPO_CCX + 1, PROFILE_VALUES);
	if (error == 0)
		error = check_percentiles(pa, PROFILE_OS_WAKE_SAME_P50,
		    PROFILE_OS_WAKE_SAME_P99);
	if (error == 0)
		error = check_percentiles(pa, PROFILE_OS_WAKE_CROSS_P50,
		    PROFILE_OS_WAKE_CROSS_P99);
	return (error);
}

int
profile_parse(struct profile *pr, const char *name, const char *text,
    char error[PROFILE_ERROR_SIZE])
{
	struct parsing pa = { .pa_pr = pr, .pa_syntax = { .ps_name = name,
	    .ps_text = text, .ps_error = error } };
	unsigned key;
	int status;

	memset(pr, 0, sizeof(*pr));
	for (key = 0; key < PROFILE_VALUES; key++)
		pr->pr_from[key] = PROVENANCE_ABSENT;
	status = profile_syntax_read(&pa.pa_syntax);
	if (status == 0)
		status = parse_group(&pa,
		    config_root_setting(&pa.pa_syntax.ps_config));
	if (status == 0)
		status = check(&pa);
	config_destroy(&pa.pa_syntax.ps_config);
	return (status);
}
