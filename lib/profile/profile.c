#include <sys/stat.h>

#include <fcntl.h>
#include <float.h>

#include "lib/base/embed.h"
#include "lib/profile/profile.h"

enum { FILE_MAX = 65536 };	/* some ten times the size of a profile */

EMBED(common, "lib/profile/common.conf");
const char *const profile_common = embedded_common;

#define	PROFILE(ident, name)	EMBED(ident, "lib/profile/" name ".conf");
#include "lib/profile/shipped.tbl"

const struct profile_shipped profile_shipped[] = {
#define	PROFILE(ident, name)	{ name, embedded_##ident },
#include "lib/profile/shipped.tbl"
	{ NULL, NULL }
};

const struct profile_field profile_fields[PROFILE_VALUES] = {
#define	VALUE(name, key, unit, least, most, need)			\
	{ key, PROFILE_##unit, least, most, PROFILE_NEED_##need },
#include "lib/profile/profile.tbl"
};

static const struct {
	const char	*name;
	double		 ps;	/* in one of them; 0: not a time */
} units[] = { [PROFILE_COUNT] = { "", 0 }, [PROFILE_SWITCH] = { "", 0 },
    [PROFILE_RATIO] = { "", 0 }, [PROFILE_NS] = { "ns", 1e3 },
    [PROFILE_US] = { "us", 1e6 }, [PROFILE_MS] = { "ms", 1e9 },
    [PROFILE_NS_PER_BYTE] = { "ns/B", 1e3 } };

const char *const provenance_names[] = { [PROVENANCE_MEASURED] = "measured",
    [PROVENANCE_PUBLISHED] = "published", [PROVENANCE_FITTED] = "fitted",
    [PROVENANCE_GUESSED] = "guessed", [PROVENANCE_ABSENT] = "absent" };

const char *
profile_text(const char *name)
{
	const struct profile_shipped *ps = profile_shipped;

	while (ps->ps_name != NULL && strcmp(ps->ps_name, name) != 0)
		ps++;
	return (ps->ps_text);
}

const char *
profile_unit_name(enum profile_unit unit)
{
	return (units[unit].name);
}

bool
profile_used(const struct profile *pr, enum profile_key key)
{
	const double *v = pr->pr_value, nodes = v[PROFILE_TOPO_NODES];
	const double cores = floor(v[PROFILE_TOPO_CPUS] / v[PROFILE_TOPO_SMT]);
	const unsigned need = profile_fields[key].pf_need;

	return (need == PROFILE_NEED_SMT ? v[PROFILE_TOPO_SMT] > 1 :
	    need == PROFILE_NEED_CACHES ? ceil(cores / nodes) >
	    v[PROFILE_TOPO_CCX] : need == PROFILE_NEED_NODES ? nodes > 1 :
	    need != PROFILE_NEED_NEVER ||
	    pr->pr_from[key] != PROVENANCE_ABSENT);
}

double
profile_share(const struct profile *pr, enum provenance from)
{
	unsigned all = 0, those = 0;

	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		/* Only the topology is counted. */
		if (profile_fields[key].pf_unit == PROFILE_COUNT ||
		    (key >= PROFILE_MODEL_FIFO && key <= PROFILE_MODEL_PAIR) ||
		    !profile_used(pr, key))
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

	/* The XDG base directory specification treats "" as unset. */
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

static int
load_file(struct profile *pr, const char *path, char error[PROFILE_ERROR_SIZE])
{
	const char *wrong = NULL;
	char *text = NULL;
	struct stat sb;
	size_t n = 0;
	int fd, status;

	/* Opening a pipe would wait for its writer. */
	if (stat(path, &sb) == 0 && !S_ISREG(sb.st_mode) &&
	    !S_ISDIR(sb.st_mode)) {
		snprintf(error, PROFILE_ERROR_SIZE, "%.200s: expected a "
		    "regular file", path);
		return (EINVAL);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	status = fd == -1 ? errno : read_file(fd, FILE_MAX, &text, &n);
	if (fd != -1)
		close(fd);
	if (status == EFBIG)
		wrong = "too long";
	else if (status == 0 && memchr(text, '\0', n) != NULL)
		wrong = "has a byte 0";
	if (wrong != NULL) {
		snprintf(error, PROFILE_ERROR_SIZE, "%.200s: %s; expected a "
		    "machine profile, text of at most %d bytes", path, wrong,
		    FILE_MAX);
		status = EINVAL;
	} else if (status != 0)
		snprintf(error, PROFILE_ERROR_SIZE, "%.200s: %s", path,
		    strerror(status));
	else
		status = profile_parse(pr, path, text, error);
	free(text);
	return (status);
}

bool
profile_is_path(const char *name)
{
	const size_t n = strlen(name);

	return (strchr(name, '/') != NULL ||
	    (n > 5 && strcmp(name + n - 5, ".conf") == 0));
}

static const char *
shipped_name(unsigned i)
{
	return (profile_shipped[i].ps_name);
}

static int
refuse_name(const char *name, bool host, char error[PROFILE_ERROR_SIZE])
{
	const char *near = nearest_name(shipped_name, name);

	if (host)
		snprintf(error, PROFILE_ERROR_SIZE, "there is no profile of "
		    "this machine: run \"rngsim calibrate\" first, or use "
		    "--profile with ");
	else
		snprintf(error, PROFILE_ERROR_SIZE, "no profile \"%.60s\": "
		    "expected host, ", name);
	for (const struct profile_shipped *ps = profile_shipped;
	    ps->ps_name != NULL; ps++)
		APPEND(error, PROFILE_ERROR_SIZE, "%s, ", ps->ps_name);
	APPEND(error, PROFILE_ERROR_SIZE, "or a file, with \"/\" in its name "
	    "or \".conf\" at its end");
	if (near != NULL)
		APPEND(error, PROFILE_ERROR_SIZE, "; did you mean %s?", near);
	return (ESRCH);
}

int
profile_load(struct profile *pr, const char *name,
    char error[PROFILE_ERROR_SIZE])
{
	const bool host = strcmp(name, "host") == 0;
	char path[PATH_MAX];
	int status;

	if (host && profile_host_path(path, sizeof(path)) == 0) {
		status = load_file(pr, path, error);
		/* Mostly a file that an older rngsim wrote. */
		if (status == EINVAL)
			APPEND(error, PROFILE_ERROR_SIZE, "; calibrate this "
			    "machine again");
		if (status != ENOENT && status != ENOTDIR)
			return (status);
	}
	if (profile_is_path(name))
		return (load_file(pr, name, error));
	return (profile_text(name) == NULL ? refuse_name(name, host, error) :
	    profile_parse(pr, name, profile_text(name), error));
}

void
profile_write(FILE *out, const void *profile)
{
	const struct profile *pr = profile;
	char number[32];
	const char *unit;

	fprintf(out, "name = \"%s\"\ndescr = \"%s\"\n", pr->pr_name,
	    pr->pr_descr);
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (pr->pr_from[key] == PROVENANCE_ABSENT)
			continue;
		unit = profile_unit_name(profile_fields[key].pf_unit);
		/* The fewest digits that read as the same number. */
		for (int digits = FLT_DIG; digits <= DBL_DECIMAL_DIG;
		    digits++) {
			snprintf(number, sizeof(number), "%.*g", digits,
			    pr->pr_value[key]);
			if (strtod(number, NULL) == pr->pr_value[key])
				break;
		}
		fprintf(out, "%s = %s%s%s %s \"%s\"\n",
		    profile_fields[key].pf_key, number,
		    *unit == '\0' ? "" : " ", unit,
		    provenance_names[pr->pr_from[key]], pr->pr_source[key]);
	}
}
