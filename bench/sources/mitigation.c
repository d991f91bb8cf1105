#if defined(__FreeBSD__)
#include <sys/types.h>
#include <sys/sysctl.h>
#endif

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/sources/mitigation.h"

const char *const mitigation_state_names[MITIGATION_STATES] = {
	[MITIGATION_NOT_KNOWN]		= "not known",
	[MITIGATION_NOT_AFFECTED]	= "not affected",
	[MITIGATION_OFF]		= "off",
	[MITIGATION_ON]			= "on"
};

/*
 * Beginnings of what kernels write, the longer of two first: Linux in
 * arch/x86/kernel/cpu/bugs.c, FreeBSD in sys/x86/x86/cpu_machdep.c.  Where
 * TSX, which the attack needs, is off nothing is made slow.
 */
static const struct {
	const char	*words;
	enum mitigation_state state;
} kernels_words[] = {
	{ "Not affected",		MITIGATION_NOT_AFFECTED },
	{ "Not applicable",		MITIGATION_NOT_AFFECTED },
	{ "Vulnerable",			MITIGATION_OFF },
	{ "RDSEED not serialized",	MITIGATION_OFF },
	{ "Mitigation: TSX disabled",	MITIGATION_OFF },
	{ "Mitigation: ",		MITIGATION_ON },
	{ "Mitigated",			MITIGATION_ON },
};

enum { KERNELS_WORDS = sizeof(kernels_words) / sizeof(kernels_words[0]) };

/* Text of a file becomes one line that a terminal can show. */
static void
plain(char *text)
{

	text[strcspn(text, "\n")] = '\0';
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* Returns: 0, or an errno value. */
static int
read_file(const char *path, char text[MITIGATION_TEXT_SIZE])
{
	FILE *f;
	int error;

	f = fopen(path, "re");
	if (f == NULL)
		return (errno);
	errno = 0;
	error = fgets(text, MITIGATION_TEXT_SIZE, f) != NULL ? 0 :
	    errno != 0 ? errno : ENODATA;
	fclose(f);
	return (error);
}

#if defined(__FreeBSD__)
static const char kernels_place[] = "machdep.mitigations.rngds.state";

static int
read_kernel(char text[MITIGATION_TEXT_SIZE])
{
	size_t len = MITIGATION_TEXT_SIZE - 1;

	if (sysctlbyname(kernels_place, text, &len, NULL, 0) != 0)
		return (errno);
	text[len] = '\0';
	return (0);
}
#else
static const char kernels_place[] =
    "/sys/devices/system/cpu/vulnerabilities/srbds";

static int
read_kernel(char text[MITIGATION_TEXT_SIZE])
{

	return (read_file(kernels_place, text));
}
#endif

void
mitigation_read(const char *path, struct mitigation *mi)
{
	unsigned i;
	int error;

	memset(mi, 0, sizeof(*mi));
	error = path != NULL ? read_file(path, mi->mi_text) :
	    read_kernel(mi->mi_text);
	if (error != 0) {
		snprintf(mi->mi_text, sizeof(mi->mi_text), "%.64s: %.48s",
		    path != NULL ? path : kernels_place, strerror(error));
		return;
	}
	plain(mi->mi_text);
	for (i = 0; i < KERNELS_WORDS; i++) {
		if (strncmp(mi->mi_text, kernels_words[i].words,
		    strlen(kernels_words[i].words)) == 0) {
			mi->mi_state = kernels_words[i].state;
			return;
		}
	}
}

const char *
mitigation_meaning(enum mitigation_state state)
{

	switch (state) {
	case MITIGATION_NOT_AFFECTED:
		return ("rdrand and rdseed run at full speed");
	case MITIGATION_OFF:
		return ("affected, but rdrand and rdseed run at full speed");
	case MITIGATION_ON:
		return ("rdrand and rdseed are up to 40 times slower");
	default:
		return ("rdrand and rdseed may be slowed");
	}
}
