/*
 * TEST() with libcrypto, from the beginning of a case to its end.
 */
#ifndef TESTS_UNIT_CRYPTO_TEST_H
#define TESTS_UNIT_CRYPTO_TEST_H

#include "tests/unit/support.h"
#include "tests/unit/test.h"

#define	CRYPTO_TEST(name, text)						\
static void	name##_body(void);					\
TEST(name, text)							\
{									\
									\
	support_crypto();						\
	name##_body();							\
	crypto_fini();							\
}									\
static void								\
name##_body(void)

#endif
