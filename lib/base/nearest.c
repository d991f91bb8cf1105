#include "lib/base/base.h"

/*
 * Letters between what two words begin and end with alike, 1: two that changed
 * places; 0: a begins b, or is what b has behind a colon.
 */
static size_t
edits(const char *a, const char *b)
{
	const size_t la = strlen(a), lb = strlen(b), more = MAX(la, lb);
	const char *colon = strchr(b, ':');
	size_t head = 0, tail = 0, n;

	while (a[head] != '\0' && a[head] == b[head])
		head++;
	while (head + tail < la && head + tail < lb &&
	    a[la - 1 - tail] == b[lb - 1 - tail])
		tail++;
	n = more - head - tail;
	return ((head == la && la > 1) || (colon != NULL && strcmp(a,
	    colon + 1) == 0) ? 0 : n == 2 && la == lb && a[head] ==
	    b[head + 1] && a[head + 1] == b[head] ? 1 : n);
}

const char *
nearest_name(const char *(*name)(unsigned i), const char *text)
{
	size_t least = strlen(text) < 4 ? 2 : 3, n;
	const char *member, *nearest = NULL;

	for (unsigned i = 0; (member = name(i)) != NULL; i++) {
		if ((n = edits(text, member)) < least) {
			least = n;
			nearest = member;
		}
	}
	return (nearest);
}
