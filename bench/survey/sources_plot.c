#include "bench/survey/sources.h"

enum { WIDTH = 1080, HEIGHT = 520, TITLES = 3 };

GNUPLOT_SCRIPT(sources, "bench/survey/sources.gnuplot");

static void
print_titles(FILE *out, const struct sources *sr)
{
	const struct survey *sy = &sr->sr_survey;
	struct text t[TITLES] = { { .s = "" } };

	text_add(&t[0], "%smeasured: ", survey_complete(sy) ? "" :
	    "INCOMPLETE, ");
	survey_add_host(&t[0], sy);
	text_add(&t[1], "medians ");
	survey_add_repeats(&t[1], sy);
	text_add(&t[1], ", INVARIANTS %s; SRBDS: %s",
	    sy->sy_host.invariants ? "on" : "off", sr->sr_srbds);
	text_add(&t[2], "bars and bands: 95 %% intervals; ring: "
	    "throughput stops growing; grey ground: more threads than CPUs");
	for (unsigned i = 0; i < TITLES; i++) {
		gnuplot_set(out, FORMATF("TITLE%u", i + 1), t[i].s);
	}
}

static void
print_points(FILE *out, const struct sources *sr,
    const struct sources_curve *sc, unsigned number)
{
	const struct sources_point *sp;

	for (unsigned k = 0; k < sr->sr_thread_counts; k++) {
		sp = &sc->sc_points[k];
		if (sp->sp_count > 0)
			fprintf(out, "%u %u %.6g %.6g %.6g\n", number,
			    sp->sp_threads, sp->sp_reads_per_s / 1e6,
			    sp->sp_ci95[0] / 1e6, sp->sp_ci95[1] / 1e6);
	}
}

void
sources_plot(FILE *out, const void *what, bool svg)
{
	const struct sources *sr = what;
	const struct sources_curve *order[SOURCES_MAX * NUMBER_WIDTHS];
	unsigned curves[2] = { 0, 0 }, n = 0;
	/* Its reads are of this width. */
	bool peak = false;

	KASSERT(sources_any(sr, NULL), ("nothing to draw"));
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < sr->sr_count; i++) {
			const struct sources_curve *sc = &sr->sr_curves[i];

			if (sc->sc_source->ns_hardware != (k == 0) ||
			    !sources_any(sr, sc))
				continue;
			order[n++] = sc;
			curves[k]++;
			peak |= k == 0 && sc->sc_width == NUMBER_64;
		}
	gnuplot_terminal(out, svg, WIDTH, HEIGHT);
	print_titles(out, sr);
	fprintf(out, "WIDTH = %d\nHEIGHT = %d\nCPUS = %u\nFIRST = %u\n"
	    "LAST = %u\narray CURVES[2] = [%u, %u]\narray NAME[%u]\n"
	    "array KNEE[%u]\nPEAK = %s\nPEAK_NAME = 'published: %.4g M 64-bit "
	    "rdrands/s = %.4g Gbit/s, Ivy Bridge'\n", WIDTH, HEIGHT,
	    sr->sr_survey.sy_host.cpus, sr->sr_threads[0],
	    sr->sr_threads[sr->sr_thread_counts - 1], curves[0], curves[1], n,
	    n, peak ? FORMATF("%g", PUBLISHED_PEAK_READS_PER_S / 1e6) : "NaN",
	    PUBLISHED_PEAK_READS_PER_S / 1e6, PUBLISHED_PEAK_GBIT_PER_S);
	/* A curve's name and the place where it stops growing. */
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "NAME[%u] = '%s, %u bits'\nKNEE[%u] = %s\n",
		    i + 1, order[i]->sc_source->ns_name,
		    number_bits[order[i]->sc_width], i + 1,
		    order[i]->sc_enough < order[i]->sc_most &&
		    order[i]->sc_enough > 0 ?
		    FORMATF("%u", order[i]->sc_enough) : "NaN");
	fputs("$D << EOD\n", out);
	for (unsigned i = 0; i < n; i++)
		print_points(out, sr, order[i], i + 1);
	fprintf(out, "EOD\n%s", script_sources);
}
