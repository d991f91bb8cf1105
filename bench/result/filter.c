#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/result/filter.h"
#include "lib/base/kassert.h"
#include "lib/base/parse_number.h"

enum { ITEM_SIZE = 64 };

static const struct {
	char	 k_option;
	const char *k_expected;
} keys[FILTER_KEYS] = {
	[FILTER_CIPHER]	= { 'c', "ciphers such as aes,chacha20" },
	[FILTER_DESIGN]	= { 'd', "designs such as locked,concurrent" },
	[FILTER_LOCK]	= { 'l', "locks such as mtx,pthread" },
	[FILTER_READERS] = { 'r', "numbers of readers such as 1,3-4" },
	[FILTER_SIZE]	= { 's', "bytes such as 4k,64k" },
};

static bool
readers_range(const char *item, uint64_t *first, uint64_t *last)
{
	char low[ITEM_SIZE], *dash;

	snprintf(low, sizeof(low), "%s", item);
	dash = strchr(low, '-');
	if (dash != NULL)
		*dash++ = '\0';
	if (parse_number(low, first) != 0)
		return (false);
	*last = *first;
	if (dash != NULL && parse_number(dash, last) != 0)
		return (false);
	return (*first >= 1 && *first <= *last);
}

/* The value of a cell, as an option takes it. */
static void
format_item(enum filter_key key, const struct result_cell *cell,
    char item[ITEM_SIZE])
{
	static const char *const suffixes[] = { "", "k", "m", "g" };
	uint64_t v = cell->request_bytes;
	unsigned s = 0;

	if (key == FILTER_READERS) {
		snprintf(item, ITEM_SIZE, "%u", cell->readers);
	} else if (key == FILTER_SIZE) {
		for (; v != 0 && v % 1024 == 0 && s < 3; s++)
			v /= 1024;
		snprintf(item, ITEM_SIZE, "%" PRIu64 "%s", v, suffixes[s]);
	} else {
		snprintf(item, ITEM_SIZE, "%s", key == FILTER_CIPHER ?
		    cell->cipher : key == FILTER_DESIGN ? cell->design :
		    cell->lock);
	}
}

/* Whether an item is valid and, unless cell is NULL, names the cell. */
static bool
names(enum filter_key key, const char *item, const struct result_cell *cell)
{
	uint64_t first, last, size;
	char of_cell[ITEM_SIZE];

	if (key == FILTER_READERS)
		return (readers_range(item, &first, &last) && (cell == NULL ||
		    (first <= cell->readers && cell->readers <= last)));
	if (key == FILTER_SIZE)
		return (parse_size(item, &size) == 0 && size >= 1 &&
		    (cell == NULL || size == cell->request_bytes));
	if (cell == NULL)
		return (true);
	format_item(key, cell, of_cell);
	return (strcmp(item, of_cell) == 0);
}

/*
 * Copies the next item, cut off if it is too long to name anything.
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
filter_check(enum filter_key key, const char *text, char why[FILTER_TEXT_SIZE])
{
	const char *rest = text;
	char item[ITEM_SIZE];

	MPASS(key < FILTER_KEYS);
	while (next_item(&rest, item)) {
		if (item[0] == '\0')
			snprintf(why, FILTER_TEXT_SIZE, "empty item in "
			    "\"%.40s\": expected %s", text,
			    keys[key].k_expected);
		else if (!names(key, item, NULL))
			snprintf(why, FILTER_TEXT_SIZE, "\"%.40s\": expected "
			    "%s", item, keys[key].k_expected);
		else
			continue;
		return (EINVAL);
	}
	return (0);
}

/* Whether the lists from the key first to last name a cell. */
static bool
chosen(const struct filter *fi, unsigned first, unsigned last,
    const struct result_cell *cell)
{
	char item[ITEM_SIZE];
	const char *rest;
	unsigned key;
	bool named;

	for (key = first; key <= last; key++) {
		rest = fi->fi_list[key];
		named = rest == NULL;
		while (!named && next_item(&rest, item))
			named = names((enum filter_key)key, item, cell);
		if (!named)
			return (false);
	}
	return (true);
}

/* Frees the cells that are not chosen.  Returns: how many are left. */
static unsigned
keep(const struct filter *fi, unsigned first, unsigned last,
    struct result_cell *cells, unsigned count)
{
	unsigned i, kept = 0;

	for (i = 0; i < count; i++) {
		if (!chosen(fi, first, last, &cells[i]))
			result_cell_free(&cells[i]);
		else
			cells[kept++] = cells[i];
	}
	return (kept);
}

/* Whether a cell before this one has the same item. */
static bool
is_repeated(const struct result *r, unsigned cell, enum filter_key key,
    const char *item)
{
	char other[ITEM_SIZE];
	unsigned i;

	for (i = 0; i < cell; i++) {
		format_item(key, &r->cells[i], other);
		if (strcmp(item, other) == 0)
			return (true);
	}
	return (false);
}

/* What lists could name in r: "-c aes -d locked,concurrent -l mtx ...". */
static void
describe(const struct result *r, char text[FILTER_TEXT_SIZE])
{
	char item[ITEM_SIZE], option[8];
	unsigned i, key;
	size_t len = 0;

	text[0] = '\0';
	for (key = 0; key < FILTER_KEYS; key++)
		for (i = 0; i < r->cell_count && len < FILTER_TEXT_SIZE; i++) {
			format_item((enum filter_key)key, &r->cells[i], item);
			if (is_repeated(r, i, (enum filter_key)key, item))
				continue;
			snprintf(option, sizeof(option), "%s-%c ",
			    key == 0 ? "" : " ", keys[key].k_option);
			len += (size_t)snprintf(text + len, FILTER_TEXT_SIZE -
			    len, "%s%s", i == 0 ? option : ",", item);
		}
}

int
filter_cells(const struct filter *fi, struct result *r,
    char expected[FILTER_TEXT_SIZE])
{
	bool any = false;
	unsigned i;

	for (i = 0; i < FILTER_KEYS; i++)
		any |= fi->fi_list[i] != NULL;
	if (!any)
		return (0);
	for (i = 0; i < r->cell_count; i++)
		if (chosen(fi, 0, FILTER_KEYS - 1, &r->cells[i]))
			break;
	if (i == r->cell_count) {
		snprintf(expected, FILTER_TEXT_SIZE, "a result that has any");
		if (i > 0)
			describe(r, expected);
		return (ENOENT);
	}
	r->cell_count = keep(fi, 0, FILTER_KEYS - 1, r->cells, r->cell_count);
	/* A control shares only its design or its lock with the cells. */
	r->control_count = keep(fi, FILTER_READERS, FILTER_READERS,
	    r->controls, r->control_count);
	return (0);
}
