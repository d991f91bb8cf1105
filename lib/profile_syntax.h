/*
 * Between the files that read machine profiles (lib/profile.h): libconfig's
 * grammar in profile_syntax.c, what a profile may say in profile_parse.c.
 */
#ifndef LIB_PROFILE_SYNTAX_H
#define LIB_PROFILE_SYNTAX_H

#include <libconfig.h>

#include "lib/profile.h"

enum {
	/* A key, or the beginning of what is none. */
	PROFILE_KEY_SIZE	= 64,
	/* libconfig wraps longer whole numbers without a word. */
	PROFILE_DIGITS_MAX	= 9
};

/* A text being read. */
struct profile_syntax {
	const char	*ps_name;	/* of the file */
	const char	*ps_text;
	char		*ps_error;	/* PROFILE_ERROR_SIZE */
	config_t	 ps_config;
	unsigned	 ps_lines;
	unsigned	 ps_long;	/* a line with too many digits, or 0 */
};

/*
 * Reads the text into ps_config; the caller destroys it, whatever is returned.
 *
 *   ps  in/out  name, text and error are set, the rest is 0
 *
 * Returns: 0 or EINVAL.
 */
int profile_syntax_read(struct profile_syntax *ps);

/*
 * Says what is wrong, as NAME:LINE: KEY: MESSAGE.
 *
 *   key  in  or ""
 *
 * Returns: EINVAL.
 */
int profile_refuse(const struct profile_syntax *ps, unsigned line,
    const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * The dotted name of a setting, or as much as there is room for.
 *
 *   path  out  "" for the root
 */
void profile_path(const config_setting_t *s, char path[PROFILE_KEY_SIZE]);

#endif
