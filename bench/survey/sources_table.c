/*
 * The table of "rngsim sources": what was measured, and published figures
 * below it.
 */
#include <inttypes.h>

#include "bench/survey/sources.h"

const char *const published_sources[PUBLISHED_SOURCES] = {
	"lcg", "tinymt32", "rdrand", "rdseed"
};

/* From hrng; pseudo generators 10^8 calls, hardware 10^6. */
const struct published_machine published_machines[PUBLISHED_MACHINES] = {
	{ "i5-10210U Linux, SRBDS on",
	    { { 1.16, 0.14 }, { 3.36, 0.70 }, { 1164, 975 }, { 1164, 977 } },
	    { 0, 0 } },
	{ "i5-10210U Linux, SRBDS off",
	    { { 1.18, 0.15 }, { 3.35, 0.70 }, { 123, 25 }, { 439, 473 } },
	    { 12.6, 132.7 } },
	{ "i5-10210U Windows 10",
	    { { 0.93, 0.21 }, { 4.10, 3.59 }, { 144, 34 }, { 487, 573 } },
	    { 12.5, 113.9 } },
	{ "i5-10500T Windows 11",
	    { { 0.98, 0.10 }, { 4.14, 1.91 }, { 115, 23 }, { 972, 382 } },
	    { 29.9, 142.3 } },
};

const char published_peak_from[] = "rdrand on Ivy Bridge, October 2012, with "
    "4 threads on an i5-3210M (2 cores) and already with 3 on an i7-3770: the "
    "generator's bus saturates (theory: 6.4 Gbit/s), not the cores; below that "
    "a read takes about 9 cycles";

/* Printed beside the first numbers. */
static const char *const status_words[SOURCES_STATUSES] = {
	[SOURCES_TIMED]		= "",
	[SOURCES_ABSENT]	= " absent: this CPU has no such instruction",
	[SOURCES_WRONG]		= " WRONG: not timed",
	[SOURCES_DEAD]		= " NO NUMBER after many tries"
};

/* The point of a curve with the most threads, a CPU for each; or NULL. */
static const struct sources_point *
most(const struct sources *sr, const struct sources_curve *sc, unsigned threads)
{
	const struct sources_point *found = NULL, *sp = sc->sc_points;

	for (; sp < &sc->sc_points[sr->sr_thread_counts]; sp++)
		if (!sp->sp_oversubscribed && sp->sp_count > 0 &&
		    sp->sp_threads <= threads)
			found = sp;
	return (found);
}

/* The timed curve of a source and width; or NULL. */
static const struct sources_curve *
find(const struct sources *sr, const char *name, enum number_width width)
{
	for (const struct sources_curve *sc = sr->sr_curves;
	    sc < &sr->sr_curves[sr->sr_count]; sc++)
		if (sc->sc_status == SOURCES_TIMED && sc->sc_width == width &&
		    strcmp(sc->sc_source->ns_name, name) == 0)
			return (sc);
	return (NULL);
}

static void
print_head(FILE *out, const struct sources *sr)
{
	const struct result_host *host = &sr->sr_survey.sy_host;
	struct text t = { .s = "" };

	survey_print_host(out, &sr->sr_survey, host->cpu_quota > 0 ?
	    FORMATF("; a cgroup grants %.3g CPUs", host->cpu_quota) : "");
	survey_add_repeats(&t, &sr->sr_survey);
	format_wrapf(out, "medians", 2, "%s; INVARIANTS %s", t.s,
	    host->invariants ? "on" : "off");
	format_wrap(out, "SRBDS mitigation:", 2, sr->sr_srbds);
}

static void
print_first(FILE *out, const struct sources *sr)
{
	fputs("\nsource   bit first four numbers\n", out);
	for (const struct sources_curve *sc = sr->sr_curves;
	    sc < &sr->sr_curves[sr->sr_count]; sc++) {
		const unsigned bits = number_bits[sc->sc_width];
		const bool timed = sc->sc_status == SOURCES_TIMED;

		fprintf(out, "%-8s %3u", sc->sc_source->ns_name, bits);
		for (unsigned k = 0; k < NUMBER_FIRST && (timed ||
		    sc->sc_status == SOURCES_WRONG); k++)
			fprintf(out, " %0*" PRIx64, (int)bits / 4,
			    sc->sc_first[k]);
		fprintf(out, "%s\n", timed && sc->sc_source->ns_known != NULL ?
		    " as published" : status_words[sc->sc_status]);
	}
}

static const struct column point_columns[] = {
	{ "source", -8 }, { "bit", 3 }, { "threads ", 8 }, { "ns/number", 9 },
	{ "+-%", 5 }, { "M reads/s", 9 }, { "Gbit/s", 8 }, { "failed%", 7 },
	{ "speedup", 7 }, { "CPU%", 5 }
};

static void
print_point(FILE *out, const struct sources *sr,
    const struct sources_curve *sc, const struct sources_point *sp)
{
	const struct sources_point *one = most(sr, sc, 1);
	const double rate = sp->sp_reads_per_s;

	COLUMNS_ROW(out, point_columns, sc->sc_source->ns_name,
	    FORMATF("%u", number_bits[sc->sc_width]),
	    FORMATF("%u%s", sp->sp_threads, sp->sp_oversubscribed ? "*" :
	    sp->sp_unbound ? "!" : " "), FORMAT(real, sources_ns(rate)),
	    sp->sp_count == 1 ? "?" : FORMAT(percent, 50 * (sp->sp_ci95[1] -
	    sp->sp_ci95[0]) / rate), FORMAT(real, rate / 1e6),
	    FORMAT(real, sources_gbit_per_s(sc, rate)),
	    FORMAT(percent, sp->sp_failures_percent), one == NULL ? NULL :
	    FORMATF("%.2f", rate / one->sp_reads_per_s),
	    FORMAT(percent, sp->sp_cpu_percent));
}

static void
print_points(FILE *out, const struct sources *sr)
{
	/* Printed below the table when a row needs it. */
	struct {
		bool		 used;
		const char	*mark;
		const char	*text;
	} note[] = {
		{ true, "", "ns/number, M reads/s and Gbit/s are of all "
		    "threads together; +-% is half the 95 % interval; failed% "
		    "failed reads per number, each repeated after 64 pauses; "
		    "speedup against one thread; CPU% the CPU time that a "
		    "thread had." },
		{ false, "", "Other programs used these CPUs: rows with CPU% "
		    "below 95 measure them too; a shorter -t helps." },
		{ false, "?", "too few repeats: the spread between them is "
		    "not known." },
		{ false, "*", "more threads than CPUs: the scheduler is in "
		    "these numbers." },
		{ false, "!", "binding a thread to its CPU was refused." }
	};

	putc('\n', out);
	COLUMNS_TITLES(out, point_columns);
	for (unsigned i = 0; i < sr->sr_survey.sy_points; i++) {
		const struct sources_point *sp = &sr->sr_points[i];

		if (sp->sp_count == 0)
			continue;
		print_point(out, sr, sources_curve(sr, i), sp);
		note[1].used |= !sp->sp_oversubscribed &&
		    sp->sp_cpu_percent < SOURCES_CPU_PERCENT;
		note[2].used |= sp->sp_count == 1;
		note[3].used |= sp->sp_oversubscribed;
		note[4].used |= sp->sp_unbound;
	}
	for (unsigned i = 0; i < sizeof(note) / sizeof(note[0]); i++)
		if (note[i].used)
			format_wrap(out, note[i].mark, 2, note[i].text);
}

static void
print_saturation(FILE *out, const struct sources *sr)
{
	fputs("\nthroughput stops growing\n", out);
	for (const struct sources_curve *sc = sr->sr_curves;
	    sc < &sr->sr_curves[sr->sr_count]; sc++)
		if (sc->sc_most > 0)
			format_wrap(out, FORMATF("%-8s %3u",
			    sc->sc_source->ns_name, number_bits[sc->sc_width]),
			    14, sc->sc_enough == 0 ?
			    "not known from one number of threads" :
			    FORMATF(sc->sc_enough == sc->sc_most ?
			    "not reached with %u threads" :
			    "at %u thread%s", sc->sc_enough,
			    PLURAL(sc->sc_enough)));
}

/* A number in four characters at most; "-" for one below 0: not known. */
static const char *
compact(char buf[FORMAT_SIZE], double v)
{
	static const char *const suffixes[] = { "", "k", "M", "G" };
	unsigned s = 0;

	if (v < 0)
		return ("-");
	/* As rounded: 9999.6 is 10k. */
	for (; v >= (s == 0 ? 9999.5 : 999.5) && s < 3; s++)
		v /= 1000;
	snprintf(buf, FORMAT_SIZE, "%.*f%s", s > 0 || v >= 99.95 || v == 0 ?
	    0 : v >= 9.995 ? 1 : 2, v, suffixes[s]);
	return (buf);
}

#define	PAIR(v)								\
	FORMATF("%s/%s", compact((char[FORMAT_SIZE]){ 0 }, (v)[0]),	\
	    compact((char[FORMAT_SIZE]){ 0 }, (v)[1]))

/* One row: measured here, or published. */
static void
print_machine(FILE *out, const struct published_machine *pm)
{
	fprintf(out, "  %-26s", pm->pm_machine);
	for (unsigned i = 0; i < PUBLISHED_SOURCES; i++)
		fprintf(out, " %9s", PAIR(pm->pm_ns[i]));
	fprintf(out, " %11s\n", PAIR(pm->pm_failures_percent));
}

static void
print_machines(FILE *out, const struct sources *sr)
{
	struct published_machine here = { .pm_machine = "here",
	    .pm_failures_percent = { -1, -1 } };
	const struct sources_curve *sc;
	const struct sources_point *sp;
	char name[32];
	unsigned i, k, threads = 0;

	fprintf(out, "\n%-28s", "ns/32-bit number, 1/all thr.");
	for (i = 0; i < PUBLISHED_SOURCES; i++)
		fprintf(out, " %9s", published_sources[i]);
	fprintf(out, " %11s\nmeasured\n", "its failed%");
	for (i = 0; i < 2 * PUBLISHED_SOURCES; i++) {
		k = i % 2;
		here.pm_ns[i / 2][k] = -1;
		sc = find(sr, published_sources[i / 2], NUMBER_32);
		sp = sc == NULL ? NULL : most(sr, sc, k == 0 ? 1 :
		    SOURCES_THREADS_MAX);
		if (sp == NULL)
			continue;
		here.pm_ns[i / 2][k] = sources_ns(sp->sp_reads_per_s);
		if (k == 1 && sp->sp_threads > threads)
			threads = sp->sp_threads;
		/* Of rdseed, the last of them. */
		if (i / 2 == PUBLISHED_SOURCES - 1)
			here.pm_failures_percent[k] = sp->sp_failures_percent;
	}
	if (threads > 0) {
		snprintf(name, sizeof(name), "here, 1/%u threads", threads);
		here.pm_machine = name;
	}
	print_machine(out, &here);
	fputs("published (hrng; pseudo generators 10^8 calls, hardware "
	    "10^6)\n", out);
	for (i = 0; i < PUBLISHED_MACHINES; i++)
		print_machine(out, &published_machines[i]);
}

/* The greatest throughput of 64-bit reads with a CPU for each thread. */
static void
print_peak(FILE *out, const struct sources *sr)
{
	const struct sources_curve *sc = find(sr, "rdrand", NUMBER_64);
	const struct sources_point *best = NULL;

	for (unsigned i = 0; sc != NULL && i < sr->sr_thread_counts; i++) {
		const struct sources_point *sp = &sc->sc_points[i];

		if (!sp->sp_oversubscribed && sp->sp_count > 0 &&
		    (best == NULL || sp->sp_reads_per_s > best->sp_reads_per_s))
			best = sp;
	}
	fputs("\nmost 64-bit rdrands\n", out);
	if (best == NULL)
		format_wrap(out, "measured ", 10, "-");
	else
		format_wrapf(out, "measured ", 10, "%.4g M/s = %.4g Gbit/s, "
		    "here with %u thread%s", best->sp_reads_per_s / 1e6,
		    sources_gbit_per_s(sc, best->sp_reads_per_s),
		    best->sp_threads, PLURAL(best->sp_threads));
	format_wrapf(out, "published", 10, "%.4g M/s = %.4g Gbit/s: %s",
	    PUBLISHED_PEAK_READS_PER_S / 1e6, PUBLISHED_PEAK_GBIT_PER_S,
	    published_peak_from);
}

void
sources_table(FILE *out, const struct survey *sy)
{
	const struct sources *sr = (const struct sources *)sy;

	print_head(out, sr);
	print_first(out, sr);
	if (sources_any(sr, NULL)) {
		print_points(out, sr);
		print_saturation(out, sr);
	}
	print_machines(out, sr);
	print_peak(out, sr);
}
