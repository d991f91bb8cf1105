#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timeline/timeline_record.h"
#include "lib/kassert.h"

enum { SLICES_AT_FIRST = 4096 };

uint32_t
record_add(struct record *re, const struct slice *sl)
{
	uint32_t room = re->re_slices_room;
	struct slice *slice;

	if (re->re_slices == re->re_slices_max)
		return (RECORD_NONE);
	if (re->re_slices == room) {
		room = room == 0 ? SLICES_AT_FIRST : room * 2;
		if (room > re->re_slices_max)
			room = re->re_slices_max;
		slice = realloc(re->re_slice, room * sizeof(*slice));
		if (slice == NULL)
			return (RECORD_NONE);
		re->re_slice = slice;
		re->re_slices_room = room;
	}
	re->re_slice[re->re_slices] = *sl;
	return (re->re_slices++);
}

static void
set_name(struct record_name *rn, const char *text)
{

	strncpy(rn->rn_text, text, sizeof(rn->rn_text) - 1);
	rn->rn_text[sizeof(rn->rn_text) - 1] = '\0';
}

/* Makes a table hold names up to the i-th; what is new is empty. */
static int
name_room(struct record_name **table, uint32_t *count, uint32_t i)
{
	struct record_name *new;
	uint32_t n = i + 1;

	if (i < *count)
		return (0);
	new = realloc(*table, n * sizeof(*new));
	if (new == NULL)
		return (ENOMEM);
	memset(new + *count, 0, (n - *count) * sizeof(*new));
	*table = new;
	*count = n;
	return (0);
}

int
record_name_thread(struct record *re, uint32_t i, const char *name)
{
	char number[RECORD_NAME_SIZE];
	int error;

	error = name_room(&re->re_thread, &re->re_threads, i);
	if (error != 0)
		return (error);
	if (name == NULL || name[0] == '\0') {
		snprintf(number, sizeof(number), "thread%u", i);
		name = number;
	}
	set_name(&re->re_thread[i], name);
	return (0);
}

int
record_name_lock(struct record *re, const char *name, uint32_t *i)
{
	uint32_t k, n = re->re_locks, same = 1;
	char text[RECORD_NAME_SIZE];
	size_t length;
	int error;

	if (name == NULL || name[0] == '\0')
		name = "lock";
	length = strlen(name);
	for (k = 0; k < n; k++)
		if (strncmp(re->re_lock[k].rn_text, name, length) == 0 &&
		    (re->re_lock[k].rn_text[length] == '\0' ||
		    strncmp(re->re_lock[k].rn_text + length, " #", 2) == 0))
			same++;
	error = name_room(&re->re_lock, &re->re_locks, n);
	if (error != 0)
		return (error);
	if (same == 1)
		set_name(&re->re_lock[n], name);
	else {
		snprintf(text, sizeof(text), "%.24s #%u", name, same);
		set_name(&re->re_lock[n], text);
	}
	*i = n;
	return (0);
}

uint32_t
record_find_word(struct record *re, const char *word)
{
	uint32_t i;

	if (word == NULL)
		return (RECORD_NONE);
	for (i = 0; i < re->re_words; i++)
		if (strncmp(re->re_word[i].rn_text, word,
		    RECORD_NAME_SIZE - 1) == 0)
			return (i);
	if (i == RECORD_WORDS_MAX)
		return (i - 1);
	set_name(&re->re_word[i], i == RECORD_WORDS_MAX - 1 ? "other" : word);
	return (re->re_words++);
}

const char *
record_thread(const struct record *re, uint32_t i)
{

	return (i < re->re_threads ? re->re_thread[i].rn_text : "nobody");
}

const char *
record_lock(const struct record *re, uint32_t i)
{

	return (i < re->re_locks ? re->re_lock[i].rn_text : "no lock");
}

const char *
record_word(const struct record *re, uint32_t i)
{

	return (i < re->re_words ? re->re_word[i].rn_text : "");
}

static int
compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->ed_ns != y->ed_ns)
		return (x->ed_ns < y->ed_ns ? -1 : 1);
	if (x->ed_start != y->ed_start)
		return (x->ed_start ? 1 : -1);
	return (x->ed_slice < y->ed_slice ? -1 : x->ed_slice > y->ed_slice);
}

int
record_edges(const struct record *re, enum slice_kind from,
    enum slice_kind to, struct edge **edges, size_t *count)
{
	const struct slice *sl;
	struct edge *edge;
	size_t n = 0;
	uint32_t i;

	edge = malloc(((size_t)re->re_slices * 2 + 1) * sizeof(*edge));
	if (edge == NULL)
		return (ENOMEM);
	for (i = 0; i < re->re_slices; i++) {
		sl = &re->re_slice[i];
		if (sl->sl_kind < from || sl->sl_kind > to ||
		    !slice_visible(re, sl))
			continue;
		edge[n++] = (struct edge){ record_ns(re, sl->sl_start_ps), i,
		    true };
		edge[n++] = (struct edge){ record_ns(re, sl->sl_end_ps), i,
		    false };
	}
	qsort(edge, n, sizeof(*edge), compare_edges);
	*edges = edge;
	*count = n;
	return (0);
}

void
record_free(struct record *re)
{

	free(re->re_slice);
	free(re->re_thread);
	free(re->re_lock);
	memset(re, 0, sizeof(*re));
}
