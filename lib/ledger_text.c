/*
 * What the ledger says: of a violation, for people, and in logs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/ledger_impl.h"

const struct ledger_property_text ledger_properties[LEDGER_PROPERTIES] = {
#define	LEDGER_PROPERTY(name, word, text)	{ word, text },
#include "lib/ledger.tbl"
#undef LEDGER_PROPERTY
};

const char *const ledger_op_names[LEDGER_OPS] = {
	[LEDGER_BEGIN]		= "begin",
	[LEDGER_END]		= "end",
	[LEDGER_SET]		= "set",
	[LEDGER_WIPE]		= "wipe",
	[LEDGER_USE]		= "use",
	[LEDGER_INSTALL]	= "install",
	[LEDGER_EVENT]		= "event",
	[LEDGER_DRAIN]		= "drain",
	[LEDGER_RESEED]		= "reseed",
};

/* A counter, or a range's end, in as few digits as it has. */
static void
put_counter(char *text, size_t size, uint128_t x)
{
	uint64_t hi = uint128_hi(x);

	if (hi == 0)
		snprintf(text, size, "%" PRIu64, uint128_lo(x));
	else
		snprintf(text, size, "0x%" PRIx64 "%016" PRIx64, hi,
		    uint128_lo(x));
}

static void
put_drain(char *text, size_t size, const struct ledger_record *lr)
{
	int n;

	n = snprintf(text, size, "emptied %" PRIu64 " pools of core %u for its "
	    "reseed %" PRIu64, uint128_lo(lr->lr_lo), lr->lr_generation,
	    uint128_lo(lr->lr_hi));
	if (uint128_hi(lr->lr_hi) != 0 && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", decided at %" PRId64
		    " ns", (int64_t)uint128_hi(lr->lr_hi));
}

/* What was done, for people. */
static void
put_what(char *text, size_t size, const struct ledger_record *lr)
{
	char lo[40], hi[40];
	uint128_t last = lr->lr_hi;

	if (lr->lr_op == LEDGER_USE)
		last = uint128_before(last);
	put_counter(lo, sizeof(lo), lr->lr_lo);
	put_counter(hi, sizeof(hi), last);
	switch ((enum ledger_op)lr->lr_op) {
	case LEDGER_BEGIN:
		snprintf(text, size, "began a read of %s bytes", hi);
		break;
	case LEDGER_END:
		snprintf(text, size, "returned from a read with %s bytes", hi);
		break;
	case LEDGER_SET:
		snprintf(text, size, "set key %u of generation %u",
		    lr->lr_key, lr->lr_generation);
		break;
	case LEDGER_WIPE:
		if (lr->lr_key == 0)
			snprintf(text, size, "wiped a key that was not set");
		else
			snprintf(text, size, "wiped key %u%s", lr->lr_key,
			    lr->lr_wiped ? ", its last" : "");
		break;
	case LEDGER_USE:
		if (lr->lr_key == 0)
			snprintf(text, size, "used a key that was not set at "
			    "counters %s..%s", lo, hi);
		else
			snprintf(text, size, "used key %u of generation %u at "
			    "counters %s..%s", lr->lr_key, lr->lr_generation,
			    lo, hi);
		break;
	case LEDGER_INSTALL:
		snprintf(text, size, "made key %u K at counter %s", lr->lr_key,
		    lo);
		break;
	case LEDGER_EVENT:
		snprintf(text, size, "put %s bytes into pool %s of core %u", hi,
		    lo, lr->lr_generation);
		break;
	case LEDGER_DRAIN:
		put_drain(text, size, lr);
		break;
	case LEDGER_RESEED:
		snprintf(text, size, "reseeded core %s, generation %u", lo,
		    lr->lr_generation);
		break;
	case LEDGER_OPS:
		snprintf(text, size, "did nothing");
		break;
	}
}

static size_t
put_op(char *text, size_t size, const struct ledger_record *lr)
{
	char what[160];
	int n;

	put_what(what, sizeof(what), lr);
	if (lr->lr_time_ns == 0 && lr->lr_seq == 0)
		n = snprintf(text, size, "long before, somebody %s", what);
	else
		n = snprintf(text, size, "at %" PRId64 " ns thread %u %s",
		    lr->lr_time_ns, lr->lr_thread, what);
	return (n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1);
}

void
ledger_text(struct ledger_result *le, const char *note)
{
	const struct ledger_property_text *lp =
	    &ledger_properties[le->le_property];
	const size_t size = sizeof(le->le_text);
	size_t n;

	n = (size_t)snprintf(le->le_text, size, "%s: %s: ", lp->lp_word,
	    lp->lp_text);
	if (le->le_first.lr_op != LEDGER_OPS) {
		n += put_op(le->le_text + n, size - n, &le->le_first);
		n += (size_t)snprintf(le->le_text + n, size - n, "; then ");
	}
	if (n < size && note[0] != '\0')
		snprintf(le->le_text + n, size - n, "%s", note);
	else if (n < size)
		put_op(le->le_text + n, size - n, &le->le_second);
}

void
ledger_log_line(FILE *f, const struct ledger_record *lr)
{

	fprintf(f, "%" PRIu64 " %" PRId64 " %u %s %" PRIu32 " 0x", lr->lr_seq,
	    lr->lr_time_ns, lr->lr_thread, ledger_op_names[lr->lr_op],
	    lr->lr_key);
	if (uint128_hi(lr->lr_lo) != 0)
		fprintf(f, "%" PRIx64 "%016" PRIx64, uint128_hi(lr->lr_lo),
		    uint128_lo(lr->lr_lo));
	else
		fprintf(f, "%" PRIx64, uint128_lo(lr->lr_lo));
	if (uint128_hi(lr->lr_hi) != 0)
		fprintf(f, " 0x%" PRIx64 "%016" PRIx64, uint128_hi(lr->lr_hi),
		    uint128_lo(lr->lr_hi));
	else
		fprintf(f, " 0x%" PRIx64, uint128_lo(lr->lr_hi));
	fprintf(f, " %" PRIu32 " %d\n", lr->lr_generation, lr->lr_wiped);
}

/* Hexadecimal digits, 1 to 32 of them. */
static bool
parse_hex(const char *digits, uint128_t *x)
{
	uint64_t half[2] = { 0, 0 };
	size_t i, n = strlen(digits);
	unsigned digit;

	if (n < 1 || n > 32)
		return (false);
	for (i = 0; i < n; i++) {
		if (digits[i] >= '0' && digits[i] <= '9')
			digit = (unsigned)(digits[i] - '0');
		else if (digits[i] >= 'a' && digits[i] <= 'f')
			digit = (unsigned)(digits[i] - 'a') + 10;
		else
			return (false);
		half[n - i > 16] = half[n - i > 16] << 4 | digit;
	}
	*x = uint128_make(half[1], half[0]);
	return (true);
}

bool
ledger_log_parse(const char *line, struct ledger_record *lr)
{
	unsigned generation, key, op, thread, wiped;
	char hi[36], lo[36], word[16];
	int end = -1;

	memset(lr, 0, sizeof(*lr));
	if (sscanf(line, "%" SCNu64 " %" SCNd64 " %u %15s %u 0x%35s 0x%35s "
	    "%u %u%n", &lr->lr_seq, &lr->lr_time_ns, &thread, word, &key, lo,
	    hi, &generation, &wiped, &end) != 9 || end < 0 ||
	    (line[end] != '\0' && line[end] != '\n'))
		return (false);
	for (op = 0; op < LEDGER_OPS; op++)
		if (strcmp(word, ledger_op_names[op]) == 0)
			break;
	if (op == LEDGER_OPS || thread > UINT16_MAX || wiped > 1)
		return (false);
	lr->lr_thread = (uint16_t)thread;
	lr->lr_op = (uint8_t)op;
	lr->lr_key = key;
	lr->lr_generation = generation;
	lr->lr_wiped = wiped;
	return (parse_hex(lo, &lr->lr_lo) && parse_hex(hi, &lr->lr_hi));
}
