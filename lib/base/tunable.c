#include "lib/base/tunable.h"

const struct tunable *
tunable_find(const struct tunable *table, const char *name)
{
	while (table->tn_name != NULL && strcmp(table->tn_name, name) != 0)
		table++;
	return (table->tn_name != NULL ? table : NULL);
}

int
tunable_set_text(const struct tunable *tn, void *base, const char *text)
{
	char *field = (char *)base + tn->tn_offset;
	uint64_t v;

	switch (tn->tn_type) {
	case TUNABLE_BOOL:
		if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
			return (EINVAL);
		*(bool *)field = text[0] == '1';
		return (0);
	case TUNABLE_UINT:
		if (parse_number(text, &v) != 0 || v < tn->tn_min ||
		    v > tn->tn_max)
			return (EINVAL);
		*(unsigned *)(void *)field = (unsigned)v;
		return (0);
	case TUNABLE_CHOICE:
		for (v = 0; tn->tn_choices[v] != NULL &&
		    strcmp(tn->tn_choices[v], text) != 0; v++)
			continue;
		if (tn->tn_choices[v] == NULL)
			return (EINVAL);
		*(unsigned *)(void *)field = (unsigned)v;
		return (0);
	case TUNABLE_STRING:
		if (strlen(text) >= TUNABLE_STRING_SIZE)
			return (EINVAL);
		strcpy(field, text);
		return (0);
	}
	KASSERT(false, ("%s is of type %d", tn->tn_name, (int)tn->tn_type));
}

void
tunable_format(const struct tunable *tn, const void *base, char *buf,
    size_t size)
{
	const void *field = (const char *)base + tn->tn_offset;

	if (tn->tn_type == TUNABLE_BOOL || tn->tn_type == TUNABLE_UINT)
		snprintf(buf, size, "%u", tn->tn_type == TUNABLE_UINT ?
		    *(const unsigned *)field : *(const bool *)field);
	else
		snprintf(buf, size, "%s", tn->tn_type == TUNABLE_STRING ?
		    (const char *)field :
		    tn->tn_choices[*(const unsigned *)field]);
}

void
tunable_range(const struct tunable *tn, char *buf, size_t size)
{
	const char *const *choice = tn->tn_choices;

	if (tn->tn_type == TUNABLE_BOOL)
		snprintf(buf, size, "0 or 1");
	else if (tn->tn_type == TUNABLE_UINT)
		snprintf(buf, size, "%" PRIu64 "..%" PRIu64, tn->tn_min,
		    tn->tn_max);
	else if (tn->tn_type == TUNABLE_STRING)
		snprintf(buf, size, "text, at most %d bytes",
		    TUNABLE_STRING_SIZE - 1);
	else
		for (buf[0] = '\0'; *choice != NULL; choice++)
			APPEND(buf, size, "%s%s", buf[0] == '\0' ? "" : ", ",
			    *choice);
}
