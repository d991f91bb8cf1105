/* rngsim doctor: what disturbs measurements on this machine. */
#include <sys/utsname.h>

#include "bench/cmd.h"
#include "bench/predict/calibrate.h"

enum { LINE_SIZE = 256, COLUMN = 17 };

#define	CPUFREQ	"/sys/devices/system/cpu/cpu0/cpufreq/"
#define	CLOCK	"/sys/devices/system/clocksource/clocksource0/"

/* The first line of a file with a word, until the next call; NULL: none. */
static const char *
find_line(const char *path, const char *word)
{
	static char line[1 << 14];
	FILE *f = fopen(path, "re");
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, word) != NULL;
	if (f != NULL)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return (found ? line : NULL);
}

/* Whether a line of /proc/cpuinfo has a flag, " NAME ". */
#define	HAS_FLAG(flag)	(find_line("/proc/cpuinfo", flag) != NULL)

/* A line for what was found, and below it what that does. */
static void
show(const char *what, const char *found, bool bad, const char *effect)
{
	format_wrap(stdout, FORMATF("%s %-12s", bad ? "!" : " ", what), COLUMN,
	    found);
	if (bad)
		format_wrap(stdout, "                ", COLUMN, effect);
}

static void
show_cpus(void)
{
	const unsigned n = cpu_count();
	char model[LINE_SIZE];
	unsigned cores = 0, k;

	cpu_model(model, sizeof(model));
	show("CPUs", FORMATF("%u of %u usable, %.60s", n, cpu_count_machine(),
	    model), n < cpu_count_machine(), "A mask or cpuset leaves out the "
	    "others: more readers share these.  See taskset(1), cpuset(7).");
	for (unsigned i = 0; i < n; i++) {
		for (k = 0; k < i && cpu_core(k) != cpu_core(i); k++)
			continue;
		cores += k == i;
	}
	show("SMT", FORMATF("%u core%s for %u CPU%s", cores, PLURAL(cores), n,
	    PLURAL(n)), cores < n, "CPUs of one core slow each other.  Readers "
	    "get cores first; use -r up to their number, or turn SMT off: "
	    "/sys/devices/system/cpu/smt/control.");
}

static void
show_clocks(void)
{
	const char *line = find_line(CPUFREQ "scaling_governor", "");

	if (line != NULL)
		show("frequency", line, strcmp(line, "performance") != 0,
		    "Rates rise and fall with the load.  Set the governor "
		    "\"performance\": cpupower frequency-set -g performance.");
	else
		show("frequency", "not visible", true, "It may change during a "
		    "window.  Compare cells of one run, which are measured "
		    "side by side, and not runs.");
	line = find_line("/sys/devices/system/cpu/cpufreq/boost", "");
	if (line != NULL)
		show("boost", line, strcmp(line, "0") != 0, "Few busy CPUs run "
		    "faster than many: one reader looks too good.  Turn it "
		    "off: echo 0 >/sys/devices/system/cpu/cpufreq/boost.");
	if ((line = find_line(CLOCK "current_clocksource", "")) == NULL)
		return;
	show("timer", line, strcmp(line, "tsc") != 0 &&
	    strcmp(line, "kvm-clock") != 0 &&
	    strcmp(line, "arch_sys_counter") != 0, "Reading the time may be a "
	    "system call, of a microsecond: latencies include it.  Choose "
	    "tsc: " CLOCK "current_clocksource.");
}

static int
run(struct options *op __unused)
{
	struct calibrate_conditions cc = { .cc_quota = 0 };
	char why[CALIBRATE_TEXT_SIZE];
	const char *capabilities = getenv("OPENSSL_ia32cap");
	const bool virtual = HAS_FLAG(" hypervisor ");
	struct utsname un;
	unsigned bad;

	cc.cc_unbound = cpu_bind(pthread_self(), 0) != 0;
	calibrate_await_rest(&cc, false);
	bad = calibrate_objections(&cc, why, sizeof(why));
	show_cpus();
	show_clocks();
	if (uname(&un) == 0)
		show("kernel", FORMATF("%.30s %.60s", un.sysname, un.release),
		    false, "");
	show("machine", virtual ? "virtual" : "no hypervisor seen", virtual,
	    "The hypervisor stops CPUs at any time, also one that holds a "
	    "lock.  Repeat more (-n, --until), and look at medians.");
	show("steal", FORMATF("%.1f %%", 100 * cc.cc_steal), false, "");
	show("quota", cc.cc_quota > 0 ? FORMATF("%.3g CPUs", cc.cc_quota) :
	    "none", false, "");
	show("others", FORMATF("%.2f of each CPU, load %.2f", cc.cc_others,
	    cc.cc_load), false, "");
	show("libcrypto", FORMATF("%.60s%s%s%s%s", crypto_version(),
	    HAS_FLAG(" aes ") ? ", AES" : "", HAS_FLAG(" vaes ") ? ", VAES" :
	    "", HAS_FLAG(" avx2 ") ? ", AVX2" : "",
	    HAS_FLAG(" avx512f ") ? ", AVX-512" : ""), false, "");
	if (capabilities != NULL)
		show("OPENSSL_ia32cap", capabilities, true, "libcrypto uses "
		    "what this allows, also with --crypto native: unset it.");
	if (bad > 0)
		format_wrapf(stdout, "\nNot fit to measure:", 2, "%s.", why);
	else
		puts("\nFit to measure.");
	return (bad > 0 ? EXIT_UNFIT : EXIT_SUCCESS);
}

const struct command cmd_doctor = { NULL, run, NEEDS_CRYPTO | NEEDS_THREAD };
