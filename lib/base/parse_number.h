/* Numbers in text. */
#pragma once

#include "lib/base/base.h"

/*
 * Decimal digits, or 0x and hexadecimal ones; no sign, space or leading zero.
 * All return 0; EINVAL for other text; ERANGE above UINT64_MAX.
 */
int parse_number(const char *text, uint64_t *value);

/* The same with an optional k, m or g for 2^10, 2^20, 2^30. */
int parse_size(const char *text, uint64_t *value);

/* Pairs of hexadecimal digits, 1 to max of them; *count is how many. */
int parse_hex(const char *text, uint8_t *bytes, size_t max, size_t *count);

/* A number such as 0.25, of at most fifteen digits, in the C locale. */
int parse_real(const char *text, double *value);
