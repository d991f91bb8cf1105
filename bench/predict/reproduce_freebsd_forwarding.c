/*
 * FreeBSD machines that forward the smallest packets, with and without the
 * harvest of packets: netbenches of O. Cochard-Labbe.
 *
 * The rate without it says how long the stack works for a packet.  With it each
 * packet calls random_harvest_queue(), whose spin mutex all queues share.
 * Nothing is fitted to the rates with it.
 */
#include "bench/predict/published.h"
#include "bench/stats/stats.h"

enum {
	MASK_ETHER	= 1 << RANDOM_NET_ETHER,
	DRAWS		= 10,	/* profiles, without --uncertainty */
	SEEDS		= 3,	/* the median of so many is predicted */
	WARMUP_MS	= 10,
	TEXT_SIZE	= 64,
	ROWS_MAX	= 1024,
	BACKOFF_REVISION = 313000	/* of FreeBSD's head, early in 2017 */
};

static const double window_s = 0.02;
/* Not published: how a packet's work varies; of drawn profiles up to twice. */
static const double work_cv = 0.25;
/* So much faster is a release with other locks, and not by chance. */
static const double freer_share = 1.2;

/* By a word of the machine's name; the first one is taken. */
static const struct {
	const char	*word, *profile;
	bool		 nearest;
} machines[] = {
	{ "Xeon E5-2650", "xeon-e5-2650", false },
	{ "Atom C2758", "atom-c2758", false },
	{ "AMD GX-412TC", "gx-412tc", false },
	{ "Xeon", "xeon-e5-2650", true },
	{ "Atom", "atom-c2758", true },
	{ "AMD GX", "gx-412tc", true },
};

static const char *const remarks[] = {
	"The work of one packet is queues / rate without the harvest; that it "
	    "varies by a quarter is guessed, and by 0 to a half in the band.",
	"Where the mutex is nearly saturated, as with 8 queues, small "
	    "differences of the machine decide: see the band.",
	"Queues 3, 5, 6 and 7 share flows unevenly; the mean work stands for "
	    "all.",
	"A release whose rate without the harvest is far below another's on "
	    "the same machine is limited by its own locks: the harvest is "
	    "predicted to be hidden behind them as far as the other's work "
	    "allows.",
	"Spin mutexes are mtx-spin, or before 2017 tas: without back-off.  "
	    "From release 12 on packets are not harvested by default.",
};

/* A row of the file: machine, nic, release, mask, queues, packets a second. */
struct forwarding_row {
	char		 fw_text[3][TEXT_SIZE];
	unsigned	 fw_mask, fw_queues;
	double		 fw_value, fw_least, fw_most;
	/* The row alike with fewer sources; NULL: it is not predicted. */
	const struct forwarding_row *fw_base;
	/* The same of a release that is less limited by locks; or NULL. */
	const struct forwarding_row *fw_freer;
	const char	*fw_profile;
	bool		 fw_nearest;	/* of a like machine */
	bool		 fw_backoff;	/* of its spin mutexes */
	double		 fw_predicted;
	double		 fw_band[2];	/* 10 and 90 % of drawn profiles */
};

static struct forwarding {
	const struct options *fwd_op;
	const char	*fwd_design;
	unsigned	 fwd_draws, fwd_count, fwd_chosen;
	struct forwarding_row fwd_row[ROWS_MAX];
	struct forwarding_row *fwd_choice[ROWS_MAX];	/* are predicted */
} fo;

/* Whether the release's spin mutexes back off. */
static bool
backs_off(const char *release)
{
	const char *r = strstr(release, ".r");

	if (r != NULL && r[2] >= '0' && r[2] <= '9')
		return (strtoul(r + 2, NULL, 10) >= BACKOFF_REVISION);
	return (strncmp(release, "fbsd9", 5) != 0 && strncmp(release, "fbsd10",
	    6) != 0 && strncmp(release, "fbsd11.0", 8) != 0);
}

/* Whether it harvests packets: in release 12 and later by an option only. */
static bool
harvests(const struct forwarding_row *fw)
{
	unsigned release = 0;

	(void)sscanf(fw->fw_text[2], "fbsd%u", &release);
	return ((fw->fw_mask & MASK_ETHER) != 0 && release < 12);
}

static int
take_row(struct lines *li)
{
	struct forwarding_row *fw = &fo.fwd_row[fo.fwd_count];
	char *rest = li->li_text, *item;
	double number[5];

	if (fo.fwd_count == ROWS_MAX)
		return (lines_refuse(li, "more than %d rows", ROWS_MAX));
	for (unsigned i = 0; i < 8; i++) {
		item = strsep(&rest, ",");
		if (item == NULL || (i < 3 ? *item == '\0' ||
		    strlen(item) >= TEXT_SIZE :
		    parse_real(item, &number[i - 3]) != 0))
			return (lines_refuse(li, "\"%.40s\": expected machine,"
			    " NIC, release, and the numbers mask, queues, "
			    "value, min and max", item == NULL ? "" : item));
		if (i < 3)
			strcpy(fw->fw_text[i], item);
	}
	if (rest != NULL || number[0] > UINT32_MAX || number[0] !=
	    floor(number[0]) || number[1] < 1 || number[1] > PRODUCERS_MAX ||
	    number[1] != floor(number[1]) || number[2] <= 0)
		return (lines_refuse(li, "expected a whole mask, 1..%d queues, "
		    "and packets a second", PRODUCERS_MAX));
	fw->fw_mask = (unsigned)number[0];
	fw->fw_queues = (unsigned)number[1];
	fw->fw_value = number[2];
	fw->fw_least = number[3];
	fw->fw_most = number[4];
	fo.fwd_count++;
	return (0);
}

/* Whether two rows differ in their masks, and maybe releases, alone. */
static bool
alike(const struct forwarding_row *a, const struct forwarding_row *b,
    bool release)
{
	return (a->fw_queues == b->fw_queues && strcmp(a->fw_text[0],
	    b->fw_text[0]) == 0 && strcmp(a->fw_text[1], b->fw_text[1]) == 0 &&
	    (!release || strcmp(a->fw_text[2], b->fw_text[2]) == 0));
}

static int
relate(struct forwarding_row *fw)
{
	const struct option_list *ol = &fo.fwd_op->op_readers;
	const struct forwarding_row *of;
	unsigned k;

	for (k = 0; k < ol->ol_count && ol->ol_value[k] != fw->fw_queues;)
		k++;
	if (ol->ol_count > 0 && k == ol->ol_count)
		return (0);
	for (of = fo.fwd_row; of < fo.fwd_row + fo.fwd_count; of++)
		if (alike(of, fw, true) && of->fw_mask != fw->fw_mask &&
		    (of->fw_mask & fw->fw_mask) == of->fw_mask)
			fw->fw_base = of;
	for (of = fo.fwd_row; fw->fw_base != NULL &&
	    of < fo.fwd_row + fo.fwd_count; of++)
		if (alike(of, fw, false) &&
		    of->fw_mask == fw->fw_base->fw_mask &&
		    of->fw_value > freer_share * fw->fw_base->fw_value)
			fw->fw_freer = of;
	fw->fw_backoff = backs_off(fw->fw_text[2]);
	fw->fw_profile = fo.fwd_op->op_profile;
	for (unsigned i = 0; fw->fw_profile == NULL &&
	    i < nitems(machines); i++)
		if (strstr(fw->fw_text[0], machines[i].word) != NULL) {
			fw->fw_profile = machines[i].profile;
			fw->fw_nearest = machines[i].nearest;
		}
	return (fw->fw_base == NULL || fw->fw_profile != NULL ? 0 :
	    usage_error("no profile is known for \"%s\": expected --profile",
	    fw->fw_text[0]));
}

int
forwarding_open(const struct options *op, const char *path)
{
	char why[LINES_ERROR_SIZE];
	struct lines li;
	int error = 0;

	fo.fwd_op = op;
	fo.fwd_draws = op->op_uncertainty > 0 ? op->op_uncertainty : DRAWS;
	fo.fwd_design = op->op_designs.ol_count == 0 ? "concurrent" :
	    design_at(op->op_designs.ol_value[0])->de_ident;
	(void)lines_open(&li, path, why);
	while (lines_next(&li))
		if (li.li_text[0] != '#' && li.li_text[0] != '\0' &&
		    strncmp(li.li_text, "machine,", 8) != 0)
			(void)take_row(&li);
	lines_close(&li);
	if (li.li_error != 0)
		return (argument_error(li.li_error, "--published: %s", why));
	for (unsigned i = 0; i < fo.fwd_count && error == 0; i++) {
		error = relate(&fo.fwd_row[i]);
		if (fo.fwd_row[i].fw_base != NULL)
			fo.fwd_choice[fo.fwd_chosen++] = &fo.fwd_row[i];
	}
	return (error != 0 || fo.fwd_chosen > 0 ? error :
	    usage_error("%s: expected queues of which %s has rows that differ "
	    "in mask alone", op->op_readers.ol_count > 0 ? "--threads" :
	    "--published", path));
}

/* Packets a second of all queues with a profile. */
static int
simulate(const struct forwarding_row *fw, const struct profile *pr, double cv,
    uint64_t seed, double *rate)
{
	const struct forwarding_row *base = fw->fw_freer != NULL ?
	    fw->fw_freer : fw->fw_base;
	struct producing pg;
	struct bench_config bc;
	struct cell_measure cm = { .cm_row_count = 0 };
	char why[CELL_ERROR_SIZE];
	struct cell_params cp = {
		.cp_cell = { .ce_design = fo.fwd_design, .ce_lock = "mtx",
		    .ce_cipher = cipher_find("chacha20"), .ce_request_bytes = 1,
		    .ce_producers = fw->fw_queues, .ce_producing = &pg },
		.cp_config = &bc, .cp_time_s = window_s, .cp_seed = seed
	};
	unsigned cpus = (unsigned)pr->pr_value[PROFILE_TOPO_CPUS];
	int error = producing_parse(FORMATF("ether:work=%.0fns,cv=%.3f",
	    1e9 * fw->fw_queues / base->fw_value, cv), &pg, why);

	bench_config_default(&bc, cpus);
	bc.bc_lock.spin_polls = 0;
	bc.bc_program.spinmutex = !fw->fw_backoff;	/* tas comes second */
	bc.bc_harvest.queue = HARVEST_MODEL_ring;
	bc.bc_program.warmup_ms = WARMUP_MS;
	design_setting(&bc.bc_setting[0], FORMATF("kern.random.harvest.mask=%u",
	    harvests(fw) ? fw->fw_mask : fw->fw_mask & ~(unsigned)MASK_ETHER));
	bc.bc_settings = 1;
	if (error == 0)
		error = reproduce_cell(pr, cpus, &cp, &cm, why);
	*rate = fmin(fw->fw_base->fw_value,
	    cm.cm_sample.production.events_per_s);
	if (error != 0)
		error = run_error("%s, %u queues: %s", fw->fw_text[0],
		    fw->fw_queues, why);
	cell_measure_free(&cm);
	return (error);
}

static int
predict(struct forwarding_row *fw)
{
	double *v = xcalloc(fo.fwd_draws + SEEDS, sizeof(*v));
	const uint64_t seed = fo.fwd_op->op_seed;
	char why[PROFILE_ERROR_SIZE];
	struct profile pr, drawn;
	uint64_t draw = splitmix(seed);
	double cv;
	int error;

	if ((error = profile_load(&pr, fw->fw_profile, why)) != 0)
		error = usage_error("--profile: %s", why);
	else if (fw->fw_queues > pr.pr_value[PROFILE_TOPO_CPUS])
		error = usage_error("--profile: %s has no %u CPUs: expected "
		    "one that has a CPU for each queue, or other --threads",
		    fw->fw_profile, fw->fw_queues);
	for (unsigned i = 0; error == 0 && i < SEEDS; i++)
		error = simulate(fw, &pr, work_cv, seed + i, &v[i]);
	fw->fw_predicted = stats_median(v, SEEDS);
	for (unsigned i = 0; error == 0 && i < fo.fwd_draws; i++) {
		profile_sample(&pr, i, fo.fwd_draws, seed, &drawn);
		cv = 2 * work_cv * (double)(splitmix_next(&draw) >> 11) *
		    0x1p-53;
		error = simulate(fw, &drawn, cv, seed + i, &v[i]);
	}
	stats_band(v, fo.fwd_draws, fw->fw_band);
	free(v);
	return (error);
}

int
forwarding_predict(void)
{
	int error = 0;

	for (unsigned i = 0; error == 0 && i < fo.fwd_chosen; i++)
		error = predict(fo.fwd_choice[i]);
	return (error);
}

/* Of the packets without the harvest, in percent. */
static double
loss(const struct forwarding_row *fw, double rate)
{
	return (100 * (1 - rate / fw->fw_base->fw_value));
}

static const struct column columns[] = {
	{ "queues", 6 }, { "without", 8 }, { "publ.", 8 }, { "pred.", 8 },
	{ "10-90 %", 15 }, { "error", 7 }, { "loss publ.", 10 },
	{ "pred.", 6 }
};

#define	MILLION(rate)	FORMATF("%.3f", (rate) / 1e6)

void
forwarding_print(FILE *out, const void *of __unused)
{
	const unsigned n = fo.fwd_chosen;
	double *off = xcalloc(n, sizeof(*off));

	fprintf(out, "freebsd-forwarding: million packets a second, without "
	    "and with the harvest\n");
	for (unsigned i = 0; i < n; i++) {
		const struct forwarding_row *fw = fo.fwd_choice[i];
		const struct forwarding_row *last = fo.fwd_choice[i - (i > 0)];

		if (i == 0 || last->fw_mask != fw->fw_mask ||
		    strcmp(last->fw_text[0], fw->fw_text[0]) != 0 ||
		    strcmp(last->fw_text[2], fw->fw_text[2]) != 0) {
			format_wrapf(out, "\n", 2, "%s, %s, mask %u instead of "
			    "%u; predicted for %s%s%s, spin mutex %s%s",
			    fw->fw_text[0], fw->fw_text[2], fw->fw_mask,
			    fw->fw_base->fw_mask, fw->fw_profile,
			    fw->fw_nearest ? ", the nearest one" : "",
			    strncmp(fo.fwd_design, "kernel:", 7) != 0 ? "" :
			    FORMATF(", queue of %s, which the published rates "
			    "do not have", fo.fwd_design),
			    fw->fw_backoff ? "mtx-spin" : "tas",
			    fw->fw_freer == NULL ? "" :
			    "; limited by locks of its own");
			COLUMNS_TITLES(out, columns);
		}
		off[i] = fw->fw_predicted / fw->fw_value - 1;
		COLUMNS_ROW(out, columns, FORMATF("%u", fw->fw_queues),
		    MILLION(fw->fw_base->fw_value), MILLION(fw->fw_value),
		    MILLION(fw->fw_predicted), FORMATF("%s..%s",
		    MILLION(fw->fw_band[0]), MILLION(fw->fw_band[1])),
		    FORMATF("%+.1f %%", 100 * off[i]), FORMATF("%.1f %%",
		    loss(fw, fw->fw_value)), FORMATF("%.1f %%",
		    loss(fw, fw->fw_predicted)));
		if (fw->fw_queues == 1)
			format_wrapf(out, " ", 9, "ns that the harvest of a "
			    "packet takes: published %.0f, predicted %.0f",
			    1e9 / fw->fw_value - 1e9 / fw->fw_base->fw_value,
			    1e9 / fw->fw_predicted -
			    1e9 / fw->fw_base->fw_value);
		off[i] = fabs(off[i]);
	}
	fprintf(out, "\n%u row%s: median error %.1f %%, worst %.1f %%\n\n",
	    n, PLURAL(n), 100 * stats_median(off, n),
	    100 * stats_quantile(off, n, 1));
	for (unsigned i = 0; i < nitems(remarks); i++)
		format_wrap(out, "*", 2, remarks[i]);
	free(off);
}

void
forwarding_print_json(FILE *out, const void *of __unused)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < fo.fwd_chosen; i++) {
		const struct forwarding_row *fw = fo.fwd_choice[i];

		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, "
		    "s:i, s:f, s:f, s:f, s:f, s:f, s:[f, f], s:f, s:s, s:s}",
		    "machine", fw->fw_text[0], "nic", fw->fw_text[1], "release",
		    fw->fw_text[2], "mask", (int)fw->fw_mask, "queues",
		    (int)fw->fw_queues, "without", fw->fw_base->fw_value,
		    "published", fw->fw_value, "min", fw->fw_least, "max",
		    fw->fw_most, "predicted", fw->fw_predicted, "band",
		    fw->fw_band[0], fw->fw_band[1], "error", fw->fw_predicted /
		    fw->fw_value - 1, "profile", fw->fw_profile, "spin_mutex",
		    fw->fw_backoff ? "mtx-spin" : "tas"));
	}
	json_print(out, json_pack("{s:s, s:s, s:s, s:I, s:i, s:o}",
	    "reproduction", "freebsd-forwarding", "claim", "predicted",
	    "design", fo.fwd_design, "seed", (json_int_t)fo.fwd_op->op_seed,
	    "samples", (int)fo.fwd_draws, "rows", rows));
}

void
forwarding_print_csv(FILE *out, const void *of __unused)
{
	fputs("machine,nic,release,mask,queues,without,published,predicted,"
	    "predicted_p10,predicted_p90,profile\n", out);
	for (unsigned i = 0; i < fo.fwd_chosen; i++) {
		const struct forwarding_row *fw = fo.fwd_choice[i];

		fprintf(out, "%s,%s,%s,%u,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%s\n",
		    fw->fw_text[0], fw->fw_text[1], fw->fw_text[2],
		    fw->fw_mask, fw->fw_queues, fw->fw_base->fw_value,
		    fw->fw_value, fw->fw_predicted, fw->fw_band[0],
		    fw->fw_band[1], fw->fw_profile);
	}
}
