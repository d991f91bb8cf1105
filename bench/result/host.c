#include <sys/utsname.h>

#include "bench/result/result.h"
#include "lib/crypto/crypto.h"
#include "lib/machine/cpu.h"

#if defined(__clang__)
#define	HOST_COMPILER	"clang " __clang_version__
#elif defined(__GNUC__)
#define	HOST_COMPILER	"gcc " __VERSION__
#else
#define	HOST_COMPILER	"unknown"
#endif

/* A result has no control characters; a CPU's name may. */
static void
fill_text(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text);
	text_clean(out);
	for (size_t len = strlen(out); len > 0 && out[len - 1] == ' '; len--)
		out[len - 1] = '\0';
}

void
result_host_fill(struct result_host *host)
{
	char kernel[RESULT_TEXT_SIZE] = "unknown", text[RESULT_TEXT_SIZE];
	struct utsname un;

	cpu_model(text, sizeof(text));
	fill_text(host->cpu_model, sizeof(host->cpu_model), text);
	host->cpus = cpu_count();
	host->cpus_machine = cpu_count_machine();
	host->cpu_quota = cpu_quota();
	host->numa_nodes = cpu_nodes();
	/* FreeBSD's names may be longer; the end is the build. */
	if (uname(&un) == 0)
		snprintf(kernel, sizeof(kernel), "%.80s %.80s %.40s",
		    un.sysname, un.release, un.machine);
	fill_text(host->kernel, sizeof(host->kernel), kernel);
	fill_text(host->compiler, sizeof(host->compiler), HOST_COMPILER);
	/* mk/rules.sh defines flags and revision. */
	fill_text(host->flags, sizeof(host->flags), RNGSIM_FLAGS);
	fill_text(host->libcrypto, sizeof(host->libcrypto), crypto_version());
	fill_text(host->revision, sizeof(host->revision), RNGSIM_REVISION);
	host->invariants = KASSERT_INVARIANTS;
}

void
result_now(char text[RESULT_NAME_SIZE])
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, RESULT_NAME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
