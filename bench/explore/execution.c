/*
 * Compiled for the simulated machine only, where the order can be chosen.
 */
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/explore/execution_impl.h"
#include "fortuna/fortuna.h"

enum {
	FEEDS_MAX	= 64,	/* events until a generator must be seeded */
	PAUSE_NS	= 1000 * 1000 * 1000,	/* of a fail point, most */
	CARRY_BLOCKS	= 6,	/* about a small read and a key or two */
	BUFFER_ALIGN	= 4096,
	PASSES_MAX	= 6	/* of the harvest thread before it waits */
};

const struct ledger_property_text execution_properties[EXECUTION_PROPERTIES] = {
#define	EXECUTION_PROPERTY(name, word, text)	{ word, text },
#include "bench/explore/explore.tbl"
#undef EXECUTION_PROPERTY
};

bool
execution_has_property(const char *word)
{
	for (unsigned i = 0; i < EXECUTION_PROPERTIES; i++)
		if (strcmp(execution_properties[i].lp_word, word) == 0)
			return (true);
	for (unsigned i = 0; i < LEDGER_PROPERTIES; i++)
		if (strcmp(ledger_properties[i].lp_word, word) == 0)
			return (true);
	return (false);
}

const struct random_algorithm *
simulated_design(const char *name)
{
	return (generator_find(name));
}

const struct lock_class *
simulated_lock(const char *name)
{
	return (lock_class_find(name));
}

const struct lock_class *
simulated_lock_at(unsigned i)
{
	return (i < lock_class_count ? lock_classes[i] : NULL);
}

void
subject_default(struct subject *tb)
{
	memset(tb, 0, sizeof(*tb));
	tb->tb_generator = generator_config_default();
	tb->tb_generator.minpoolsize = EXECUTION_MINPOOLSIZE;
	tb->tb_lock_config = lock_config_default(EXECUTION_CPUS);
}

/* Makes the next event; two of three are for the first pool. */
static void
make_event(struct execution *ex, struct harvest_event *event)
{
	const uint32_t i = ex->ex_events++;

	memset(event, 0, sizeof(*event));
	event->he_somecounter = i;
	event->he_size = HARVEST_ENTROPY_BYTES;
	event->he_source = RANDOM_INTERRUPT;
	event->he_destination = (uint8_t)(i % 3 == 2 ? 1 + i / 3 %
	    (RANDOM_FORTUNA_NPOOLS - 1) : 0);
	memcpy(event->he_entropy, &i, sizeof(i));
	/* Real hashes and ciphers get other keys in each run. */
	memcpy(event->he_entropy + sizeof(i), &ex->ex_seed, sizeof(i));
}

/* Feeds the generator as the harvest thread would, without a queue. */
static void
feed(struct execution *ex, unsigned n)
{
	struct generator *g = ex->ex_dev.rd_generator;
	struct harvest_event event[SCENARIO_EVENTS_MAX];
	unsigned batch = g->g_batch_events, k;

	MPASS(n <= SCENARIO_EVENTS_MAX);
	for (unsigned i = 0; i < n; i++)
		make_event(ex, &event[i]);
	for (unsigned i = 0; i < n; i += k) {
		k = batch < n - i ? batch : n - i;
		ledger_deliver_begin(ex->ex_ledger);
		if (k == 1)
			g->g_algorithm->ra_event_processor(g, &event[i]);
		else
			g->g_algorithm->ra_process_events(g, &event[i], k);
		ledger_deliver_end(ex->ex_ledger, k, true);
		ex->ex_delivered += k;
	}
	if (g->g_algorithm->ra_timer != NULL)
		g->g_algorithm->ra_timer(g, machine_uptime_coarse_ns());
}

/* As after the tests' start, which takes more events than a run has. */
static void
pass_tests(struct harvestq *hq)
{
	hq->hq_test[RANDOM_INTERRUPT].ht_state = HEALTH_STEADY;
}

/* A reader that waits for seeding needs events. */
static void
feed_until_seeded(struct execution *ex)
{
	struct generator *g = ex->ex_dev.rd_generator;

	for (unsigned i = 0; i < FEEDS_MAX; i++) {
		if (g->g_algorithm->ra_seeded(g))
			ex->ex_seeded = true;
		if (ex->ex_seeded)
			break;
		/* A source whose tests failed would never seed it. */
		if (ex->ex_queue != NULL)
			pass_tests(ex->ex_queue);
		feed(ex, 1);
	}
}

static void
sleep_ms(uint32_t ms)
{
	if (ms > 0)
		machine_sleep((int64_t)ms * 1000 * 1000);
}

/* Gives the bursts to the queue, or to the generator. */
static void
make_bursts(struct execution *ex)
{
	const struct scenario *sn = ex->ex_scenario;
	struct harvest_event event;

	for (unsigned i = 0; i < sn->sn_bursts; i++) {
		sleep_ms(sn->sn_burst[i].ss_sleep_ms);
		if (ex->ex_queue == NULL)
			feed(ex, sn->sn_burst[i].ss_amount);
		for (unsigned k = 0; ex->ex_queue != NULL &&
		    k < sn->sn_burst[i].ss_amount; k++) {
			make_event(ex, &event);
			(void)harvestq_put(ex->ex_queue, &event);
		}
	}
}

static void
producer_main(void *arg)
{
	struct execution *ex = arg;

	machine_curthread()->mt_index = ex->ex_scenario->sn_readers + 2;
	make_bursts(ex);
	atomic_store_rel_32(&ex->ex_produced, 1);
	machine_wake_32(&ex->ex_produced);
}

/* The last pass begins after the last event. */
static void
harvest_queue(struct execution *ex)
{
	for (unsigned i = 0; i < PASSES_MAX &&
	    atomic_load_acq_32(&ex->ex_produced) == 0; i++) {
		harvestq_pass(ex->ex_queue);
		machine_sleep(NS_PER_S / HARVEST_RATE_HZ);
	}
	while (atomic_load_acq_32(&ex->ex_produced) == 0)
		machine_wait_32(&ex->ex_produced, 0, -1);
	harvestq_pass(ex->ex_queue);
}

static void
harvest_main(void *arg)
{
	struct execution *ex = arg;

	machine_curthread()->mt_index = ex->ex_scenario->sn_readers + 1;
	if (ex->ex_queue != NULL)
		harvest_queue(ex);
	else
		make_bursts(ex);
	feed_until_seeded(ex);
}

/* What a read is checked for; ends the run if something is wrong. */
static void
read_one(struct execution *ex, struct execution_reader *r, uint32_t bytes)
{
	const struct random_algorithm *ra = ex->ex_subject->tb_design;
	const unsigned thread = machine_curthread()->mt_index;
	const bool real = ex->ex_scenario->sn_real;
	const char *name = r->r_td.mt_name, *wrong;
	struct uio uio = uio_buffer(r->r_buf, bytes);
	int error;

	if (real) {
		memset(r->r_buf, OUTPUT_CHECK_CANARY, bytes);
		output_check_begin(&ex->ex_output, thread);
	}
	r->r_stack.ss_count = 0;
	/* For the ledger a reseed that has ended is known to later reads. */
	vm_settle();
	r->r_reading = true;
	error = read_random_uio(&ex->ex_dev, &r->r_gr, &uio, false);
	r->r_reading = false;
	ex->ex_seeded = true;
	ex->ex_reads++;
	if (error != 0 || uio.uio_resid != 0)
		execution_fail(ex, EXECUTION_SERVED, "%s asked for %u bytes: "
		    "error %d, %ju bytes are missing", name, bytes, error,
		    (uintmax_t)uio.uio_resid);
	if (ex->ex_scans && stack_scan_found(&r->r_stack, vm_stack()))
		execution_fail(ex, EXECUTION_RESIDUE, "%s asked for %u bytes, "
		    "and its stack still has a key or keystream", name, bytes);
	if (!real || (ra->ra_flags & RA_NULL) != 0)
		return;
	wrong = output_check_returned(&ex->ex_output, thread, r->r_buf, bytes,
	    ra->ra_stored_bytes);
	if (wrong != NULL)
		execution_fail(ex, EXECUTION_OUTPUT, "%s asked for %u bytes: "
		    "%s", name, bytes, wrong);
}

static void
reader_main(void *arg)
{
	struct execution_reader *r = arg;
	struct execution *ex = r->r_execution;
	const struct scenario *sn = ex->ex_scenario;
	const unsigned i = (unsigned)(r - ex->ex_reader);

	machine_curthread()->mt_index = i + 1;
	for (unsigned k = 0; k < sn->sn_reads[i]; k++) {
		sleep_ms(sn->sn_read[i][k].ss_sleep_ms);
		read_one(ex, r, sn->sn_read[i][k].ss_amount);
	}
}

/*
 * Real ciphers start near the carry between C's halves, which would never be
 * reached otherwise.  With an ideal cipher C starts as in a kernel.
 */
static void
start_near_carry(struct execution *ex)
{
	struct generator *g = ex->ex_dev.rd_generator;
	struct generator_core gc = { .gc_counter = uint128_make(0,
	    UINT64_MAX - CARRY_BLOCKS) };

	if (ex->ex_scenario->sn_real && g->g_algorithm->ra_core != NULL &&
	    g->g_algorithm->ra_seeded(g))
		g->g_algorithm->ra_core(g, &gc, true);
}

static int
make_generator(struct execution *ex, const struct subject *tb)
{
	const struct cipher *cipher = tb->tb_cipher;
	struct generator_params gp = {
		.gp_lock = tb->tb_lock,
		.gp_lock_config = tb->tb_lock_config,
		.gp_config = tb->tb_generator,
		.gp_places = ex->ex_scenario->sn_places,
	};
	int error;

	gp.gp_cipher = execution_cipher(ex, ex->ex_scenario->sn_real ? cipher :
	    cipher_stub(cipher));
	gp.gp_lock_config.threads = EXECUTION_CPUS + 1;
	if (tb->tb_faults != NULL) {
		failpoints_make(&ex->ex_faults, tb->tb_faults,
		    &FLAVOURED(failpoint_machine), ex->ex_seed, PAUSE_NS);
		ex->ex_faulted = true;
		failpoints_generator(&ex->ex_faults, &gp);
	}
	ex->ex_dev.rd_ledger = ex->ex_ledger;
	error = generator_new(tb->tb_design, &ex->ex_dev.rd_generator, &gp);
	if (error == 0 && ex->ex_scenario->sn_seeded) {
		feed_until_seeded(ex);
		start_near_carry(ex);
	}
	return (error);
}

/* The same queue that FreeBSD 15 has; no source but the scenario's events. */
static int
make_queue(struct execution *ex)
{
	struct harvest_config config = harvest_config_default();
	struct harvest_error why;
	struct harvest_params hp = {
		.hp_generator = ex->ex_dev.rd_generator,
		.hp_config = &config,
		.hp_lock = ex->ex_subject->tb_queue_lock != NULL ?
		    ex->ex_subject->tb_queue_lock : lock_class_find("mtx-spin"),
		.hp_lock_config = lock_config_default(EXECUTION_CPUS),
		.hp_error = &why,
		.hp_ledger = ex->ex_ledger,
	};
	int error;

	config.model = HARVEST_MODEL_swap;
	if (ex->ex_subject->tb_faults != NULL) {
		failpoints_queue(&ex->ex_faults, &hp);
		config.nist_healthtest_enabled =
		    ex->ex_subject->tb_faults->fl_text[FAILPOINTS_HEALTH] !=
		    NULL;
	}
	snprintf(config.sources, sizeof(config.sources), "none");
	error = harvestq_init(&ex->ex_queue, &hp);
	if (error == 0)
		pass_tests(ex->ex_queue);
	return (error);
}

/* Makes a reader's buffer large enough. */
static void
make_buffer(struct execution_reader *r, const struct scenario_step *read,
    unsigned reads)
{
	size_t bytes = 1;

	for (unsigned i = 0; i < reads; i++)
		if (read[i].ss_amount > bytes)
			bytes = read[i].ss_amount;
	if (bytes <= r->r_bytes)
		return;
	free(r->r_buf);
	r->r_buf = xaligned(BUFFER_ALIGN, bytes);
	r->r_bytes = bytes;
}

static int
make_readers(struct execution *ex)
{
	const struct scenario *sn = ex->ex_scenario;
	struct execution_reader *r;
	int error = 0;

	for (; error == 0 && ex->ex_readers < sn->sn_readers;
	    ex->ex_readers += error == 0) {
		r = &ex->ex_reader[ex->ex_readers];
		r->r_execution = ex;
		r->r_reading = false;
		make_buffer(r, sn->sn_read[ex->ex_readers],
		    sn->sn_reads[ex->ex_readers]);
		error = generator_reader_init(ex->ex_dev.rd_generator,
			    &r->r_gr);
	}
	return (error);
}

/* Short enough for the machine. */
static const char *const reader_names[SCENARIO_READERS_MAX] = {
	"reader 1", "reader 2", "reader 3", "reader 4", "reader 5", "reader 6"
};

/* Readers, the harvest thread, and with a queue the producer. */
static int
run_threads(struct execution *ex)
{
	struct mthread *td[SCENARIO_READERS_MAX + 2];
	unsigned made, n = ex->ex_readers;
	const char *name;
	int error = 0;

	for (unsigned i = 0; i < n; i++)
		td[i] = &ex->ex_reader[i].r_td;
	td[n] = &ex->ex_harvest;
	td[n + 1] = &ex->ex_producer;
	for (made = 0; error == 0 && made < n + 1 + (ex->ex_queue != NULL);
	    made += error == 0) {
		name = made < n ? reader_names[made] : made == n ? "harvest" :
		    "producer";
		error = machine_spawn(td[made], name, MACHINE_CPU_ANY,
		    made < n ? reader_main : made == n ? harvest_main :
		    producer_main, made < n ? (void *)&ex->ex_reader[made] :
		    ex);
	}
	for (unsigned i = 0; i < made; i++)
		machine_join(td[i]);
	return (error);
}

/*
 * Readers swap key objects with the generator.  One that two have would be
 * freed twice, and then nothing that this program does could be relied on.
 */
static void
check_objects(struct execution *ex)
{
	struct generator *g = ex->ex_dev.rd_generator;
	struct generator_core gc = { .gc_object = NULL };
	const struct cipher_key *ck;

	if (g->g_algorithm->ra_core != NULL)
		g->g_algorithm->ra_core(g, &gc, false);
	for (unsigned i = 0; i < ex->ex_readers; i++) {
		ck = ex->ex_reader[i].r_gr.gr_spare;
		if (ck == NULL)
			continue;
		if (ck == gc.gc_object)
			execution_fail(ex, EXECUTION_OBJECTS, "%s has the "
			    "generator's", reader_names[i]);
		for (unsigned k = 0; k < i; k++)
			if (ex->ex_reader[k].r_gr.gr_spare == ck)
				execution_fail(ex, EXECUTION_OBJECTS, "%s has "
				    "that of %s", reader_names[i],
				    reader_names[k]);
	}
}

static void
unmake(struct execution *ex)
{
	struct generator *g = ex->ex_dev.rd_generator;
	struct harvest_totals ht;

	check_objects(ex);
	for (; ex->ex_readers > 0; ex->ex_readers--)
		generator_reader_fini(g,
		    &ex->ex_reader[ex->ex_readers - 1].r_gr);
	if (ex->ex_queue != NULL) {
		ht = harvestq_totals(ex->ex_queue);
		ex->ex_delivered += ht.ht_delivered;
		ledger_conserved(ex->ex_ledger, ht.ht_in, ht.ht_processed,
		    ht.ht_pending, ht.ht_dropped, ht.ht_discarded);
		harvestq_fini(ex->ex_queue);
	}
	generator_free(g);
}

void
execution_main(void *arg)
{
	struct execution *ex = arg;
	struct mthread self;

	machine_attach(&self, "setup");
	self.mt_index = 0;
	atomic_init_32(&ex->ex_produced, 0);
	ex->ex_error = make_generator(ex, ex->ex_subject);
	if (ex->ex_error == 0) {
		if (ex->ex_scenario->sn_queue)
			ex->ex_error = make_queue(ex);
		if (ex->ex_error == 0)
			ex->ex_error = make_readers(ex);
		if (ex->ex_error == 0)
			ex->ex_error = run_threads(ex);
		unmake(ex);
		ex->ex_finishing = true;
		if (ex->ex_error == 0)
			ledger_finish(ex->ex_ledger, ex->ex_delivered);
	}
	machine_detach();
}
