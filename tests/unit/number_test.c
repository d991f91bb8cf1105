#include <errno.h>
#include <inttypes.h>
#include <locale.h>

#include "lib/base/base.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { UNTOUCHED = 77 };

struct row {
	const char	*text;
	int		 error;
	uint64_t	 value;
};

static const struct row plain[] = {
	{ "0", 0, 0 },
	{ "7", 0, 7 },
	{ "10", 0, 10 },
	{ "0x0", 0, 0 },
	{ "0x1f", 0, 31 },
	{ "0xDEADbeef", 0, UINT64_C(0xdeadbeef) },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "0xffffffffffffffff", 0, UINT64_MAX },
	{ "18446744073709551616", ERANGE, 0 },
	{ "18446744073709551620", ERANGE, 0 },
	{ "99999999999999999999", ERANGE, 0 },
	{ "100000000000000000000000000000000", ERANGE, 0 },
	{ "0x10000000000000000", ERANGE, 0 },
	{ "", EINVAL, 0 },
	{ "-1", EINVAL, 0 },
	{ "+1", EINVAL, 0 },
	{ " 1", EINVAL, 0 },
	{ "1 ", EINVAL, 0 },
	{ "1\n", EINVAL, 0 },
	{ "\t1", EINVAL, 0 },
	{ "010", EINVAL, 0 },
	{ "00", EINVAL, 0 },
	{ "0x", EINVAL, 0 },
	{ "0X1f", EINVAL, 0 },
	{ "x1f", EINVAL, 0 },
	{ "1f", EINVAL, 0 },
	{ "a", EINVAL, 0 },
	{ "1a", EINVAL, 0 },
	{ "1A", EINVAL, 0 },
	{ "0x1g", EINVAL, 0 },
	{ "0x-1", EINVAL, 0 },
	{ "1e3", EINVAL, 0 },
	{ "5k", EINVAL, 0 },
	{ "1,000", EINVAL, 0 },
	{ "1.0", EINVAL, 0 },
	{ "1/2", EINVAL, 0 },	/* the neighbours of the digits in ASCII */
	{ "1:2", EINVAL, 0 },
	{ "one", EINVAL, 0 },
	{ "\xd9\xa3", EINVAL, 0 },	/* ARABIC-INDIC DIGIT THREE */
	/* Nonsense is nonsense however large. */
	{ "18446744073709551616x", EINVAL, 0 },
};

static const struct row sizes[] = {
	{ "0", 0, 0 },
	{ "0k", 0, 0 },
	{ "1", 0, 1 },
	{ "4k", 0, 4096 },
	{ "4K", 0, 4096 },
	{ "16m", 0, UINT64_C(16) << 20 },
	{ "16M", 0, UINT64_C(16) << 20 },
	{ "1g", 0, UINT64_C(1) << 30 },
	{ "1G", 0, UINT64_C(1) << 30 },
	{ "0x10k", 0, 16384 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18014398509481983k", 0, UINT64_MAX - 1023 },
	{ "17592186044415m", 0, UINT64_MAX - 0xfffff },
	{ "17179869183g", 0, UINT64_MAX - 0x3fffffff },
	{ "18014398509481984k", ERANGE, 0 },
	{ "17592186044416m", ERANGE, 0 },
	{ "17179869184g", ERANGE, 0 },
	{ "17179869184G", ERANGE, 0 },
	{ "18446744073709551616", ERANGE, 0 },
	{ "18446744073709551616k", ERANGE, 0 },
	{ "", EINVAL, 0 },
	{ "k", EINVAL, 0 },
	{ "g", EINVAL, 0 },
	{ "4kk", EINVAL, 0 },
	{ "4kb", EINVAL, 0 },
	{ "4 k", EINVAL, 0 },
	{ "4t", EINVAL, 0 },
	{ "-4k", EINVAL, 0 },
	{ "04k", EINVAL, 0 },
	{ "0xk", EINVAL, 0 },
	{ "1.5k", EINVAL, 0 },
};

static void
check_rows(const struct row *rows, size_t n,
    int (*parse)(const char *, uint64_t *))
{
	uint64_t v, want;
	int error;

	for (size_t i = 0; i < n; i++) {
		v = UNTOUCHED;
		error = parse(rows[i].text, &v);
		want = rows[i].error == 0 ? rows[i].value : UNTOUCHED;
		ATF_CHECK_MSG(error == rows[i].error && v == want,
		    "\"%s\": error %d, not %d; value %" PRIu64 ", not %" PRIu64,
		    rows[i].text, error, rows[i].error, v, want);
	}
}

TEST(number_parse__table, "Digits or 0x and digits, nothing else; what "
    "strtoull(3) lets pass is refused")
{
	check_rows(plain, nitems(plain), parse_number);
}

TEST(number_parse_size__table, "k, m and g are powers of 1024 and do not wrap")
{
	check_rows(sizes, nitems(sizes), parse_size);
}

/*
 * The compiler's own reading of the same text is the judge of the value: at
 * most 15 digits, as all of these have, there is one nearest number.
 */
static const struct {
	const char	*text;
	double		 value;
} good_reals[] = {
	{ "0", 0 },
	{ "1", 1 },
	{ "12", 12 },
	{ "007", 7 },
	{ "0.5", 0.5 },
	{ ".5", 0.5 },
	{ "0.25", 0.25 },
	{ "0.1", 0.1 },
	{ "0.3", 0.3 },
	{ "0.7", 0.7 },
	{ "2.05", 2.05 },
	{ "1.001", 1.001 },
	{ "123456.789", 123456.789 },
	{ "86400", 86400 },
};

static const char *const bad_reals[] = {
	"", ".", "..", "1.2.3", "nan", "NAN", "inf", "infinity", "-5", "-0",
	"+5", " 1", "1 ", "1,5", "1e3", "1E3", "0x10", "0x1p3", "five", "5s",
	"1'000",
	/* Not finite, or as good as. */
	"99999999999999999999999999999999999999999999999999",
};

static void
check_reals(void)
{
	double v;
	int error;

	for (size_t i = 0; i < nitems(good_reals); i++) {
		v = UNTOUCHED;
		error = parse_real(good_reals[i].text, &v);
		ATF_CHECK_MSG(error == 0 && !(v < good_reals[i].value) &&
		    !(v > good_reals[i].value), "\"%s\": error %d, %.17g",
		    good_reals[i].text, error, v);
	}
	for (size_t i = 0; i < nitems(bad_reals); i++) {
		v = UNTOUCHED;
		error = parse_real(bad_reals[i], &v);
		ATF_CHECK_MSG(error == EINVAL && (int)v == UNTOUCHED,
		    "\"%s\": error %d, %.17g", bad_reals[i], error, v);
	}
}

TEST(number_parse_real__table, "Finite non-negative decimals are read as the "
    "compiler reads them; all else is refused")
{
	check_reals();
}

TEST(number_parse_real__comma_locale, "Options mean the same where the "
    "user's decimal point is a comma")
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8",
	    "de_DE.ISO8859-1", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR",
	    "nl_NL.UTF-8", "sv_SE.UTF-8" };
	size_t i;

	for (i = 0; i < nitems(names); i++)
		if (setlocale(LC_ALL, names[i]) != NULL &&
		    strcmp(localeconv()->decimal_point, ",") == 0)
			break;
	if (i == nitems(names))
		atf_tc_skip("no locale with a decimal comma is installed");
	check_reals();
	check_rows(plain, nitems(plain), parse_number);
	check_rows(sizes, nitems(sizes), parse_size);
}

TEST_PROGRAM()
