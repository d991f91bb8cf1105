/*
 * Shipped files of the kernel with some texts replaced, compiled as designs:
 * what cannot be reached from outside, and faults that must be found.
 */
#ifndef TESTS_UNIT_PATCHED_H
#define TESTS_UNIT_PATCHED_H

#include <sys/stat.h>

#include <stdio.h>
#include <unistd.h>

#include "bench/kernel/ksource.h"
#include "fortuna/device/design.h"
#include "tests/unit/support.h"

enum { PATCHED_BYTES = 1 << 16 };

struct patch {
	const char	*p_from;	/* is there once; a blank: any space */
	const char	*p_to;
	const char	*p_in;		/* the function that has it, or NULL */
};
#define	PATCH(from, to)	{ (from), (to), NULL }

/* The path of a file of the tree. */
static inline void
patched_path(const atf_tc_t *tc, const char *file, char *path, size_t n)
{
	const bool given = atf_tc_has_config_var(tc, "source");

	snprintf(path, n, "%s%s/%s", atf_tc_get_config_var(tc, given ?
	    "source" : "srcdir"), given ? "" : "/../..", file);
}

/* Compiles a file, and keeps that beside the test programs. */
static inline const struct design *
patched_open(const atf_tc_t *tc, const char *path)
{
	char cache[KSOURCE_SPEC_SIZE], why[KSOURCE_WHY_SIZE] = "";
	const char *name;

	snprintf(cache, sizeof(cache), "%s/../kernel-cache",
	    atf_tc_get_config_var(tc, "srcdir"));
	ATF_REQUIRE_EQ(0, setenv("XDG_CACHE_HOME", cache, 1));
	/* Compilers are most of the time that tests of patches take. */
	ATF_REQUIRE_EQ(0, setenv("RNGSIM_KERNEL_CFLAGS",
	    "-g0 -O1 -DINVARIANTS", 1));
	ATF_REQUIRE_MSG(ksource_open(path, false, &name, why) == 0, "%s: %s",
	    path, why);
	return (design_find(name));
}

#define	PATCHED_BLANKS	" \t\n"

static inline bool
patched_blank(const char *at)
{
	return (*at != '\0' && strchr(PATCHED_BLANKS, *at) != NULL);
}

/* How long the text is at its begin; 0: it is not there. */
static inline size_t
patched_match(const char *at, const char *from)
{
	const char *begin = at;

	for (; *from != '\0'; from++)
		if (*from == ' ' && patched_blank(at))
			at += strspn(at, PATCHED_BLANKS);
		else if (*at++ != *from)
			return (0);
	return ((size_t)(at - begin));
}

/* Replaces a text of a file, which fits into PATCHED_BYTES. */
static inline void
patched_apply(char *text, const struct patch *p, const char *file)
{
	char head[128], *at = text, *end, *found = NULL;
	size_t n, size = 0;

	snprintf(head, sizeof(head), "\n%s(", p->p_in == NULL ? "" : p->p_in);
	if (p->p_in != NULL)
		at = strstr(text, head);
	ATF_REQUIRE_MSG(at != NULL, "%s has no %s()", file, p->p_in);
	end = p->p_in != NULL ? strstr(at, "\n}") : at + strlen(at);
	for (; at < end; at++)
		if ((n = patched_match(at, p->p_from)) != 0 &&
		    !(patched_blank(at) && found != NULL &&
		    at < found + size)) {
			ATF_REQUIRE_MSG(found == NULL, "%s has \"%s\" twice",
			    file, p->p_from);
			found = at;
			size = n;
		}
	ATF_REQUIRE_MSG(found != NULL, "%s has no \"%s\"", file, p->p_from);
	n = strlen(p->p_to);
	ATF_REQUIRE(strlen(text) - size + n < PATCHED_BYTES);
	memmove(found + n, found + size, strlen(found + size) + 1);
	memcpy(found, p->p_to, n);
}

/* Reads a file of the tree. */
static inline void
patched_read(const atf_tc_t *tc, const char *file, char text[PATCHED_BYTES])
{
	char path[512];
	size_t size;
	FILE *f;

	patched_path(tc, file, path, sizeof(path));
	f = fopen(path, "r");
	ATF_REQUIRE_MSG(f != NULL, "%s", path);
	size = fread(text, 1, PATCHED_BYTES - 1, f);
	fclose(f);
	ATF_REQUIRE(size < PATCHED_BYTES - 1);
	text[size] = '\0';
}

/*
 * The design of a file, of fortuna/ or harvest/, with n patches; path has room
 * for the new file's, in a folder that is named by its text, so that each is
 * compiled once.  Linux's core is a part of a file that includes it.
 */
static inline const struct design *
patched_file(const atf_tc_t *tc, const char *file, const struct patch *p,
    size_t n, char path[512])
{
	static const char core[] = "#include <dev/random/crng.h>";
	static char text[PATCHED_BYTES], header[PATCHED_BYTES];
	uint64_t sum = 0;
	char made[600];

	patched_read(tc, file, text);
	if (strstr(text, core) != NULL) {
		patched_read(tc, "fortuna/dev/random/crng.h", header);
		patched_apply(text, &(struct patch){
		    .p_from = core, .p_to = header }, file);
	}
	for (; n > 0; n--, p++)
		patched_apply(text, p, file);
	for (const char *at = text; *at != '\0'; at++)
		sum = splitmix_next(&(uint64_t){ sum ^ (unsigned char)*at });
	ATF_REQUIRE(snprintf(path, 512, "%s/../kernel-cache",
	    atf_tc_get_config_var(tc, "srcdir")) < 512 - 128);
	(void)mkdir(path, 0777);
	snprintf(path + strlen(path), 64, "/patched.%" PRIx64, sum);
	(void)mkdir(path, 0777);
	strcat(path, strrchr(file, '/'));
	/* Other cases may make the same. */
	snprintf(made, sizeof(made), "%s.%d", path, (int)getpid());
	atf_utils_create_file(made, "%s", text);
	ATF_REQUIRE_EQ(0, rename(made, path));
	return (patched_open(tc, path));
}

static inline const struct design *
patched(const atf_tc_t *tc, const char *file, const struct patch *p, size_t n)
{
	char path[512];

	return (patched_file(tc, file, p, n, path));
}

#endif
