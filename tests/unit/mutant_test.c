/*
 * Designs and locks with a fault each, tests/mutants, and that it is found, and
 * for the reason that it is wrong.  A fault that survives fails the suite: then
 * exploration, or the ledger, looks less closely than it did.
 */
#include <string.h>

#include "bench/assure/evidence.h"
#include "bench/explore/campaign.h"
#include "tests/unit/patched.h"
#include "tests/unit/test.h"

enum {
	SCHEDULES	= 20000,
	HOLDING		= 3000,		/* of what is right */
	SEED		= 1,
	SHRINK_RUNS	= 2000,
	PATCHES_MAX	= 8
};

/* The tables, of rows that begin with a name. */
#define	MUTANT(...)
#define	MUTANT_ROW(...)
#define	MUTANT_RUN(...)
#define	MUTANT_LOCK(name, word, row)					\
	extern const struct lock_class mutant_##name##_lock;
#define	MUTANT_WEAK_LOCK(name, memory, word)	MUTANT_LOCK(name, word, "")
#include "tests/mutants/mutant.tbl"
#undef MUTANT
#undef MUTANT_LOCK
#undef MUTANT_WEAK_LOCK

static const struct mutant {
	const char	*mu_name;
	const char	*mu_file;	/* NULL: a lock */
	const struct lock_class *mu_lock;	/* NULL: mtx */
	const char	*mu_cipher;
	enum vm_memory	 mu_memory;
	uint64_t	 mu_bytes;
	const char	*mu_word;
	struct patch	 mu_patch[PATCHES_MAX];
} mutants[] = {
#define	MUTANT(name, file, cipher, bytes, word, ...)			\
	{ #name, file, NULL, cipher, VM_SC, bytes, word, { __VA_ARGS__ } },
#define	MUTANT_LOCK(name, word, row)					\
	{ #name, NULL, &mutant_##name##_lock, "chacha20", VM_SC, 0,	\
	    word,							\
	    {{ NULL }} },
#define	MUTANT_WEAK_LOCK(name, memory, word)				\
	{ #name, NULL, &mutant_##name##_lock, "chacha20", VM_##memory,	\
	    0,								\
	    word, {{ NULL }} },
#include "tests/mutants/mutant.tbl"
#undef MUTANT
#undef MUTANT_ROW
#undef MUTANT_RUN
#undef MUTANT_LOCK
#undef MUTANT_WEAK_LOCK
};

#define	MUTANT(...)
#define	MUTANT_WEAK_LOCK(...)

/* Those that only a row of "rngsim assure" finds, or "rngsim run", too. */
static const struct {
	struct mutant	mutant;
	void		(*gather)(const struct assure_params *,
			    struct evidence_row *);
} row_mutants[] = {
#define	MUTANT_ROW(name, file, row, words, ...)				\
	{{ #name, file, NULL, NULL, VM_SC, 0, words, { __VA_ARGS__ } },	\
	    row##_gather },
#define	MUTANT_RUN(...)
#define	MUTANT_LOCK(...)
#include "tests/mutants/mutant.tbl"
#undef MUTANT_ROW
#undef MUTANT_RUN
#undef MUTANT_LOCK
};

static const struct {
	const char	*name;
	const char	*words;
} run_mutants[] = {
#define	MUTANT_ROW(...)
#define	MUTANT_RUN(name, words)		{ #name, words },
#define	MUTANT_LOCK(...)
#include "tests/mutants/mutant.tbl"
#undef MUTANT_RUN
#undef MUTANT_LOCK
};

static const struct {
	const char	*name;
	const struct lock_class *class;
	const char	*row;
} row_locks[] = {
#define	MUTANT_RUN(...)
#define	MUTANT_LOCK(name, word, row) { #name, &mutant_##name##_lock, row },
#include "tests/mutants/mutant.tbl"
};

static const struct design *
design_of(const atf_tc_t *tc, const struct mutant *mu, char path[512])
{
	size_t n = 0;

	if (mu->mu_file == NULL)
		return (design_find("concurrent"));
	while (n < PATCHES_MAX && mu->mu_patch[n].p_from != NULL)
		n++;
	return (patched_file(tc, mu->mu_file, mu->mu_patch, n, path));
}

static struct campaign
campaign_of(const struct mutant *mu, const struct design *de)
{
	struct campaign cn = { .cn_seed = SEED, .cn_jobs = 1 };
	struct subject *tb = &cn.cn_subject;

	subject_default(tb);
	tb->tb_design = de;
	tb->tb_lock = mu->mu_lock != NULL ? mu->mu_lock :
	    virtual_lock_class_find("mtx");
	tb->tb_cipher = cipher_find(mu->mu_cipher);
	tb->tb_memory = mu->mu_memory;
	campaign_limits(&cn);
	if (mu->mu_file != NULL && strncmp(mu->mu_file, "harvest/", 8) == 0)
		cn.cn_limits.lim_queue = true;
	if (mu->mu_bytes != 0) {
		cn.cn_limits.lim_sizes = 1;
		cn.cn_limits.lim_size = &mu->mu_bytes;
	}
	return (cn);
}

/* Killed by its property, by the same schedule again, and a smaller one too. */
static void
check_killed(const struct mutant *mu, struct campaign_result *ce)
{
	struct replay ry;
	struct execution *ex;
	unsigned turns;

	if (!ce->cgr_failed) {
		atf_tc_fail_nonfatal("%s survives %ju schedules", mu->mu_name,
		    (uintmax_t)ce->cgr_row.schedules);
		return;
	}
	/* Each delivery is counted, not only their sum. */
	if (strcmp(mu->mu_name, "event_lost") == 0)
		ATF_CHECK_MSG(strstr(ce->cgr_outcome.to_detail, "of 1 events "
		    "given together 0 went") != NULL, "%s",
		    ce->cgr_outcome.to_detail);
	printf("%-20s %s at schedule %ju, %s\n", mu->mu_name,
	    ce->cgr_outcome.to_word, (uintmax_t)ce->cgr_case.cx_number,
	    ce->cgr_case.cx_strategy);
	ATF_CHECK_MSG(strstr(mu->mu_word, ce->cgr_outcome.to_word) != NULL,
	    "%s is caught by \"%s\", not by \"%s\": %s", mu->mu_name,
	    ce->cgr_outcome.to_word, mu->mu_word, ce->cgr_outcome.to_detail);
	ex = execution_new();
	execution_catch_assertions(true);
	ATF_CHECK_EQ(0, counterexample_run(ex, &ce->cgr_case, false, &ry));
	ATF_CHECK_MSG(ry.ry_same, "%s: another outcome of the same schedule",
	    mu->mu_name);
	turns = schedule_turns(&ce->cgr_case.cx_schedule.sd_choices);
	ATF_CHECK_EQ(0, shrink(ex, &ce->cgr_case, SHRINK_RUNS));
	ATF_CHECK(schedule_turns(&ce->cgr_case.cx_schedule.sd_choices) <=
	    turns);
	ATF_CHECK_EQ(0, counterexample_run(ex, &ce->cgr_case, false, &ry));
	ATF_CHECK_MSG(ry.ry_same, "%s: another outcome of the small schedule",
	    mu->mu_name);
	execution_catch_assertions(false);
	execution_free(ex);
}

/* It is killed, but not in a stronger memory than its own. */
static void
check_mutant(const struct mutant *mu, const struct design *de)
{
	struct campaign cn = campaign_of(mu, de);
	struct campaign_result ce;

	for (unsigned m = VM_SC; m <= mu->mu_memory; m++) {
		cn.cn_subject.tb_memory = m;
		cn.cn_end = m == mu->mu_memory && mu->mu_word[0] != '\0' ?
		    SCHEDULES : HOLDING;
		ATF_REQUIRE_EQ(0, campaign_run(&cn, &ce));
		if (m == mu->mu_memory && mu->mu_word[0] != '\0')
			check_killed(mu, &ce);
		else
			ATF_CHECK_MSG(!ce.cgr_failed, "%s, %s, %s: %s",
			    mu->mu_name, vm_memory_names[m],
			    ce.cgr_outcome.to_word, ce.cgr_outcome.to_detail);
		counterexample_free(&ce.cgr_case);
	}
}

/* "rngsim run" of the mutant ends with these words. */
static void
check_run(const atf_tc_t *tc, const char *path, const char *name,
    const char *words)
{
	char program[512], spec[600], word[128], *text = NULL;
	const char *argv[] = { "sh", "-c", "exec \"$0\" run -r 1 -s 64 "
	    "-t 0.05 --seed 1 --ledger -S rngsim.seed_timeout_ms=500 "
	    "-d \"$1\" 2>&1", program, spec, NULL };
	size_t n;

	snprintf(program, sizeof(program), "%s/../rngsim",
	    atf_tc_get_config_var(tc, "srcdir"));
	snprintf(spec, sizeof(spec), "kernel:%s", path);
	ATF_CHECK_EQ_MSG(1, WEXITSTATUS(child_output(argv, NULL, true, &text)),
	    "%s: %s", name, text);
	for (; *words != '\0'; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		ATF_CHECK_MSG(text != NULL && strstr(text, word) != NULL,
		    "%s: no \"%s\" in %s", name, word, text);
	}
	free(text);
}

/* One of them, for looking at it: -v mutant=NAME. */
static bool
wanted(const atf_tc_t *tc, const struct mutant *mu)
{
	return (!atf_tc_has_config_var(tc, "mutant") ||
	    strcmp(atf_tc_get_config_var(tc, "mutant"), mu->mu_name) == 0);
}

TEST(mutants__killed, "every mutant is killed, by the property that it breaks, "
    "and what is right holds")
{
	static const char *const right[] = { "concurrent", "locked" };
	struct mutant mu = { .mu_cipher = "aes", .mu_word = "" };
	const struct design *de;
	char path[512];

	support_crypto();
	for (unsigned i = 0; i < nitems(right); i++) {
		mu.mu_name = right[i];
		check_mutant(&mu, design_find(right[i]));
	}
	for (unsigned i = 0; i < nitems(mutants); i++) {
		if (!wanted(tc, &mutants[i]) || (mutants[i].mu_lock != NULL &&
		    mutants[i].mu_word[0] == '\0'))
			continue;
		de = design_of(tc, &mutants[i], path);
		check_mutant(&mutants[i], de);
		for (unsigned k = 0; k < nitems(run_mutants); k++)
			if (strcmp(run_mutants[k].name, mutants[i].mu_name) ==
			    0)
				check_run(tc, path, mutants[i].mu_name,
				    run_mutants[k].words);
	}
}

TEST(mutants__rows, "designs that schedules alone do not find fail in their "
    "row of the safety page, which FreeBSD's passes")
{
	struct assure_params ap = { .ap_seed = SEED, .ap_jobs = 1 };
	static struct evidence_row row;
	char path[512];

	support_crypto();
	ATF_REQUIRE_EQ(0, cpu_init());
	for (unsigned i = 0; i < nitems(row_mutants); i++) {
		const struct mutant *mu = &row_mutants[i].mutant;

		if (i == 0 || row_mutants[i].gather != row_mutants[i - 1]
		    .gather) {
			ap.ap_design = design_find("concurrent");
			memset(&row, 0, sizeof(row));
			row_mutants[i].gather(&ap, &row);
			ATF_CHECK_EQ_MSG(EVIDENCE_HOLDS, row.er_state, "%s",
			    row.er_text);
		}
		ap.ap_design = design_of(tc, mu, path);
		memset(&row, 0, sizeof(row));
		row_mutants[i].gather(&ap, &row);
		ATF_CHECK_EQ_MSG(EVIDENCE_FAILS, row.er_state, "%s survives: "
		    "%s", mu->mu_name, row.er_text);
		ATF_CHECK_MSG(strstr(row.er_text, mu->mu_word) != NULL ||
		    strstr(row.er_replay, mu->mu_word) != NULL, "%s: %s\n%s",
		    mu->mu_name, row.er_text, row.er_replay);
	}
}

/* All rows of a lock's page; the name of those that fail. */
static const char *
failing_rows(const struct lock_class *class, const char *name)
{
	struct assure_params ap = { .ap_design = design_find("concurrent"),
	    .ap_seed = SEED, .ap_jobs = 1, .ap_simulated_lock = class };
	static struct evidence_row row;
	static char failing[256];
	unsigned i;

	failing[0] = '\0';
	for (i = 0; i < EVIDENCE_ROWS; i++) {
		if (!evidences[i].ev_lock)
			continue;
		memset(&row, 0, sizeof(row));
		evidences[i].ev_gather(&ap, &row);
		printf("%s, %s: %d %s\n", name, evidences[i].ev_name,
		    (int)row.er_state, row.er_text);
		if (row.er_state == EVIDENCE_FAILS)
			snprintf(failing + strlen(failing), sizeof(failing) -
			    strlen(failing), "%s%s", failing[0] == '\0' ? "" :
			    " ", evidences[i].ev_name);
	}
	return (failing);
}

TEST(mutants__lock_rows, "a lock that is wrong fails in the row of what is "
    "wrong, and a right one in none")
{
	const struct lock_class *lc;
	const char *failing;

	support_crypto();
	ATF_REQUIRE_EQ(0, cpu_init());
	for (unsigned i = 0; i < nitems(row_locks); i++) {
		failing = failing_rows(row_locks[i].class, row_locks[i].name);
		ATF_CHECK_STREQ_MSG(row_locks[i].row, failing, "%s",
		    row_locks[i].name);
	}
	for (unsigned i = 0; i < virtual_lock_class_count; i++) {
		lc = virtual_lock_classes[i];
		failing = failing_rows(lc, lc->lc_name);
		ATF_CHECK_STREQ_MSG("", failing, "%s", lc->lc_name);
	}
}

TEST(mutants__table, "mutants are of all sorts: most properties have one")
{
	unsigned found = 0, i, k;
	const char *word;

	for (i = 0; i < LEDGER_PROPERTIES + EXECUTION_PROPERTIES; i++) {
		word = i < LEDGER_PROPERTIES ? ledger_properties[i].lgp_word :
		    execution_properties[i - LEDGER_PROPERTIES].lgp_word;
		for (k = 0; k < nitems(mutants); k++)
			if (strstr(mutants[k].mu_word, word) != NULL)
				break;
		found += k < nitems(mutants);
		if (k == nitems(mutants))
			printf("no mutant breaks \"%s\"\n", word);
	}
	ATF_CHECK(found >= 12);
	ATF_CHECK(nitems(mutants) >= 50);
}

TEST_PROGRAM()
