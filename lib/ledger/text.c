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

/* Of a key that is set, and without one; % and: Key, Generation, Lo, Hi. */
static const struct {
	const char	*wd_keyed;
	const char	*wd_keyless;	/* NULL: the same */
} words[LEDGER_OPS] = {
	[LEDGER_BEGIN] = { "began a read of %H bytes", NULL },
	[LEDGER_END] = { "returned from a read with %H bytes", NULL },
	[LEDGER_SET] = { "set key %K of generation %G", NULL },
	[LEDGER_WIPE] = { "wiped key %K", "wiped a key that was not set" },
	[LEDGER_USE] = { "used key %K of generation %G at counters %L..%H",
	    "used a key that was not set at counters %L..%H" },
	[LEDGER_INSTALL] = { "made key %K K at counter %L", NULL },
	[LEDGER_EVENT] = { "put %H bytes into pool %L of core %G", NULL },
	[LEDGER_DRAIN] = { "emptied %L pools of core %G for its reseed %H",
	    NULL },
	[LEDGER_RESEED] = { "reseeded core %L, generation %G", NULL },
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

/* The operation in words. */
static void
put_what(FILE *f, const struct ledger_record *lr)
{
	const char *p = words[lr->lr_op].wd_keyed;
	uint128_t hi = lr->lr_hi;

	if (lr->lr_key == 0 && words[lr->lr_op].wd_keyless != NULL)
		p = words[lr->lr_op].wd_keyless;
	if (lr->lr_op == LEDGER_USE)
		hi = uint128_before(hi);
	else if (lr->lr_op == LEDGER_DRAIN)
		hi = uint128_make(0, uint128_lo(hi));
	for (; *p != '\0'; p++)
		if (*p != '%')
			fputc(*p, f);
		else if (*++p == 'K' || *p == 'G')
			fprintf(f, "%" PRIu32, *p == 'K' ? lr->lr_key :
			    lr->lr_generation);
		else
			put_counter(f, *p == 'L' ? lr->lr_lo : hi, false);
	if (lr->lr_op == LEDGER_WIPE && lr->lr_key != 0 && lr->lr_wiped)
		fputs(", its last", f);
	if (lr->lr_op == LEDGER_DRAIN && uint128_hi(lr->lr_hi) != 0)
		fprintf(f, ", decided at %" PRId64 " ns",
		    (int64_t)uint128_hi(lr->lr_hi));
}

static void
put_op(FILE *f, const struct ledger_record *lr)
{
	if (lr->lr_op == LEDGER_OPS)
		return;
	if (lr->lr_time_ns == 0 && lr->lr_seq == 0)
		fprintf(f, "at an unknown time before, a thread ");
	else
		fprintf(f, "at %" PRId64 " ns thread %u ", lr->lr_time_ns,
		    lr->lr_thread);
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
	fprintf(f, "%s: %s: ", lp->lp_word, lp->lp_text);
	put_op(f, &le->le_first);
	if (le->le_first.lr_op != LEDGER_OPS)
		fputs("; then ", f);
	fputs(note, f);
	put_op(f, &le->le_second);
	fclose(f);
}

void
ledger_log_line(void *file, const struct ledger_record *lr)
{
	FILE *f = file;

	fprintf(f, "%" PRIu64 " %" PRId64 " %u %s %" PRIu32 " ", lr->lr_seq,
	    lr->lr_time_ns, lr->lr_thread, ledger_op_names[lr->lr_op],
	    lr->lr_key);
	put_counter(f, lr->lr_lo, true);
	fputc(' ', f);
	put_counter(f, lr->lr_hi, true);
	fprintf(f, " %" PRIu32 " %d\n", lr->lr_generation, lr->lr_wiped);
}
