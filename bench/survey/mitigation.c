#if defined(__FreeBSD__)
#include <sys/types.h>
#include <sys/sysctl.h>
#endif

#include <errno.h>
#include <string.h>

#include "bench/survey/sources.h"

const char *const mitigation_state_names[MITIGATION_STATES] = {
	[MITIGATION_NOT_KNOWN]		= "not known",
	[MITIGATION_NOT_AFFECTED]	= "not affected",
	[MITIGATION_OFF]		= "off",
	[MITIGATION_ON]			= "on"
};

/*
 * How reports begin, the longer of two first: Linux in
 * arch/x86/kernel/cpu/bugs.c, FreeBSD in sys/x86/x86/cpu_machdep.c.  Without
 * TSX, which the attack needs, nothing is slowed.
 */
static const struct {
	const char	*words;
	enum mitigation_state state;
} reports[] = {
	{ "Not affected",		MITIGATION_NOT_AFFECTED },
	{ "Not applicable",		MITIGATION_NOT_AFFECTED },
	{ "Vulnerable",			MITIGATION_OFF },
	{ "RDSEED not serialized",	MITIGATION_OFF },
	{ "Mitigation: TSX disabled",	MITIGATION_OFF },
	{ "Mitigation: ",		MITIGATION_ON },
	{ "Mitigated",			MITIGATION_ON },
};

enum { REPORTS = sizeof(reports) / sizeof(reports[0]) };

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
	char *c;
	int error;

	memset(mi, 0, sizeof(*mi));
	error = path != NULL ? read_file(path, mi->mi_text) :
	    read_kernel(mi->mi_text);
	if (error != 0) {
		snprintf(mi->mi_text, sizeof(mi->mi_text), "%.64s: %.48s",
		    path != NULL ? path : kernels_place, strerror(error));
		return;
	}
	mi->mi_text[strcspn(mi->mi_text, "\n")] = '\0';
	for (c = mi->mi_text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	for (i = 0; i < REPORTS; i++) {
		if (strncmp(mi->mi_text, reports[i].words,
		    strlen(reports[i].words)) == 0) {
			mi->mi_state = reports[i].state;
			return;
		}
	}
}
