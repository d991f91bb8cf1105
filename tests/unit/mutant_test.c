/*
 * Designs and locks with a fault each, tests/mutants, and that exploration
 * finds it, and for the reason that it is wrong.  A fault that survives fails
 * the suite: then exploration, or the ledger, looks less closely than it did.
 */
#include <string.h>

#include "bench/assure/evidence.h"
#include "bench/explore/campaign.h"
#include "bench/explore/shrink.h"
#include "lib/machine/cpu.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	SCHEDULES	= 20000,
	SEED		= 1,
	SHRINK_RUNS	= 2000
};

#define	MUTANT_DESIGN(name, cipher, bytes, word)			\
	extern const struct random_algorithm mutant_##name##_design;
#define	MUTANT_ROW(name, row, words)					\
	extern const struct random_algorithm mutant_##name##_design;
#define	MUTANT_LOCK(name, word, row)					\
	extern const struct lock_class mutant_##name##_lock;
#define	MUTANT_WEAK_DESIGN(name, memory, word)				\
	extern const struct random_algorithm mutant_##name##_design;
#define	MUTANT_WEAK_LOCK(name, memory, word)				\
	extern const struct lock_class mutant_##name##_lock;
#include "tests/mutants/mutant.tbl"
#undef MUTANT_DESIGN
#undef MUTANT_ROW
#undef MUTANT_LOCK
#undef MUTANT_WEAK_DESIGN
#undef MUTANT_WEAK_LOCK

struct mutant {
	const char	*mu_name;
	const struct random_algorithm *mu_design;	/* NULL: concurrent */
	const struct lock_class *mu_lock;		/* NULL: mtx */
	const char	*mu_cipher;
	uint32_t	mu_bytes;
	const char	*mu_word;
	enum vm_memory	 mu_memory;
};

static const struct mutant mutants[] = {
#define	MUTANT_DESIGN(name, cipher, bytes, word)			\
	{ #name, &mutant_##name##_design, NULL, cipher, bytes, word, VM_SC },
#define	MUTANT_ROW(name, row, words)
#define	MUTANT_LOCK(name, word, row)					\
	{ #name, NULL, &mutant_##name##_lock, "chacha20", 0, word, VM_SC },
#define	MUTANT_WEAK_DESIGN(name, memory, word)				\
	{ #name, &mutant_##name##_design, NULL, "chacha20", 0, word,	\
	    VM_##memory },
#define	MUTANT_WEAK_LOCK(name, memory, word)				\
	{ #name, NULL, &mutant_##name##_lock, "chacha20", 0, word,	\
	    VM_##memory },
#include "tests/mutants/mutant.tbl"
#undef MUTANT_DESIGN
#undef MUTANT_ROW
#undef MUTANT_LOCK
#undef MUTANT_WEAK_DESIGN
#undef MUTANT_WEAK_LOCK
};

/* Those that only a row of "rngsim assure" finds. */
static const struct {
	const char	*name;
	const struct random_algorithm *design;
	void		(*gather)(const struct assure_params *,
			    struct evidence_row *);
	const char	*words;
} row_mutants[] = {
#define	MUTANT_DESIGN(name, cipher, bytes, word)
#define	MUTANT_ROW(name, row, words)					\
	{ #name, &mutant_##name##_design, row##_gather, words },
#define	MUTANT_LOCK(name, word, row)
#define	MUTANT_WEAK_DESIGN(name, memory, word)
#define	MUTANT_WEAK_LOCK(name, memory, word)
#include "tests/mutants/mutant.tbl"
#undef MUTANT_DESIGN
#undef MUTANT_ROW
#undef MUTANT_LOCK
#undef MUTANT_WEAK_DESIGN
#undef MUTANT_WEAK_LOCK
};

static struct campaign
campaign_of(const struct mutant *mu)
{
	struct campaign cn = { .cn_strategy = &strategy_mix,
	    .cn_seed = SEED, .cn_end = SCHEDULES, .cn_jobs = 1 };
	struct subject *tb = &cn.cn_subject;

	subject_default(tb);
	tb->tb_design = mu->mu_design != NULL ? mu->mu_design :
	    simulated_design("concurrent");
	tb->tb_lock = mu->mu_lock != NULL ? mu->mu_lock : simulated_lock("mtx");
	tb->tb_cipher = cipher_find(mu->mu_cipher);
	tb->tb_memory = mu->mu_memory;
	campaign_limits(tb, &cn.cn_limits);
	if (mu->mu_bytes != 0) {
		cn.cn_limits.sm_sizes = 1;
		cn.cn_limits.sm_size[0] = mu->mu_bytes;
	}
	return (cn);
}

/* Killed by its property, by the same schedule again, and a smaller one too. */
static void
check_mutant(const struct mutant *mu)
{
	struct campaign cn = campaign_of(mu);
	struct campaign_result ce;
	struct replay_result cr;
	struct execution *ex;
	unsigned pieces;

	ATF_REQUIRE_EQ(0, campaign_run(&cn, &ce));
	if (!ce.ce_failed) {
		atf_tc_fail_nonfatal("%s survives %ju schedules", mu->mu_name,
		    (uintmax_t)ce.ce_schedules);
		return;
	}
	printf("%-20s %s at schedule %ju, %s\n", mu->mu_name,
	    ce.ce_outcome.to_word, (uintmax_t)ce.ce_case.cx_number,
	    ce.ce_case.cx_strategy);
	ATF_CHECK_MSG(strstr(mu->mu_word, ce.ce_outcome.to_word) != NULL,
	    "%s is caught by \"%s\", not by \"%s\": %s", mu->mu_name,
	    ce.ce_outcome.to_word, mu->mu_word, ce.ce_outcome.to_detail);
	ex = execution_new();
	execution_catch_assertions(true);
	ATF_CHECK_EQ(0, counterexample_run(ex, &ce.ce_case, NULL, &cr));
	ATF_CHECK_MSG(cr.cr_same, "%s: another outcome of the same schedule",
	    mu->mu_name);
	pieces = ce.ce_case.cx_schedule.sd_choices.sl_count;
	ATF_CHECK_EQ(0, shrink(ex, &ce.ce_case, SHRINK_RUNS));
	ATF_CHECK(ce.ce_case.cx_schedule.sd_choices.sl_count <= pieces);
	ATF_CHECK_EQ(0, counterexample_run(ex, &ce.ce_case, NULL, &cr));
	ATF_CHECK_MSG(cr.cr_same, "%s: another outcome of the small schedule",
	    mu->mu_name);
	execution_catch_assertions(false);
	execution_free(ex);
	counterexample_free(&ce.ce_case);
}

TEST(mutants__killed, "every mutant is killed, by the property that it breaks")
{
	support_crypto();
	for (unsigned i = 0; i < nitems(mutants); i++)
		if (mutants[i].mu_word[0] != '\0')
			check_mutant(&mutants[i]);
}

TEST(mutants__memory, "mutants of weak memory survive in a stronger one")
{
	struct campaign_result ce;
	struct campaign cn;

	support_crypto();
	for (unsigned i = 0; i < nitems(mutants); i++)
		for (unsigned m = VM_SC; m < mutants[i].mu_memory; m++) {
			cn = campaign_of(&mutants[i]);
			cn.cn_subject.tb_memory = m;
			ATF_REQUIRE_EQ(0, campaign_run(&cn, &ce));
			ATF_CHECK_MSG(!ce.ce_failed, "%s, %s: %s",
			    mutants[i].mu_name, vm_memory_names[m],
			    ce.ce_outcome.to_detail);
			counterexample_free(&ce.ce_case);
		}
}

TEST(mutants__queue_without_lock, "a harvest queue whose buffers are swapped "
    "without a lock delivers what is not written yet, and is killed")
{
	static const struct mutant none = { "queue", NULL, NULL, "chacha20", 0,
	    "assertion", VM_SC };
	struct campaign cn = campaign_of(&none);
	struct campaign_result ce;

	support_crypto();
	cn.cn_subject.tb_queue_lock = simulated_lock("none");
	cn.cn_limits.sm_queue = true;
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &ce));
	ATF_REQUIRE(ce.ce_failed);
	ATF_CHECK_MSG(strcmp(ce.ce_outcome.to_word, none.mu_word) == 0,
	    "caught by \"%s\": %s", ce.ce_outcome.to_word,
	    ce.ce_outcome.to_detail);
	counterexample_free(&ce.ce_case);
}

TEST(mutants__rows, "designs that schedules alone do not find fail in their "
    "row of the safety page, which FreeBSD's passes")
{
	struct assure_params ap = { .ap_design = "concurrent", .ap_seed = SEED,
	    .ap_jobs = 1 };
	static struct evidence_row row;
	unsigned i;

	support_crypto();
	for (i = 0; i < nitems(row_mutants); i++) {
		ap.ap_simulated = simulated_design("concurrent");
		memset(&row, 0, sizeof(row));
		row_mutants[i].gather(&ap, &row);
		ATF_CHECK_EQ_MSG(EVIDENCE_HOLDS, row.er_state, "%s",
		    row.er_text);
		ap.ap_simulated = row_mutants[i].design;
		memset(&row, 0, sizeof(row));
		row_mutants[i].gather(&ap, &row);
		ATF_CHECK_EQ_MSG(EVIDENCE_FAILS, row.er_state, "%s survives: "
		    "%s", row_mutants[i].name, row.er_text);
		ATF_CHECK_MSG(strstr(row.er_text, row_mutants[i].words) !=
		    NULL || strstr(row.er_replay, row_mutants[i].words) != NULL,
		    "%s: %s\n%s", row_mutants[i].name, row.er_text,
		    row.er_replay);
	}
}

/* Locks, and their rows. */
static const struct {
	const char	*name;
	const struct lock_class *class;
	const char	*row;
} row_locks[] = {
#define	MUTANT_DESIGN(name, cipher, bytes, word)
#define	MUTANT_ROW(name, row, words)
#define	MUTANT_LOCK(name, word, row)					\
	{ #name, &mutant_##name##_lock, row },
#define	MUTANT_WEAK_DESIGN(name, memory, word)
#define	MUTANT_WEAK_LOCK(name, memory, word)
#include "tests/mutants/mutant.tbl"
#undef MUTANT_DESIGN
#undef MUTANT_ROW
#undef MUTANT_LOCK
#undef MUTANT_WEAK_DESIGN
#undef MUTANT_WEAK_LOCK
};

/* All rows of a lock's page; the name of those that fail. */
static const char *
failing_rows(const struct lock_class *class, const char *name)
{
	struct assure_params ap = { .ap_design = "concurrent", .ap_seed = SEED,
	    .ap_jobs = 1, .ap_simulated = simulated_design("concurrent"),
	    .ap_simulated_lock = class };
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
	for (unsigned i = 0; (lc = simulated_lock_at(i)) != NULL; i++) {
		failing = failing_rows(lc, lc->lc_name);
		ATF_CHECK_STREQ_MSG("", failing, "%s", lc->lc_name);
	}
}

TEST(mutants__table, "mutants are of all sorts: most properties have one")
{
	unsigned found = 0, i, k;
	const char *word;

	for (i = 0; i < LEDGER_PROPERTIES + EXECUTION_PROPERTIES; i++) {
		word = i < LEDGER_PROPERTIES ? ledger_properties[i].lp_word :
		    execution_properties[i - LEDGER_PROPERTIES].lp_word;
		for (k = 0; k < nitems(mutants); k++)
			if (strstr(mutants[k].mu_word, word) != NULL)
				break;
		found += k < nitems(mutants);
		if (k == nitems(mutants))
			printf("no mutant breaks \"%s\"\n", word);
	}
	ATF_CHECK(found >= 12);
	ATF_CHECK(nitems(mutants) >= 30);
}

TEST_PROGRAM()
