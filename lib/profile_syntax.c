#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/profile_syntax.h"

int
profile_refuse(const struct profile_syntax *ps, unsigned line, const char *key,
    const char *fmt, ...)
{
	va_list ap;
	char *c;
	int n;

	n = snprintf(ps->ps_error, PROFILE_ERROR_SIZE, "%.200s:%u: %s%s",
	    ps->ps_name, line, key, *key == '\0' ? "" : ": ");
	va_start(ap, fmt);
	vsnprintf(ps->ps_error + n, PROFILE_ERROR_SIZE - (size_t)n, fmt, ap);
	va_end(ap);
	/* A file must not be able to talk to a terminal. */
	for (c = ps->ps_error; *c != '\0'; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	return (EINVAL);
}

/* The end of a comment or string that begins at p, or NULL. */
static const char *
skip(const char *p)
{
	const char *end;

	if (*p == '#' || strncmp(p, "//", 2) == 0)
		return (p + strcspn(p, "\n"));
	if (strncmp(p, "/*", 2) == 0) {
		end = strstr(p + 2, "*/");
		return (end == NULL ? strchr(p, '\0') : end + 2);
	}
	if (*p != '"')
		return (NULL);
	for (p++; *p != '\0' && *p != '"'; p++)
		p += *p == '\\' && (p[1] == '"' || p[1] == '\\');
	return (*p == '"' ? p + 1 : p);
}

/* Looks for what libconfig would act on behind our back. */
static int
scan(struct profile_syntax *ps)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*-";
	static const char digits[] = "0123456789";
	const char *end, *p;
	unsigned line = 1;
	size_t n;

	for (p = ps->ps_text; *p != '\0'; p = end) {
		end = skip(p);
		if (end == NULL && isdigit((unsigned char)*p)) {
			p += strspn(p, "0");
			n = strspn(p, digits);
			end = p + n + strspn(p + n, ".eE+-0123456789");
			if (end == p + n && n > PROFILE_DIGITS_MAX &&
			    ps->ps_long == 0)
				ps->ps_long = line;
		} else if (end == NULL) {
			n = strspn(p, word);
			end = p + (n == 0 ? 1 : n);
		}
		if (strncmp(p, "@include", 8) == 0)
			return (profile_refuse(ps, line, "", "files cannot be "
			    "included; expected all values in one"));
		for (; p < end; p++)
			line += *p == '\n';
	}
	/* A newline ends a line and begins none. */
	ps->ps_lines = line > 1 && p[-1] == '\n' ? line - 1 : line;
	return (0);
}

void
profile_path(const config_setting_t *s, char path[PROFILE_KEY_SIZE])
{
	size_t n;

	path[0] = '\0';
	if (config_setting_is_root(s))
		return;
	profile_path(config_setting_parent(s), path);
	n = strlen(path);
	snprintf(path + n, PROFILE_KEY_SIZE - n, "%s%s", n == 0 ? "" : ".",
	    config_setting_name(s) == NULL ? "" : config_setting_name(s));
}

static config_setting_t *
last_member(const config_setting_t *s)
{
	int n;

	n = config_setting_is_group(s) ? config_setting_length(s) : 0;
	return (n == 0 ? NULL : config_setting_get_elem(s, (unsigned)n - 1));
}

/* The setting whose name the n-th line repeats, or NULL. */
static const config_setting_t *
repeated(const struct profile_syntax *ps, unsigned n)
{
	const config_setting_t *found = NULL, *group, *s;
	const char *p = ps->ps_text;
	char word[PROFILE_KEY_SIZE];
	size_t len;

	for (; n > 1 && *p != '\0'; n--) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	p += strspn(p, " \t};");
	len = strcspn(p, " \t=:\r\n");
	if (len == 0 || len >= sizeof(word))
		return (NULL);
	memcpy(word, p, len);
	word[len] = '\0';
	/* The group that was being read is the last of the last ones. */
	group = config_root_setting(&ps->ps_config);
	for (; group != NULL; group = last_member(group)) {
		s = config_setting_is_group(group) ?
		    config_setting_get_member(group, word) : NULL;
		if (s != NULL)
			found = s;
	}
	return (found);
}

/* libconfig's own complaint, with the key it had come to. */
static int
refuse_syntax(const struct profile_syntax *ps)
{
	unsigned line = (unsigned)config_error_line(&ps->ps_config);
	const char *what = config_error_text(&ps->ps_config);
	const config_setting_t *next, *s = NULL;
	char path[PROFILE_KEY_SIZE];

	if (what == NULL)
		what = "cannot be read";
	if (line > ps->ps_lines)
		line = ps->ps_lines;
	if (strstr(what, "duplicate") != NULL)
		s = repeated(ps, line);
	if (s != NULL) {
		profile_path(s, path);
		return (profile_refuse(ps, line, path, "there is one in line "
		    "%u; expected it once", config_setting_source_line(s)));
	}
	s = config_root_setting(&ps->ps_config);
	while ((next = last_member(s)) != NULL)
		s = next;
	profile_path(s, path);
	return (profile_refuse(ps, line, path, "%s%s; expected name = "
	    "\"TEXT\"; descr = \"TEXT\"; and groups such as lat: { hit = "
	    "(1.5, \"ns\", \"guessed\", \"SOURCE\"); };", what,
	    *path == '\0' ? "" : " in it or behind it"));
}

int
profile_syntax_read(struct profile_syntax *ps)
{
	int error;

	config_init(&ps->ps_config);
	error = scan(ps);
	if (error == 0 &&
	    config_read_string(&ps->ps_config, ps->ps_text) == CONFIG_FALSE)
		error = refuse_syntax(ps);
	return (error);
}
