#if defined(__FreeBSD__)
#include <sys/types.h>
#include <sys/sysctl.h>
#endif

#include "bench/survey/sources.h"

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
mitigation_read(const char *path, char text[MITIGATION_TEXT_SIZE])
{
	int error;

	error = path != NULL ? read_file(path, text) : read_kernel(text);
	if (error != 0)
		snprintf(text, MITIGATION_TEXT_SIZE, "%.64s: %.48s",
		    path != NULL ? path : kernels_place, strerror(error));
	text[strcspn(text, "\n")] = '\0';
	for (char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}
