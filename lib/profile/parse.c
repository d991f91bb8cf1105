#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/profile/profile.h"

enum {
	LINE_SIZE	= 512,
	LIST_SIZE	= 256,
	NAME		= PROFILE_VALUES,	/* numbers of the two texts */
	DESCR,
	KEYS
};

static const char blanks[] = " \t\r";
static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* A profile being read. */
struct reader {
	struct profile	*rd_pr;
	const char	*rd_file;	/* as messages name it */
	char		*rd_error;
	unsigned	 rd_line;	/* at present */
	unsigned	 rd_last;
	const char	*rd_key;	/* in that line; "": none */
	unsigned	 rd_lines[KEYS];	/* line of each key; 0: none */
	bool		 rd_like;	/* there was such a line */
};

static const char *
key_name(unsigned key)
{
	return (key == NAME ? "name" : key == DESCR ? "descr" :
	    profile_fields[key].pf_key);
}

/* Goes to the line of a key; a missing one is missing at the end. */
static void
look_at(struct reader *rd, unsigned key)
{
	rd->rd_key = key_name(key);
	rd->rd_line = rd->rd_lines[key] != 0 ? rd->rd_lines[key] : rd->rd_last;
}

static int __attribute__((format(printf, 2, 3)))
refuse(const struct reader *rd, const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(rd->rd_error, PROFILE_ERROR_SIZE, "%.200s:%u: %.40s%s",
	    rd->rd_file, rd->rd_line, rd->rd_key, *rd->rd_key == '\0' ? "" :
	    ": ");
	va_start(ap, fmt);
	vsnprintf(rd->rd_error + n, PROFILE_ERROR_SIZE - (size_t)n, fmt, ap);
	va_end(ap);
	/* A file must not send control sequences to a terminal. */
	for (char *c = rd->rd_error; *c != '\0'; c++)
		if (!isascii((unsigned char)*c) || iscntrl((unsigned char)*c))
			*c = '?';
	return (EINVAL);
}

/* Cuts the next word off a line; "" at its end. */
static char *
next_word(char **line)
{
	char *word;

	*line += strspn(*line, blanks);
	word = *line;
	*line += strcspn(*line, blanks);
	if (**line != '\0')
		*(*line)++ = '\0';
	return (word);
}

static int
parse_number(const struct reader *rd, const char *word, unsigned key)
{
	const struct profile_field *pf = &profile_fields[key];
	const char *unit = profile_unit_name(pf->pf_unit), *wrong = NULL;
	const bool whole = pf->pf_unit == PROFILE_COUNT ||
	    pf->pf_unit == PROFILE_SWITCH;
	char *end;
	double v = strtod(word, &end);

	/* Not what strtod(3) takes besides: "0x7", "nan". */
	if (*word == '\0' || *end != '\0' ||
	    word[strspn(word, "+-.eE0123456789")] != '\0')
		wrong = "not a decimal number";
	else if (!isfinite(v))
		wrong = "not finite";
	else if (v < 0)
		wrong = "negative";
	else if (v < pf->pf_least)
		wrong = "too small";
	else if (v > pf->pf_most)
		wrong = "too large";
	else if (whole && v != floor(v))
		wrong = "not a whole number";
	if (wrong != NULL)
		return (refuse(rd, "\"%.40s\" is %s; expected %s%g..%g%s%s",
		    word, wrong, whole ? "a whole number, " : "",
		    pf->pf_least, pf->pf_most, *unit == '\0' ? "" : " ", unit));
	/* Not -0, which would be written as such. */
	rd->rd_pr->pr_value[key] = v == 0 ? 0 : v;
	return (0);
}

static int
parse_provenance(const struct reader *rd, const char *word, unsigned key)
{
	for (unsigned from = 0; from < PROVENANCE_ABSENT; from++)
		if (strcmp(word, provenance_name(from)) == 0) {
			rd->rd_pr->pr_from[key] = from;
			return (0);
		}
	return (refuse(rd, "PROVENANCE is \"%.40s\"; expected measured, "
	    "published, fitted or guessed", word));
}

/* Copies the rest of a line, a text in quotes; it may contain quotes. */
static int
parse_text(const struct reader *rd, const char *line, const char *what,
    char *text, size_t size)
{
	const char *at = line + strspn(line, blanks);
	size_t n = strlen(at);

	while (n > 0 && strchr(blanks, at[n - 1]) != NULL)
		n--;
	if (n < 2 || at[0] != '"' || at[n - 1] != '"')
		return (refuse(rd, "the text is not in quotes; expected "
		    "\"%s\" at the end of the line", what));
	n -= 2;
	at++;
	for (const char *p = at; p < at + n; p++)
		if (!isascii((unsigned char)*p) || !isprint((unsigned char)*p))
			return (refuse(rd, "the text has the byte 0x%02x; "
			    "expected printable ASCII", (unsigned char)*p));
	if (n == 0 || n >= size)
		return (refuse(rd, "the text is %zu bytes long; expected "
		    "1..%zu", n, size - 1));
	memcpy(text, at, n);
	text[n] = '\0';
	return (0);
}

/* Names the keys that begin with the same part, or what else there is. */
static int
refuse_key(const struct reader *rd)
{
	const size_t part = strcspn(rd->rd_key, ".");
	char list[LIST_SIZE];
	size_t n = 0;

	for (unsigned key = 0; key < PROFILE_VALUES && n < sizeof(list); key++)
		if (strncmp(key_name(key), rd->rd_key, part) == 0 &&
		    key_name(key)[part] == '.')
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s%s", n == 0 ? "one of " : ", ", key_name(key));
	return (refuse(rd, "there is no such key; expected %s", n > 0 ? list :
	    "name, descr, like, or a key of rngsim-profile(5)"));
}

/* The rest of a value's line, after "=". */
static int
parse_value(const struct reader *rd, char *line, unsigned key)
{
	const char *want = profile_unit_name(profile_fields[key].pf_unit);
	const char *unit = want;
	int error = parse_number(rd, next_word(&line), key);

	if (error == 0 && *want != '\0')
		unit = next_word(&line);
	if (error == 0 && strcmp(unit, want) != 0)
		error = refuse(rd, "UNIT is \"%.40s\"; expected \"%s\"", unit,
		    want);
	if (error == 0)
		error = parse_provenance(rd, next_word(&line), key);
	return (error != 0 ? error : parse_text(rd, line, "SOURCE",
	    rd->rd_pr->pr_source[key], PROFILE_TEXT_SIZE));
}

static int parse_lines(struct reader *rd, const char *text);

/*
 * Takes the values of a shipped profile, as guesses for another machine; later
 * lines replace them.
 */
static int
parse_like(struct reader *rd, const char *line)
{
	char name[PROFILE_NAME_SIZE], own_name[PROFILE_NAME_SIZE];
	char own_descr[PROFILE_TEXT_SIZE];
	const struct profile_shipped *ps;
	struct profile *pr = rd->rd_pr;
	struct reader like = { .rd_pr = pr, .rd_error = rd->rd_error };
	int error;

	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		if (rd->rd_lines[key] != 0 || rd->rd_like)
			return (refuse(rd, "expected it once, before all "
			    "values"));
	rd->rd_like = true;
	error = parse_text(rd, line, "NAME", name, sizeof(name));
	if (error != 0)
		return (error);
	for (ps = profile_shipped; ps->ps_name != NULL; ps++)
		if (strcmp(ps->ps_name, name) == 0)
			break;
	/* Of a profile with such a line itself, one would find no end. */
	if (ps->ps_name == NULL || strstr(ps->ps_text, "\nlike =") != NULL)
		return (refuse(rd, "\"%.40s\"; expected a profile that comes "
		    "with the program and has no such line", name));
	memcpy(own_name, pr->pr_name, sizeof(own_name));
	memcpy(own_descr, pr->pr_descr, sizeof(own_descr));
	like.rd_file = name;
	error = parse_lines(&like, ps->ps_text);
	memcpy(pr->pr_name, own_name, sizeof(own_name));
	memcpy(pr->pr_descr, own_descr, sizeof(own_descr));
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (pr->pr_from[key] == PROVENANCE_ABSENT)
			continue;
		pr->pr_from[key] = PROVENANCE_GUESSED;
		snprintf(pr->pr_source[key], PROFILE_TEXT_SIZE, "as %s", name);
	}
	return (error);
}

static int
parse_line(struct reader *rd, char *line)
{
	struct profile *pr = rd->rd_pr;
	const char *key = next_word(&line), *brace, *word;
	unsigned k;
	int error;

	if (*key == '\0' || *key == '#')
		return (0);
	rd->rd_key = key;
	brace = strpbrk(line, ";{");
	if (strcmp(key, "}") == 0 || strcmp(key, "};") == 0 ||
	    (brace != NULL && brace[1 + strspn(brace + 1, blanks)] == '\0'))
		return (refuse(rd, "this is the older form of profiles, with "
		    "groups in braces; expected one value a line, as lat.hit "
		    "= 1.5 ns guessed \"SOURCE\""));
	for (k = 0; k < KEYS && strcmp(key, key_name(k)) != 0; k++)
		continue;
	if (k == KEYS && strcmp(key, "like") != 0)
		return (refuse_key(rd));
	if (k < KEYS && rd->rd_lines[k] != 0)
		return (refuse(rd, "there is one in line %u; expected it once",
		    rd->rd_lines[k]));
	word = next_word(&line);
	if (strcmp(word, "=") != 0)
		return (refuse(rd, "\"%.40s\" follows; expected \"=\" between "
		    "blanks", word));
	if (k == KEYS)
		return (parse_like(rd, line));
	rd->rd_lines[k] = rd->rd_line;
	if (k == DESCR)
		return (parse_text(rd, line, "TEXT", pr->pr_descr,
		    PROFILE_TEXT_SIZE));
	if (k != NAME)
		return (parse_value(rd, line, k));
	error = parse_text(rd, line, "NAME", pr->pr_name, PROFILE_NAME_SIZE);
	if (error == 0 && pr->pr_name[strspn(pr->pr_name, name_chars)] != '\0')
		error = refuse(rd, "\"%s\"; expected letters, digits, \".\", "
		    "\"_\" and \"-\"", pr->pr_name);
	return (error);
}

static int
parse_lines(struct reader *rd, const char *text)
{
	char line[LINE_SIZE];
	int error = 0;
	size_t n;

	for (; *text != '\0' && error == 0; text += n + (text[n] == '\n')) {
		rd->rd_line++;
		rd->rd_key = "";
		n = strcspn(text, "\n");
		if (n >= sizeof(line))
			return (refuse(rd, "a line of %zu bytes; expected at "
			    "most %d", n, LINE_SIZE - 1));
		memcpy(line, text, n);
		line[n] = '\0';
		error = parse_line(rd, line);
	}
	return (error);
}

static int
check_present(struct reader *rd, unsigned key)
{
	const char *unit;

	look_at(rd, key);
	if (rd->rd_lines[key] != 0 || (key < PROFILE_VALUES &&
	    rd->rd_pr->pr_from[key] != PROVENANCE_ABSENT))
		return (0);
	if (key >= PROFILE_VALUES)
		return (refuse(rd, "is missing; expected %s = \"TEXT\"",
		    key_name(key)));
	if (!profile_used(rd->rd_pr, key))
		return (0);
	unit = profile_unit_name(profile_fields[key].pf_unit);
	return (refuse(rd, "is missing; expected NUMBER%s%s PROVENANCE "
	    "\"SOURCE\"", *unit == '\0' ? "" : " ", unit));
}

static int
check_topology(struct reader *rd)
{
	const double *v = rd->rd_pr->pr_value;
	const double cpus = v[PROFILE_TOPO_CPUS], smt = v[PROFILE_TOPO_SMT];
	const double cores = cpus / smt;
	const unsigned key = v[PROFILE_TOPO_NODES] > cores ?
	    PROFILE_TOPO_NODES : PROFILE_TOPO_CCX;

	look_at(rd, cores != floor(cores) ? PROFILE_TOPO_CPUS : key);
	if (cores != floor(cores))
		return (refuse(rd, "%g is no multiple of topo.smt; expected "
		    "one of %g", cpus, smt));
	if (v[key] > cores)
		return (refuse(rd, "%g is above the number of cores; expected "
		    "1..%g", v[key], cores));
	return (0);
}

static int
check_percentiles(struct reader *rd)
{
	const double *v = rd->rd_pr->pr_value;
	unsigned p50, p99;

	for (unsigned i = 0; i < PROFILE_PAIRS; i++) {
		p50 = profile_pairs[i].p50;
		p99 = profile_pairs[i].p99;
		look_at(rd, p99);
		if (v[p99] < v[p50])
			return (refuse(rd, "%g is below %s; expected at least "
			    "%g", v[p99], key_name(p50), v[p50]));
	}
	return (0);
}

int
profile_parse(struct profile *pr, const char *name, const char *text,
    char error[PROFILE_ERROR_SIZE])
{
	struct reader rd = { .rd_pr = pr, .rd_file = name, .rd_error = error };
	int status;

	memset(pr, 0, sizeof(*pr));
	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		pr->pr_from[key] = PROVENANCE_ABSENT;
	status = parse_lines(&rd, text);
	rd.rd_last = rd.rd_line == 0 ? 1 : rd.rd_line;
	if (status == 0)
		status = check_present(&rd, NAME);
	if (status == 0)
		status = check_present(&rd, DESCR);
	/* The topology decides which of the others must be there. */
	for (unsigned key = 0; status == 0 && key < PROFILE_VALUES; key++) {
		status = check_present(&rd, key);
		if (status == 0 && key == PROFILE_TOPO_CCX)
			status = check_topology(&rd);
	}
	return (status == 0 ? check_percentiles(&rd) : status);
}
