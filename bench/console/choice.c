#include <stdio.h>
#include <string.h>

#include "bench/console/choice.h"
#include "bench/console/usage.h"

enum { ITEM_SIZE = 64, NAMES_SIZE = 512 };

void
choice_join(char *buf, size_t size, unsigned count, choice_name *name)
{
	size_t used = 0;
	unsigned i;

	buf[0] = '\0';
	for (i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
		    i == 0 ? "" : i + 1 == count ? " or " : ", ", name(i));
}

int
choice_find(const char *command, const char *label, const char *text,
    unsigned count, choice_name *name, unsigned *index)
{
	char names[NAMES_SIZE];
	unsigned i;

	for (i = 0; i < count; i++) {
		if (strcmp(name(i), text) == 0) {
			*index = i;
			return (0);
		}
	}
	choice_join(names, sizeof(names), count, name);
	return (usage_error(command, "%s: \"%s\": expected %s", label, text,
	    names));
}

int
choice_each(const char *command, const char *label, const char *text,
    int (*add)(void *context, const char *label, const char *item),
    void *context)
{
	char empty[ITEM_SIZE], item[ITEM_SIZE];
	const char *whole = text;
	size_t n;
	int error;

	for (;; text += n + 1) {
		n = strcspn(text, ",");
		if (n >= sizeof(item))
			return (usage_error(command, "%s: \"%.20s...\" is too "
			    "long", label, text));
		memcpy(item, text, n);
		item[n] = '\0';
		snprintf(empty, sizeof(empty), "%s: empty item in \"%.40s\"",
		    label, whole);
		error = add(context, n == 0 ? empty : label, item);
		if (error != 0 || text[n] == '\0')
			return (error);
	}
}
