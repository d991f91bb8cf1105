#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/result/select.h"
#include "lib/kassert.h"
#include "lib/number.h"

enum { ITEM_SIZE = 64 };

struct key {
	char	 k_option;
	/* NULL: every name will do. */
	bool	(*k_valid)(const char *item);
	const char *k_expected;
	bool	(*k_names)(const char *item, const struct result_cell *cell);
	void	(*k_format)(char item[ITEM_SIZE],
		    const struct result_cell *cell);
};

static bool
readers_range(const char *item, uint64_t *first, uint64_t *last)
{
	char low[ITEM_SIZE], *dash;

	snprintf(low, sizeof(low), "%s", item);
	dash = strchr(low, '-');
	if (dash != NULL)
		*dash++ = '\0';
	if (number_parse(low, first) != 0)
		return (false);
	*last = *first;
	if (dash != NULL && number_parse(dash, last) != 0)
		return (false);
	return (*first >= 1 && *first <= *last);
}

static bool
readers_valid(const char *item)
{
	uint64_t first, last;

	return (readers_range(item, &first, &last));
}

static bool
readers_names(const char *item, const struct result_cell *cell)
{
	uint64_t first, last;

	return (readers_range(item, &first, &last) && first <= cell->readers &&
	    cell->readers <= last);
}

static void
readers_format(char item[ITEM_SIZE], const struct result_cell *cell)
{

	snprintf(item, ITEM_SIZE, "%u", cell->readers);
}

static bool
size_valid(const char *item)
{
	uint64_t v;

	return (number_parse_size(item, &v) == 0 && v >= 1);
}

static bool
size_names(const char *item, const struct result_cell *cell)
{
	uint64_t v;

	return (number_parse_size(item, &v) == 0 && v == cell->request_bytes);
}

/* As it would be typed. */
static void
size_format(char item[ITEM_SIZE], const struct result_cell *cell)
{
	static const char *const suffixes[] = { "", "k", "m", "g" };
	uint64_t v = cell->request_bytes;
	unsigned s = 0;

	while (v != 0 && v % 1024 == 0 && s < 3) {
		v /= 1024;
		s++;
	}
	snprintf(item, ITEM_SIZE, "%" PRIu64 "%s", v, suffixes[s]);
}

/* Keys that are a name in the cell. */
#define	NAMED(member)							\
static bool								\
member##_names(const char *item, const struct result_cell *cell)	\
{									\
									\
	return (strcmp(item, cell->member) == 0);			\
}									\
									\
static void								\
member##_format(char item[ITEM_SIZE], const struct result_cell *cell)	\
{									\
									\
	snprintf(item, ITEM_SIZE, "%s", cell->member);			\
}

NAMED(cipher)
NAMED(design)
NAMED(lock)

static const struct key keys[SELECT_KEYS] = {
	[SELECT_CIPHER]	= { 'c', NULL, "ciphers such as aes,chacha20",
			    cipher_names, cipher_format },
	[SELECT_DESIGN]	= { 'd', NULL, "designs such as locked,concurrent",
			    design_names, design_format },
	[SELECT_LOCK]	= { 'l', NULL, "locks such as mtx,pthread",
			    lock_names, lock_format },
	[SELECT_READERS] = { 'r', readers_valid,
			    "numbers of readers such as 1,3-4",
			    readers_names, readers_format },
	[SELECT_SIZE]	= { 's', size_valid, "bytes such as 4k,64k",
			    size_names, size_format },
};

/*
 * Copies the next item, cut where it is too long to be anything.
 *
 * Returns: whether there was one; *text is behind it then.
 */
static bool
next_item(const char **text, char item[ITEM_SIZE])
{
	size_t n;

	if (*text == NULL)
		return (false);
	n = strcspn(*text, ",");
	snprintf(item, ITEM_SIZE, "%.*s", n < ITEM_SIZE ? (int)n : ITEM_SIZE,
	    *text);
	*text = (*text)[n] == ',' ? *text + n + 1 : NULL;
	return (true);
}

int
select_check(enum select_key key, const char *text, char why[SELECT_TEXT_SIZE])
{
	const struct key *k = &keys[key];
	const char *rest = text;
	char item[ITEM_SIZE];

	MPASS(key < SELECT_KEYS);
	while (next_item(&rest, item)) {
		if (item[0] == '\0')
			snprintf(why, SELECT_TEXT_SIZE, "empty item in "
			    "\"%.40s\": expected %s", text, k->k_expected);
		else if (k->k_valid != NULL && !k->k_valid(item))
			snprintf(why, SELECT_TEXT_SIZE, "\"%.40s\": expected "
			    "%s", item, k->k_expected);
		else
			continue;
		return (EINVAL);
	}
	return (0);
}

static bool
list_names(const struct select *sl, enum select_key key,
    const struct result_cell *cell)
{
	const char *rest = sl->sl_list[key];
	char item[ITEM_SIZE];

	if (rest == NULL)
		return (true);
	while (next_item(&rest, item))
		if (keys[key].k_names(item, cell))
			return (true);
	return (false);
}

static bool
cell_chosen(const struct select *sl, const struct result_cell *cell)
{
	unsigned key;

	for (key = 0; key < SELECT_KEYS; key++)
		if (!list_names(sl, (enum select_key)key, cell))
			return (false);
	return (true);
}

static bool
control_chosen(const struct select *sl, const struct result_cell *cell)
{

	return (list_names(sl, SELECT_READERS, cell));
}

/* Keeps what is chosen, in its order. */
static unsigned
keep(const struct select *sl, struct result_cell *cells, unsigned count,
    bool (*chosen)(const struct select *, const struct result_cell *))
{
	unsigned i, kept = 0;

	for (i = 0; i < count; i++) {
		if (!chosen(sl, &cells[i]))
			result_cell_free(&cells[i]);
		else
			cells[kept++] = cells[i];
	}
	return (kept);
}

int
select_cells(const struct select *sl, struct result *r)
{
	unsigned i;

	for (i = 0; i < r->cell_count; i++)
		if (cell_chosen(sl, &r->cells[i]))
			break;
	if (i == r->cell_count)
		return (ENOENT);
	r->cell_count = keep(sl, r->cells, r->cell_count, cell_chosen);
	r->control_count = keep(sl, r->controls, r->control_count,
	    control_chosen);
	return (0);
}

/* Whether a cell before this one says the same. */
static bool
said(const struct result *r, unsigned cell, enum select_key key,
    const char *item)
{
	char other[ITEM_SIZE];
	unsigned i;

	for (i = 0; i < cell; i++) {
		keys[key].k_format(other, &r->cells[i]);
		if (strcmp(item, other) == 0)
			return (true);
	}
	return (false);
}

void
select_describe(const struct result *r, char text[SELECT_TEXT_SIZE])
{
	char item[ITEM_SIZE];
	unsigned i, key, said_before;
	size_t len = 0;

	text[0] = '\0';
	for (key = 0; key < SELECT_KEYS; key++) {
		said_before = 0;
		for (i = 0; i < r->cell_count && len < SELECT_TEXT_SIZE; i++) {
			keys[key].k_format(item, &r->cells[i]);
			if (said(r, i, (enum select_key)key, item))
				continue;
			if (said_before++ == 0)
				len += (size_t)snprintf(text + len,
				    SELECT_TEXT_SIZE - len, "%s-%c %s",
				    key == 0 ? "" : " ", keys[key].k_option,
				    item);
			else
				len += (size_t)snprintf(text + len,
				    SELECT_TEXT_SIZE - len, ",%s", item);
		}
	}
}
