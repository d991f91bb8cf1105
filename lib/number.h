/*
 * Numbers as people type them.
 */
#ifndef LIB_NUMBER_H
#define LIB_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads an unsigned number: decimal digits, or 0x and hexadecimal ones, and
 * nothing else; no sign, no space, no leading zero.
 *
 * Returns: 0; EINVAL for other text; ERANGE above UINT64_MAX.
 */
int number_parse(const char *text, uint64_t *value);

/*
 * The same with an optional k, m or g for 2^10, 2^20, 2^30.
 *
 * Returns: as number_parse().
 */
int number_parse_size(const char *text, uint64_t *value);

/*
 * Reads bytes from pairs of hexadecimal digits.
 *
 *   bytes  out  up to max
 *   count  out  how many there were, at least 1
 *
 * Returns: 0; EINVAL for other text, none, or more than max.
 */
int number_parse_hex(const char *text, uint8_t *bytes, size_t max,
    size_t *count);

/*
 * Reads a non-negative decimal number such as 0.25, of at most fifteen digits,
 * in the C locale whatever the user's is.
 *
 * Returns: 0 or EINVAL.
 */
int number_parse_real(const char *text, double *value);

#endif
