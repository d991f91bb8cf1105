/* Which options go together; and that an output is no other file. */
#include "bench/kernel/ksource.h"
#include "bench/options/options.h"

static const char pool_hash[] = "rngsim.pool_hash", default_hash[] = "sha256";

/* What a lock or a design may have; a knob is a tunable that it reads. */
enum trait { LOCK_READS, LOCK_EXCLUDES, LOCK_SIMULATED, DESIGN_ONE_LOCK,
    DESIGN_POOLS };

static bool
has(unsigned i, enum trait trait, unsigned knob)
{
	return (trait == DESIGN_ONE_LOCK ? (design_at(i)->de_flags &
	    DE_MANY_LOCKS) == 0 : trait == DESIGN_POOLS ?
	    (design_at(i)->de_flags & DE_NULL) == 0 : trait == LOCK_READS ?
	    (lock_classes[i]->lc_knobs & knob) != 0 : trait == LOCK_EXCLUDES ?
	    (lock_classes[i]->lc_flags & LC_EXCLUDES) != 0 :
	    ENGINE(virtual).en_lock_find(lock_classes[i]->lc_name) != NULL);
}

/* The first of a list without a trait; -1: all have it. */
static int
first_without(const struct option_list *ol, enum trait trait)
{
	for (unsigned i = 0; i < ol->ol_count; i++)
		if (!has((unsigned)ol->ol_value[i], trait, 0))
			return ((int)ol->ol_value[i]);
	return (-1);
}

/* The names of all members of a family with a trait. */
static struct text
names_with(const struct family *fa, enum trait trait, unsigned knob)
{
	struct text names = { .s = "" };
	const char *name;

	for (unsigned i = 0; (name = fa->fa_name(i)) != NULL; i++)
		if (has(i, trait, knob))
			text_list(&names, "%s", name);
	return (names);
}

/* Refuses tunables that no chosen lock reads. */
static int
check_lock_tunables(const struct options *op)
{
	const struct option_list *ol = &op->op_locks;
	struct text locks = { .s = "" };
	const struct tunable *tn;
	unsigned read = 0;
	bool nodes;

	for (unsigned i = 0; i < ol->ol_count; i++) {
		read |= lock_classes[ol->ol_value[i]]->lc_knobs;
		text_list(&locks, "%s", lock_classes[ol->ol_value[i]]->lc_name);
	}
	for (tn = lock_tunables; tn->tn_name != NULL; tn++) {
		if (tn->tn_knob == 0 || (read & tn->tn_knob) != 0 ||
		    !options_tunable_seen(op, tn->tn_name))
			continue;
		nodes = op->op_pretended &&
		    strcmp(tn->tn_name, OPTIONS_LOCK_NODES) == 0;
		return (usage_error("%s%s has no effect on -l %s: expected "
		    "one of %s%s", nodes ? "" : "-S: ", nodes ? "--nodes" :
		    tn->tn_name, locks.s,
		    names_with(&family_locks, LOCK_READS, tn->tn_knob).s,
		    nodes ? "; or, to simulate nodes, add --engine "
		    VIRTUAL_NAME : ""));
	}
	return (0);
}

/* With one lock for each part, a lock that excludes no thread breaks all. */
static int
check_exclusion(const struct options *op)
{
	const int design = first_without(&op->op_designs, DESIGN_ONE_LOCK);
	const int lock = first_without(&op->op_locks, LOCK_EXCLUDES);

	return (design < 0 || lock < 0 ? 0 : usage_error("-l: \"%s\" excludes "
	    "no thread, and design %s has several locks: expected one of %s",
	    lock_classes[lock]->lc_name, design_at((size_t)design)->de_ident,
	    names_with(&family_locks, LOCK_EXCLUDES, 0).s));
}

int
options_check_simulated_locks(const struct options *op)
{
	const int lock = first_without(&op->op_locks, LOCK_SIMULATED);

	return (lock < 0 ? 0 : usage_error("-l: \"%s\" uses this host's "
	    "atomics or threads, which engine %s does not have: expected one "
	    "of %s", lock_classes[lock]->lc_name, VIRTUAL_NAME,
	    names_with(&family_locks, LOCK_SIMULATED, 0).s));
}

static int
check_pool_hash(const struct options *op)
{
	const char *name = op->op_config.bc_program.pool_hash;

	if (!options_tunable_seen(op, pool_hash))
		return (0);
	if (hash_find(name) == NULL)
		return (usage_error("-S: %s: \"%s\": expected a digest such "
		    "as %s; \"rngsim list hashes\" has them", pool_hash, name,
		    default_hash));
	if (op->op_simulated && strcmp(name, default_hash) != 0)
		return (usage_error("-S: %s=%s: a simulated machine "
		    "only has the cost of %s: leave it out", pool_hash, name,
		    default_hash));
	for (unsigned i = 0; i < op->op_designs.ol_count; i++)
		if (has((unsigned)op->op_designs.ol_value[i], DESIGN_POOLS, 0))
			return (0);
	return (usage_error("-S: %s has no effect on -d %s: expected one of "
	    "%s", pool_hash, design_at(op->op_designs.ol_value[0])->de_ident,
	    names_with(&family_designs, DESIGN_POOLS, 0).s));
}

int
options_load_hash(const struct options *op)
{
	struct hash *ha = hash_find(op->op_config.bc_program.pool_hash);

	return (ha == NULL || hash_load(ha) == HASH_READY ? 0 :
	    run_error("-S: %s=%s: it cannot be used: %s", pool_hash,
	    ha->ha_name, ha->ha_why));
}

int
options_check_ciphers(struct options *op)
{
	const char *text = GIVEN(op, CIPHER) ? op->op_text[OPTION_CIPHER] :
	    GIVEN(op, EXPLORE_CIPHER) ? op->op_text[OPTION_EXPLORE_CIPHER] :
	    op->op_config.bc_program.use_chacha20_cipher &&
	    options_tunable_seen(op, "kern.random.use_chacha20_cipher") ?
	    "chacha20" : "";
	const struct design *de;

	for (unsigned i = 0; i < op->op_designs.ol_count; i++) {
		de = design_at(op->op_designs.ol_value[i]);
		if ((de->de_flags & DE_ADDED) == 0 ||
		    design_info(de).di_ciphers == cipher_count)
			continue;
		if (strstr(text, ciphers[1]->ci_name) != NULL)
			return (usage_error("-c: design %s is of a release "
			    "without chacha20: expected aes", de->de_ident));
		op->op_ciphers.ol_count = 0;
		option_list_add(&op->op_ciphers, "", "", 0);
	}
	return (0);
}

int
options_check_crypto(const struct options *op)
{
	bool found = false;

	if (op->op_crypto != CRYPTO_SOURCE)
		return (0);
	for (unsigned i = 0; i < op->op_designs.ol_count; i++)
		found |= ksource_named(
		    design_at(op->op_designs.ol_value[i])->de_ident);
	if (!found)
		return (usage_error("--crypto: \"source\" is for kernel "
		    "sources: expected -d kernel:PATH with it"));
	return (op->op_simulated || (!op->op_ledger && op->op_ledger_path ==
	    NULL) ? 0 : usage_error("--crypto: \"source\": no ledger sees the "
	    "keys of a source's own ciphers: expected kernel, or no --ledger"));
}

static int
check_trace(const struct options *op)
{
	const char *label = op->op_trace != NULL ? "--trace" :
	    op->op_ledger_path != NULL ? "--ledger-log" : NULL;
	const char *end = op->op_trace == NULL ? NULL :
	    strrchr(op->op_trace, '.');

	if (end != NULL && (strcmp(end, ".htm") == 0 ||
	    strcmp(end, ".html") == 0))
		return (usage_error("--trace: \"%s\": it writes JSON for "
		    "ui.perfetto.dev: expected a name such as trace.json",
		    op->op_trace));
	if (label != NULL && op->op_repeats > 1)
		return (usage_error("-n: \"%u\": expected 1 with %s, which "
		    "holds one repeat", op->op_repeats, label));
	return (op->op_trace == NULL || op->op_until_seeded ||
	    (double)op->op_trace_from_ps < op->op_time_s * 1e3 * PS_PER_MS ? 0 :
	    usage_error("--trace-time begins after the end of the window: "
	    "expected less than its %g ms, or a larger -t",
	    op->op_time_s * 1e3));
}

static int
check_grid(const struct options *op)
{
	const uint64_t cells = (uint64_t)op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count *
	    op->op_producers.ol_count * op->op_readers.ol_count *
	    op->op_sizes.ol_count;

	if (op->op_cmd == COMMAND_cat && op->op_place.pl_harvest >= 0)
		return (usage_error("--place: \"%s\": there is no "
		    "harvest thread: expected CPUs for readers only",
		    op->op_place_text));
	return (cells <= OPTIONS_CELLS_MAX ? 0 : usage_error("the lists make "
	    "%ju cells: expected at most %d", (uintmax_t)cells,
	    OPTIONS_CELLS_MAX));
}

int
options_check(const struct options *op)
{
	int error;

	return ((error = check_exclusion(op)) != 0 ||
	    (error = check_lock_tunables(op)) != 0 ||
	    (error = check_pool_hash(op)) != 0 ||
	    (error = check_trace(op)) != 0 ? error : check_grid(op));
}

#define	NEEDS(a, b)	{ OPTION_##a, true, { OPTION_##b, OPTIONS } }
#define	BARS(a, ...)	{ OPTION_##a, false, { __VA_ARGS__, OPTIONS } }

/* What an option needs, or may not stand beside. */
static const struct relation {
	enum option_id	re_option;
	bool		re_needs;
	enum option_id	re_others[10];
} relations[] = {
	NEEDS(ARRIVALS, RATE), NEEDS(TIME_LIMIT, UNTIL),
	NEEDS(PREDICT, PUBLISHED),
	NEEDS(PRODUCER, PRODUCERS), NEEDS(TRACE_TIME, TRACE),
	NEEDS(PARTS, PLAN), NEEDS(BASE, BY), NEEDS(REFUSED_OK, FAIL_IF),
	NEEDS(PANEL, PLOT), NEEDS(PLOT_WIDTH, PLOT), NEEDS(PLOT_TITLE, PLOT),
	/* What is each job's own, or needs all cells at once. */
	BARS(PLAN, OPTION_OUTPUT, OPTION_SCHEDULE, OPTION_ROWS, OPTION_RESUME,
	    OPTION_PIECE, OPTION_JSON, OPTION_ONLY, OPTION_REPLAY,
	    OPTION_UNTIL),
	BARS(PIECE, OPTION_UNTIL),
	/* A run with fail points measures nothing and has no result. */
	BARS(FAILPOINT, OPTION_OUTPUT, OPTION_FORMAT, OPTION_VERIFY,
	    OPTION_UNCERTAINTY, OPTION_TRACE, OPTION_LEDGER_LOG),
	/* Windows end with the first seed. */
	BARS(UNTIL_SEEDED, OPTION_TIME, OPTION_LOOP, OPTION_UNTIL,
	    OPTION_FAILPOINT),
	/* These hold one run. */
	BARS(TRACE, OPTION_UNCERTAINTY), BARS(LEDGER_LOG, OPTION_UNCERTAINTY),
	BARS(PRODUCERS, OPTION_LOOP, OPTION_FAILPOINT),
	BARS(EXHAUSTIVE, OPTION_STRATEGY),
	BARS(PLOT, OPTION_FORMAT, OPTION_HTML, OPTION_LOCK_PROF),
	BARS(HTML, OPTION_FORMAT, OPTION_LOCK_PROF),
	BARS(LOCK_PROF, OPTION_FORMAT),
};

int
options_check_relations(const struct options *op)
{
	const struct relation *re = relations;
	const char *given;

	for (; re < relations + nitems(relations); re++) {
		given = options_given_of(op, re->re_others);
		if (op->op_text[re->re_option] == NULL ||
		    (given != NULL) == re->re_needs)
			continue;
		return (re->re_needs ? usage_error("%s: expected %s with it",
		    option_label(re->re_option), option_label(re->
		    re_others[0])) : usage_error("%s and %s: expected one of "
		    "them", option_label(re->re_option), given));
	}
	return (0);
}

/* Behind the options: rngsim.harvest.record, and the operands. */
enum { RECORD = OPTIONS, OPERANDS };

/* The file that one of them names; NULL or empty: none. */
static const char *
path_of(const struct options *op, unsigned id)
{
	static char host[PATH_MAX];
	const char *name = op->op_profile;

	if (id >= RECORD)
		return (id == RECORD ? op->op_config.bc_harvest.record_file :
		    op->op_operand[id - OPERANDS]);
	if (id == OPTION_WORKLOAD)
		return (op->op_workload.wl_path);
	if (id == OPTION_PRODUCER)
		return (op->op_producing.prw_path);
	if (id != OPTION_PROFILE)
		return ((option_defs[id].od_flags & (READS | WRITES)) != 0 ?
		    op->op_text[id] : NULL);
	/* Also by default; and a shipped profile is no file of its name. */
	if (name != NULL && strcmp(name, "host") == 0 &&
	    profile_host_path(host, sizeof(host)) == 0)
		return (host);
	return (name != NULL && profile_is_path(name) ? name : NULL);
}

static bool
writes(unsigned id)
{
	return (id == RECORD || (id < OPTIONS &&
	    (option_defs[id].od_flags & WRITES) != 0));
}

static const char *
label(unsigned id)
{
	return (id == RECORD ? "rngsim.harvest.record" : id > RECORD ?
	    "the operand" : option_label(id));
}

/* Devices and pipes have no content to lose. */
static bool
collide(const char *a, const char *b, bool both)
{
	struct stat of_a, of_b;

	return (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 ?
	    S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
	    of_a.st_ino == of_b.st_ino : both && strcmp(a, b) == 0);
}

int
options_check_files(const struct options *op)
{
	/* The first is no file. */
	const unsigned first = OPERANDS + (op->op_cmd == COMMAND_workload);
	const unsigned end = OPERANDS + (unsigned)op->op_operands;
	const char *a, *b;

	for (unsigned out = 0; out <= RECORD; out++)
		for (unsigned in = 0; in < end; in++) {
			if (!writes(out) || in == out ||
			    (in >= OPERANDS && in < first))
				continue;
			a = path_of(op, out);
			b = path_of(op, in);
			if (a != NULL && b != NULL && a[0] != '\0' &&
			    b[0] != '\0' && collide(a, b, writes(in)))
				return (usage_error("%s and %s name the same "
				    "file, \"%s\" and \"%s\": expected two",
				    label(out), label(in), a, b));
		}
	return (0);
}
