/* Reads files of published figures; the loops of benchmarks; their units. */
#include "bench/predict/published.h"

const struct published_unit published_units[] = {
	{ "ns-per-thread", { "per thread", "every thread" },
	    .ub_thread = true },
	{ "count", { "per run" }, 1e9, .ub_scaled = true },
	{ "count-of-4s", { "in 4 s" }, 4e9, .ub_groups = true },
	{ "ops-per-us", { "ops/us" }, .ub_ns = 1e3 },
	{ "ops-per-s", { "per second", "ops/s" }, .ub_ns = 1e9 },
	{ "gain-percent", { "gain in percent" }, .ub_ratio = true,
	    .ub_gain = true },
	{ "ratio", { "speed-up", ": ratio" }, .ub_ratio = true },
	{ "ns", { "ns ", ": ns" }, .ub_ns = 0 },
	{ .ub_name = NULL }
};

FAMILY(family_published_units, UINT_MAX, published_units[i].ub_name,
    .fam_title = NULL);

/* What a kernel does with one of its locks, fitted by bench/figures/fit.py. */
#define	KERNEL_HOLD_NS	103

/*
 * What an operation of each does, after the programs' sources; the first whose
 * sign is in a header line is taken.  Times that are in no file are guessed:
 * locktorture's way round 15 ns, a reading of a clock 25 ns, and an operation
 * of one thread as on 4 Xeon E7-8895 v3.
 */
const struct published_loop published_loops[] = {
	{ "lockhammer", "lockhammer", "smt-first", "acquire; delay; release; "
	    "delay; delays as the lock \"empty\" has them", .lb_lines = 0 },
	{ "open1", "open1", "compact", "two acquisitions an operation; pauses "
	    "as one thread has them", .lb_hold_ns = KERNEL_HOLD_NS,
	    .lb_lines = 2, .lb_twice = true, .lb_one_ns = 970 },
	{ "lock2", "lock2_threads", "compact", "an acquisition an operation, "
	    "of the lock of a file's list of locks; pauses as open1",
	    .lb_hold_ns = KERNEL_HOLD_NS, .lb_lines = 2, .lb_one_ns = 630 },
	{ "locktorture", "locktorture", "scatter", "holds of 505 ns / threads "
	    "on the mean; lines of flags and counters",
	    .lb_hold_ns = KERNEL_HOLD_NS, .lb_hold_shared_ns = 505,
	    .lb_pause_ns = 15, .lb_lines = 2, .lb_shared_random = true },
	{ "travisdowns", "counter++", "compact",
	    "lock; add to a counter; unlock", .lb_lines = 1 },
	{ "lockbench", "lock(); unlock();", "compact", "lock; unlock",
	    .lb_lines = 0 },
	{ "smalllocks", "runContended", "scatter", "folly's: a lock, 1 or 5 "
	    "lines, and burn() as the variant has it", .lb_pause_ns = 600,
	    .lb_lines = 1 },
	{ "fairness", "runFairness", "scatter", "folly's: burn(100) with the "
	    "lock, and two readings of a clock without", .lb_hold_ns = 60,
	    .lb_pause_ns = 50, .lb_lines = 1 },
	{ "plain", "randomUUID", "compact", "lock; crit_ns; unlock; par_ns",
	    .lb_lines = 0 },
	{ "alone", "one thread's pause", "compact", "the same, and a pause as "
	    "one thread has it", .lb_one_ns = -1 },
	{ .lb_name = NULL }
};

FAMILY_DESCR(family_published_loops, published_loops[i].lb_descr)
FAMILY(family_published_loops, UINT_MAX, published_loops[i].lb_name,
    .fa_descr = family_published_loops_descr, .fam_title = "Loops");

struct published_row
published_row(const struct published *pb, const struct published_loop *lb)
{
	struct published_row row = { .rb_loop = lb, .rb_value = NAN,
	    /* As folly's figures of one thread of a Xeon E5-2680 v4 show. */
	    .rb_burn_ns = 0.6, .rb_lines = NAN,
	    .rb_lock_config = lock_config_default(
	    pb->pb_machine.vi_topology.tp_cpus) };

	/* Each thread has its CPU to itself. */
	row.rb_lock_config.spin_polls = 0;
	return (row);
}

/* The published value of a lock, with the threads and the group of another. */
static double
beside(const struct published *pb, const struct published_row *rb,
    const char *lock, unsigned threads, double crit_ns, double par_ns)
{
	const struct published_row *of = pb->pb_rows;

	for (; of < pb->pb_rows + pb->pb_row_count; of++)
		if (of->rb_ns > 0 && !pb->pb_unit->ub_ratio &&
		    of->rb_threads == threads && of->rb_crit_ns == crit_ns &&
		    of->rb_par_ns == par_ns &&
		    strcmp(pb->pb_locks.nm_name[of->rb_lock], lock) == 0 &&
		    (crit_ns != rb->rb_crit_ns || par_ns != rb->rb_par_ns ||
		    of->rb_group == rb->rb_group))
			return (of->rb_ns);
	return (0);
}

/*
 * Whether the kernel of a row's version is older than Linux 5.7, as the header
 * line "# kernels: v3=v5.2.0-rc2 ..." has it.
 */
static bool
before_5_7(const struct published *pb, const struct published_row *rb)
{
	const char *group = pb->pb_groups.nm_name[rb->rb_group], *at;
	char version[PUBLISHED_NAME_SIZE];
	unsigned major, minor;

	at = strstr(group, "version=");
	if (at == NULL || sscanf(at, "version=%90s", version) != 1)
		return (false);
	at = strstr(pb->pb_kernels, FORMATF(" %s=v", version));
	return (at != NULL && sscanf(strchr(at, '='), "=v%u.%u", &major,
	    &minor) == 2 && (major < 5 || (major == 5 && minor < 7)));
}

bool
published_section(const struct published *pb, const struct published_row *rb,
    struct critical_section *se)
{
	const struct published_loop *lb = rb->rb_loop;
	const double asked = rb->rb_crit_ns + rb->rb_par_ns;
	const double idle = beside(pb, rb, "empty", 1, 0, 0);
	const double alone = beside(pb, rb, "empty", rb->rb_threads,
	    rb->rb_crit_ns, rb->rb_par_ns) * rb->rb_threads;
	double one = rb->rb_one_ns > 0 ? rb->rb_one_ns : beside(pb, rb,
	    pb->pb_locks.nm_name[rb->rb_lock], 1, rb->rb_crit_ns,
	    rb->rb_par_ns);
	const char *variant = strstr(pb->pb_groups.nm_name[rb->rb_group],
	    "variant=");
	unsigned held, out;

	*se = (struct critical_section){
		.se_threads = rb->rb_contenders,
		.se_hold_ns = rb->rb_crit_ns + (GIVEN(pb->pb_op,
		    PUBLISHED_HOLD) ? pb->pb_op->op_hold_ns : lb->lb_hold_ns) +
		    lb->lb_hold_shared_ns / rb->rb_contenders,
		.se_think_ns = rb->rb_par_ns + lb->lb_pause_ns,
		.se_lines = lb->lb_lines,
		.se_lock_config = rb->rb_lock_config
	};
	if (lb->lb_shared_random && before_5_7(pb, rb))
		se->se_common_before = se->se_common_writes = 1;
	/* A variant is "workN_unlockedM", or else five lines are written. */
	if (strcmp(lb->lb_name, "smalllocks") == 0 && variant != NULL) {
		if (sscanf(variant, "variant=work%u_unlocked%u", &held,
		    &out) == 2) {
			se->se_hold_ns += rb->rb_burn_ns * held;
			se->se_think_ns = rb->rb_burn_ns * out;
		} else
			se->se_lines = 5;
	}
	if (!isnan(rb->rb_lines))
		se->se_lines = (unsigned)rb->rb_lines;
	/*
	 * What threads take that only delay: the pause takes as much longer.
	 * So does the hold, unless the others wait and leave it the core.
	 */
	if (asked > 0 && alone - idle > asked) {
		se->se_think_ns *= (alone - idle) / asked;
		if ((pb->pb_kind[rb->rb_lock][0]->lc_flags & LC_EXCLUDES) == 0)
			se->se_hold_ns *= (alone - idle) / asked;
	}
	/* The calls of the loop, half of them inside. */
	se->se_hold_ns += idle / 2;
	se->se_think_ns += idle / 2;
	one = one > 0 ? one : lb->lb_one_ns;
	if ((lb->lb_one_ns != 0 || rb->rb_one_ns > 0) && one > se->se_hold_ns)
		se->se_think_ns = one - se->se_hold_ns;
	return (one >= 0);
}

enum { COLUMNS_MAX = 32, WORK_MAX = 1000000 };

/* What a column means: numbers, and with the next three needed. */
enum meaning { WORK, CONTENDERS, THREADS, VALUE, LOCK, GROUP, LOOP,
    LOCK_TUNABLE, OTHER };

#define	WORK_OF(member)	WORK, offsetof(struct published_row, member)

static const struct {
	const char	*name;
	enum meaning	 meaning;
	size_t		 offset;	/* of a thread's work */
} columns[] = {
	{ "threads", THREADS, 0 }, { "lock", LOCK, 0 }, { "value", VALUE, 0 },
	{ "contenders", CONTENDERS, 0 },
	{ "crit_ns", WORK_OF(rb_crit_ns) }, { "par_ns", WORK_OF(rb_par_ns) },
	{ "one_ns", WORK_OF(rb_one_ns) }, { "burn_ns", WORK_OF(rb_burn_ns) },
	{ "acquisitions", WORK_OF(rb_acquisitions) },
	{ "lines", WORK_OF(rb_lines) },
	{ "version", GROUP, 0 }, { "variant", GROUP, 0 },
	{ "metric", GROUP, 0 }, { "bench", GROUP, 0 }, { "kernel", GROUP, 0 },
	{ "run", GROUP, 0 }, { "node", GROUP, 0 }, { "machine", GROUP, 0 },
	{ "config", GROUP, 0 }, { "benchmark", LOOP, 0 }
};

struct reading {
	struct published *bf_pb;
	struct lines	 bf_lines;
	char		 bf_names[COLUMNS_MAX][PUBLISHED_NAME_SIZE];
	enum meaning	 bf_meaning[COLUMNS_MAX];
	size_t		 bf_offset[COLUMNS_MAX];
	unsigned	 bf_columns;
	char		*bf_field[COLUMNS_MAX];	/* of the row being read */
};

#define	REFUSE(...)	lines_refuse(&bf->bf_lines, __VA_ARGS__)

static unsigned
split(struct reading *bf)
{
	char *rest = bf->bf_lines.li_text;
	unsigned n = 0;

	while (n < COLUMNS_MAX &&
	    (bf->bf_field[n] = strsep(&rest, ",")) != NULL)
		n++;
	return (n);
}

/* The loop that a text names, or NULL. */
static const struct published_loop *
loop_of(const char *text)
{
	const struct published_loop *lb = published_loops;

	while (lb->lb_name != NULL && strcmp(text, lb->lb_name) != 0 &&
	    strcasestr(text, lb->lb_sign) == NULL)
		lb++;
	return (lb->lb_name != NULL ? lb : NULL);
}

static void
take_header(struct published *pb, const char *line)
{
	if (strncmp(line, "# kernels:", 10) == 0)
		TEXT_SET(pb->pb_kernels, line);
	if (pb->pb_loop == NULL && strncmp(line, "# benchmark:", 12) == 0)
		pb->pb_loop = loop_of(line + 12 + strspn(line + 12, " "));
	if (strncasecmp(line, "# units:", 8) == 0)
		for (const struct published_unit *ub = published_units;
		    pb->pb_unit == NULL && ub->ub_name != NULL; ub++)
			if (strcasestr(line, ub->ub_sign[0]) != NULL ||
			    (ub->ub_sign[1] != NULL &&
			    strcasestr(line, ub->ub_sign[1]) != NULL))
				pb->pb_unit = ub;
}

static int
take_columns(struct reading *bf)
{
	unsigned found = 0, k;

	bf->bf_columns = split(bf);
	for (unsigned i = 0; i < bf->bf_columns; i++) {
		TEXT_SET(bf->bf_names[i], bf->bf_field[i]);
		for (k = 0; k < i; k++)
			if (strcmp(bf->bf_names[k], bf->bf_names[i]) == 0)
				return (REFUSE("two columns \"%.40s\": "
				    "expected one", bf->bf_names[i]));
		bf->bf_meaning[i] = tunable_find(lock_tunables,
		    bf->bf_field[i]) != NULL ? LOCK_TUNABLE : OTHER;
		for (k = 0; k < nitems(columns); k++)
			if (strcmp(bf->bf_field[i], columns[k].name) == 0) {
				bf->bf_meaning[i] = columns[k].meaning;
				bf->bf_offset[i] = columns[k].offset;
			}
		if (bf->bf_meaning[i] == OTHER &&
		    strstr(bf->bf_field[i], ".lock.") != NULL)
			return (REFUSE("\"%.60s\": expected a lock's tunable "
			    "of \"rngsim list tunables\"", bf->bf_field[i]));
		found |= 1u << bf->bf_meaning[i];
	}
	/* What is predicted without a value may have no such column. */
	for (k = 0; k < (bf->bf_pb->pb_op->op_predict ? 2 : 3); k++)
		if ((found & 1u << columns[k].meaning) == 0)
			return (REFUSE("no column \"%s\": "
			    "expected a line of columns, threads, lock and "
			    "value among them", columns[k].name));
	return (0);
}

/* The index of a name, added where it is new; -1: there are too many. */
static int
intern(struct published_names *nm, const char *name)
{
	unsigned i;

	for (i = 0; i < nm->nm_count; i++)
		if (strcmp(nm->nm_name[i], name) == 0)
			return ((int)i);
	if (i == PUBLISHED_NAMES_MAX)
		return (-1);
	snprintf(nm->nm_name[nm->nm_count++], PUBLISHED_NAME_SIZE, "%s", name);
	return ((int)i);
}

/* Takes a column of a row; text of groups is appended. */
static int
take_field(struct reading *bf, unsigned column, double numbers[VALUE + 1],
    char group[PUBLISHED_NAME_SIZE], struct published_row *rb)
{
	const enum meaning meaning = bf->bf_meaning[column];
	const struct published *pb = bf->bf_pb;
	const bool gain = pb->pb_unit != NULL && pb->pb_unit->ub_gain;
	const char *expected = NULL, *text = bf->bf_field[column];
	const struct tunable *tn;
	char *end, range[TUNABLE_STRING_SIZE];
	double v;
	int lock;

	/* As without the column. */
	if (*text == '\0' && (meaning == WORK || meaning == LOCK_TUNABLE))
		return (0);
	if (meaning == WORK || meaning == GROUP || meaning == LOOP ||
	    meaning == LOCK_TUNABLE)
		APPEND(group, PUBLISHED_NAME_SIZE, "%s%s=%s",
		    *group != '\0' ? " " : "", bf->bf_names[column], text);
	if (meaning == LOOP && !GIVEN(pb->pb_op, PUBLISHED_LOOP))
		rb->rb_loop = loop_of(text) != NULL ? loop_of(text) :
		    pb->pb_loop;
	if (meaning == GROUP || meaning == LOOP || meaning == OTHER ||
	    (meaning == VALUE && *text == '\0' && pb->pb_op->op_predict))
		return (0);
	v = strtod(text, &end);
	if (meaning == LOCK) {
		lock = intern(&bf->bf_pb->pb_locks, text);
		rb->rb_lock = (unsigned)lock;
		if (lock < 0 || *text == '\0')
			expected = "a name, of at most 512 in a file";
	} else if (meaning == LOCK_TUNABLE) {
		tn = tunable_find(lock_tunables, bf->bf_names[column]);
		rb->rb_knobs |= tn->tn_knob;
		tunable_range(tn, range, sizeof(range));
		if (tunable_set_text(tn, &rb->rb_lock_config, text) != 0)
			expected = range;
	} else if (end == text || *end != '\0' || !(fabs(v) <= 1e15) ||
	    v < (meaning == VALUE && gain ? -100 : 0))
		expected = meaning != VALUE ? "a number of 0 or more" : gain ?
		    "a gain of -100 or more" :
		    "a number of 0 to 1e15, or an empty value with --predict";
	else if ((meaning == THREADS || meaning == CONTENDERS) && (v < 1 ||
	    v > CELL_READERS_MAX || (meaning == THREADS && v != floor(v))))
		expected = "threads, 1..1024";
	else if (meaning == WORK && v > WORK_MAX)
		expected = "a number of 0..1000000";
	else if (meaning == WORK)
		*(double *)((char *)rb + bf->bf_offset[column]) = v;
	else
		numbers[meaning] = meaning == VALUE && gain ? 1 + v / 100 : v;
	return (expected == NULL ? 0 : REFUSE("%.40s: \"%.40s\": "
	    "expected %s", bf->bf_names[column], text, expected));
}

static int
take_row(struct reading *bf)
{
	struct published *pb = bf->bf_pb;
	char group[PUBLISHED_NAME_SIZE] = "";
	struct published_row row = published_row(pb, pb->pb_loop);
	double v[VALUE + 1] = { [VALUE] = NAN };
	const unsigned n = split(bf);
	int error = 0, in;
	bool skip;

	if (n != bf->bf_columns)
		return (REFUSE("%u fields: expected %u, "
		    "as there are columns", n, bf->bf_columns));
	for (unsigned i = 0; error == 0 && i < bf->bf_columns; i++)
		error = take_field(bf, i, v, group, &row);
	if (error != 0)
		return (error);
	if (strlen(group) + 1 == sizeof(group))
		return (REFUSE("\"%.40s...\": expected fewer columns, or "
		    "shorter texts in them: %zu bytes", group, sizeof(group)));
	if ((in = intern(&pb->pb_groups, group)) == -1)
		return (REFUSE("more than %d groups", PUBLISHED_NAMES_MAX));
	row.rb_threads = (unsigned)v[THREADS];
	row.rb_contenders = (unsigned)(v[CONTENDERS] > 0 ? v[CONTENDERS] + 0.5 :
	    v[THREADS]);
	row.rb_group = (unsigned)in;
	row.rb_value = v[VALUE];
	/* Some files have rows of zeros. */
	skip = row.rb_value < 1e-15;
	for (unsigned i = 0; i < pb->pb_row_count; i++)
		skip |= pb->pb_rows[i].rb_group == row.rb_group &&
		    pb->pb_rows[i].rb_lock == row.rb_lock &&
		    pb->pb_rows[i].rb_threads == row.rb_threads;
	pb->pb_left_out += skip;
	if (skip)
		return (0);
	*ARRAY_ADD(pb->pb_rows, pb->pb_row_count) = row;
	return (0);
}

int
published_read(struct published *pb)
{
	char why[LINES_ERROR_SIZE] = "";
	struct reading bf = { .bf_pb = pb };
	struct lines *li = &bf.bf_lines;

	if (GIVEN(pb->pb_op, PUBLISHED_LOOP))
		pb->pb_loop = &published_loops[pb->pb_op->op_loop];
	if (GIVEN(pb->pb_op, UNITS))
		pb->pb_unit = &published_units[pb->pb_op->op_units];
	lines_open(li, pb->pb_op->op_published, why);
	while (lines_next(li))
		if (li->li_text[0] == '#')
			take_header(pb, li->li_text);
		else if (bf.bf_columns == 0)
			take_columns(&bf);
		else if (li->li_text[0] != '\0')
			take_row(&bf);
	if (li->li_error == 0 && pb->pb_row_count == 0)
		lines_refuse_file(li, "no rows: expected columns threads, lock "
		    "and value, and rows of them");
	lines_close(li);
	return (li->li_error == 0 ? 0 : argument_error(li->li_error, "%s",
	    why));
}
