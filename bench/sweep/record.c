/* What a result says of the whole run, and the lines of a journal, as JSON. */
#include <openssl/evp.h>

#include "bench/kernel/ksource.h"
#include "bench/sweep/sweep.h"

#define	CHECKPOINT_SCHEMA	"rngsim-journal/4"

enum { CALIBRATION_ROUNDS = 9, CALIBRATION_PAIRS = 20000 };

#define	MEMBER(s, prefix, member, kind, ...)				\
	{ .f_key = #member, .f_kind = FIELD_##kind,			\
	    .f_offset = offsetof(struct s, prefix##_##member), __VA_ARGS__ }
#define	BUCKETS(s, prefix, member, room)				\
	MEMBER(s, prefix, member, BUCKETS, .f_room = room, SUM)
#define	MEASURE(member, kind, ...)					\
	MEMBER(cell_measure, cm, member, kind, __VA_ARGS__)
#define	TABLE(s, table)	.f_size = sizeof(struct s), .f_table = table
#define	ARRAY(count)	.f_shape = FIELD_ARRAY, .f_count_key = #count,	\
	.f_count = offsetof(struct cell_measure, cm_##count)
#define	SUM		.f_how = FIELD_HOW_SUM
#undef MAX
#define	MAX		.f_how = FIELD_HOW_MAX

static const struct field hist_fields[] = {
	MEMBER(hist, hi, count, SEED, SUM),
	MEMBER(hist, hi, total, SEED, SUM),
	MEMBER(hist, hi, max, SEED, MAX),
	{ .f_key = "buckets", .f_kind = FIELD_BUCKETS, .f_room = HIST_BUCKETS,
	    .f_offset = offsetof(struct hist, hi_bucket), SUM },
	{ .f_key = NULL }
};

static const struct field row_fields[] = {
	MEMBER(cell_row, cr, row, OBJECT, TABLE(result_row, result_row_fields)),
	BUCKETS(cell_row, cr, hold, HIST_SMALL_BUCKETS),
	BUCKETS(cell_row, cr, spin, HIST_SMALL_BUCKETS),
	BUCKETS(cell_row, cr, block, HIST_SMALL_BUCKETS),
	{ .f_key = NULL }
};

const struct field repeat_fields[] = {
	MEASURE(sample, OBJECT, TABLE(result_sample, result_sample_fields)),
	MEASURE(latency, OBJECT, TABLE(hist, hist_fields)),
	MEASURE(uncorrected, OBJECT, TABLE(hist, hist_fields)),
	MEASURE(harvest_latency, OBJECT, TABLE(hist, hist_fields)),
	MEASURE(call, OBJECT, TABLE(hist, hist_fields), .f_optional = true,
	    .f_when = offsetof(struct cell_measure, cm_sample.producer_count),
	    .f_when_size = sizeof(unsigned)),
	MEASURE(rows, OBJECT, ARRAY(row_count), TABLE(cell_row, row_fields)),
	MEASURE(waits, OBJECT, ARRAY(wait_count), TABLE(result_wait,
	    result_wait_fields)),
	MEASURE(health, OBJECT, ARRAY(health_count), TABLE(result_health,
	    result_health_fields)),
	MEASURE(acquisitions, REAL, SUM),
	MEASURE(backlog, REAL, MAX),
	MEASURE(unbound, BOOL, MAX),
	MEASURE(displaced, BOOL, MAX),
	MEASURE(ledger, OBJECT, TABLE(result_ledger, result_ledger_fields)),
	{ .f_key = NULL }
};

json_t *
head_format(const struct options *op, const struct result *r)
{
	json_t *record = field_format(result_document_fields, r, 0);

	/* The last are texts with hashes of what the files have. */
	json_object_update_new(record, json_pack("{s:s, s:f, s:o, s:o}",
	    "schema", CHECKPOINT_SCHEMA, "cycles_per_us", op->op_simulated ? 0 :
	    (double)tick_ns_to_cycles(NS_PER_S) / 1e6, "--workload",
	    json_text_new(op->op_workload.wl_text), "--producer",
	    json_text_new(op->op_producing.prw_text)));
	return (record);
}

json_t *
head_load(const char *line, size_t size, struct result *begun,
    char why[RESULT_TEXT_SIZE])
{
	const char *schema;
	json_error_t where;
	json_t *record = json_read(line, size, &where);

	why[0] = '\0';
	schema = json_string_value(json_object_get(record, "schema"));
	if (record == NULL)
		snprintf(why, RESULT_TEXT_SIZE, "damaged, or written by an "
		    "older rngsim");
	else if (schema == NULL || strcmp(schema, CHECKPOINT_SCHEMA) != 0)
		snprintf(why, RESULT_TEXT_SIZE, "schema \"%.32s\", expected "
		    "\"%s\": the version of rngsim that began the run can "
		    "finish it", schema == NULL ? "" : schema,
		    CHECKPOINT_SCHEMA);
	else if (!json_is_real(json_object_get(record, "cycles_per_us")))
		snprintf(why, RESULT_TEXT_SIZE, "cycles_per_us: not a number");
	else
		(void)field_read(result_document_fields, record, begun, 0, why);
	if (why[0] == '\0')
		return (record);
	json_decref(record);
	return (NULL);
}

int
repeat_load(const json_t *object, unsigned readers, struct cell_measure *cm,
    char error[RESULT_TEXT_SIZE])
{
	const struct result_sample *rs = &cm->cm_sample;
	double sum;

	memset(cm, 0, sizeof(*cm));
	error[0] = '\0';
	if (field_read(repeat_fields, object, cm, readers, error) != 0)
		return (EINVAL);
	/* What a summary needs, and a result need not have. */
	if (rs->reader_cpu == NULL)
		snprintf(error, RESULT_TEXT_SIZE, "sample.reader_cpu: missing");
	else if (rs->producer_count > 0 &&
	    json_object_get(object, "call") == NULL)
		snprintf(error, RESULT_TEXT_SIZE, "call: missing");
	else if (rs->intervals < 1 || rs->intervals > CELL_INTERVALS)
		snprintf(error, RESULT_TEXT_SIZE, "sample.interval_mb_per_s: "
		    "%u numbers, expected 1 to %d", rs->intervals,
		    CELL_INTERVALS);
	else if (!result_check_sum(rs, readers, &sum))
		snprintf(error, RESULT_TEXT_SIZE, "sample.total_mb_per_s: %.9g "
		    "is not the sum of its readers, %.9g", rs->total_mb_per_s,
		    sum);
	return (error[0] == '\0' ? 0 : EINVAL);
}

/* The lines of the simulated machine's profile, and their hash. */
static void
describe_profile(const struct profile *pr, struct result *r)
{
	char *text = NULL;
	uint8_t hash[DIGEST_BYTES];
	size_t size = 0;
	FILE *out = xmemstream(&text, &size);

	profile_write(out, pr);
	xmemclose(out);
	if (EVP_Digest(text, size, hash, NULL, EVP_sha256(), NULL) != 1)
		no_memory();
	for (unsigned i = 0; i < DIGEST_BYTES; i++)
		snprintf(r->profile_sha256 + 2 * i, 3, "%02x", hash[i]);
	for (char *line = strtok(text, "\n"); line != NULL;
	    line = strtok(NULL, "\n"))
		field_add_word(&r->profile, line);
	free(text);
}

/* Measures the costs of a time stamp and of profiling an acquisition. */
static void
host_calibrate(struct result_host *host)
{
	double cost[CALIBRATION_ROUNDS], stamp[CALIBRATION_ROUNDS];
	volatile uint64_t sink;
	int64_t start_ns;

	for (unsigned i = 0; i < CALIBRATION_ROUNDS; i++) {
		cost[i] = (ENGINE(real).en_lock_pairs(CALIBRATION_PAIRS) -
		    ENGINE(bare).en_lock_pairs(CALIBRATION_PAIRS)) /
		    CALIBRATION_PAIRS;
		start_ns = tick_ns();
		for (unsigned k = 0; k < CALIBRATION_PAIRS; k++)
			sink = tick_cycles();
		stamp[i] = (double)(tick_ns() - start_ns) / CALIBRATION_PAIRS;
	}
	(void)sink;
	host->profile_ns = fmax(0, stats_median(cost, CALIBRATION_ROUNDS));
	host->clock_ns = stats_median(stamp, CALIBRATION_ROUNDS);
}

void
describe_run(const struct options *op, char *const argv[], unsigned cells,
    unsigned controls, struct result *r)
{
	struct random_source_list sl;
	char why[HARVEST_ERROR_SIZE];

	for (; *argv != NULL; argv++)
		field_add_word(&r->argv, *argv);
	for (unsigned i = 0; i < op->op_tunable_count; i++)
		field_add_word(&r->tunables, op->op_tunables[i]);
	if (random_source_list_parse(&sl, op->op_config.bc_harvest.sources,
	    why) != 0)
		memset(&sl, 0, sizeof(sl));
	for (unsigned i = 0; i < sl.rsl_count; i++)
		field_add_word(&r->sources, sl.rsl_source[i]->rs_ident);
	/* A simulated machine has every source. */
	for (unsigned i = 0; i < sl.rsl_skipped_count; i++)
		field_add_word(op->op_simulated ? &r->sources :
		    &r->sources_skipped, sl.rsl_skipped[i]->rs_ident);
	r->cells = xcalloc(cells, sizeof(*r->cells));
	r->controls = xcalloc(controls, sizeof(*r->controls));
	ksource_describe(r);
	r->seed = op->op_seed;
	r->time_s = op->op_time_s;
	TEXT_SET(r->place, op->op_place_text);
	TEXT_SET(r->harvest_model,
	    design_queue_names[op->op_config.bc_harvest.queue]);
	result_now(r->started);
	result_host_fill(&r->host);
	if (op->op_simulated)
		describe_profile(&op->op_machine.vi_profile, r);
	else
		host_calibrate(&r->host);
}
