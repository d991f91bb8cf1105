/*
 * A timeline as trace events in JSON: an object with an array of events, one a
 * line.  Process 1 has a thread for each CPU, process 2 one for each lock,
 * process 3 one for each thread, with the locks that it asks for.
 *
 * Perfetto takes thread numbers as unique in the whole file, and sorts a thread
 * with its process's number first; so no thread has such a number.
 */
#include <inttypes.h>

#include "bench/cli/format.h"
#include "bench/result/json_text.h"
#include "bench/timeline/impl.h"

enum { QUOTED_SIZE = 6 * TIMELINE_FAULT_SIZE + 3 };

enum process { CPUS = 1, LOCKS, THREADS, PROCESSES };

static const struct {
	const char	*name;
	uint32_t	 first;		/* number of its threads */
} processes[PROCESSES] = {
	[CPUS] = { "CPUs", 10 },
	[LOCKS] = { "locks", 10000 },
	[THREADS] = { "threads that ask for locks", 20000 },
};

struct writer {
	struct timeline *wr_tl;
	FILE		*wr_out;
	const char	*wr_before;	/* the next event */
	uint64_t	 wr_ns;
};

/* Text as a JSON string. */
static const char *
quote(char buf[QUOTED_SIZE], const char *text)
{
	json_t *string = json_text_new(text);
	size_t n = json_dumpb(string, buf, QUOTED_SIZE - 1, JSON_ENCODE_ANY);

	KASSERT(n > 0 && n < QUOTED_SIZE, ("%s: %zu bytes", text, n));
	buf[n] = '\0';
	json_decref(string);
	return (buf);
}

#define	QUOTE(text)	quote((char[QUOTED_SIZE]){ 0 }, text)

/* Begins an event. */
static void
put(struct writer *wr, char phase, enum process pid, uint32_t number)
{
	fprintf(wr->wr_out, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u",
	    wr->wr_before, phase, (int)pid, processes[pid].first + number);
	wr->wr_before = ",\n";
}

/* Names a process or a thread, and sets its place among others. */
static void
put_name(struct writer *wr, const char *what, enum process pid, uint32_t number,
    const char *name)
{
	put(wr, 'M', pid, number);
	fprintf(wr->wr_out, ",\"name\":\"%s_name\",\"args\":{\"name\":%s}}",
	    what, QUOTE(name));
	put(wr, 'M', pid, number);
	fprintf(wr->wr_out, ",\"name\":\"%s_sort_index\",\"args\":{"
	    "\"sort_index\":%u}}", what, what[0] == 'p' ? (unsigned)pid :
	    processes[pid].first + number);
}

static void
end(struct writer *wr, enum process pid, uint32_t number)
{
	put(wr, 'E', pid, number);
	fprintf(wr->wr_out, ",\"ts\":%" PRIu64 ".%03u}", wr->wr_ns / 1000,
	    (unsigned)(wr->wr_ns % 1000));
}

/* A slice begins; holder: of the lock asked for, or NONE. */
static void
begin(struct writer *wr, enum process pid, uint32_t number, const char *name,
    uint32_t holder)
{
	put(wr, 'B', pid, number);
	fprintf(wr->wr_out, ",\"ts\":%" PRIu64 ".%03u,\"name\":%s",
	    wr->wr_ns / 1000, (unsigned)(wr->wr_ns % 1000), QUOTE(name));
	if (holder != NONE)
		fprintf(wr->wr_out, ",\"args\":{\"held by\":%s}",
		    QUOTE(wr->wr_tl->tl_thread_name[holder]));
	fputc('}', wr->wr_out);
}

/* A thread's slices on its CPU from the i-th lock that it holds on. */
static void
begin_from(struct writer *wr, uint32_t t, uint32_t i)
{
	const struct thread_now *tn = &wr->wr_tl->tl_first.st_thread[t];
	const struct timeline *tl = wr->wr_tl;

	if (tn->tn_cpu == NONE)
		return;
	for (; i < tn->tn_holds; i++)
		begin(wr, CPUS, tn->tn_cpu, FORMATF("hold %s",
		    tl->tl_lock_name[tn->tn_held[i]]), NONE);
	if (tn->tn_asks != NONE)
		begin(wr, CPUS, tn->tn_cpu, FORMATF("ask %s",
		    tl->tl_lock_name[tn->tn_asks]),
		    wr->wr_tl->tl_first.st_holder[tn->tn_asks]);
}

static void
end_from(struct writer *wr, uint32_t t, uint32_t i)
{
	const struct thread_now *tn = &wr->wr_tl->tl_first.st_thread[t];
	uint32_t n = tn->tn_holds - i + (tn->tn_asks != NONE);

	for (; tn->tn_cpu != NONE && n > 0; n--)
		end(wr, CPUS, tn->tn_cpu);
}

static void
put_event(struct writer *wr, const struct event *ev)
{
	struct thread_now *tn = &wr->wr_tl->tl_first.st_thread[ev->ev_thread];
	const char *name = wr->wr_tl->tl_thread_name[ev->ev_thread];
	const uint32_t t = ev->ev_thread, before = tn->tn_holds;
	uint32_t i = before;

	wr->wr_ns = ev->ev_ns;
	switch (ev->ev_kind) {
	case VM_CPU_ON:
		begin(wr, CPUS, ev->ev_cpu, name, NONE);
		i = 0;
		break;
	case VM_CPU_OFF:
		end_from(wr, t, 0);
		end(wr, CPUS, tn->tn_cpu);
		break;
	case VM_LOCK_WAIT:
		begin(wr, THREADS, t, wr->wr_tl->tl_lock_name[ev->ev_lock],
		    wr->wr_tl->tl_first.st_holder[ev->ev_lock]);
		break;
	case VM_LOCK_HELD:
		end_from(wr, t, i);
		if (tn->tn_asks != NONE)
			end(wr, THREADS, t);
		begin(wr, LOCKS, ev->ev_lock, name, NONE);
		break;
	default:
		for (i = 0; tn->tn_held[i] != ev->ev_lock;)
			i++;
		end_from(wr, t, i);
		end(wr, LOCKS, ev->ev_lock);
		break;
	}
	state_apply(&wr->wr_tl->tl_first, ev);
	begin_from(wr, t, i);
}

/* All that is under way begins, or ends. */
static void
put_all(struct writer *wr, bool begins, uint64_t ns)
{
	const struct timeline *tl = wr->wr_tl;
	const struct thread_now *tn;

	wr->wr_ns = ns;
	for (uint32_t t = 0; t < tl->tl_threads; t++) {
		tn = &wr->wr_tl->tl_first.st_thread[t];
		if (begins && tn->tn_cpu != NONE)
			begin(wr, CPUS, tn->tn_cpu,
			    tl->tl_thread_name[t], NONE);
		(begins ? begin_from : end_from)(wr, t, 0);
		if (!begins && tn->tn_cpu != NONE)
			end(wr, CPUS, tn->tn_cpu);
		if (tn->tn_asks != NONE && begins)
			begin(wr, THREADS, t, tl->tl_lock_name[tn->tn_asks],
			    wr->wr_tl->tl_first.st_holder[tn->tn_asks]);
		else if (tn->tn_asks != NONE)
			end(wr, THREADS, t);
		for (uint32_t i = 0; i < tn->tn_holds; i++)
			if (begins)
				begin(wr, LOCKS, tn->tn_held[i],
				    tl->tl_thread_name[t], NONE);
			else
				end(wr, LOCKS, tn->tn_held[i]);
	}
}

/* A member of otherData. */
static void
put_fact(struct writer *wr, const char *name, const char *value)
{
	fprintf(wr->wr_out, ",\n%s:%s", QUOTE(name), QUOTE(value));
}

/*
 * After the events: some readers take displayTimeUnit at the beginning as the
 * unit of time stamps.
 */
static void
put_tail(struct writer *wr)
{
	const struct timeline *tl = wr->wr_tl;

	fprintf(wr->wr_out, "\n],\n\"displayTimeUnit\":\"ns\",\n"
	    "\"otherData\":{\n\"time_zero\":\"the measured window opens\",\n"
	    "\"from_us\":%.3f,\n\"until_us\":%.3f,\n\"events_left_out\":%"
	    PRIu64, (double)tl->tl_from_ns / 1e3,
	    (double)tl->tl_until_ns / 1e3, tl->tl_left_out);
	if (tl->tl_fault[0] != '\0')
		put_fact(wr, "fault", tl->tl_fault);
	for (unsigned i = 0; i < tl->tl_fact_count; i++)
		put_fact(wr, tl->tl_facts[i].tf_name, tl->tl_facts[i].tf_value);
	fputs("\n}\n}\n", wr->wr_out);
}

void
timeline_write_json(struct timeline *tl, FILE *out)
{
	struct writer w = { .wr_tl = tl, .wr_out = out,
	    .wr_before = "{\"traceEvents\":[\n" }, *wr = &w;
	uint32_t i;

	for (i = CPUS; i < PROCESSES; i++)
		put_name(wr, "process", (enum process)i, 0, processes[i].name);
	for (i = 0; i < tl->tl_cpus; i++)
		put_name(wr, "thread", CPUS, i, FORMATF("CPU %u", i));
	for (i = 0; i < tl->tl_locks; i++)
		put_name(wr, "thread", LOCKS, i, tl->tl_lock_name[i]);
	for (i = 0; i < tl->tl_threads; i++)
		put_name(wr, "thread", THREADS, i, tl->tl_thread_name[i]);
	put_all(wr, true, tl->tl_from_ns);
	for (i = 0; i < tl->tl_events; i++)
		put_event(wr, &tl->tl_event[i]);
	put_all(wr, false, tl->tl_until_ns);
	put_tail(wr);
}
