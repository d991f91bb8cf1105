/*
 * Test cases that register themselves:
 *
 *	TEST(name, "what holds")
 *	{
 *		ATF_CHECK(...);
 *	}
 *
 *	TEST_PROGRAM()
 *
 * A case that needs more than a description is TEST_CASE(name), with
 * ATF_TC_HEAD() and ATF_TC_BODY().
 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <atf-c.h>

enum { TEST_CASES_MAX = 256 };

struct test_case {
	atf_tc_t	*te_tc;
	const atf_tc_pack_t *te_pack;
};

static struct test_case test_cases[TEST_CASES_MAX];
static unsigned test_case_count;

/* Constructors of one file run in the order of its text. */
#define	TEST_CASE(name)							\
	ATF_TC(name);							\
	static void __attribute__((constructor))			\
	register_##name(void)						\
	{								\
									\
		test_cases[test_case_count++] = (struct test_case){	\
		    &atfu_##name##_tc, &atfu_##name##_tc_pack };	\
	}								\
	struct test_case

#define	TEST(name, text)						\
	TEST_CASE(name);						\
	ATF_TC_HEAD(name, tc)						\
	{								\
									\
		atf_tc_set_md_var(tc, "descr", "%s", text);		\
	}								\
	ATF_TC_BODY(name, tc)

#define	TEST_PROGRAM()							\
	ATF_TP_ADD_TCS(tp)						\
	{								\
		char **config = atf_tp_get_config(tp);			\
		atf_error_t error = atf_no_error();			\
		unsigned i;						\
									\
		for (i = 0; i < test_case_count &&			\
		    !atf_is_error(error); i++) {			\
			error = atf_tc_init_pack(test_cases[i].te_tc,	\
			    test_cases[i].te_pack,			\
			    (const char *const *)config);		\
			if (!atf_is_error(error))			\
				error = atf_tp_add_tc(tp,		\
				    test_cases[i].te_tc);		\
		}							\
		atf_utils_free_charpp(config);				\
		return (error);						\
	}

#endif
