#include <ctype.h>

#include "lib/profile/profile.h"

enum {
	LINE_SIZE	= 512,
	LIST_SIZE	= 256,
	NAME		= PROFILE_VALUES,	/* numbers of the texts */
	DESCR, LIKE, KEYS
};

static const char blanks[] = " \t\r", common[] = "common";
static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* A profile being read. */
struct reader {
	struct profile	*rdr_pr;
	const char	*rdr_file;	/* as messages name it */
	char		*rdr_error;
	unsigned	 rdr_line;	/* at present */
	unsigned	 rdr_last;
	const char	*rdr_key;	/* in that line; "": none */
	unsigned	 rdr_lines[KEYS];	/* line of each key; 0: none */
	bool		 rdr_like;	/* its values alone are taken */
};

static const char *
key_name(unsigned key)
{
	return (key == NAME ? "name" : key == DESCR ? "descr" : key == LIKE ?
	    "like" : profile_fields[key].pf_key);
}

/* Goes to the line of a key; a missing one is missing at the end. */
static void
look_at(struct reader *pt, unsigned key)
{
	pt->rdr_key = key_name(key);
	pt->rdr_line = pt->rdr_lines[key] != 0 ? pt->rdr_lines[key] :
	    pt->rdr_last;
}

static int __attribute__((format(printf, 2, 3)))
refuse(const struct reader *pt, const char *fmt, ...)
{
	const int n = snprintf(pt->rdr_error, PROFILE_ERROR_SIZE, "%.200s:%u: "
	    "%.40s%s", pt->rdr_file, pt->rdr_line, pt->rdr_key,
	    *pt->rdr_key == '\0' ? "" : ": ");

	VFORMAT(pt->rdr_error + n, PROFILE_ERROR_SIZE - (size_t)n, fmt);
	/* A file must not send control sequences to a terminal. */
	for (char *c = pt->rdr_error; *c != '\0'; c++)
		if (!isascii((unsigned char)*c) || iscntrl((unsigned char)*c))
			*c = '?';
	return (EINVAL);
}

static int
take_number(const struct reader *pt, const char *word, unsigned key)
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
		return (refuse(pt, "\"%.40s\" is %s; expected %s%g..%g%s%s",
		    word, wrong, whole ? "a whole number, " : "",
		    pf->pf_least, pf->pf_most, *unit == '\0' ? "" : " ", unit));
	/* Not -0, which would be written as such. */
	pt->rdr_pr->pr_value[key] = v == 0 ? 0 : v;
	return (0);
}

/* Copies the rest of a line, a text in quotes; it may contain quotes. */
static int
parse_text(const struct reader *pt, const char *line, const char *what,
    char *text, size_t size)
{
	const char *at = line + strspn(line, blanks);
	size_t n = strlen(at);

	while (n > 0 && strchr(blanks, at[n - 1]) != NULL)
		n--;
	if (n < 2 || at[0] != '"' || at[n - 1] != '"')
		return (refuse(pt, "the text is not in quotes; expected "
		    "\"%s\" at the end of the line", what));
	n -= 2;
	at++;
	for (const char *p = at; p < at + n; p++)
		if (!isascii((unsigned char)*p) || !isprint((unsigned char)*p))
			return (refuse(pt, "the text has the byte 0x%02x; "
			    "expected printable ASCII", (unsigned char)*p));
	if (n == 0 || n >= size)
		return (refuse(pt, "the text is %zu bytes long; expected "
		    "1..%zu", n, size - 1));
	memcpy(text, at, n);
	text[n] = '\0';
	return (0);
}

/* Names the keys that begin with the same part, or what else there is. */
static int
refuse_key(const struct reader *pt)
{
	const size_t part = strcspn(pt->rdr_key, ".");
	char list[LIST_SIZE] = "";

	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		if (strncmp(key_name(key), pt->rdr_key, part) == 0 &&
		    key_name(key)[part] == '.')
			APPEND(list, sizeof(list), "%s%s", list[0] == '\0' ?
			    "one of " : ", ", key_name(key));
	return (refuse(pt, "there is no such key; expected %s", list[0] !=
	    '\0' ? list : "name, descr, like, or a key of rngsim-profile(5)"));
}

/* The rest of a value's line, after "=". */
static int
parse_value(const struct reader *pt, char *line, unsigned key)
{
	const char *want = profile_unit_name(profile_fields[key].pf_unit);
	const char *unit = want, *word;
	unsigned from = 0;
	int error = take_number(pt, parse_word(&line), key);

	if (error == 0 && *want != '\0')
		unit = parse_word(&line);
	if (error == 0 && strcmp(unit, want) != 0)
		error = refuse(pt, "UNIT is \"%.40s\"; expected \"%s\"", unit,
		    want);
	if (error != 0)
		return (error);
	word = parse_word(&line);
	while (from < PROVENANCE_ABSENT &&
	    strcmp(word, provenance_names[from]) != 0)
		from++;
	if (from == PROVENANCE_ABSENT)
		return (refuse(pt, "PROVENANCE is \"%.40s\"; expected "
		    "measured, published, fitted or guessed", word));
	pt->rdr_pr->pr_from[key] = from;
	return (parse_text(pt, line, "SOURCE", pt->rdr_pr->pr_source[key],
	    PROFILE_TEXT_SIZE));
}

static int parse_lines(struct reader *pt, const char *text);

/* Takes shipped values, which later lines replace; of others as guesses. */
static int
parse_like(struct reader *pt, const char *line)
{
	char name[PROFILE_NAME_SIZE];
	const char *text;
	struct profile *pr = pt->rdr_pr;
	struct reader like = { .rdr_pr = pr, .rdr_error = pt->rdr_error,
	    .rdr_file = name, .rdr_like = true };
	int error;

	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		if (pt->rdr_lines[key] != 0)
			return (refuse(pt, "expected it before all values"));
	if ((error = parse_text(pt, line, "NAME", name, sizeof(name))) != 0)
		return (error);
	text = strcmp(name, common) == 0 ? profile_common : profile_text(name);
	if (text == NULL)
		return (refuse(pt, "\"%.40s\"; expected %s, or a profile that "
		    "comes with the program", name, common));
	error = parse_lines(&like, text);
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (pr->pr_from[key] == PROVENANCE_ABSENT ||
		    strcmp(name, common) == 0)
			continue;
		pr->pr_from[key] = PROVENANCE_GUESSED;
		snprintf(pr->pr_source[key], PROFILE_TEXT_SIZE, "as %s", name);
	}
	return (error);
}

static int
parse_line(struct reader *pt, char *line)
{
	struct profile *pr = pt->rdr_pr;
	const char *key = parse_word(&line), *word;
	unsigned k;
	int error;

	if (*key == '\0' || *key == '#')
		return (0);
	pt->rdr_key = key;
	for (k = 0; k < KEYS && strcmp(key, key_name(k)) != 0; k++)
		continue;
	if (k == KEYS)
		return (refuse_key(pt));
	if (pt->rdr_lines[k] != 0)
		return (refuse(pt, "there is one in line %u; expected it once",
		    pt->rdr_lines[k]));
	pt->rdr_lines[k] = pt->rdr_line;
	word = parse_word(&line);
	if (strcmp(word, "=") != 0)
		return (refuse(pt, "\"%.40s\" follows; expected \"=\" between "
		    "blanks", word));
	if (k == LIKE)
		return (parse_like(pt, line));
	if (pt->rdr_like && k >= PROFILE_VALUES)
		return (0);
	if (k == DESCR)
		return (parse_text(pt, line, "TEXT", pr->pr_descr,
		    PROFILE_TEXT_SIZE));
	if (k != NAME)
		return (parse_value(pt, line, k));
	error = parse_text(pt, line, "NAME", pr->pr_name, PROFILE_NAME_SIZE);
	if (error == 0 && pr->pr_name[strspn(pr->pr_name, name_chars)] != '\0')
		error = refuse(pt, "\"%s\"; expected letters, digits, \".\", "
		    "\"_\" and \"-\"", pr->pr_name);
	return (error);
}

static int
parse_lines(struct reader *pt, const char *text)
{
	char line[LINE_SIZE];
	int error = 0;
	size_t n;

	for (; *text != '\0' && error == 0; text += n + (text[n] == '\n')) {
		pt->rdr_line++;
		pt->rdr_key = "";
		n = strcspn(text, "\n");
		if (n >= sizeof(line))
			return (refuse(pt, "a line of %zu bytes; expected at "
			    "most %d", n, LINE_SIZE - 1));
		memcpy(line, text, n);
		line[n] = '\0';
		error = parse_line(pt, line);
	}
	return (error);
}

static int
check_present(struct reader *pt, unsigned key)
{
	const char *unit;

	look_at(pt, key);
	if (pt->rdr_lines[key] != 0 || (key < PROFILE_VALUES &&
	    pt->rdr_pr->pr_from[key] != PROVENANCE_ABSENT))
		return (0);
	if (key >= PROFILE_VALUES)
		return (refuse(pt, "is missing; expected %s = \"TEXT\"",
		    key_name(key)));
	if (!profile_used(pt->rdr_pr, key))
		return (0);
	unit = profile_unit_name(profile_fields[key].pf_unit);
	return (refuse(pt, "is missing; expected NUMBER%s%s PROVENANCE "
	    "\"SOURCE\"", *unit == '\0' ? "" : " ", unit));
}

static int
check_topology(struct reader *pt)
{
	const double *v = pt->rdr_pr->pr_value;
	const double cpus = v[PROFILE_TOPO_CPUS], smt = v[PROFILE_TOPO_SMT];
	const double cores = cpus / smt;
	const unsigned key = cores != floor(cores) ? PROFILE_TOPO_CPUS :
	    v[PROFILE_TOPO_NODES] > cores ? PROFILE_TOPO_NODES :
	    PROFILE_TOPO_CCX;

	look_at(pt, key);
	if (key == PROFILE_TOPO_CPUS)
		return (refuse(pt, "%g is no multiple of topo.smt; expected "
		    "one of %g", cpus, smt));
	return (v[key] <= cores ? 0 : refuse(pt, "%g is above the number of "
	    "cores; expected 1..%g", v[key], cores));
}

static int
check_percentiles(struct reader *pt)
{
	const double *v = pt->rdr_pr->pr_value;
	unsigned p50;

	for (unsigned p99 = 0; p99 < PROFILE_VALUES; p99++) {
		p50 = profile_median(p99);
		look_at(pt, p99);
		if (v[p99] < v[p50])
			return (refuse(pt, "%g is below %s; expected at least "
			    "%g", v[p99], key_name(p50), v[p50]));
	}
	return (0);
}

int
profile_parse(struct profile *pr, const char *name, const char *text,
    char error[PROFILE_ERROR_SIZE])
{
	struct reader pt = { .rdr_pr = pr, .rdr_file = name, .rdr_error =
	    error };
	int status;

	memset(pr, 0, sizeof(*pr));
	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		pr->pr_from[key] = PROVENANCE_ABSENT;
	status = parse_lines(&pt, text);
	pt.rdr_last = pt.rdr_line == 0 ? 1 : pt.rdr_line;
	if (status == 0)
		status = check_present(&pt, NAME);
	if (status == 0)
		status = check_present(&pt, DESCR);
	/* The topology decides which of the others must be there. */
	for (unsigned key = 0; status == 0 && key < PROFILE_VALUES; key++) {
		status = check_present(&pt, key);
		if (status == 0 && key == PROFILE_TOPO_CCX)
			status = check_topology(&pt);
	}
	return (status == 0 ? check_percentiles(&pt) : status);
}
