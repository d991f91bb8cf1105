#include <string.h>

#include "bench/compare/clip.h"

enum { UTF8_BYTES_MAX = 4 };	/* of a character */

/* How many bytes a character that begins so has; 0: none does. */
static size_t
utf8_bytes(unsigned char first)
{

	if (first < 0x80)
		return (1);
	if (first >= 0xc2 && first <= 0xdf)
		return (2);
	if (first >= 0xe0 && first <= 0xef)
		return (3);
	return (first >= 0xf0 && first <= 0xf4 ? 4 : 0);
}

void
clip_utf8(char *text)
{
	size_t at = strlen(text), len = at, needed;

	while (at > 0 && len - at < UTF8_BYTES_MAX - 1) {
		needed = utf8_bytes((unsigned char)text[--at]);
		if (needed > len - at)
			text[at] = '\0';
		if (needed > 0)
			return;
	}
}
