#include <sys/stat.h>

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kassert.h"
#include "lib/profile.h"

/* Some ten times what a profile takes. */
enum { FILE_MAX = 65536 };

const struct profile_field profile_fields[PROFILE_VALUES] = {
#define	PROFILE_VALUE(name, key, unit, least, most, descr)		\
	[PROFILE_##name] = { key, PROFILE_##unit, least, most, descr },
#include "lib/profile.tbl"
#undef PROFILE_VALUE
};

static const struct {
	const char	*name;
	double		 ps;	/* in one of them; 0: it is no time */
} units[] = {
	[PROFILE_COUNT] = { "", 0 },
	[PROFILE_SWITCH] = { "", 0 },
	[PROFILE_RATIO] = { "", 0 },
	[PROFILE_NS] = { "ns", 1e3 },
	[PROFILE_US] = { "us", 1e6 },
	[PROFILE_MS] = { "ms", 1e9 },
	[PROFILE_NS_PER_BYTE] = { "ns/B", 1e3 }
};

static const char *const provenances[] = {
	[PROVENANCE_MEASURED] = "measured",
	[PROVENANCE_PUBLISHED] = "published",
	[PROVENANCE_FITTED] = "fitted",
	[PROVENANCE_GUESSED] = "guessed",
	[PROVENANCE_ABSENT] = "absent"
};

const char *
profile_unit_name(enum profile_unit unit)
{

	return (units[unit].name);
}

const char *
provenance_name(enum provenance from)
{

	return (provenances[from]);
}

static bool
is_topology(enum profile_key key)
{

	return (key == PROFILE_TOPO_CPUS || key == PROFILE_TOPO_SMT ||
	    key == PROFILE_TOPO_NODES || key == PROFILE_TOPO_CCX);
}

bool
profile_used(const struct profile *pr, enum profile_key key)
{
	const double nodes = pr->pr_value[PROFILE_TOPO_NODES];
	double cores;

	switch (key) {
	case PROFILE_LAT_SMT:
		return (pr->pr_value[PROFILE_TOPO_SMT] > 1);
	case PROFILE_LAT_SOCK:
		cores = floor(pr->pr_value[PROFILE_TOPO_CPUS] /
		    pr->pr_value[PROFILE_TOPO_SMT]);
		return (ceil(cores / nodes) > pr->pr_value[PROFILE_TOPO_CCX]);
	case PROFILE_LAT_REMOTE:
	case PROFILE_LAT_CONG:
	case PROFILE_LINE_INVALIDATE:
		return (nodes > 1);
	default:
		return (true);
	}
}

double
profile_share(const struct profile *pr, enum provenance from)
{
	unsigned all = 0, key, those = 0;

	for (key = 0; key < PROFILE_VALUES; key++) {
		if (is_topology(key) || !profile_used(pr, key))
			continue;
		all++;
		those += pr->pr_from[key] == from;
	}
	return ((double)those / all);
}

uint64_t
profile_ps(const struct profile *pr, enum profile_key key)
{
	const double ps = units[profile_fields[key].pf_unit].ps;

	KASSERT(ps > 0, ("%s is no time", profile_fields[key].pf_key));
	return ((uint64_t)(pr->pr_value[key] * ps + 0.5));
}

int
profile_host_path(char *path, size_t size)
{
	const char *dir, *file;
	int n;

	/* As the XDG base directory specification has it, "" is unset. */
	file = getenv("RNGSIM_HOST_PROFILE");
	if (file != NULL && *file != '\0')
		n = snprintf(path, size, "%s", file);
	else if ((dir = getenv("XDG_CONFIG_HOME")) != NULL && *dir != '\0')
		n = snprintf(path, size, "%s/rngsim/host.conf", dir);
	else if ((dir = getenv("HOME")) != NULL && *dir != '\0')
		n = snprintf(path, size, "%s/.config/rngsim/host.conf", dir);
	else
		return (ENOENT);
	return (n >= 0 && (size_t)n < size ? 0 : ENAMETOOLONG);
}

/*
 * Reads a file whole; the caller frees *text.
 */
static int
read_file(const char *path, char **text, char error[PROFILE_ERROR_SIZE])
{
	struct stat sb;
	size_t n;
	FILE *f;
	int status;

	*text = NULL;
	/* It may be read again; and who opens a pipe waits for its writer. */
	if (stat(path, &sb) == 0 && !S_ISREG(sb.st_mode) &&
	    !S_ISDIR(sb.st_mode)) {
		snprintf(error, PROFILE_ERROR_SIZE, "%.200s: expected a "
		    "regular file", path);
		return (EINVAL);
	}
	f = fopen(path, "re");
	if (f == NULL)
		goto failed;
	*text = malloc(FILE_MAX + 2);
	if (*text == NULL)
		goto failed;
	n = fread(*text, 1, FILE_MAX + 1, f);
	if (ferror(f))
		goto failed;
	fclose(f);
	if (n > FILE_MAX || memchr(*text, '\0', n) != NULL) {
		snprintf(error, PROFILE_ERROR_SIZE, "%.200s: %s; expected a "
		    "machine profile, text of at most %d bytes", path,
		    n > FILE_MAX ? "too long" : "has a byte 0", FILE_MAX);
		free(*text);
		return (EINVAL);
	}
	/* libconfig needs a newline at the end of a comment. */
	if (n > 0 && (*text)[n - 1] != '\n')
		(*text)[n++] = '\n';
	(*text)[n] = '\0';
	return (0);
failed:
	status = errno;
	snprintf(error, PROFILE_ERROR_SIZE, "%.200s: %s", path,
	    strerror(status));
	free(*text);
	if (f != NULL)
		fclose(f);
	return (status);
}

static int
load_file(struct profile *pr, const char *path,
    char error[PROFILE_ERROR_SIZE])
{
	char *text;
	int status;

	status = read_file(path, &text, error);
	if (status != 0)
		return (status);
	status = profile_parse(pr, path, text, error);
	free(text);
	return (status);
}

static bool
is_path(const char *name)
{
	static const char suffix[] = ".conf";
	const size_t n = strlen(name), len = sizeof(suffix) - 1;

	return (strchr(name, '/') != NULL ||
	    (n > len && strcmp(name + n - len, suffix) == 0));
}

static int
refuse_name(const char *name, char error[PROFILE_ERROR_SIZE])
{
	size_t n;
	unsigned i;

	n = (size_t)snprintf(error, PROFILE_ERROR_SIZE, "\"%.60s\": expected ",
	    name);
	for (i = 0; i < profile_shipped_count() && n < PROFILE_ERROR_SIZE; i++)
		n += (size_t)snprintf(error + n, PROFILE_ERROR_SIZE - n, "%s, ",
		    profile_shipped_name(i));
	if (n < PROFILE_ERROR_SIZE)
		snprintf(error + n, PROFILE_ERROR_SIZE - n, "or a file, with "
		    "\"/\" in its name or \".conf\" at its end");
	return (ENOENT);
}

int
profile_load(struct profile *pr, const char *name,
    char error[PROFILE_ERROR_SIZE])
{
	char path[PATH_MAX];
	size_t n;
	unsigned i;
	int status;

	if (strcmp(name, "host") == 0 &&
	    profile_host_path(path, sizeof(path)) == 0) {
		status = load_file(pr, path, error);
		/* Of an older program, mostly: nobody need edit it by hand. */
		if (status == EINVAL) {
			n = strlen(error);
			snprintf(error + n, PROFILE_ERROR_SIZE - n, "; "
			    "calibrate this machine again");
		}
		if (status != ENOENT && status != ENOTDIR)
			return (status);
	}
	if (is_path(name))
		return (load_file(pr, name, error));
	for (i = 0; i < profile_shipped_count(); i++)
		if (strcmp(name, profile_shipped_name(i)) == 0)
			return (profile_parse(pr, name,
			    profile_shipped_text(i), error));
	return (refuse_name(name, error));
}

/* With as many digits as it takes to read the same number again, or six. */
static void
write_number(FILE *out, double v)
{
	char text[32];
	int digits;

	for (digits = FLT_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	fputs(text, out);
}

static void
write_string(FILE *out, const char *text)
{

	putc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* The bytes of a key before its last part, the dot included. */
static size_t
group_len(const char *key)
{
	const char *dot = strrchr(key, '.');

	return (dot == NULL ? 0 : (size_t)(dot - key) + 1);
}

static void
indent(FILE *out, unsigned depth)
{

	while (depth-- > 0)
		putc('\t', out);
}

/* Ends the groups that do not hold key, begins those that do. */
static void
write_groups(FILE *out, const char *before, const char *key, unsigned *depth)
{
	const size_t len = group_len(key), old = group_len(before);
	const char *dot, *part;
	size_t common = 0, i;

	for (i = 0; i < len && i < old && key[i] == before[i]; i++)
		if (key[i] == '.')
			common = i + 1;
	for (i = common; i < old; i++) {
		if (before[i] != '.')
			continue;
		indent(out, --*depth);
		fputs("};\n", out);
	}
	for (part = key + common; part < key + len; part = dot + 1) {
		dot = strchr(part, '.');
		indent(out, (*depth)++);
		fprintf(out, "%.*s: {\n", (int)(dot - part), part);
	}
}

int
profile_write(const struct profile *pr, FILE *out)
{
	const char *before = "";
	unsigned depth = 0, key;

	errno = 0;
	fputs("name = ", out);
	write_string(out, pr->pr_name);
	fputs(";\ndescr = ", out);
	write_string(out, pr->pr_descr);
	fputs(";\n", out);
	for (key = 0; key < PROFILE_VALUES; key++) {
		const struct profile_field *pf = &profile_fields[key];

		if (pr->pr_from[key] == PROVENANCE_ABSENT)
			continue;
		write_groups(out, before, pf->pf_key, &depth);
		indent(out, depth);
		fprintf(out, "%s = (", pf->pf_key + group_len(pf->pf_key));
		write_number(out, pr->pr_value[key]);
		fprintf(out, ", \"%s\", \"%s\",\n", profile_unit_name(
		    pf->pf_unit), provenance_name(pr->pr_from[key]));
		indent(out, depth);
		fputs("    ", out);
		write_string(out, pr->pr_source[key]);
		fputs(");\n", out);
		before = pf->pf_key;
	}
	write_groups(out, before, "", &depth);
	if (fflush(out) != 0 || ferror(out))
		return (errno == 0 ? EIO : errno);
	return (0);
}
