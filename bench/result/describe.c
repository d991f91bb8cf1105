#include <ctype.h>

#include "bench/result/describe.h"
#include "lib/lock/lock.h"

/* The design that the others are compared with. */
static const char baseline[] = "locked";

bool
cells_differ(const struct result_cell *a, const struct result_cell *b,
    enum cell_part part)
{
	return (part == PART_CIPHER ? strcmp(a->cipher, b->cipher) != 0 :
	    part == PART_CRYPTO ? strcmp(a->crypto, b->crypto) != 0 :
	    part == PART_ENGINE ? strcmp(a->engine, b->engine) != 0 :
	    part == PART_HOST ? strcmp(a->host, b->host) != 0 :
	    part == PART_DESIGN ? strcmp(a->design, b->design) != 0 :
	    part == PART_LOCK ? strcmp(a->lock, b->lock) != 0 ||
	    a->spin_polls != b->spin_polls :
	    a->request_bytes != b->request_bytes ||
	    a->rate_per_s != b->rate_per_s ||
	    strcmp(a->workload, b->workload) != 0 ||
	    strcmp(a->producer, b->producer) != 0 ||
	    (a->time_to_seeded_ns > 0) != (b->time_to_seeded_ns > 0) ||
	    strcmp(a->arrivals, b->arrivals) != 0);
}

bool
cells_alike(const struct result_cell *a, const struct result_cell *b,
    unsigned but)
{
	unsigned part = 0;

	while (part < PARTS && ((but & 1u << part) != 0 ||
	    !cells_differ(a, b, (enum cell_part)part)))
		part++;
	return (part == PARTS);
}

static int
by_group(const void *left, const void *right)
{
	const struct grouped_cell *x = left, *y = right;
	const struct result_cell *a = x->gc_cell, *b = y->gc_cell;
	const bool base_a = strcmp(a->design, baseline) == 0;
	const bool base_b = strcmp(b->design, baseline) == 0;

	if (x->gc_group != y->gc_group)
		return (x->gc_group < y->gc_group ? -1 : 1);
	if (a->producers != b->producers)
		return (a->producers < b->producers ? -1 : 1);
	if (a->readers != b->readers)
		return (a->readers < b->readers ? -1 : 1);
	/* Others stay in the document's order. */
	return (base_a != base_b ? base_b - base_a : (a > b) - (a < b));
}

struct grouped_cell *
cells_group(const struct result *r, enum cell_part but)
{
	struct grouped_cell *gc = xcalloc((size_t)r->cell_count + 1,
	    sizeof(*gc));
	unsigned k;

	for (unsigned i = 0; i < r->cell_count; i++) {
		/* A group has the number of its first cell. */
		for (k = 0; k < i && (gc[k].gc_group != k ||
		    !cells_alike(&r->cells[k], &r->cells[i], 1u << but)); k++)
			continue;
		gc[i] = (struct grouped_cell){ &r->cells[i], k };
	}
	qsort(gc, r->cell_count, sizeof(*gc), by_group);
	return (gc);
}

static const char *
crypto_name(const struct result_cell *cell)
{
	return (strcmp(cell->crypto, "kernel") == 0 ? "kernel-style crypto" :
	    strcmp(cell->crypto, "native") == 0 ? "native crypto" :
	    strcmp(cell->crypto, "source") == 0 ? "kernel sources' crypto" :
	    cell->crypto);
}

/* A lock, and polls that are not the default. */
static void
add_lock(struct text *t, const struct result_cell *cell)
{
	const struct lock_class *lc = lock_class_find(cell->lock);
	/* A file may name kinds that this program does not have. */
	bool yields = lc != NULL ? (lc->lc_knobs & LK_SPIN_POLLS) != 0 :
	    cell->spin_polls > 0;

	text_add(t, "%s", cell->lock);
	/* On a simulated machine no lock holder loses its CPU. */
	if (provenance_predicted(cell))
		yields = cell->spin_polls > 0;
	if (yields && cell->spin_polls != lock_config_default(1).spin_polls)
		text_add(t, ", %u polls", cell->spin_polls);
}

/* What a reader requests: "64 KiB", "16:1,4k:2 (mean 3 KiB) at ...". */
static void
add_requests(struct text *t, const struct result_cell *cell)
{
	const char *bytes = FORMAT(bytes, cell->request_bytes);

	/* A mix begins with a size; a recording's name ends in its hash. */
	if (isdigit((unsigned char)cell->workload[0]) ||
	    strchr(cell->workload, '#') != NULL)
		text_add(t, "%s (mean %s)", cell->workload, bytes);
	else
		text_add(t, "%s%s%s", bytes, cell->workload[0] == '\0' ? "" :
		    ", ", cell->workload);
	if (cell->rate_per_s > 0)
		text_add(t, " at %.9g/s each, %s arrivals", cell->rate_per_s,
		    cell->arrivals);
}

static void
describe_part(struct text *t, const struct result_cell *cell,
    enum cell_part part)
{
	/* A benchmark of locks has none. */
	if (cell->acquisition_ns > 0 && (part == PART_CIPHER ||
	    part == PART_CRYPTO || part == PART_LOAD))
		return;
	if (part == PART_LOAD && cell->producers > 0)
		text_list(t, "producers of %s", cell->producer);
	if ((part == PART_LOAD && cell->readers == 0) ||
	    (part == PART_HOST && cell->host[0] == '\0'))
		return;
	text_list(t, "%s", part == PART_CIPHER ? cell->cipher :
	    part == PART_CRYPTO ? crypto_name(cell) :
	    part == PART_LOCK ? "lock " : part == PART_LOAD ? "requests of " :
	    part == PART_ENGINE ? provenance_short(cell) :
	    part == PART_HOST ? FORMATF("on %s", cell->host) : cell->design);
	if (part == PART_LOCK)
		add_lock(t, cell);
	else if (part == PART_LOAD)
		add_requests(t, cell);
	if (part == PART_LOAD && cell->time_to_seeded_ns > 0)
		text_add(t, ", until seeded");
}

const char *
describe_parts(struct text *t, const struct result_cell *cell, unsigned parts)
{
	for (unsigned part = 0; part < PARTS; part++)
		if ((parts & 1u << part) != 0)
			describe_part(t, cell, (enum cell_part)part);
	return (t->s);
}

void
describe_load(struct text *t, const struct result_cell *cell)
{
	const bool locks = cell->acquisition_ns > 0;

	if (cell->producers > 0)
		text_add(t, "%u producer%s of %s%s", cell->producers,
		    PLURAL(cell->producers), cell->producer,
		    cell->readers == 0 ? "" : ", ");
	if (cell->readers > 0) {
		text_add(t, "%u reader%s%s", cell->readers,
		    PLURAL(cell->readers), locks ? "" : " of ");
		if (!locks)
			add_requests(t, cell);
	}
	/* The default goes without saying. */
	if (!locks && strcmp(cell->crypto, "kernel") != 0)
		text_add(t, ", %s", crypto_name(cell));
	if (cell->oversubscribed)
		text_add(t, ", oversubscribed");
}

const char *
describe_cell(struct text *t, const struct result_cell *cell)
{
	text_add(t, "%s, ", cell->design);
	add_lock(t, cell);
	text_add(t, ", ");
	if (cell->acquisition_ns <= 0)
		text_add(t, "%s, ", cell->cipher);
	describe_load(t, cell);
	if (provenance_predicted(cell))
		text_add(t, ", %s", provenance_short(cell));
	if (cell->host[0] != '\0')
		text_add(t, ", %s", cell->host);
	return (t->s);
}

const char *
describe_result(struct text *t, const struct result *r)
{
	const enum result_kind kind = provenance_of(r);
	const bool predicted = kind == RESULT_PREDICTED;
	const bool both = kind == RESULT_BOTH;
	const struct result_host *h = &r->host;
	const char *machine = TEXT_OF(provenance_machine, r);
	unsigned max, min;

	if (kind == RESULT_EMPTY)
		text_add(t, "no cells; on");
	else if (kind == RESULT_MEASURED)
		text_add(t, "measured on");
	else
		text_add(t, "%spredicted%s%s%s computed on%s",
		    both ? "measured on, and " : "",
		    machine[0] != '\0' ? " for " : "", machine,
		    both ? "" : ",", both ? ", as each says," : "");
	text_add(t, " %s, %u CPU%s", h->cpu_model, h->cpus, PLURAL(h->cpus));
	if (h->cpu_quota > 0)
		text_add(t, " (quota %.2f)", fmin(h->cpu_quota, 1e6));
	for (unsigned i = 0, k = 0; i < r->cell_count; i++, k = 0) {
		while (cells_differ(&r->cells[k], &r->cells[i], PART_HOST))
			k++;
		if (k == i && r->cells[i].host[0] != '\0')
			text_add(t, "%s %s", k == 0 ? "; hosts" : " and",
			    r->cells[i].host);
	}
	text_add(t, ", %s, %s", h->kernel, h->libcrypto);
	if (h->revision[0] != '\0')
		text_add(t, ", rngsim %s", h->revision);
	text_add(t, ", INVARIANTS %s", h->invariants ?
	    "on (checks are timed too: no figures to quote)" : "off");
	if (r->harvest_model[0] != '\0')
		text_add(t, ", harvest model %s", r->harvest_model);
	if (provenance_ledgered(r))
		text_add(t, ", ledger on (its checks are timed too)");
	provenance_repeats(r, &min, &max);
	text_add(t, ", %s%u", min == max ? "" : FORMATF("%u to ", min), max);
	if (r->time_s > 0)
		text_add(t, " x %g%s s", r->time_s, predicted ? " virtual" :
		    "");
	else
		text_add(t, " repeat%s", PLURAL(max));
	text_add(t, ", %s, seed %" PRIu64, r->started, r->seed);
	if (r->place[0] != '\0' && strcmp(r->place, "compact") != 0)
		text_add(t, ", place %s", r->place);
	/* A machine may change between two sittings, a simulated one not. */
	for (unsigned i = 0; !predicted && i < r->resumed_count; i++)
		text_add(t, ", resumed %s from repeat %u on",
		    r->resumed[i].at, r->resumed[i].order);
	return (t->s);
}

const char provenance_guesses[] = "intervals show the model's random "
    "variation, not errors of its guessed values; --uncertainty shows those";

bool
provenance_predicted(const struct result_cell *cell)
{
	return (strcmp(cell->engine, "virtual") == 0);
}

enum result_kind
provenance_of(const struct result *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->cell_count; i++)
		n += provenance_predicted(&r->cells[i]);
	return (r->cell_count == 0 ? RESULT_EMPTY : n == 0 ? RESULT_MEASURED :
	    n == r->cell_count ? RESULT_PREDICTED : RESULT_BOTH);
}

const char *
provenance_short(const struct result_cell *cell)
{
	return (provenance_predicted(cell) ? "predicted" : "measured");
}

const char *
provenance_word(const struct result *r)
{
	const enum result_kind kind = provenance_of(r);

	return (kind == RESULT_EMPTY ? "no cells" : kind == RESULT_BOTH ?
	    "measured and predicted" : provenance_short(r->cells));
}

const char *
provenance_machine(struct text *t, const struct result *r)
{
	const struct result_cell *cell, *first = NULL;

	for (cell = r->cells; cell < r->cells + r->cell_count; cell++) {
		if (cell->profile[0] == '\0')
			continue;
		if (first == NULL)
			first = cell;
		if (strcmp(first->profile, cell->profile) != 0 ||
		    first->cpus != cell->cpus || first->nodes != cell->nodes) {
			text_add(t, "several machines");
			return (t->s);
		}
	}
	if (first != NULL)
		text_add(t, "%s, %u CPU%s in %u node%s, %s %% of its values "
		    "guessed", first->profile, first->cpus,
		    PLURAL(first->cpus), first->nodes, PLURAL(first->nodes),
		    FORMAT(percent, 100 * fmin(first->guessed_share, 1)));
	return (t->s);
}

bool
provenance_ledgered(const struct result *r)
{
	for (unsigned i = 0; i < r->cell_count; i++)
		if (r->cells[i].ledger.records > 0 &&
		    !provenance_predicted(&r->cells[i]))
			return (true);
	return (false);
}

void
provenance_repeats(const struct result *r, unsigned *least, unsigned *most)
{
	unsigned n;

	*least = *most = 0;
	for (unsigned i = 0; i < r->cell_count; i++) {
		n = r->cells[i].repeats;
		*least = i == 0 || n < *least ? n : *least;
		*most = n > *most ? n : *most;
	}
}
