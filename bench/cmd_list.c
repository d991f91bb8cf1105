#include "bench/cmd.h"
#include "bench/report/report.h"

/* Lists those i for which there is one: a name and a line on it. */
#define	LIST(topic, there, name, descr)					\
static void								\
list_##topic(void)							\
{									\
	for (unsigned i = 0; there; i++)				\
		printf("  %-12s %s\n", name, descr);			\
}

LIST(designs, design_at(i) != NULL, design_at(i)->de_ident,
    design_at(i)->de_descr)
LIST(ciphers, i < cipher_count, ciphers[i]->ci_name, ciphers[i]->ci_descr)
LIST(sources, i < RANDOM_SOURCES, random_sources[i]->rs_ident, FORMATF("%s%s",
    random_sources[i]->rs_descr, random_source_present(random_sources[i]) ?
    "" : " (absent on this machine)"))

/* How a waiter waits, in which order the lock is handed on, and trylock. */
static void
list_locks(void)
{
	printf("A kernel source's mutexes of MTX_DEF are of such a kind; "
	    "MTX_SPIN, sx(9),\nrwlock(9) and rmlock(9) are FreeBSD's.\n"
	    "  %-12s %-6s %-5s %s\n", "", "waits", "order", "try");
	for (unsigned i = 0; i < lock_class_count; i++) {
		const struct lock_class *lc = lock_classes[i];

		printf("  %-12s %-6s %-5s %-4s %s\n", lc->lc_name,
		    (lc->lc_flags & LC_EXCLUDES) == 0 ? "no" :
		    (lc->lc_flags & LC_SLEEPS) != 0 ? "sleeps" : "spins",
		    (lc->lc_flags & LC_FIFO) != 0 ? "fifo" : "any",
		    lc->lc_trylock != NULL ? "yes" : "no", lc->lc_descr);
	}
}

/* Loads them all, as it is only then known which there are. */
static void
list_hashes(void)
{
	printf("  %-20s %5s  %s\n", "", "bytes", "library");
	for (unsigned i = 0; i < hash_count(); i++) {
		struct hash *ha = hash_get(i);
		const bool ready = hash_load(ha) == HASH_READY;

		printf("  %-20s %5u  %s%s%s%s\n", ha->ha_name, ha->ha_bytes,
		    ha->ha_library->hl_name, ready ? "" : " (",
		    ready ? "" : ha->ha_why, ready ? "" : ")");
	}
}

/* A profile that cannot be read is listed with what is wrong with it. */
static void
list_summary(const char *name)
{
	char error[PROFILE_ERROR_SIZE];
	struct profile pr;
	const int status = profile_load(&pr, name, error);

	if (status != 0) {
		printf("  %-18s %s\n", name, status == ESRCH ?
		    "this machine, after \"rngsim calibrate\"" : error);
		return;
	}
	printf("  %-18s %4g %5g %5.0f %%\n", name,
	    pr.pr_value[PROFILE_TOPO_CPUS], pr.pr_value[PROFILE_TOPO_NODES],
	    100 * profile_share(&pr, PROVENANCE_GUESSED));
	format_wrap(stdout, "     ", 5, pr.pr_descr);
}

static void
list_profiles(void)
{
	printf("  %-18s %s %s %s\n", "", "CPUs", "nodes", "guessed");
	list_summary("host");
	for (const struct profile_shipped *ps = profile_shipped;
	    ps->ps_name != NULL; ps++)
		list_summary(ps->ps_name);
}

/* A profile as a file, which --profile takes again. */
static int
list_profile(const char *name)
{
	char why[PROFILE_ERROR_SIZE];
	struct profile pr;
	const int error = profile_load(&pr, name, why);

	if (error != 0)
		return (complain(error == ENOENT || error == ESRCH ?
		    EXIT_USAGE : EXIT_FAILURE, "%s", why));
	return (report_show(profile_write, &pr));
}

static int list_status = EXIT_SUCCESS;

static void
list_sysctl(void *context __unused, const struct design *de,
    const struct design_sysctl *dy)
{
	if (dy == NULL)
		list_status = run_error("%s: %s", de->de_ident,
		    strerror(errno));
	else
		printf("  %s=%" PRId64 "\n      %s; of design %s; takes %s\n",
		    dy->dy_name, dy->dy_value, dy->dy_descr, de->de_ident,
		    dy->dy_range);
}

static int
list_design(const char *name)
{
	const struct design *de = design_find(name);
	struct design_sysctl sysctls[DESIGN_SYSCTLS_MAX];
	struct text names = { .s = "" };
	unsigned n;

	if (de == NULL)
		return (family_refuse(&family_designs, "designs: ", name,
		    NULL));
	printf("%s: %s\n", de->de_ident, de->de_descr);
	format_wrap(stdout, "  stands for ", 15, de->de_stands);
	format_wrap(stdout, "  output     ", 15, (de->de_flags &
	    DE_FORTUNA_BYTES) != 0 ? "FreeBSD's, byte for byte" :
	    (de->de_flags & DE_NULL) != 0 ? "a pattern" : "its own");
	format_wrap(stdout, "  locks      ", 15, (de->de_flags &
	    DE_MANY_LOCKS) != 0 ? "several, which must exclude" : "one");
	n = design_sysctls(de, sysctls);
	if (n == 0 && errno != 0)
		list_sysctl(NULL, de, NULL);
	for (unsigned i = 0; i < n; i++)
		text_list(&names, "%s", sysctls[i].dy_name);
	format_wrap(stdout, "  sysctls    ", 15, names.s);
	format_wrap(stdout, "  to argue   ", 15, de->de_argument);
	return (list_status);
}

static void
list_tunables(void)
{
	const struct bench_tunables *bt = bench_tunables;
	struct bench_config config;
	const struct tunable *tn;
	char range[256], value[TUNABLE_STRING_SIZE];

	bench_config_default(&config, cpu_count());
	for (; bt->btu_table != NULL; bt++)
		for (tn = bt->btu_table; tn->tn_name != NULL; tn++) {
			tunable_format(tn, (char *)&config + bt->btu_base,
			    value, sizeof(value));
			tunable_range(tn, range, sizeof(range));
			printf("  %s=%s\n      %s; takes %s\n", tn->tn_name,
			    value, tn->tn_descr, range);
		}
	options_sysctls(list_sysctl, NULL);
}

static void
list_failpoints(void)
{
	for (unsigned i = 0; i < FAILPOINTS; i++) {
		printf("  %s\n", failpoint_defs[i].fd_name);
		format_wrap(stdout, "      where ", 12,
		    failpoint_defs[i].fd_where);
		format_wrap(stdout, "      what  ", 12,
		    failpoint_defs[i].fd_descr);
	}
}

static const struct {
	const char	*name;
	void		(*print)(void);
} topics[] = {
	{ "designs", list_designs },
	{ "locks", list_locks },
	{ "ciphers", list_ciphers },
	{ "hashes", list_hashes },
	{ "sources", list_sources },
	{ "profiles", list_profiles },
	{ "failpoints", list_failpoints },
	{ "tunables", list_tunables },
};

FAMILY(list_topics, nitems(topics), topics[i].name, .fam_title = NULL);

static int
check(struct options *op)
{
	const char *topic = op->op_operands > 0 ? op->op_operand[0] : NULL;

	if (topic != NULL && family_find(&list_topics, topic) == -1)
		return (family_refuse(&list_topics, "", topic, NULL));
	if (op->op_operands > 1 && strcmp(topic, "profiles") != 0 &&
	    strcmp(topic, "designs") != 0)
		return (usage_error("surplus operand \"%s\"; only designs and "
		    "profiles take one", op->op_operand[1]));
	return (0);
}

static int
run(struct options *op)
{
	if (op->op_operands > 1)
		return (op->op_operand[0][0] == 'p' ?
		    list_profile(op->op_operand[1]) :
		    list_design(op->op_operand[1]));
	for (unsigned i = 0; i < nitems(topics); i++) {
		if (op->op_operands > 0 &&
		    strcmp(op->op_operand[0], topics[i].name) != 0)
			continue;
		printf("%s:\n", topics[i].name);
		topics[i].print();
	}
	return (list_status);
}

const struct command cmd_list = { check, run, 0 };
