#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/explore/moments.h"
#include "lib/ledger.h"

enum {
	MOMENTS_AT_FIRST	= 256,
	STEP_COLUMNS		= 7,
	WORD_SIZE		= 48
};

void
moments_clear(struct moments *mo)
{

	mo->mo_count = mo->mo_lost = mo->mo_threads = mo->mo_locks = 0;
	memset(mo->mo_name, 0, sizeof(mo->mo_name));
}

void
moments_free(struct moments *mo)
{

	free(mo->mo_moment);
	memset(mo, 0, sizeof(*mo));
}

void
moments_add(struct moments *mo, uint64_t step, unsigned thread,
    const char *fmt, ...)
{
	struct moment *grown, *mm;
	unsigned room;
	va_list ap;

	if (mo->mo_count == mo->mo_room) {
		room = mo->mo_room == 0 ? MOMENTS_AT_FIRST : mo->mo_room * 2;
		grown = realloc(mo->mo_moment, room * sizeof(*grown));
		if (grown == NULL) {
			mo->mo_lost++;
			return;
		}
		mo->mo_moment = grown;
		mo->mo_room = room;
	}
	mm = &mo->mo_moment[mo->mo_count++];
	mm->mm_step = step;
	mm->mm_thread = (uint16_t)thread;
	va_start(ap, fmt);
	vsnprintf(mm->mm_text, sizeof(mm->mm_text), fmt, ap);
	va_end(ap);
	if (thread > mo->mo_threads && thread < MOMENTS_THREADS_MAX)
		mo->mo_threads = thread;
}

/* A counter, as long as a column has room for it. */
static const char *
counter(char buf[WORD_SIZE], uint128_t c)
{

	if (uint128_hi(c) == 0)
		snprintf(buf, WORD_SIZE, "%" PRIu64, uint128_lo(c));
	else
		snprintf(buf, WORD_SIZE, "%" PRIx64 ":%" PRIx64, uint128_hi(c),
		    uint128_lo(c));
	return (buf);
}

/* What ledger_log_line() says, in as few words as a column has room for. */
static void
add_record(struct moments *mo, uint64_t step, const struct ledger_record *lr)
{
	char lo[WORD_SIZE], hi[WORD_SIZE];
	const unsigned key = lr->lr_key, thread = lr->lr_thread;

	(void)counter(lo, lr->lr_lo);
	(void)counter(hi, lr->lr_hi);
	switch (lr->lr_op) {
	case LEDGER_BEGIN:
		moments_add(mo, step, thread, "reads %s", hi);
		break;
	case LEDGER_END:
		moments_add(mo, step, thread, "returns");
		break;
	case LEDGER_SET:
	case LEDGER_WIPE:
		moments_add(mo, step, thread, "%s K%u%s",
		    ledger_op_names[lr->lr_op], key,
		    lr->lr_wiped ? " gone" : "");
		break;
	case LEDGER_USE:
		/* The last, as messages have it; one behind is a log's. */
		(void)counter(hi, uint128_before(lr->lr_hi));
		moments_add(mo, step, thread, "use K%u %s..%s", key, lo, hi);
		break;
	case LEDGER_INSTALL:
		moments_add(mo, step, thread, "K is K%u C %s", key, lo);
		break;
	case LEDGER_EVENT:
		moments_add(mo, step, thread, "event P%s", lo);
		break;
	case LEDGER_DRAIN:
		moments_add(mo, step, thread, "drain %s pools", lo);
		break;
	default:
		moments_add(mo, step, thread, "%s %u",
		    ledger_op_names[lr->lr_op], lr->lr_generation);
	}
}

size_t
moments_add_ledger(struct moments *mo, uint64_t step, const char *text,
    size_t n)
{
	char line[LEDGER_LINE_SIZE];
	struct ledger_record lr;
	const char *end;
	size_t done = 0, len;

	while ((end = memchr(text + done, '\n', n - done)) != NULL) {
		len = (size_t)(end - (text + done));
		snprintf(line, sizeof(line), "%.*s", (int)len, text + done);
		if (ledger_log_parse(line, &lr))
			add_record(mo, step, &lr);
		done += len + 1;
	}
	return (done);
}

/* Threads that say something in these moments; bit i: number i. */
static uint32_t
who_speaks(const struct moments *mo, unsigned first)
{
	uint32_t set = 0;
	unsigned i;

	for (i = first; i < mo->mo_count; i++)
		if (mo->mo_moment[i].mm_thread < MOMENTS_THREADS_MAX)
			set |= 1u << mo->mo_moment[i].mm_thread;
	return (set);
}

/* Text in a thread's column; what is cut had no room. */
static void
print_at(FILE *out, uint32_t set, unsigned thread, int width, const char *text)
{
	unsigned i;
	int before = 0;

	for (i = 0; i < thread; i++)
		before += (set >> i & 1) != 0 ? width : 0;
	fprintf(out, "%*s%.*s\n", before, "", width - 1, text);
}

void
moments_print(FILE *out, const struct moments *mo, unsigned last)
{
	unsigned first = mo->mo_count > last ? mo->mo_count - last : 0, i;
	uint32_t set = who_speaks(mo, first);
	int columns = __builtin_popcount(set), width;
	const struct moment *mm;

	if (columns == 0)
		return;
	width = (FIGURE_COLUMNS - 1 - STEP_COLUMNS) / columns;
	if (width > MOMENTS_TEXT_SIZE)
		width = MOMENTS_TEXT_SIZE;
	fprintf(out, "%*s", STEP_COLUMNS - 1, "step");
	for (i = 0; i < MOMENTS_THREADS_MAX; i++)
		if ((set >> i & 1) != 0)
			fprintf(out, " %-*.*s", (set >> i) == 1 ? 0 :
			    width - 1, width - 1, i == 0 ? "setup" :
			    mo->mo_name[i]);
	fputc('\n', out);
	if (first > 0)
		fprintf(out, "%*s (%u before these)\n", STEP_COLUMNS - 1,
		    "...", first);
	for (i = first; i < mo->mo_count; i++) {
		mm = &mo->mo_moment[i];
		fprintf(out, "%*" PRIu64 " ", STEP_COLUMNS - 1, mm->mm_step);
		if (mm->mm_thread < MOMENTS_THREADS_MAX)
			print_at(out, set, mm->mm_thread, width, mm->mm_text);
		else
			fprintf(out, "%.*s\n", width - 1, mm->mm_text);
	}
	for (i = 0; i < mo->mo_locks; i++)
		fprintf(out, "%sL%u %s", i == 0 ? "       " : ", ", i + 1,
		    mo->mo_lock[i]);
	if (mo->mo_locks > 0)
		fputc('\n', out);
}
