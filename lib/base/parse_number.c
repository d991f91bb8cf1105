#include "lib/base/base.h"

static const char decimals[] = "0123456789";
static const char hex_digits[] = "0123456789abcdefABCDEF";

/* A number up to end; strtoull(3) alone takes "-1", "010" and " 1". */
static int
parse_digits(const char *text, const char *end, uint64_t *value)
{
	const bool hex = end - text > 2 && text[0] == '0' && text[1] == 'x';
	const char *digits = hex ? text + 2 : text;
	uint64_t v;

	if (text == end || (!hex && end - text > 1 && text[0] == '0') ||
	    digits + strspn(digits, hex ? hex_digits : decimals) < end)
		return (EINVAL);
	errno = 0;
	v = strtoull(text, NULL, hex ? 16 : 10);
	if (errno != 0)
		return (errno);
	*value = v;
	return (0);
}

int
parse_number(const char *text, uint64_t *value)
{
	return (parse_digits(text, text + strlen(text), value));
}

int
parse_size(const char *text, uint64_t *value)
{
	static const char units[] = "kKmMgG";
	const size_t len = strlen(text);
	const char *unit = len > 1 ? strchr(units, text[len - 1]) : NULL;
	const unsigned shift = unit == NULL ? 0 :
	    10 * (1 + (unsigned)(unit - units) / 2);
	uint64_t v;
	int error;

	if ((error = parse_digits(text, text + len - (shift != 0), &v)) != 0)
		return (error);
	if (v > UINT64_MAX >> shift)
		return (ERANGE);
	*value = v << shift;
	return (0);
}

int
parse_hex(const char *text, uint8_t *bytes, size_t max, size_t *count)
{
	size_t n = strlen(text);
	char pair[3] = "";

	if (n == 0 || n % 2 != 0 || n / 2 > max || strspn(text, hex_digits) < n)
		return (EINVAL);
	for (size_t i = 0; i < n / 2; i++) {
		memcpy(pair, text + 2 * i, 2);
		bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	*count = n / 2;
	return (0);
}

int
parse_real(const char *text, double *value)
{
	const size_t whole = strspn(text, decimals);
	const char *rest = text + whole + (text[whole] == '.');
	const size_t parts = strspn(rest, decimals);
	double number, scale = 1;

	for (size_t i = 0; i < parts; i++)
		scale *= 10;
	number = (double)strtoull(text, NULL, 10) * scale +
	    (double)strtoull(rest, NULL, 10);
	if (whole + parts == 0 || rest[parts] != '\0' || number > 1e15 ||
	    scale > 1e15)
		return (EINVAL);
	/* Both are exact, so the quotient is rounded once. */
	*value = number / scale;
	return (0);
}

char *
parse_word(char **text)
{
	static const char blanks[] = " \t\r";
	char *word = *text + strspn(*text, blanks);

	*text = word + strcspn(word, blanks);
	if (**text != '\0')
		*(*text)++ = '\0';
	return (word);
}
