/*
 * The shipped profiles, embedded as they are in lib/profiles.
 */
#include "lib/kassert.h"
#include "lib/profile.h"

/* The assembler finds the files from the root of the tree. */
#define	PROFILE(ident, name)						\
	__asm__(".pushsection .rodata\n"				\
	    "profile_text_" #ident ":\n"				\
	    "\t.incbin \"lib/profiles/" name ".conf\"\n"		\
	    "\t.byte 0\n"						\
	    ".popsection\n");						\
	extern const char text_##ident[]				\
	    __asm__("profile_text_" #ident)				\
	    __attribute__((visibility("hidden")));
#include "lib/profiles/profile.tbl"
#undef PROFILE

static const struct {
	const char	*name;
	const char	*text;
} shipped[] = {
#define	PROFILE(ident, name)	{ name, text_##ident },
#include "lib/profiles/profile.tbl"
#undef PROFILE
};

enum { SHIPPED = sizeof(shipped) / sizeof(shipped[0]) };

unsigned
profile_shipped_count(void)
{

	return (SHIPPED);
}

const char *
profile_shipped_name(unsigned i)
{

	KASSERT(i < SHIPPED, ("profile %u of %u", i, (unsigned)SHIPPED));
	return (shipped[i].name);
}

const char *
profile_shipped_text(unsigned i)
{

	KASSERT(i < SHIPPED, ("profile %u of %u", i, (unsigned)SHIPPED));
	return (shipped[i].text);
}
