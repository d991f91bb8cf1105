#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/timeline/timeline_state.h"
#include "lib/kassert.h"

bool
timeline_is_text(const char *path)
{
	size_t n = strlen(path);

	return (n >= 4 && strcmp(path + n - 4, ".txt") == 0);
}

static void
timeline_free(struct timeline *tl)
{
	uint32_t i;

	for (i = 0; i < tl->tl_locks; i++)
		free(tl->tl_lock[i].tk_slot);
	free(tl->tl_lock);
	free(tl->tl_hash);
	free(tl->tl_thread);
	free(tl->tl_cpu_ps);
	free(tl->tl_on);
	record_free(&tl->tl_record);
	free(tl);
}

int
timeline_open(struct timeline **tlp, const char *path, unsigned cpus,
    const struct timeline_span *span, uint32_t slices)
{
	struct timeline *tl;
	int error;

	KASSERT(cpus >= 1 && slices >= 1, ("%u CPUs, %u slices", cpus, slices));
	KASSERT(span->ts_to_ps > span->ts_from_ps, ("an empty span"));
	tl = calloc(1, sizeof(*tl));
	if (tl == NULL)
		return (ENOMEM);
	tl->tl_observer = (struct vm_observer){ timeline_note, tl };
	tl->tl_span = *span;
	tl->tl_text = timeline_is_text(path);
	tl->tl_record.re_cpus = cpus;
	tl->tl_record.re_slices_max = slices;
	tl->tl_cpu_ps = calloc(cpus, sizeof(*tl->tl_cpu_ps));
	tl->tl_on = malloc(cpus * sizeof(*tl->tl_on));
	error = tl->tl_cpu_ps == NULL || tl->tl_on == NULL ? ENOMEM :
	    outfile_open(&tl->tl_file, path);
	if (error != 0) {
		timeline_free(tl);
		return (error);
	}
	memset(tl->tl_on, 0xff, cpus * sizeof(*tl->tl_on));
	*tlp = tl;
	return (0);
}

const struct vm_observer *
timeline_observer(struct timeline *tl)
{

	return (&tl->tl_observer);
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
	/* What the first write that fails sets; writing goes on after it. */
	errno = 0;
	error = tl->tl_text ? record_write_text(&tl->tl_record, out) :
	    record_write_json(&tl->tl_record, out);
	if (error == 0 && (fflush(out) != 0 || ferror(out)))
		error = errno != 0 ? errno : EIO;
	if (fclose(out) != 0 && error == 0)
		error = errno;
	return (error);
}

int
timeline_close(struct timeline *tl, const struct timeline_fact *facts,
    unsigned count, struct timeline_outcome *to)
{
	struct record *re = &tl->tl_record;
	int error;

	if (tl->tl_state == TIMELINE_KEEPING)
		timeline_finish(tl, tl->tl_last_ps, TIMELINE_OVER);
	*to = (struct timeline_outcome){ .to_opened = tl->tl_until_ps != 0,
	    .to_slices = re->re_slices, .to_left_out = re->re_left_out };
	if (to->to_opened)
		to->to_until_ps = tl->tl_until_ps - re->re_base_ps;
	memcpy(to->to_fault, tl->tl_fault, sizeof(to->to_fault));
	re->re_until_ps = tl->tl_until_ps;
	re->re_facts = facts;
	re->re_fact_count = count;
	re->re_fault = tl->tl_fault[0] != '\0' ? tl->tl_fault : NULL;
	error = write_file(tl);
	if (error == 0)
		error = outfile_commit(&tl->tl_file, "", 0);
	else
		outfile_abort(&tl->tl_file);
	timeline_free(tl);
	return (error);
}

void
timeline_abort(struct timeline *tl)
{

	outfile_abort(&tl->tl_file);
	timeline_free(tl);
}

bool
timeline_remark(const struct timeline_outcome *to, char *text, size_t size)
{

	if (to->to_fault[0] != '\0')
		snprintf(text, size, "the trace ends where the machine "
		    "contradicts itself: %s", to->to_fault);
	else if (!to->to_opened)
		snprintf(text, size, "the trace is empty: the run ended before "
		    "the time to trace began");
	else if (to->to_left_out > 0)
		snprintf(text, size, "the trace ends %.6f ms into the window: "
		    "%llu slices were kept and %llu after them left out; "
		    "trace a shorter time", (double)to->to_until_ps / 1e9,
		    (unsigned long long)to->to_slices,
		    (unsigned long long)to->to_left_out);
	else
		return (false);
	return (true);
}
