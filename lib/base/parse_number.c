#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/parse_number.h"

static int
digit_value(char c)
{

	if (c >= '0' && c <= '9')
		return (c - '0');
	if (c >= 'a' && c <= 'f')
		return (c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (c - 'A' + 10);
	return (99);
}

/*
 * Own digits rather than strtoull(3), which takes "-1", "010" and " 1", and
 * stops silently at other text.
 */
static int
parse_digits(const char *text, const char *end, uint64_t *value)
{
	uint64_t base = 10, v = 0;
	bool overflow = false;

	if (end - text > 2 && text[0] == '0' && text[1] == 'x') {
		base = 16;
		text += 2;
	} else if (end - text > 1 && text[0] == '0') {
		return (EINVAL);
	}
	if (text == end)
		return (EINVAL);
	for (; text < end; text++) {
		uint64_t d = (uint64_t)digit_value(*text);

		if (d >= base)
			return (EINVAL);
		if (v > (UINT64_MAX - d) / base)
			overflow = true;
		else
			v = v * base + d;
	}
	if (overflow)
		return (ERANGE);
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
	size_t len = strlen(text);
	unsigned shift = 0;
	uint64_t v;
	int error;

	if (len > 1) {
		switch (text[len - 1]) {
		case 'k': case 'K':
			shift = 10;
			break;
		case 'm': case 'M':
			shift = 20;
			break;
		case 'g': case 'G':
			shift = 30;
			break;
		}
	}
	error = parse_digits(text, text + len - (shift != 0), &v);
	if (error != 0)
		return (error);
	if (v > UINT64_MAX >> shift)
		return (ERANGE);
	*value = v << shift;
	return (0);
}

int
parse_hex(const char *text, uint8_t *bytes, size_t max, size_t *count)
{
	size_t i, n = strlen(text);
	int hi, lo;

	if (n == 0 || n % 2 != 0 || n / 2 > max)
		return (EINVAL);
	for (i = 0; i < n / 2; i++) {
		hi = digit_value(text[2 * i]);
		lo = digit_value(text[2 * i + 1]);
		if (hi > 15 || lo > 15)
			return (EINVAL);
		bytes[i] = (uint8_t)(hi << 4 | lo);
	}
	*count = n / 2;
	return (0);
}

int
parse_real(const char *text, double *value)
{
	double digits = 0, scale = 1;
	bool any = false, point = false;

	for (; *text != '\0'; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			return (EINVAL);
		any = true;
		digits = digits * 10 + (*text - '0');
		if (point)
			scale *= 10;
		/* Both are exact so far, so the quotient is rounded once. */
		if (digits > 1e15 || scale > 1e15)
			return (EINVAL);
	}
	if (!any)
		return (EINVAL);
	*value = digits / scale;
	return (0);
}
