#include <sys/utsname.h>

#include <math.h>

#include "bench/sweep/sweep.h"
#include "lib/machine/cpu.h"
#include "lib/machine/tick.h"

enum {
	CALIBRATION_ROUNDS	= 9,
	CALIBRATION_PAIRS	= 20000
};

/* The build defines both; see .ci/rules.sh. */
#ifndef RNGSIM_FLAGS
#define	RNGSIM_FLAGS	"unknown"
#endif
#ifndef RNGSIM_REVISION
#define	RNGSIM_REVISION	"unknown"
#endif

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
	for (char *c = out; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	for (size_t len = strlen(out); len > 0 && out[len - 1] == ' '; len--)
		out[len - 1] = '\0';
}

void
result_host_fill(struct result_host *host)
{
	char text[RESULT_TEXT_SIZE];
	struct utsname un;

	KASSERT(host != NULL, ("nothing to fill"));
	cpu_model(text, sizeof(text));
	fill_text(host->cpu_model, sizeof(host->cpu_model), text);
	host->cpus = cpu_count();
	host->cpus_machine = cpu_count_machine();
	host->cpu_quota = cpu_quota();
	host->numa_nodes = cpu_nodes();
	/* FreeBSD's names may be longer; the end is the build. */
	if (uname(&un) == 0)
		snprintf(text, sizeof(text), "%.80s %.80s %.40s", un.sysname,
		    un.release, un.machine);
	else
		snprintf(text, sizeof(text), "unknown");
	fill_text(host->kernel, sizeof(host->kernel), text);
	fill_text(host->compiler, sizeof(host->compiler), HOST_COMPILER);
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

int
host_calibrate(struct result_host *host)
{
	double cost[CALIBRATION_ROUNDS], stamp[CALIBRATION_ROUNDS];
	double bare, real;
	volatile uint64_t sink;
	int64_t start_ns;

	for (unsigned i = 0; i < CALIBRATION_ROUNDS; i++) {
		real = ENGINE(real).en_lock_pairs(CALIBRATION_PAIRS);
		bare = ENGINE(bare).en_lock_pairs(CALIBRATION_PAIRS);
		if (real < 0 || bare < 0)
			return (ENOMEM);
		cost[i] = (real - bare) / CALIBRATION_PAIRS;
		start_ns = tick_ns();
		for (unsigned k = 0; k < CALIBRATION_PAIRS; k++)
			sink = tick_cycles();
		stamp[i] = (double)(tick_ns() - start_ns) / CALIBRATION_PAIRS;
	}
	(void)sink;
	host->profile_ns = fmax(0, stats_median(cost, CALIBRATION_ROUNDS));
	host->clock_ns = stats_median(stamp, CALIBRATION_ROUNDS);
	return (0);
}
