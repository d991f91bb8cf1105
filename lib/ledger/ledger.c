/* A ledger from its start to its result, in messages and log files. */
#include "lib/ledger/impl.h"
#include "lib/machine/tick.h"

enum { NOTE_SIZE = 192 };

uint32_t ledger_allowed;

const struct ledger_property_text ledger_properties[LEDGER_PROPERTIES] = {
#define	LEDGER_PROPERTY(name, word, text)	{ word, text },
#include "lib/ledger/ledger.tbl"
};

const char *const ledger_op_names[LEDGER_OPS] = {
#define	LEDGER_OPERATION(name, word, text)	word,
#include "lib/ledger/operation.tbl"
};

static const char *const texts[LEDGER_OPS] = {
#define	LEDGER_OPERATION(name, word, text)	text,
#include "lib/ledger/operation.tbl"
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
put_op(FILE *f, const struct ledger_record *lr)
{
	uint128_t hi = lr->lgr_hi;

	if (lr->lgr_op == LEDGER_OPS)
		return;
	if (lr->lgr_time_ns == 0 && lr->lgr_seq == 0)
		fprintf(f, "at an unknown time before, a thread ");
	else
		fprintf(f, "at %" PRId64 " ns thread %u ", lr->lgr_time_ns,
		    lr->lgr_thread);
	if (lr->lgr_op == LEDGER_USE)
		hi--;
	else if (lr->lgr_op == LEDGER_DRAIN)
		hi = uint128_lo(hi);
	for (const char *p = texts[lr->lgr_op]; *p != '\0'; p++)
		if (*p != '%')
			fputc(*p, f);
		else if ((*++p == 'K' || *p == 'k') && lr->lgr_key == 0)
			fputs("a key that was not set", f);
		else if (*p == 'K' || *p == 'k')
			fprintf(f, *p == 'K' ? "key %" PRIu32 : "key %" PRIu32
			    " of generation %" PRIu32, lr->lgr_key,
			    lr->lgr_generation);
		else if (*p == 'G')
			fprintf(f, "%" PRIu32, lr->lgr_generation);
		else
			put_counter(f, *p == 'L' ? lr->lgr_lo : hi, false);
	if (lr->lgr_op == LEDGER_WIPE && lr->lgr_key != 0 && lr->lgr_wiped)
		fputs(", its last", f);
	if (lr->lgr_op == LEDGER_DRAIN && uint128_hi(lr->lgr_hi) != 0)
		fprintf(f, ", at %" PRId64 " ns of its clock",
		    (int64_t)uint128_hi(lr->lgr_hi));
}

/* With the time in nanoseconds. */
static struct ledger_record
settled(const struct ledger *lg, const struct ledger_record *lr)
{
	struct ledger_record out = *lr;

	if (lr->lgr_in_cycles)
		out.lgr_time_ns = lg->lg_start_ns + tick_cycles_to_ns(
		    (uint64_t)lr->lgr_time_ns - lg->lg_start_cycles);
	out.lgr_in_cycles = false;
	return (out);
}

void
ledger_record_line(const struct ledger *lg, const struct ledger_record *lr)
{
	const struct ledger_record line = settled(lg, lr);

	lg->lg_config.lgo_record(lg->lg_config.lgo_context, &line);
}

const struct ledger_record ledger_nothing = { .lgr_op = LEDGER_OPS };

void
ledger_wrong(struct ledger *lg, enum ledger_property property,
    struct ledger_record first, const struct ledger_record *second)
{
	const struct ledger_property_text *lp = &ledger_properties[property];
	struct ledger_result *le = &lg->lg_result;
	FILE *f;

	if (is_violated(lg) || (ledger_allowed >> property & 1) != 0)
		return;
	le->le_violated = true;
	le->le_property = property;
	le->le_first = settled(lg, &first);
	le->le_second = settled(lg, second);
	f = fmemopen(le->le_text, sizeof(le->le_text) - 1, "w");
	if (f != NULL) {
		fprintf(f, "%s: %s: ", lp->lgp_word, lp->lgp_text);
		put_op(f, &le->le_first);
		if (le->le_first.lgr_op != LEDGER_OPS)
			fputs("; then ", f);
		put_op(f, &le->le_second);
		fclose(f);
	}
	atomic_store_explicit(&lg->lg_violated, true, memory_order_release);
}

void
ledger_wrong_note(struct ledger *lg, enum ledger_property property,
    const char *fmt, ...)
{
	char *text = lg->lg_result.le_text;
	const bool known = is_violated(lg);

	ledger_wrong(lg, property, ledger_nothing, &ledger_nothing);
	if (is_violated(lg) && !known)
		VFORMAT(text + strlen(text), NOTE_SIZE, fmt);
}

void
ledger_kernel(struct ledger *lg, enum ledger_property property,
    const char *fmt, ...)
{
	char note[NOTE_SIZE];

	if (lg == NULL)
		return;
	VFORMAT(note, sizeof(note), fmt);
	ledger_lock(lg);
	ledger_wrong_note(lg, property, "%s", note);
	ledger_unlock(lg);
	ledger_tell(lg);
}

struct ledger_record
ledger_search(const struct ledger *lg, const struct ledger_record *before,
    bool (*match)(const struct ledger_record *lr,
    const struct ledger_record *like), struct ledger_record like)
{
	const struct ledger_record *found = NULL, *lr;
	const struct ledger_thread *lt;

	for (unsigned i = 0; i < lg->lg_threads; i++) {
		lt = lg->lg_thread[i];
		/* The thread may be writing the next one. */
		for (uint64_t k = 1; k <= lt->lgt_ops && k < LOG_RECORDS; k++) {
			lr = &lt->lgt_log[(lt->lgt_ops - k) % LOG_RECORDS];
			if (lr->lgr_op >= LEDGER_OPS || (before != NULL &&
			    lr->lgr_seq >= before->lgr_seq) ||
			    !match(lr, &like))
				continue;
			if (found == NULL || lr->lgr_seq > found->lgr_seq)
				found = lr;
			break;
		}
	}
	return (found == NULL ? like : *found);
}

static bool
same_op(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lgr_op == like->lgr_op);
}

bool
ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like)
{
	return (lr->lgr_key == like->lgr_key && lr->lgr_op == like->lgr_op);
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

void
ledger_block(struct ledger *lg, unsigned bytes)
{
	if (lg != NULL && bytes > lg->lg_block_bytes)
		lg->lg_block_bytes = bytes;
}

unsigned
ledger_core(struct ledger *lg, const struct ledger_core_rule *rule)
{
	struct ledger_core *lc;
	unsigned core;

	if (lg == NULL)
		return (0);
	MPASS(rule->lu_pools <= LEDGER_POOLS_MAX);
	ledger_lock(lg);
	core = lg->lg_cores;
	lg->lg_cores += core < CORES_MAX;
	ledger_unlock(lg);
	KASSERT(core < CORES_MAX, ("ledger: more than %u cores", core));
	lc = &lg->lg_core[core];
	memset(lc, 0, sizeof(*lc));
	lc->lgc_rule = *rule;
	lc->lgc_drained = ledger_nothing;
	return (core);
}

void
ledger_reseeded(struct ledger *lg, uint64_t reseeds)
{
	for (unsigned i = 0; i < lg->lg_cores; i++)
		if (lg->lg_core[i].lgc_rule.lu_due != NULL)
			lg->lg_core[i].lgc_drains = reseeds;
}

int
ledger_new(struct ledger **lgp, const struct ledger_config *config)
{
	struct ledger *lg = xaligned(_Alignof(struct ledger), sizeof(*lg));
	int error;

	lg->lg_config = *config;
	ledger_keys_init(lg);
	if (getentropy(lg->lg_secret, sizeof(lg->lg_secret)) != 0) {
		error = errno;
		ledger_free(lg);
		return (error);
	}
	ledger_reset(lg);
	*lgp = lg;
	return (0);
}

void
ledger_reset(struct ledger *lg)
{
	atomic_store(&lg->lg_violated, false);
	atomic_store(&lg->lg_told, false);
	atomic_store(&lg->lg_ended, 0);
	lg->lg_threads = lg->lg_reseeds = lg->lg_cores = 0;
	lg->lg_given = lg->lg_refused = 0;
	memset(&lg->lg_result, 0, sizeof(lg->lg_result));
	lg->lg_id = ledger_identity();
	lg->lg_epoch++;
	lg->lg_start_ns = tick_ns();
	lg->lg_start_cycles = tick_cycles();
}

void
ledger_free(struct ledger *lg)
{
	if (lg == NULL)
		return;
	for (unsigned i = 0; i < THREADS_MAX && lg->lg_thread[i] != NULL; i++)
		free(lg->lg_thread[i]);
	ledger_keys_fini(lg);
	wipe(lg, sizeof(*lg));
	free(lg);
}

bool
ledger_violated(const struct ledger *lg)
{
	return (atomic_load_explicit(&lg->lg_violated, memory_order_acquire));
}

void
ledger_result(struct ledger *lg, struct ledger_result *le)
{
	*le = lg->lg_result;
	if (le->le_wipes > LEDGER_RETIRED_MAX)
		le->le_forgotten = le->le_wipes - LEDGER_RETIRED_MAX;
}

void
ledger_finish(struct ledger *lg, uint64_t delivered)
{
	const struct ledger_result *le = &lg->lg_result;
	struct ledger_record what = ledger_nothing;

	if (is_violated(lg))
		return;
	if (delivered != LEDGER_UNCOUNTED && lg->lg_given != delivered &&
	    lg->lg_cores > 0)
		ledger_wrong_note(lg, LEDGER_EVENTS, "%ju events were given, "
		    "%ju went into pools or were refused",
		    (uintmax_t)delivered, (uintmax_t)lg->lg_given);
	/* Without a core most properties would hold of themselves. */
	if (lg->lg_config.lgo_keyless && le->le_blocks > 0)
		what.lgr_op = LEDGER_USE;
	else if (!lg->lg_config.lgo_keyless && !lg->lg_config.lgo_unseen &&
	    le->le_reads > 0 && lg->lg_cores == 0)
		what.lgr_op = LEDGER_END;
	if (what.lgr_op != LEDGER_OPS) {
		what = ledger_search(lg, NULL, same_op, what);
		ledger_wrong(lg, LEDGER_HIDDEN, ledger_nothing, &what);
	}
	for (unsigned i = 0; i < lg->lg_cores; i++)
		if (lg->lg_core[i].lgc_unused)
			ledger_wrong_note(lg, LEDGER_POOLS, "a reseed of core "
			    "%u took a seed from pools that no key was made of",
			    i);
	ledger_keys_finish(lg);
	ledger_tell(lg);
}

void
ledger_conserved(struct ledger *lg, uint64_t in, uint64_t processed,
    uint64_t pending, uint64_t dropped, uint64_t discarded)
{
	if (in != processed + pending + dropped + discarded)
		ledger_wrong_note(lg, LEDGER_EVENTS, "%ju events were queued, "
		    "%ju processed, %ju are pending, %ju were dropped, %ju "
		    "discarded", (uintmax_t)in, (uintmax_t)processed,
		    (uintmax_t)pending, (uintmax_t)dropped,
		    (uintmax_t)discarded);
	if (lg->lg_refused != discarded)
		ledger_wrong_note(lg, LEDGER_EVENTS, "%ju events were "
		    "discarded, %ju refused", (uintmax_t)discarded,
		    (uintmax_t)lg->lg_refused);
	ledger_tell(lg);
}
