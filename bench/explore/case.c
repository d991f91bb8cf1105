#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/explore/case.h"
#include "bench/explore/strategy.h"
#include "lib/number.h"
#include "lib/tunable.h"

enum {
	WHY_SIZE	= 256,
	ITEM_SIZE	= 32,
	STEPS_MAX	= 2 * TRIAL_STEPS_MAX,
	THREAD_MAX	= SCENARIO_READERS_MAX + 2
};

/* Lines that there must be, once; a bit each. */
enum {
	HAS_DESIGN	= 1u << 0,
	HAS_LOCK	= 1u << 1,
	HAS_CIPHER	= 1u << 2,
	HAS_SEED	= 1u << 3,
	HAS_NUMBER	= 1u << 4,
	HAS_STRATEGY	= 1u << 5,
	HAS_DRAWS	= 1u << 6,
	HAS_PROPERTY	= 1u << 7,
	HAS_HASH	= 1u << 8	/* behind it, a scenario's */
};

static const char *const required[] = { "design", "lock", "cipher", "seed",
	"number", "strategy", "draws", "property", "hash", "seeded", "queue",
	"crypto", "places", "bursts" };

/* What has been read of a file. */
struct reading {
	unsigned	 re_seen;	/* of required */
	uint64_t	 re_choices;	/* steps */
	uint64_t	 re_answers;
};

void
case_free(struct explore_case *ca)
{
	unsigned i;

	for (i = 0; i < ca->ca_tunables; i++)
		free(ca->ca_tunable[i]);
	for (i = 0; i < ca->ca_failpoints; i++)
		free(ca->ca_failpoint[i]);
	schedule_free(&ca->ca_schedule);
	memset(ca, 0, sizeof(*ca));
}

/* A list, in as many lines as it takes. */
static void
print_list(FILE *out, const char *key, const struct schedule_list *sl)
{
	char item[ITEM_SIZE];
	const struct schedule_piece *sp;
	unsigned i;
	int len, used = 0;

	for (i = 0; i < sl->sl_count; i++) {
		sp = &sl->sl_piece[i];
		len = sp->sp_count == 1 ? snprintf(item, sizeof(item), " %u",
		    sp->sp_thread) : snprintf(item, sizeof(item),
		    " %u*%" PRIu32, sp->sp_thread, sp->sp_count);
		if (used > 0 && used + len > FIGURE_COLUMNS - 2) {
			fputc('\n', out);
			used = 0;
		}
		if (used == 0)
			used = fprintf(out, "%s", key);
		used += fprintf(out, "%s", item);
	}
	if (used > 0)
		fputc('\n', out);
}

void
case_print(FILE *out, const struct explore_case *ca)
{
	const struct trial_subject *tb = &ca->ca_subject;
	unsigned i;

	fprintf(out, CASE_SCHEMA "\ndesign %s\nlock %s\ncipher %s\n",
	    tb->tb_design->ra_ident, tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name);
	for (i = 0; i < ca->ca_tunables; i++)
		fprintf(out, "tunable %s\n", ca->ca_tunable[i]);
	for (i = 0; tb->tb_faults != NULL && i < FAULT_POINTS; i++)
		if (tb->tb_faults->fl_text[i] != NULL)
			fprintf(out, "failpoint %s=%s\n",
			    fault_def(i)->fd_name, tb->tb_faults->fl_text[i]);
	fprintf(out, "seed %" PRIu64 "\nnumber %" PRIu64 "\nstrategy %s\n"
	    "draws %" PRIu64 "\n", ca->ca_seed, ca->ca_number,
	    ca->ca_strategy, ca->ca_draws);
	scenario_print(out, &ca->ca_scenario);
	fprintf(out, "property %s\nhash 0x%" PRIx64 "\n", ca->ca_word,
	    ca->ca_hash);
	print_list(out, "choices", &ca->ca_schedule.sd_choices);
	print_list(out, "answers", &ca->ca_schedule.sd_answers);
	fputs("end\n", out);
}

int
case_set_tunable(struct trial_subject *tb, const char *text, char *why,
    size_t size)
{
	const struct tunable_set sets[] = {
		{ generator_tunables, generator_tunable_count,
		    &tb->tb_generator },
		{ lock_tunables, lock_tunable_count, &tb->tb_lock_config },
	};
	const struct tunable_set *set = NULL;
	const char *value = strchr(text, '=');
	const struct tunable *tn;
	char name[128], range[160];

	if (value == NULL || value == text ||
	    (size_t)(value - text) >= sizeof(name)) {
		snprintf(why, size, "\"%.40s\": expected name=value", text);
		return (EINVAL);
	}
	snprintf(name, sizeof(name), "%.*s", (int)(value - text), text);
	tn = tunable_find(sets, sizeof(sets) / sizeof(sets[0]), name, &set);
	if (tn == NULL) {
		snprintf(why, size, "\"%.60s\" is no tunable of generators "
		    "and locks; \"rngsim list tunables\" has the names", name);
		return (EINVAL);
	}
	if (tunable_set_text(tn, set->ts_base, value + 1) == 0 &&
	    strcmp(tb->tb_generator.pool_hash, GENERATOR_POOL_HASH) == 0)
		return (0);
	/* The simulated machine has one hash. */
	if (strcmp(tb->tb_generator.pool_hash, GENERATOR_POOL_HASH) != 0)
		snprintf(range, sizeof(range), "%s", GENERATOR_POOL_HASH);
	else
		tunable_range(tn, range, sizeof(range));
	snprintf(why, size, "%.60s: \"%.40s\": expected %s", name, value + 1,
	    range);
	return (EINVAL);
}

/* Adds "THREAD" or "THREAD*COUNT", separated by blanks, to steps so far. */
static int
parse_list(struct lines *li, struct schedule *sd, struct schedule_list *sl,
    uint64_t *steps, const char *value, unsigned least, unsigned most)
{
	char item[ITEM_SIZE], *times;
	uint64_t count, thread;
	size_t n;

	for (;; value += n) {
		value += strspn(value, " ");
		n = strcspn(value, " ");
		if (n == 0)
			return (0);
		snprintf(item, sizeof(item), "%.*s", n < sizeof(item) ?
		    (int)n : 0, value);
		times = strchr(item, '*');
		if (times != NULL)
			*times++ = '\0';
		count = 1;
		if (number_parse(item, &thread) != 0 || thread < least ||
		    thread > most || (times != NULL &&
		    (number_parse(times, &count) != 0 || count < 1 ||
		    count > STEPS_MAX)) ||
		    *steps + count > STEPS_MAX)
			return (lines_refuse(li, "\"%.*s\": expected a number "
			    "%u..%u, and perhaps \"*\" and how many times; "
			    "%d in all", n < ITEM_SIZE ? (int)n : ITEM_SIZE,
			    value, least, most, STEPS_MAX));
		schedule_append(sd, sl, (unsigned)thread, (uint32_t)count);
		if (sd->sd_no_memory)
			return (lines_no_memory(li));
		*steps += count;
	}
}

static int
parse_failpoint(struct lines *li, struct explore_case *ca, const char *value)
{
	char *text, why[FAULT_ERROR_SIZE];

	/* The list keeps what it is given. */
	text = strdup(value);
	if (text == NULL)
		return (lines_no_memory(li));
	if (faults_parse(&ca->ca_faults, text, why) != 0) {
		free(text);
		return (lines_refuse(li, "%s", why));
	}
	ca->ca_failpoint[ca->ca_failpoints++] = text;
	ca->ca_subject.tb_faults = &ca->ca_faults;
	return (0);
}

/* What the families name. */
static int
parse_subject(struct lines *li, struct explore_case *ca, const char *key,
    const char *value)
{
	struct trial_subject *tb = &ca->ca_subject;
	char why[WHY_SIZE];

	if (strcmp(key, "design") == 0) {
		tb->tb_design = trial_design(value);
		return (tb->tb_design != NULL ? 0 : lines_refuse(li,
		    "\"%.40s\" is no design; \"rngsim list designs\" has "
		    "them", value));
	}
	if (strcmp(key, "lock") == 0) {
		tb->tb_lock = trial_lock(value);
		return (tb->tb_lock != NULL ? 0 : lines_refuse(li,
		    "\"%.40s\" is no lock of simulated machines", value));
	}
	if (strcmp(key, "cipher") == 0) {
		tb->tb_cipher = cipher_find(value);
		return (tb->tb_cipher != NULL ? 0 : lines_refuse(li,
		    "\"%.40s\" is no cipher; \"rngsim list ciphers\" has "
		    "them", value));
	}
	if (case_set_tunable(tb, value, why, sizeof(why)) != 0)
		return (lines_refuse(li, "%s", why));
	if (ca->ca_tunables == CASE_TUNABLES_MAX)
		return (lines_refuse(li, "more than %d tunables",
		    CASE_TUNABLES_MAX));
	ca->ca_tunable[ca->ca_tunables] = strdup(value);
	if (ca->ca_tunable[ca->ca_tunables] == NULL)
		return (lines_no_memory(li));
	ca->ca_tunables++;
	return (0);
}

static int
parse_number(struct lines *li, const char *value, uint64_t *v)
{

	return (number_parse(value, v) == 0 ? 0 : lines_refuse(li,
	    "\"%.40s\": expected a number", value));
}

static int
parse_word(struct lines *li, const char *value, char *word, size_t size)
{
	const char *c;

	for (c = value; *c > ' ' && *c < 0x7f; c++)
		;
	if (*c != '\0' || value[0] == '\0' || strlen(value) >= size)
		return (lines_refuse(li, "\"%.40s\": expected a word",
		    value));
	snprintf(word, size, "%s", value);
	return (0);
}

/* Where it comes from and what came of it. */
static int
parse_origin(struct lines *li, struct explore_case *ca, unsigned which,
    const char *value)
{

	switch (which) {
	case HAS_SEED:
		return (parse_number(li, value, &ca->ca_seed));
	case HAS_NUMBER:
		return (parse_number(li, value, &ca->ca_number));
	case HAS_DRAWS:
		return (parse_number(li, value, &ca->ca_draws));
	case HAS_HASH:
		return (parse_number(li, value, &ca->ca_hash));
	case HAS_PROPERTY:
		if (!trial_has_property(value))
			return (lines_refuse(li, "\"%.40s\" is no property; "
			    "rngsim(1) has them", value));
		return (parse_word(li, value, ca->ca_word,
		    sizeof(ca->ca_word)));
	default:
		return (parse_word(li, value, ca->ca_strategy,
		    sizeof(ca->ca_strategy)));
	}
}

static int
parse_line(struct lines *li, struct explore_case *ca, struct reading *re)
{
	struct schedule *sd = &ca->ca_schedule;
	char *key = li->li_text, *value, why[WHY_SIZE];
	unsigned i, which;
	int error;

	value = strchr(key, ' ');
	if (value != NULL)
		*value++ = '\0';
	else
		value = key + strlen(key);
	for (i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
		if (strcmp(key, required[i]) != 0)
			continue;
		which = 1u << i;
		if ((re->re_seen & which) != 0)
			return (lines_refuse(li, "a second \"%s\"", key));
		re->re_seen |= which;
		if (which <= HAS_CIPHER)
			return (parse_subject(li, ca, key, value));
		if (which <= HAS_HASH)
			return (parse_origin(li, ca, which, value));
	}
	if (strcmp(key, "tunable") == 0)
		return (parse_subject(li, ca, key, value));
	if (strcmp(key, "failpoint") == 0)
		return (parse_failpoint(li, ca, value));
	if (strcmp(key, "choices") == 0)
		return (parse_list(li, sd, &sd->sd_choices, &re->re_choices,
		    value, 1, THREAD_MAX));
	if (strcmp(key, "answers") == 0)
		return (parse_list(li, sd, &sd->sd_answers, &re->re_answers,
		    value, 0, 1));
	error = scenario_parse_line(&ca->ca_scenario, key, value, why,
	    sizeof(why));
	if (error == ENOENT)
		return (lines_refuse(li, "\"%.40s\" is nothing that a "
		    "schedule has", key));
	return (error == 0 ? 0 : lines_refuse(li, "%s: %s", key, why));
}

static int
load(struct lines *li, struct explore_case *ca)
{
	struct reading re = { .re_seen = 0 };
	char why[WHY_SIZE];
	bool ended = false;
	unsigned i;

	if (!lines_next(li))
		return (lines_refuse_file(li, "empty: expected \"%s\"",
		    CASE_SCHEMA));
	if (strcmp(li->li_text, CASE_SCHEMA) != 0)
		return (lines_refuse(li, "\"%.40s\": expected \"%s\"",
		    li->li_text, CASE_SCHEMA));
	while (!ended && lines_next(li)) {
		if (li->li_text[0] == '#' || li->li_text[0] == '\0')
			continue;
		ended = strcmp(li->li_text, "end") == 0;
		if (!ended && parse_line(li, ca, &re) != 0)
			return (li->li_error);
	}
	if (li->li_error != 0)
		return (li->li_error);
	if (!ended)
		return (lines_refuse_file(li, "cut off: no line \"end\""));
	for (i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if ((re.re_seen >> i & 1) == 0)
			return (lines_refuse_file(li, "no line \"%s\"",
			    required[i]));
	if (scenario_check(&ca->ca_scenario, why, sizeof(why)) != 0)
		return (lines_refuse_file(li, "%s", why));
	return (lines_next(li) ? lines_refuse(li, "text behind \"end\"") :
	    li->li_error);
}

int
case_load(struct explore_case *ca, const char *path, char *message)
{
	struct lines li;
	int error;

	memset(ca, 0, sizeof(*ca));
	trial_subject_default(&ca->ca_subject);
	error = lines_open(&li, path, message);
	if (error == 0)
		error = load(&li, ca);
	lines_close(&li);
	return (error);
}

static unsigned
choose(void *context, const struct vm_choice *vo)
{

	return (schedule_choose(context, vo));
}

static bool
answer(void *context)
{

	return (schedule_answer(context));
}

int
case_run(struct trial *tr, const struct explore_case *ca,
    struct schedule *made, struct moments *moments, struct case_result *cr)
{
	struct schedule_follower sf;
	const struct trial_chooser tc = { .tc_choose = choose,
	    .tc_running = answer, .tc_context = &sf };
	int error;

	schedule_follow(&sf, &ca->ca_schedule);
	error = trial_run(tr, &ca->ca_subject, &ca->ca_scenario, &tc,
	    ca->ca_draws, made, moments, &cr->cr_outcome);
	cr->cr_exact = schedule_exact(&sf);
	cr->cr_same = error == 0 && cr->cr_exact &&
	    cr->cr_outcome.to_word != NULL &&
	    strcmp(cr->cr_outcome.to_word, ca->ca_word) == 0 &&
	    cr->cr_outcome.to_hash == ca->ca_hash;
	return (error);
}
