#include "bench/sources/sources_print.h"

static void
print_point(FILE *out, const struct sources *sr,
    const struct sources_curve *sc, const struct sources_point *sp)
{

	fprintf(out, ",%u,%d,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g",
	    sp->sp_threads, sp->sp_oversubscribed, sp->sp_count,
	    sources_ns(sp->sp_reads_per_s), sp->sp_reads_per_s,
	    sp->sp_ci95[0], sp->sp_ci95[1],
	    sources_gbit_per_s(sc, sp->sp_reads_per_s),
	    sp->sp_failures_percent, sp->sp_cpu_percent);
	fprintf(out, ",%s,%d,%d\n", mitigation_state_names[
	    sr->sr_mitigation.mi_state], sr->sr_host.invariants,
	    sr->sr_complete);
}

void
sources_print_csv(FILE *out, const struct sources *sr)
{
	unsigned i, k;

	fputs("source,bits,status,threads,oversubscribed,repeats,"
	    "ns_per_number,reads_per_s,reads_per_s_ci95_low,"
	    "reads_per_s_ci95_high,gbit_per_s,failures_percent,cpu_percent,"
	    "srbds,invariants,complete\n", out);
	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];

		for (k = 0; k < sr->sr_options.so_thread_counts; k++) {
			if (sc->sc_points[k].sp_count == 0)
				continue;
			fprintf(out, "%s,%u,%s", sc->sc_source->ns_name,
			    number_bits[sc->sc_width],
			    sources_status_names[sc->sc_status]);
			print_point(out, sr, sc, &sc->sc_points[k]);
		}
		if (sc->sc_status == SOURCES_TIMED)
			continue;
		fprintf(out, "%s,%u,%s,,,,,,,,,,,%s,%d,%d\n",
		    sc->sc_source->ns_name, number_bits[sc->sc_width],
		    sources_status_names[sc->sc_status],
		    mitigation_state_names[sr->sr_mitigation.mi_state],
		    sr->sr_host.invariants, sr->sr_complete);
	}
}
