#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep/summary_health.h"
#include "lib/kassert.h"

/* The source's row; there is room for all there are. */
static struct result_health *
health_for(struct sweep_cell *sc, const char *source)
{
	struct result_health *rh;
	unsigned i;

	for (i = 0; i < sc->sc_health_count; i++)
		if (strcmp(sc->sc_health[i].source, source) == 0)
			return (&sc->sc_health[i]);
	MPASS(sc->sc_health_count < ENTROPYSOURCE);
	rh = &sc->sc_health[sc->sc_health_count++];
	snprintf(rh->source, sizeof(rh->source), "%s", source);
	return (rh);
}

void
summary_health_add(struct sweep_cell *sc, const struct cell_measure *cm)
{
	unsigned i;

	for (i = 0; i < cm->cm_health_count; i++) {
		const struct result_health *from = &cm->cm_health[i];
		struct result_health *to = health_for(sc, from->source);

		to->discarded += from->discarded;
		to->passed += from->passed;
		to->repetitions += from->repetitions;
		to->proportions += from->proportions;
		to->excluded += from->excluded;
	}
}

int
summary_health_finish(const struct sweep_cell *sc, struct result_cell *rc)
{

	if (sc->sc_health_count == 0)
		return (0);
	rc->health = calloc(sc->sc_health_count, sizeof(*rc->health));
	if (rc->health == NULL)
		return (ENOMEM);
	memcpy(rc->health, sc->sc_health, sc->sc_health_count *
	    sizeof(*rc->health));
	rc->health_rows = sc->sc_health_count;
	return (0);
}
