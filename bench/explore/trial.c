/*
 * Compiled for the simulated machine alone: only there is the order chosen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/explore/strategy.h"
#include "bench/explore/trial_impl.h"
#include "fortuna/fortuna.h"
#include "harvest/harvestq.h"
#include "lib/failpoint_machine.h"

enum {
	TRIAL_CPUS	= 8,	/* as many as threads there can be */
	TRIAL_NODES	= 2,
	FEEDS_MAX	= 64,	/* events until a generator must be seeded */
	PAUSE_NS	= 1000 * 1000 * 1000,	/* of a fail point, most */
	CARRY_BLOCKS	= 6,	/* about a small read and a key or two */
	PASSES_MAX	= 6	/* of the harvest thread before it waits */
};

const struct ledger_property_text trial_properties[TRIAL_PROPERTIES] = {
#define	TRIAL_PROPERTY(name, word, text)	{ word, text },
#include "bench/explore/explore.tbl"
#undef TRIAL_PROPERTY
};

bool
trial_has_property(const char *word)
{
	unsigned i;

	for (i = 0; i < TRIAL_PROPERTIES; i++)
		if (strcmp(trial_properties[i].lp_word, word) == 0)
			return (true);
	for (i = 0; i < LEDGER_PROPERTIES; i++)
		if (strcmp(ledger_properties[i].lp_word, word) == 0)
			return (true);
	return (false);
}

const struct random_algorithm *
trial_design(const char *name)
{

	return (generator_find(name));
}

const struct lock_class *
trial_lock(const char *name)
{

	return (lock_class_find(name));
}

const struct lock_class *
trial_lock_at(unsigned i)
{

	return (i < lock_class_count ? lock_classes[i] : NULL);
}

void
trial_subject_default(struct trial_subject *tb)
{

	memset(tb, 0, sizeof(*tb));
	tb->tb_generator = generator_config_default();
	tb->tb_generator.minpoolsize = TRIAL_MINPOOLSIZE;
	tb->tb_lock_config = lock_config_default(TRIAL_CPUS);
}

static unsigned
choose(void *context, const struct vm_choice *vo)
{

	return (strategy_choose(context, vo));
}

static bool
answer(void *context)
{

	return (strategy_running(context));
}

struct trial_chooser
trial_chooser_of(struct strategy *st)
{

	return ((struct trial_chooser){ .tc_choose = choose,
	    .tc_running = answer, .tc_context = st });
}

/* Feeds the generator as the harvest thread would, without a queue. */
static void
feed(struct trial *tr, unsigned n)
{
	struct generator *g = tr->tr_dev.rd_generator;
	struct harvest_event event[SCENARIO_EVENTS_MAX];
	unsigned batch = g->g_batch_events, i, k;

	MPASS(n <= SCENARIO_EVENTS_MAX);
	for (i = 0; i < n; i++)
		trial_event(tr, &event[i]);
	for (i = 0; i < n; i += k) {
		k = batch < n - i ? batch : n - i;
		ledger_deliver_begin(tr->tr_ledger);
		if (k == 1)
			g->g_algorithm->ra_event_processor(g, &event[i]);
		else
			g->g_algorithm->ra_process_events(g, &event[i], k);
		ledger_deliver_end(tr->tr_ledger, k, true);
		tr->tr_delivered += k;
	}
	if (g->g_algorithm->ra_timer != NULL)
		g->g_algorithm->ra_timer(g, machine_uptime_coarse_ns());
}

static bool
is_seeded(struct trial *tr)
{
	struct generator *g = tr->tr_dev.rd_generator;

	if (g->g_algorithm->ra_seeded(g))
		tr->tr_seeded = true;
	return (tr->tr_seeded);
}

/* Whoever waits for seeding is owed some. */
static void
feed_until_seeded(struct trial *tr)
{
	unsigned i;

	for (i = 0; i < FEEDS_MAX && !is_seeded(tr); i++)
		feed(tr, 1);
}

static void
sleep_ms(uint32_t ms)
{

	if (ms > 0)
		machine_sleep((int64_t)ms * 1000 * 1000);
}

/* Puts bursts into the queue. */
static void
producer_main(void *arg)
{
	struct trial *tr = arg;
	const struct scenario *sn = tr->tr_scenario;
	struct harvest_event event;
	unsigned i, k;

	machine_curthread()->mt_index = sn->sn_readers + 2;
	for (i = 0; i < sn->sn_bursts; i++) {
		sleep_ms(sn->sn_burst[i].ss_sleep_ms);
		for (k = 0; k < sn->sn_burst[i].ss_amount; k++) {
			trial_event(tr, &event);
			(void)harvestq_put(tr->tr_queue, &event);
		}
	}
	atomic_store_rel_32(&tr->tr_produced, 1);
	machine_wake_32(&tr->tr_produced);
}

/* The last pass begins when all was produced. */
static void
harvest_queue(struct trial *tr)
{
	unsigned i;

	for (i = 0; i < PASSES_MAX &&
	    atomic_load_acq_32(&tr->tr_produced) == 0; i++) {
		harvestq_pass(tr->tr_queue);
		machine_sleep(NS_PER_S / HARVEST_RATE_HZ);
	}
	while (atomic_load_acq_32(&tr->tr_produced) == 0)
		machine_wait_32(&tr->tr_produced, 0, -1);
	harvestq_pass(tr->tr_queue);
}

static void
harvest_main(void *arg)
{
	struct trial *tr = arg;
	const struct scenario *sn = tr->tr_scenario;
	unsigned i;

	machine_curthread()->mt_index = sn->sn_readers + 1;
	if (tr->tr_queue != NULL) {
		harvest_queue(tr);
	} else {
		for (i = 0; i < sn->sn_bursts; i++) {
			sleep_ms(sn->sn_burst[i].ss_sleep_ms);
			feed(tr, sn->sn_burst[i].ss_amount);
		}
	}
	feed_until_seeded(tr);
}

static void
read_one(struct trial *tr, struct trial_reader *r, uint32_t bytes)
{
	const bool real = tr->tr_scenario->sn_real;
	const unsigned thread = machine_curthread()->mt_index;
	const char *wrong;
	struct uio uio;
	int error;

	if (real) {
		memset(r->r_buf, ORIGIN_CANARY, bytes);
		origin_begin(&tr->tr_origin, thread);
	}
	residue_begin(&r->r_residue);
	uio = uio_buffer(r->r_buf, bytes);
	r->r_reading = true;
	error = read_random_uio(&tr->tr_dev, &r->r_gr, &uio, false);
	r->r_reading = false;
	tr->tr_seeded = true;
	tr->tr_reads++;
	if (error != 0 || uio.uio_resid != 0)
		trial_fail(tr, TRIAL_SERVED, "%s asked for %u bytes: error "
		    "%d, %ju bytes are missing", r->r_td.mt_name, bytes,
		    error, (uintmax_t)uio.uio_resid);
	if (tr->tr_residue && residue_found(&r->r_residue, vm_stack()))
		trial_fail(tr, TRIAL_RESIDUE, "%s asked for %u bytes, and its "
		    "stack still has a key or keystream", r->r_td.mt_name,
		    bytes);
	if (!real || (tr->tr_subject->tb_design->ra_flags & RA_NULL) != 0)
		return;
	wrong = origin_returned(&tr->tr_origin, thread, r->r_buf, bytes,
	    tr->tr_subject->tb_design->ra_stored_bytes);
	if (wrong != NULL)
		trial_fail(tr, TRIAL_OUTPUT, "%s asked for %u bytes: %s",
		    r->r_td.mt_name, bytes, wrong);
}

static void
reader_main(void *arg)
{
	struct trial_reader *r = arg;
	struct trial *tr = r->r_trial;
	const struct scenario *sn = tr->tr_scenario;
	const unsigned i = (unsigned)(r - tr->tr_reader);
	unsigned k;

	machine_curthread()->mt_index = i + 1;
	for (k = 0; k < sn->sn_reads[i]; k++) {
		sleep_ms(sn->sn_read[i][k].ss_sleep_ms);
		read_one(tr, r, sn->sn_read[i][k].ss_amount);
	}
}

/*
 * What happens at the carry between C's halves would else be seen by nobody.
 * With an ideal cipher C begins where it does in a kernel.
 */
static void
start_near_carry(struct trial *tr)
{
	struct generator *g = tr->tr_dev.rd_generator;

	if (tr->tr_scenario->sn_real &&
	    (g->g_algorithm->ra_flags & RA_FORTUNA_STATE) != 0 &&
	    fortuna_state_seeded(&fortuna_of(g)->f_state))
		fortuna_of(g)->f_state.fs_counter = uint128_make(0,
		    UINT64_MAX - CARRY_BLOCKS);
}

static int
make_generator(struct trial *tr, const struct trial_subject *tb)
{
	const struct cipher *cipher = tb->tb_cipher;
	struct generator_params gp = {
		.gp_lock = tb->tb_lock,
		.gp_lock_config = tb->tb_lock_config,
		.gp_config = tb->tb_generator,
		.gp_places = tr->tr_scenario->sn_places,
	};
	int error;

	gp.gp_cipher = trial_cipher(tr, tr->tr_scenario->sn_real ? cipher :
	    cipher_hollow(cipher));
	gp.gp_lock_config.threads = TRIAL_CPUS + 1;
	if (tb->tb_faults != NULL) {
		faults_make(&tr->tr_faults, tb->tb_faults,
		    &FLAVOURED(failpoint_machine), tr->tr_seed, PAUSE_NS);
		tr->tr_faulted = true;
		gp.gp_failpoints = faults_generator(&tr->tr_faults);
		gp.gp_lock_config.faults = faults_lock(&tr->tr_faults);
	}
	tr->tr_dev.rd_ledger = tr->tr_ledger;
	error = tb->tb_design->ra_init(&tr->tr_dev.rd_generator, &gp);
	if (error == 0)
		tr->tr_dev.rd_generator->g_failpoints = gp.gp_failpoints;
	if (error == 0 && tr->tr_scenario->sn_seeded) {
		feed_until_seeded(tr);
		start_near_carry(tr);
	}
	return (error);
}

/* The same queue that FreeBSD 15 has; no source but the scenario's events. */
static int
make_queue(struct trial *tr)
{
	struct harvest_config config = harvest_config_default();
	struct harvest_error why;
	struct harvest_params hp = {
		.hp_generator = tr->tr_dev.rd_generator,
		.hp_config = &config,
		.hp_lock = tr->tr_subject->tb_queue_lock != NULL ?
		    tr->tr_subject->tb_queue_lock :
		    lock_class_find("mtx-spin"),
		.hp_lock_config = lock_config_default(TRIAL_CPUS),
		.hp_error = &why,
		.hp_ledger = tr->tr_ledger,
	};

	config.model = HARVEST_MODEL_swap;
	if (tr->tr_subject->tb_faults != NULL) {
		hp.hp_failpoints = faults_harvest(&tr->tr_faults);
		hp.hp_lock_config.faults = faults_queue_lock(&tr->tr_faults);
	}
	snprintf(config.sources, sizeof(config.sources), "none");
	return (harvestq_init(&tr->tr_queue, &hp));
}

static int
make_readers(struct trial *tr)
{
	const struct scenario *sn = tr->tr_scenario;
	struct generator *g = tr->tr_dev.rd_generator;
	struct trial_reader *r;
	int error = 0;

	for (; error == 0 && tr->tr_readers < sn->sn_readers;
	    tr->tr_readers += error == 0) {
		r = &tr->tr_reader[tr->tr_readers];
		r->r_trial = tr;
		r->r_reading = false;
		error = trial_buffer(r, scenario_bytes_max(sn));
		if (error == 0)
			error = g->g_algorithm->ra_reader_init(g, &r->r_gr);
	}
	return (error);
}

/* A name that fits what the machine keeps of one. */
static const char *const reader_names[SCENARIO_READERS_MAX] = {
	"reader 1", "reader 2", "reader 3", "reader 4", "reader 5", "reader 6"
};

static int
run_threads(struct trial *tr)
{
	unsigned i, readers = 0;
	int error = 0;
	bool harvest = false, producer = false;

	for (; error == 0 && readers < tr->tr_readers; readers += error == 0)
		error = machine_spawn(&tr->tr_reader[readers].r_td,
		    reader_names[readers], MACHINE_CPU_ANY, reader_main,
		    &tr->tr_reader[readers]);
	if (error == 0) {
		error = machine_spawn(&tr->tr_harvest, "harvest",
		    MACHINE_CPU_ANY, harvest_main, tr);
		harvest = error == 0;
	}
	if (error == 0 && tr->tr_queue != NULL) {
		error = machine_spawn(&tr->tr_producer, "producer",
		    MACHINE_CPU_ANY, producer_main, tr);
		producer = error == 0;
	}
	for (i = 0; i < readers; i++)
		machine_join(&tr->tr_reader[i].r_td);
	if (harvest)
		machine_join(&tr->tr_harvest);
	if (producer)
		machine_join(&tr->tr_producer);
	return (error);
}

static void
end_queue(struct trial *tr)
{
	struct harvest_totals ht = harvestq_totals(tr->tr_queue);

	tr->tr_delivered += ht.ht_delivered;
	ledger_conserved(tr->tr_ledger, ht.ht_in, ht.ht_processed,
	    ht.ht_pending, ht.ht_dropped, ht.ht_discarded);
	harvestq_fini(tr->tr_queue);
	tr->tr_queue = NULL;
}

/*
 * Readers swap key objects with the generator.  One that two have would be
 * freed twice, and then nothing that this program does could be relied on.
 */
static void
check_objects(struct trial *tr)
{
	struct generator *g = tr->tr_dev.rd_generator;
	const struct cipher_key *ck;
	unsigned i, k;

	for (i = 0; i < tr->tr_readers; i++) {
		ck = tr->tr_reader[i].r_gr.gr_spare;
		if (ck == NULL)
			continue;
		if ((g->g_algorithm->ra_flags & RA_FORTUNA_STATE) != 0 &&
		    fortuna_of(g)->f_state.fs_key == ck)
			trial_fail(tr, TRIAL_OBJECTS, "%s has the generator's",
			    reader_names[i]);
		for (k = 0; k < i; k++)
			if (tr->tr_reader[k].r_gr.gr_spare == ck)
				trial_fail(tr, TRIAL_OBJECTS, "%s has that of "
				    "%s", reader_names[i], reader_names[k]);
	}
}

static void
unmake(struct trial *tr)
{
	struct generator *g = tr->tr_dev.rd_generator;

	check_objects(tr);
	for (; tr->tr_readers > 0; tr->tr_readers--)
		g->g_algorithm->ra_reader_fini(g,
		    &tr->tr_reader[tr->tr_readers - 1].r_gr);
	if (tr->tr_queue != NULL)
		end_queue(tr);
	g->g_algorithm->ra_fini(g);
	tr->tr_dev.rd_generator = NULL;
}

/* The machine's first thread. */
void
trial_main(void *arg)
{
	struct trial *tr = arg;
	struct mthread self;

	machine_attach(&self, "setup");
	self.mt_index = 0;
	atomic_init_32(&tr->tr_produced, 0);
	tr->tr_error = make_generator(tr, tr->tr_subject);
	if (tr->tr_error == 0) {
		if (tr->tr_scenario->sn_queue)
			tr->tr_error = make_queue(tr);
		if (tr->tr_error == 0)
			tr->tr_error = make_readers(tr);
		if (tr->tr_error == 0)
			tr->tr_error = run_threads(tr);
		unmake(tr);
		tr->tr_finishing = true;
		if (tr->tr_error == 0)
			ledger_finish(tr->tr_ledger, tr->tr_delivered);
	}
	machine_detach();
}

void
trial_machine(struct machine_config *mc)
{

	memset(mc, 0, sizeof(*mc));
	mc->mc_topology = (struct vm_topology){ .vt_cpus = TRIAL_CPUS,
	    .vt_cores = TRIAL_CPUS, .vt_nodes = TRIAL_NODES,
	    .vt_ccx_cores = TRIAL_CPUS / TRIAL_NODES };
	/* Others divide by them. */
	mc->mc_costs.vc_ps[PROFILE_CPU_PAUSE] = VM_PS_PER_NS;
	mc->mc_costs.vc_ps[PROFILE_OS_TICK] = VM_PS_PER_NS * NS_PER_MS;
}
