#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/timeline/impl.h"
#include "lib/base/kassert.h"

static void
timeline_free(struct timeline *tl)
{

	free(tl->tl_cpu);
	free(tl->tl_slice);
	free(tl);
}

int
timeline_open(struct timeline **tlp, const char *path, unsigned cpus,
    const struct timeline_span *span, uint32_t slices)
{
	const size_t n = strlen(path);
	struct timeline *tl;
	unsigned i;
	int error;

	KASSERT(cpus >= 1 && slices >= 1, ("%u CPUs, %u slices", cpus, slices));
	KASSERT(span->ts_to_ps > span->ts_from_ps, ("an empty span"));
	tl = calloc(1, sizeof(*tl));
	if (tl == NULL)
		return (ENOMEM);
	tl->tl_observer = (struct vm_observer){ timeline_note, tl };
	tl->tl_span = *span;
	tl->tl_text = n >= 4 && strcmp(path + n - 4, ".txt") == 0;
	tl->tl_cpus = cpus;
	tl->tl_cpu = calloc(cpus, sizeof(*tl->tl_cpu));
	tl->tl_slices_max = slices;
	tl->tl_slice = malloc(slices * sizeof(*tl->tl_slice));
	error = tl->tl_cpu == NULL || tl->tl_slice == NULL ? ENOMEM :
	    atomic_file_open(&tl->tl_file, path);
	if (error != 0) {
		timeline_free(tl);
		return (error);
	}
	for (i = 0; i < cpus; i++)
		tl->tl_cpu[i].cp_thread = NONE;
	*tlp = tl;
	return (0);
}

const struct vm_observer *
timeline_observer(struct timeline *tl)
{

	return (&tl->tl_observer);
}

const char *
timeline_thread_name(const struct timeline *tl, uint32_t i)
{

	return (i < tl->tl_threads ? tl->tl_thread[i].th_name : "no thread");
}

const char *
timeline_lock_name(const struct timeline *tl, uint32_t i)
{

	return (i < tl->tl_locks ? tl->tl_lock[i].tk_name : "no lock");
}

const char *
timeline_word(const struct timeline *tl, uint32_t i)
{

	return (i < tl->tl_words ? tl->tl_word[i] : "");
}

void
timeline_set_name(char name[NAME_SIZE], const char *text)
{

	snprintf(name, NAME_SIZE, "%.*s", NAME_SIZE - 1, text);
}

/* Memory that holds a lock of another name now is another lock. */
uint32_t
timeline_find_lock(struct timeline *tl, const void *lock, const char *name)
{
	const uint64_t hash = (uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15);
	struct timeline_lock *tk = &tl->tl_lock[tl->tl_locks];
	uint32_t i = (uint32_t)(hash >> 32), *place, same = 1;

	if (name == NULL || name[0] == '\0')
		name = "lock";
	while (*(place = &tl->tl_hash[i % HASH_SIZE]) != 0 &&
	    tl->tl_lock[*place - 1].tk_lock != lock)
		i++;
	if (*place != 0 && strncmp(tl->tl_lock[*place - 1].tk_given, name,
	    NAME_SIZE - 1) == 0)
		return (*place - 1);
	if (tl->tl_locks == LOCKS_MAX)
		return (NONE);
	*tk = (struct timeline_lock){ .tk_lock = lock, .tk_holder = NONE };
	timeline_set_name(tk->tk_given, name);
	for (i = 0; i < tl->tl_locks; i++)
		same += strcmp(tl->tl_lock[i].tk_given, tk->tk_given) == 0;
	timeline_set_name(tk->tk_name, name);
	if (same > 1)
		snprintf(tk->tk_name, NAME_SIZE, "%.24s #%u", name, same);
	*place = ++tl->tl_locks;
	return (*place - 1);
}

uint32_t
timeline_find_word(struct timeline *tl, const char *word)
{
	uint32_t i;

	if (word == NULL)
		return (NONE);
	for (i = 0; i < tl->tl_words; i++)
		if (strncmp(tl->tl_word[i], word, NAME_SIZE - 1) == 0)
			return (i);
	if (i == WORDS_MAX)
		return (i - 1);
	timeline_set_name(tl->tl_word[i], i == WORDS_MAX - 1 ? "other" : word);
	return (tl->tl_words++);
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
timeline_edges(const struct timeline *tl, enum slice_kind from,
    enum slice_kind to, struct edge **edges, size_t *count)
{
	const struct slice *sl;
	struct edge *edge;
	size_t n = 0;
	uint32_t i;

	edge = malloc(((size_t)tl->tl_slices * 2 + 1) * sizeof(*edge));
	if (edge == NULL)
		return (ENOMEM);
	for (i = 0; i < tl->tl_slices; i++) {
		sl = &tl->tl_slice[i];
		if (sl->sl_kind < from || sl->sl_kind > to ||
		    !slice_visible(tl, sl))
			continue;
		edge[n++] = (struct edge){ timeline_ns(tl, sl->sl_start_ps), i,
		    true };
		edge[n++] = (struct edge){ timeline_ns(tl, sl->sl_end_ps), i,
		    false };
	}
	qsort(edge, n, sizeof(*edge), compare_edges);
	*edges = edge;
	*count = n;
	return (0);
}

static int
write_file(struct timeline *tl)
{
	int error, fd;
	FILE *out;

	fd = dup(tl->tl_file.of_fd);
	if (fd == -1)
		return (errno);
	out = fdopen(fd, "w");
	if (out == NULL) {
		error = errno;
		close(fd);
		return (error);
	}
	/* The first failed write sets it; later ones are still tried. */
	errno = 0;
	error = tl->tl_text ? timeline_write_text(tl, out) :
	    timeline_write_json(tl, out);
	if (error == 0 && (fflush(out) != 0 || ferror(out)))
		error = errno != 0 ? errno : EIO;
	if (fclose(out) != 0 && error == 0)
		error = errno;
	return (error);
}

static void
describe(const struct timeline *tl, struct timeline_outcome *to)
{

	*to = (struct timeline_outcome){ .to_slices = tl->tl_slices,
	    .to_left_out = tl->tl_left_out };
	if (tl->tl_until_ps != 0)
		to->to_until_ps = tl->tl_until_ps - tl->tl_base_ps;
	memcpy(to->to_fault, tl->tl_fault, sizeof(to->to_fault));
	if (to->to_fault[0] != '\0')
		snprintf(to->to_remark, TIMELINE_REMARK_SIZE, "the trace ends "
		    "where the machine contradicts itself: %s", to->to_fault);
	else if (tl->tl_until_ps == 0)
		snprintf(to->to_remark, TIMELINE_REMARK_SIZE, "the trace is "
		    "empty: the run ended before the time to trace began");
	else if (to->to_left_out > 0)
		snprintf(to->to_remark, TIMELINE_REMARK_SIZE, "the trace ends "
		    "%.6f ms into the window: %" PRIu64 " slices were kept and "
		    "%" PRIu64 " after them left out; trace a shorter time",
		    (double)to->to_until_ps / 1e9, to->to_slices,
		    to->to_left_out);
}

int
timeline_close(struct timeline *tl, const struct timeline_fact *facts,
    unsigned count, struct timeline_outcome *to)
{
	int error;

	if (tl->tl_state == TIMELINE_KEEPING)
		timeline_finish(tl, tl->tl_last_ps, TIMELINE_OVER);
	describe(tl, to);
	tl->tl_facts = facts;
	tl->tl_fact_count = count;
	error = write_file(tl);
	if (error == 0)
		error = atomic_file_commit(&tl->tl_file, "", 0);
	else
		atomic_file_abort(&tl->tl_file);
	timeline_free(tl);
	return (error);
}
