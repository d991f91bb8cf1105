#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep/summary_rows.h"

/* The same site, lock and role in another repeat's rows; or a new row. */
static struct cell_row *
row_for(struct sweep_cell *sc, const struct result_row *like)
{
	struct cell_row *grown;
	unsigned i;

	for (i = 0; i < sc->sc_row_count; i++) {
		const struct result_row *row = &sc->sc_rows[i].cr_row;

		if (strcmp(row->site, like->site) == 0 &&
		    strcmp(row->lock, like->lock) == 0 &&
		    strcmp(row->role, like->role) == 0)
			return (&sc->sc_rows[i]);
	}
	grown = realloc(sc->sc_rows, (sc->sc_row_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return (NULL);
	sc->sc_rows = grown;
	grown += sc->sc_row_count++;
	memset(grown, 0, sizeof(*grown));
	memcpy(grown->cr_row.site, like->site, sizeof(like->site));
	memcpy(grown->cr_row.lock, like->lock, sizeof(like->lock));
	memcpy(grown->cr_row.role, like->role, sizeof(like->role));
	return (grown);
}

static struct result_wait *
wait_for(struct sweep_cell *sc, const struct result_wait *like)
{
	struct result_wait *grown;
	unsigned i;

	for (i = 0; i < sc->sc_wait_count; i++) {
		struct result_wait *rw = &sc->sc_waits[i];

		if (strcmp(rw->lock, like->lock) == 0 &&
		    strcmp(rw->site, like->site) == 0 &&
		    strcmp(rw->role, like->role) == 0 &&
		    strcmp(rw->holder, like->holder) == 0)
			return (rw);
	}
	grown = realloc(sc->sc_waits, (sc->sc_wait_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return (NULL);
	sc->sc_waits = grown;
	grown += sc->sc_wait_count++;
	*grown = *like;
	grown->count = grown->wait_total_ns = 0;
	return (grown);
}

static void
add_row(struct cell_row *to, const struct cell_row *from)
{
	const struct result_row *f = &from->cr_row;
	struct result_row *t = &to->cr_row;

	t->count += f->count;
	t->contended += f->contended;
	t->cnt_hold += f->cnt_hold;
	t->yields += f->yields;
	t->hold_total_ns += f->hold_total_ns;
	t->wait_total_ns += f->wait_total_ns;
	t->spin_total_ns += f->spin_total_ns;
	t->block_total_ns += f->block_total_ns;
	t->hold_max_ns = fmax(t->hold_max_ns, f->hold_max_ns);
	t->wait_max_ns = fmax(t->wait_max_ns, f->wait_max_ns);
	hist_small_merge(&to->cr_hold, &from->cr_hold);
	hist_small_merge(&to->cr_spin, &from->cr_spin);
	hist_small_merge(&to->cr_block, &from->cr_block);
}

int
summary_rows_add(struct sweep_cell *sc, const struct cell_measure *cm)
{
	unsigned i;

	/* All rows first, so that a failure adds nothing. */
	for (i = 0; i < cm->cm_row_count; i++)
		if (row_for(sc, &cm->cm_rows[i].cr_row) == NULL)
			return (ENOMEM);
	for (i = 0; i < cm->cm_wait_count; i++)
		if (wait_for(sc, &cm->cm_waits[i]) == NULL)
			return (ENOMEM);
	for (i = 0; i < cm->cm_row_count; i++)
		add_row(row_for(sc, &cm->cm_rows[i].cr_row), &cm->cm_rows[i]);
	for (i = 0; i < cm->cm_wait_count; i++) {
		struct result_wait *to = wait_for(sc, &cm->cm_waits[i]);

		to->count += cm->cm_waits[i].count;
		to->wait_total_ns += cm->cm_waits[i].wait_total_ns;
	}
	return (0);
}

int
summary_rows_finish(struct sweep_cell *sc, const struct engine *en,
    struct result_cell *rc)
{
	unsigned i;

	rc->lock_profile = calloc(sc->sc_row_count + 1,
	    sizeof(*rc->lock_profile));
	if (rc->lock_profile == NULL)
		return (ENOMEM);
	for (i = 0; i < sc->sc_row_count; i++) {
		cell_row_finish(en, &sc->sc_rows[i]);
		rc->lock_profile[i] = sc->sc_rows[i].cr_row;
	}
	rc->lock_profile_rows = sc->sc_row_count;
	rc->waits = sc->sc_waits;
	rc->wait_rows = sc->sc_wait_count;
	sc->sc_waits = NULL;
	return (0);
}
