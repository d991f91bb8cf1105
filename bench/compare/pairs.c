#include "bench/compare/compare.h"

#define	REFUSE(...)	format_wrong(error, COMPARE_TEXT_SIZE, __VA_ARGS__)

/* The keys that a cell may be one of several by, and what A then is. */
static const struct {
	const char	*name;
	size_t		 offset;
	const char	*base;	/* NULL: the first measured */
} dimensions[] = {
	[COMPARE_RESULTS] = { "result", 0, NULL },
	[COMPARE_DESIGN] = { "design", offsetof(struct result_cell, design),
	    "locked" },
	[COMPARE_LOCK] = { "lock", offsetof(struct result_cell, lock), "mtx" },
	[COMPARE_CIPHER] = { "cipher", offsetof(struct result_cell, cipher),
	    NULL },
	[COMPARE_HOST] = { "host", offsetof(struct result_cell, host), NULL },
};

static const char *
name_of(const struct result_cell *cell, enum compare_by by)
{
	return ((const char *)cell + dimensions[by].offset);
}

const char *
compare_name(const struct compare *co, const struct compare_pair *pa,
    unsigned side)
{
	return (co->co_by != COMPARE_RESULTS ?
	    name_of(pa->pa_cell[side], co->co_by) : side == 0 ? "A" : "B");
}

/* Whether a cell is one of A or of B. */
static bool
is_side(const struct compare *co, const struct result_cell *cell,
    const char *base, unsigned side)
{
	return (co->co_by == COMPARE_RESULTS ||
	    (strcmp(name_of(cell, co->co_by), base) == 0) == (side == 0));
}

/* In B's order; sorted are A's cells in theirs, met those with a partner. */
static void
pair_up(struct compare *co, const struct result_cell **sorted,
    const char *base, bool *met)
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	const struct result_cell *key, **found;
	struct result_cell like;
	struct compare_pair *pa;

	for (unsigned i = 0; i < b->cell_count; i++) {
		if (!is_side(co, &b->cells[i], base, 1))
			continue;
		like = b->cells[i];
		if (co->co_by != COMPARE_RESULTS)
			snprintf((char *)&like + dimensions[co->co_by].offset,
			    RESULT_NAME_SIZE, "%s", base);
		key = &like;
		if ((found = bsearch(&key, sorted, a->cell_count,
		    sizeof(*sorted), result_cell_order)) == NULL) {
			co->co_alone_count[1]++;
			co->co_alone[1] = &b->cells[i];
			continue;
		}
		met[*found - a->cells] = true;
		pa = &co->co_pairs[co->co_pair_count++];
		pa->pa_cell[0] = *found;
		pa->pa_cell[1] = &b->cells[i];
		for (unsigned q = 0; q <= QUANTITIES; q++)
			pa->pa_row[q] = (struct compare_row){ .cmr_pair = pa,
			    .cmr_quantity = &quantities[q],
			    .cmr_wanted = (co->co_wanted & 1u << q) != 0 &&
			    quantity_of(&quantities[q], &like) };
	}
	for (unsigned i = 0; i < a->cell_count; i++)
		if (!met[i] && is_side(co, &a->cells[i], base, 0)) {
			co->co_alone_count[0]++;
			co->co_alone[0] = &a->cells[i];
		}
}

/* What A is within one result; NULL: no cell has the base asked for. */
static const char *
find_base(const struct compare *co, const char *base)
{
	const struct result *r = co->co_result[0];
	const char *wanted = base != NULL ? base : dimensions[co->co_by].base;

	for (unsigned i = 0; i < r->cell_count && wanted != NULL; i++)
		if (strcmp(name_of(&r->cells[i], co->co_by), wanted) == 0)
			return (wanted);
	return (base != NULL ? NULL : name_of(&r->cells[0], co->co_by));
}

/* Sorts cells; refuses two that differ only in what pairs do not depend on. */
static int
sort_cells(const struct result *r, const struct result_cell **cells,
    char error[COMPARE_TEXT_SIZE])
{
	for (unsigned i = 0; i < r->cell_count; i++)
		cells[i] = &r->cells[i];
	qsort(cells, r->cell_count, sizeof(*cells), result_cell_order);
	for (unsigned i = 1; i < r->cell_count; i++)
		if (result_cell_order(&cells[i - 1], &cells[i]) == 0)
			return (REFUSE("cells[%td] and cells[%td] differ in "
			    "spin_polls alone: expected one of them",
			    cells[i - 1] - r->cells, cells[i] - r->cells));
	return (0);
}

/* A default that changed from A to B is not among the tunables. */
static void
flag_polls(struct compare *co)
{
	const struct result_cell *const *shown = NULL, *const *cell;
	unsigned differ = 0;

	for (unsigned i = 0; i < co->co_pair_count; i++) {
		cell = co->co_pairs[i].pa_cell;
		if (cell[0]->spin_polls != cell[1]->spin_polls && differ++ == 0)
			shown = cell;
	}
	if (shown != NULL && co->co_by == COMPARE_RESULTS)
		compare_flag(co, "different: rngsim.lock.spin_polls of %u "
		    "pair%s, such as lock %s (A %u, B %u)", differ,
		    PLURAL(differ), shown[0]->lock, shown[0]->spin_polls,
		    shown[1]->spin_polls);
}

static int
explain_none(const struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE])
{
	const char *what = dimensions[co->co_by].name;

	if (co->co_by == COMPARE_RESULTS)
		return (REFUSE("no cell is in both: expected two results with "
		    "the same engine, design, lock, cipher, crypto, readers "
		    "and request size"));
	if (base != NULL)
		return (REFUSE("nothing to compare%s: no other cell differs "
		    "in its %s alone", *base == '\0' ? "" : FORMATF(" with %s "
		    "%s", what, base), what));
	return (format_error(ENOENT, error, COMPARE_TEXT_SIZE, "--base: no "
	    "cell has that %s; the first has %s", what,
	    name_of(&co->co_result[0]->cells[0], co->co_by)));
}

int
compare_match(struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	const struct result_cell **sorted = xcalloc((size_t)a->cell_count +
	    b->cell_count, sizeof(*sorted));
	bool *met = xcalloc(a->cell_count, sizeof(*met));
	int status;

	co->co_pairs = xcalloc(b->cell_count, sizeof(*co->co_pairs));
	if ((status = sort_cells(b, sorted, error)) == 0)
		status = sort_cells(a, sorted, error);
	if (status == 0) {
		if (co->co_by != COMPARE_RESULTS)
			base = find_base(co, base);
		if (co->co_by == COMPARE_RESULTS || base != NULL)
			pair_up(co, sorted, base, met);
		flag_polls(co);
		status = co->co_pair_count == 0 ?
		    explain_none(co, base, error) : 0;
	}
	free(met);
	free(sorted);
	return (status);
}
