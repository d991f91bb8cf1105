#include <inttypes.h>

#include "bench/console/figure.h"
#include "bench/sources/published.h"
#include "bench/sources/sources_print.h"

enum { TABLE_TEXT_SIZE = 512 };

/* What each status says beside the first numbers. */
static const char *const words[SOURCES_STATUSES] = {
	[SOURCES_ABSENT]	= "absent: this CPU has no such instruction",
	[SOURCES_WRONG]		= "WRONG: not timed",
	[SOURCES_DEAD]		= "NO NUMBER after many tries"
};

void
sources_hex(const struct sources_curve *sc, unsigned i,
    char buf[SOURCES_HEX_SIZE])
{

	snprintf(buf, SOURCES_HEX_SIZE, "%0*" PRIx64,
	    (int)number_bits[sc->sc_width] / 4, sc->sc_first[i]);
}

static void
print_head(FILE *out, const struct sources *sr)
{
	const struct sources_options *so = &sr->sr_options;
	const struct result_host *host = &sr->sr_host;
	char text[TABLE_TEXT_SIZE];
	size_t used;

	used = (size_t)snprintf(text, sizeof(text), "%s, %u CPU%s, %s",
	    host->cpu_model, host->cpus, host->cpus == 1 ? "" : "s",
	    sr->sr_started);
	if (host->cpu_quota > 0)
		snprintf(text + used, sizeof(text) - used, "; a cgroup grants "
		    "%.3g CPUs", host->cpu_quota);
	figure_wrap(out, sr->sr_complete ? "measured on" :
	    "INCOMPLETE, measured on", 2, text);
	snprintf(text, sizeof(text), "of %u repeat%s of %g s; INVARIANTS %s",
	    so->so_repeats, so->so_repeats == 1 ? "" : "s", so->so_time_s,
	    host->invariants ? "on" : "off");
	figure_wrap(out, "medians", 2, text);
	if (sr->sr_mitigation.mi_state != MITIGATION_NOT_KNOWN)
		snprintf(text, sizeof(text), "the kernel says \"%s\": %s",
		    sr->sr_mitigation.mi_text,
		    mitigation_meaning(sr->sr_mitigation.mi_state));
	else
		snprintf(text, sizeof(text), "not known, %s (%s)",
		    mitigation_meaning(sr->sr_mitigation.mi_state),
		    sr->sr_mitigation.mi_text);
	figure_wrap(out, "SRBDS mitigation:", 2, text);
}

static void
print_first(FILE *out, const struct sources *sr)
{
	char hex[SOURCES_HEX_SIZE];
	unsigned i, k;

	fputs("\nsource   bit first four numbers\n", out);
	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];

		fprintf(out, "%-8s %3u", sc->sc_source->ns_name,
		    number_bits[sc->sc_width]);
		for (k = 0; k < NUMBER_FIRST && (sc->sc_status ==
		    SOURCES_TIMED || sc->sc_status == SOURCES_WRONG); k++) {
			sources_hex(sc, k, hex);
			fprintf(out, " %s", hex);
		}
		if (sc->sc_status != SOURCES_TIMED)
			fprintf(out, " %s", words[sc->sc_status]);
		else if (sc->sc_source->ns_known != NULL)
			fputs(" as published", out);
		putc('\n', out);
	}
}

static void
print_point(FILE *out, const struct sources_curve *sc,
    const struct sources_point *sp)
{
	char fail[FIGURE_SIZE], gbit[FIGURE_SIZE], mega[FIGURE_SIZE];
	char cpu[FIGURE_SIZE], half[FIGURE_SIZE], ns[FIGURE_SIZE];
	char speedup[FIGURE_SIZE] = "-";
	const struct sources_point *one = sources_one(sc);

	if (one != NULL)
		snprintf(speedup, sizeof(speedup), "%.2f", sp->sp_reads_per_s /
		    one->sp_reads_per_s);
	fprintf(out, "%-8s %3u %7u%s %9s %5s %9s %8s %7s %7s %5s\n",
	    sc->sc_source->ns_name, number_bits[sc->sc_width], sp->sp_threads,
	    sp->sp_oversubscribed ? "*" : sp->sp_unbound ? "!" : " ",
	    figure_real(ns, sources_ns(sp->sp_reads_per_s)),
	    sp->sp_count == 1 ? "?" : figure_percent(half, 50 *
	    (sp->sp_ci95[1] - sp->sp_ci95[0]) / sp->sp_reads_per_s),
	    figure_real(mega, sp->sp_reads_per_s / 1e6),
	    figure_real(gbit, sources_gbit_per_s(sc, sp->sp_reads_per_s)),
	    figure_percent(fail, sp->sp_failures_percent), speedup,
	    figure_percent(cpu, sp->sp_cpu_percent));
}

static void
print_points(FILE *out, const struct sources *sr)
{
	bool few = false, oversubscribed = false, shared = false;
	bool unbound = false;
	unsigned i, k;

	fprintf(out, "\n%-8s %3s %7s  %9s %5s %9s %8s %7s %7s %5s\n",
	    "source", "bit", "threads", "ns/number", "+-%", "M reads/s",
	    "Gbit/s", "failed%", "speedup", "CPU%");
	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];

		for (k = 0; k < sr->sr_options.so_thread_counts; k++) {
			const struct sources_point *sp = &sc->sc_points[k];

			if (sp->sp_count == 0)
				continue;
			print_point(out, sc, sp);
			oversubscribed |= sp->sp_oversubscribed;
			unbound |= sp->sp_unbound;
			few |= sp->sp_count == 1;
			shared |= !sp->sp_oversubscribed &&
			    sp->sp_cpu_percent < SOURCES_CPU_PERCENT;
		}
	}
	figure_wrap(out, "", 2, "ns/number, M reads/s and Gbit/s are of all "
	    "threads together; +-% half the 95 % interval; failed% failed "
	    "reads per number, each repeated after 64 pauses; speedup against "
	    "one thread; CPU% the CPU time that a thread had.");
	if (shared)
		figure_wrap(out, "", 2, "Others used these CPUs meanwhile: "
		    "where CPU% is below 95 the figures say less of the source "
		    "than of them; a shorter -t helps.");
	if (few)
		figure_wrap(out, "?", 2, "too few repeats: the spread between "
		    "them is not known.");
	if (oversubscribed)
		figure_wrap(out, "*", 2, "more threads than CPUs: the "
		    "scheduler is in these numbers.");
	if (unbound)
		figure_wrap(out, "!", 2, "binding a thread to its CPU was "
		    "refused.");
}

/* "2 threads", "2 to 4 threads". */
static void
format_place(char *buf, size_t size, unsigned least, unsigned most)
{

	if (least == most)
		snprintf(buf, size, "%u thread%s", least, least == 1 ? "" :
		    "s");
	else
		snprintf(buf, size, "%u to %u threads", least, most);
}

static void
print_saturation(FILE *out, const struct sources *sr)
{
	char first[64], place[64], text[TABLE_TEXT_SIZE];
	unsigned i;

	fputs("\nthroughput stops growing\n", out);
	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];
		const struct saturation *sa = &sc->sc_saturation;
		const struct sources_point *all = sources_all(sr, sc);

		if (all == NULL)
			continue;
		snprintf(first, sizeof(first), "%-8s %3u",
		    sc->sc_source->ns_name, number_bits[sc->sc_width]);
		format_place(place, sizeof(place), sa->sa_least, sa->sa_most);
		switch (sa->sa_verdict) {
		case SATURATION_REACHED:
			snprintf(text, sizeof(text), "at %s", place);
			break;
		case SATURATION_NOT_REACHED:
			snprintf(text, sizeof(text), "not reached with %u "
			    "threads", all->sp_threads);
			break;
		case SATURATION_UNCLEAR:
			snprintf(text, sizeof(text), "unclear: at %u by the "
			    "medians, but they spread too much",
			    sa->sa_threads);
			break;
		default:
			snprintf(text, sizeof(text), "not known from one "
			    "number of threads");
		}
		figure_wrap(out, first, 14, text);
	}
}

/* A number in four characters at most; "-" for one below 0, not known. */
static const char *
compact(char buf[FIGURE_SIZE], double v)
{
	static const char *const suffixes[] = { "", "k", "M", "G" };
	unsigned s = 0;

	if (v < 0) {
		snprintf(buf, FIGURE_SIZE, "-");
		return (buf);
	}
	/* As rounded: 9999.6 is 10k. */
	for (; v >= (s == 0 ? 9999.5 : 999.5) && s < 3; s++)
		v /= 1000;
	snprintf(buf, FIGURE_SIZE, "%.*f%s", s > 0 || v >= 99.95 || v == 0 ?
	    0 : v >= 9.995 ? 1 : 2, v, suffixes[s]);
	return (buf);
}

/* Figures of one thread and of all, as measured. */
static void
print_pair(FILE *out, int width, double one, double all)
{
	char a[FIGURE_SIZE], b[FIGURE_SIZE], pair[2 * FIGURE_SIZE];

	snprintf(pair, sizeof(pair), "%s/%s", compact(a, one),
	    compact(b, all));
	fprintf(out, " %*s", width, pair);
}

/* The same with the digits that were published. */
static void
print_published(FILE *out, int width, double one, double all)
{
	char pair[2 * FIGURE_SIZE];

	snprintf(pair, sizeof(pair), "%.4g/%.4g", one, all);
	fprintf(out, " %*s", width, pair);
}

static double
point_ns(const struct sources_point *sp)
{

	return (sp == NULL ? -1 : sources_ns(sp->sp_reads_per_s));
}

static double
point_failures(const struct sources_point *sp)
{

	return (sp == NULL ? -1 : sp->sp_failures_percent);
}

/* This machine as the published ones below it. */
static void
print_here(FILE *out, const struct sources *sr)
{
	const struct sources_point *all[PUBLISHED_SOURCES] = { NULL };
	const struct sources_point *one[PUBLISHED_SOURCES] = { NULL };
	const struct sources_curve *sc;
	unsigned i, threads = 0;
	char title[64] = "  here";

	for (i = 0; i < PUBLISHED_SOURCES; i++) {
		sc = sources_find(sr, published_sources[i], NUMBER_32);
		if (sc == NULL)
			continue;
		one[i] = sources_one(sc);
		all[i] = sources_all(sr, sc);
		if (all[i] != NULL && all[i]->sp_threads > threads)
			threads = all[i]->sp_threads;
	}
	if (threads > 0)
		snprintf(title, sizeof(title), "  here, 1/%u threads",
		    threads);
	fprintf(out, "measured\n%-28s", title);
	for (i = 0; i < PUBLISHED_SOURCES; i++)
		print_pair(out, 9, point_ns(one[i]), point_ns(all[i]));
	/* The last of them is rdseed. */
	print_pair(out, 11, point_failures(one[i - 1]),
	    point_failures(all[i - 1]));
	putc('\n', out);
}

static void
print_machines(FILE *out, const struct sources *sr)
{
	unsigned i, k;

	fprintf(out, "\n%-28s", "ns/32-bit number, 1/all thr.");
	for (i = 0; i < PUBLISHED_SOURCES; i++)
		fprintf(out, " %9s", published_sources[i]);
	fprintf(out, " %11s\n", "its failed%");
	print_here(out, sr);
	fprintf(out, "published (%s)\n", published_machines_from);
	for (i = 0; i < published_machine_count; i++) {
		const struct published_machine *pm = &published_machines[i];

		fprintf(out, "  %-26s", pm->pm_machine);
		for (k = 0; k < PUBLISHED_SOURCES; k++)
			print_published(out, 9, pm->pm_time[k].pt_one_ns,
			    pm->pm_time[k].pt_all_ns);
		print_published(out, 11, pm->pm_failures_percent[0],
		    pm->pm_failures_percent[1]);
		putc('\n', out);
	}
}

/* The most that a curve gave with a CPU for each thread. */
static const struct sources_point *
best_point(const struct sources *sr, const struct sources_curve *sc)
{
	const struct sources_point *best = NULL, *sp;
	unsigned i;

	for (i = 0; i < sr->sr_options.so_thread_counts; i++) {
		sp = &sc->sc_points[i];
		if (!sp->sp_oversubscribed && sp->sp_count > 0 &&
		    (best == NULL || sp->sp_reads_per_s >
		    best->sp_reads_per_s))
			best = sp;
	}
	return (best);
}

static void
print_peak(FILE *out, const struct sources *sr)
{
	const struct sources_curve *sc = sources_find(sr, "rdrand", NUMBER_64);
	const struct sources_point *sp = sc == NULL ? NULL :
	    best_point(sr, sc);
	char text[TABLE_TEXT_SIZE];

	fputs("\nmost 64-bit rdrands\n", out);
	if (sp != NULL)
		snprintf(text, sizeof(text), "%.4g M/s = %.4g Gbit/s, here "
		    "with %u thread%s", sp->sp_reads_per_s / 1e6,
		    sources_gbit_per_s(sc, sp->sp_reads_per_s),
		    sp->sp_threads, sp->sp_threads == 1 ? "" : "s");
	else
		snprintf(text, sizeof(text), "-");
	figure_wrap(out, "measured ", 10, text);
	snprintf(text, sizeof(text), "%.4g M/s = %.4g Gbit/s: %s",
	    published_peak_reads_per_s / 1e6, published_peak_gbit_per_s,
	    published_peak_from);
	figure_wrap(out, "published", 10, text);
}

void
sources_print_table(FILE *out, const struct sources *sr)
{

	print_head(out, sr);
	print_first(out, sr);
	if (sources_any(sr)) {
		print_points(out, sr);
		print_saturation(out, sr);
	}
	print_machines(out, sr);
	print_peak(out, sr);
}
