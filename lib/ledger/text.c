/*
 * Messages about violations, and log files.
 */
#include <inttypes.h>

#include "lib/ledger/impl.h"

const struct ledger_property_text ledger_properties[LEDGER_PROPERTIES] = {
#define	LEDGER_PROPERTY(name, word, text)	{ word, text },
#include "lib/ledger/ledger.tbl"
#undef LEDGER_PROPERTY
};

const char *const ledger_op_names[LEDGER_OPS] = {
#define	LEDGER_OPERATION(name, word, text)	word,
#include "lib/ledger/operation.tbl"
#undef LEDGER_OPERATION
};

static const char *const texts[LEDGER_OPS] = {
#define	LEDGER_OPERATION(name, word, text)	text,
#include "lib/ledger/operation.tbl"
#undef LEDGER_OPERATION
};

/* Decimal if it fits 64 bits, unless all are hexadecimal. */
static void
put_counter(FILE *f, uint128_t x, bool hex)
{
	if (uint128_hi(x) != 0)
		fprintf(f, "0x%" PRIx64 "%016" PRIx64, uint128_hi(x),
		    uint128_lo(x));
	else
		fprintf(f, hex ? "0x%" PRIx64 : "%" PRIu64, uint128_lo(x));
}

static void
put_key(FILE *f, const struct ledger_record *lr, bool generation)
{
	if (lr->lgr_key == 0)
		fputs("a key that was not set", f);
	else
		fprintf(f, "key %" PRIu32, lr->lgr_key);
	if (lr->lgr_key != 0 && generation)
		fprintf(f, " of generation %" PRIu32, lr->lgr_generation);
}

/* The operation in words. */
static void
put_what(FILE *f, const struct ledger_record *lr)
{
	uint128_t hi = lr->lgr_hi;

	if (lr->lgr_op == LEDGER_USE)
		hi--;
	else if (lr->lgr_op == LEDGER_DRAIN)
		hi = uint128_lo(hi);
	for (const char *p = texts[lr->lgr_op]; *p != '\0'; p++)
		if (*p != '%')
			fputc(*p, f);
		else if (*++p == 'K' || *p == 'k')
			put_key(f, lr, *p == 'k');
		else if (*p == 'G')
			fprintf(f, "%" PRIu32, lr->lgr_generation);
		else
			put_counter(f, *p == 'L' ? lr->lgr_lo : hi, false);
	if (lr->lgr_op == LEDGER_WIPE && lr->lgr_key != 0 && lr->lgr_wiped)
		fputs(", its last", f);
	if (lr->lgr_op == LEDGER_DRAIN && uint128_hi(lr->lgr_hi) != 0)
		fprintf(f, ", decided at %" PRId64 " ns",
		    (int64_t)uint128_hi(lr->lgr_hi));
}

static void
put_op(FILE *f, const struct ledger_record *lr)
{
	if (lr->lgr_op == LEDGER_OPS)
		return;
	if (lr->lgr_time_ns == 0 && lr->lgr_seq == 0)
		fprintf(f, "at an unknown time before, a thread ");
	else
		fprintf(f, "at %" PRId64 " ns thread %u ", lr->lgr_time_ns,
		    lr->lgr_thread);
	put_what(f, lr);
}

void
ledger_text(struct ledger_result *le, const char *note)
{
	const struct ledger_property_text *lp =
	    &ledger_properties[le->le_property];
	FILE *f = fmemopen(le->le_text, sizeof(le->le_text) - 1, "w");

	if (f == NULL)
		return;
	fprintf(f, "%s: %s: ", lp->lgp_word, lp->lgp_text);
	put_op(f, &le->le_first);
	if (le->le_first.lgr_op != LEDGER_OPS)
		fputs("; then ", f);
	fputs(note, f);
	put_op(f, &le->le_second);
	fclose(f);
}

void
ledger_log_line(void *file, const struct ledger_record *lr)
{
	FILE *f = file;

	fprintf(f, "%" PRIu64 " %" PRId64 " %u %s %" PRIu32 " ", lr->lgr_seq,
	    lr->lgr_time_ns, lr->lgr_thread, ledger_op_names[lr->lgr_op],
	    lr->lgr_key);
	put_counter(f, lr->lgr_lo, true);
	fputc(' ', f);
	put_counter(f, lr->lgr_hi, true);
	fprintf(f, " %" PRIu32 " %d\n", lr->lgr_generation, lr->lgr_wiped);
}
