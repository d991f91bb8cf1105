#include <inttypes.h>
#include <stdlib.h>

#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/explore/counterexample.h"
#include "bench/kernel/ksource.h"
#include "lib/base/parse_number.h"

enum {
	WHY_SIZE	= 256,
	ITEM_SIZE	= 32,
	STEPS_MAX	= 2 * EXECUTION_STEPS_MAX,
	THREAD_MAX	= SCENARIO_READERS_MAX + 2,
	WEAK_MAX	= VM_OLDER + VM_STORES - 1,	/* with weak memory */
	SWITCH_MAX	= 3,
	/* ke_flags */
	REQUIRED	= 1 << 0,
	REPEATS		= 1 << 1
};

/* How a line's value is written and read. */
enum kind { DESIGN, LOCK, CIPHER, TUNABLE, FAILPOINT, NUMBER, HEX, PLACES,
	WORD, SWITCH, READER, BURSTS, LIST };

/* The lines of a file, in the order in which they are written. */
static const struct key {
	const char	*ke_word;
	enum kind	 ke_kind;
	unsigned	 ke_flags;
	size_t		 ke_offset;	/* of the member */
	const char	*ke_values[SWITCH_MAX];	/* SWITCH: for 0, 1, ... */
	unsigned	 ke_least;	/* LIST: a number's bounds */
	unsigned	 ke_most;
} keys[] = {
#define	AT(member)	.ke_offset = offsetof(struct counterexample, member)
	{ "design", DESIGN, REQUIRED, AT(cx_subject.tb_design) },
	{ "lock", LOCK, REQUIRED, AT(cx_subject.tb_lock) },
	{ "cipher", CIPHER, REQUIRED, AT(cx_subject.tb_cipher) },
	{ "tunable", TUNABLE, REPEATS, AT(cx_tunable) },
	{ "failpoint", FAILPOINT, REPEATS, AT(cx_failpoint) },
	{ "seed", NUMBER, REQUIRED, AT(cx_seed) },
	{ "number", NUMBER, REQUIRED, AT(cx_number) },
	{ "strategy", WORD, REQUIRED, AT(cx_strategy) },
	{ "draws", NUMBER, REQUIRED, AT(cx_draws) },
	{ "seeded", SWITCH, REQUIRED, AT(cx_scenario.sn_seeded),
	    { "no", "yes" } },
	{ "queue", SWITCH, REQUIRED, AT(cx_scenario.sn_queue),
	    { "no", "yes" } },
	{ "crypto", SWITCH, REQUIRED, AT(cx_scenario.sn_real),
	    { "ideal", "real" } },
	{ "places", PLACES, REQUIRED, AT(cx_scenario.sn_places) },
	{ "reader", READER, REQUIRED | REPEATS, AT(cx_scenario.sn_read) },
	{ "bursts", BURSTS, REQUIRED, AT(cx_scenario.sn_burst) },
	{ "property", WORD, REQUIRED, AT(cx_word) },
	{ "hash", HEX, REQUIRED, AT(cx_hash) },
	{ "memory", SWITCH, 0, AT(cx_subject.tb_memory),
	    { "sc", "tso", "weak" } },
	{ "polls", SWITCH, 0, AT(cx_schedule.sd_polls), { "no", "yes" } },
	{ "choices", LIST, REPEATS, AT(cx_schedule.sd_choices),
	    .ke_least = 1, .ke_most = THREAD_MAX },
	{ "answers", LIST, REPEATS, AT(cx_schedule.sd_answers),
	    .ke_least = 0, .ke_most = 1 },
#undef AT
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

void
counterexample_free(struct counterexample *cx)
{
	for (unsigned i = 0; i < cx->cx_tunables; i++)
		free(cx->cx_tunable[i]);
	for (unsigned i = 0; i < cx->cx_failpoints; i++)
		free(cx->cx_failpoint[i]);
	schedule_free(&cx->cx_schedule);
	memset(cx, 0, sizeof(*cx));
}

static void
print_steps(FILE *out, const char *key, const struct scenario_step *step,
    unsigned count)
{
	fputs(key, out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, " %u", step[i].ss_amount);
		if (step[i].ss_sleep_ms > 0)
			fprintf(out, "@%u", step[i].ss_sleep_ms);
	}
	fputc('\n', out);
}

static void
print_key(FILE *out, const struct counterexample *cx, const struct key *ke)
{
	const struct subject *tb = &cx->cx_subject;
	const struct scenario *sn = &cx->cx_scenario;
	const void *member = (const char *)cx + ke->ke_offset;
	const char *value = NULL, *word = ke->ke_word;

	switch (ke->ke_kind) {
	case DESIGN:
		value = ksource_spec(tb->tb_design->ra_ident);
		break;
	case LOCK:
		value = tb->tb_lock->lc_name;
		break;
	case CIPHER:
		value = tb->tb_cipher->ci_name;
		break;
	case TUNABLE:
		for (unsigned i = 0; i < cx->cx_tunables; i++)
			fprintf(out, "%s %s\n", word, cx->cx_tunable[i]);
		break;
	case FAILPOINT:
		for (unsigned i = 0; tb->tb_faults != NULL && i < FAILPOINTS;
		    i++)
			if (tb->tb_faults->fl_text[i] != NULL)
				fprintf(out, "%s %s=%s\n", word,
				    failpoints_def(i)->fd_name,
				    tb->tb_faults->fl_text[i]);
		break;
	case NUMBER:
		fprintf(out, "%s %" PRIu64 "\n", word,
		    *(const uint64_t *)member);
		break;
	case HEX:
		fprintf(out, "%s 0x%" PRIx64 "\n", word,
		    *(const uint64_t *)member);
		break;
	case PLACES:
		fprintf(out, "%s %u\n", word, sn->sn_places);
		break;
	case WORD:
		value = member;
		break;
	case SWITCH:
		if ((ke->ke_flags & REQUIRED) != 0 || *(const unsigned *)member)
			value = ke->ke_values[*(const unsigned *)member];
		break;
	case READER:
		for (unsigned i = 0; i < sn->sn_readers; i++)
			print_steps(out, word, sn->sn_read[i], sn->sn_reads[i]);
		break;
	case BURSTS:
		print_steps(out, word, sn->sn_burst, sn->sn_bursts);
		break;
	case LIST:
		schedule_list_print(out, word, member);
		break;
	}
	if (value != NULL)
		fprintf(out, "%s %s\n", word, value);
}

void
counterexample_print(FILE *out, const struct counterexample *cx)
{
	fputs(COUNTEREXAMPLE_SCHEMA "\n", out);
	for (unsigned i = 0; i < KEYS; i++)
		print_key(out, cx, &keys[i]);
	fputs("end\n", out);
}

int
counterexample_set_tunable(struct subject *tb, const char *text, char *why,
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
	if (tunable_set_text(tn, set->ts_base, value + 1) != 0)
		tunable_range(tn, range, sizeof(range));
	else if (strcmp(tb->tb_generator.pool_hash, GENERATOR_POOL_HASH) != 0)
		/* The simulated machine has one hash. */
		snprintf(range, sizeof(range), "%s", GENERATOR_POOL_HASH);
	else
		return (0);
	snprintf(why, size, "%.60s: \"%.40s\": expected %s", name, value + 1,
	    range);
	return (EINVAL);
}

static const char *
next_item(const char *value)
{
	value += strcspn(value, " ");
	return (value + strspn(value, " "));
}

/* Reads "FIRST" or "FIRST SECOND" with that mark between. */
static bool
parse_pair(const char *item, char mark, uint64_t *first, uint64_t *second)
{
	char text[ITEM_SIZE], *at;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(item, " "), item);
	at = strchr(text, mark);
	if (at != NULL)
		*at++ = '\0';
	return (strcspn(item, " ") < sizeof(text) &&
	    parse_number(text, first) == 0 &&
	    (at == NULL || parse_number(at, second) == 0));
}

/* Adds "THREAD" or "THREAD*COUNT", separated by blanks. */
static int
read_list(struct lines *li, const struct key *ke, struct schedule_list *sl,
    bool weak, const char *value)
{
	const unsigned most = weak && ke->ke_most == THREAD_MAX ? WEAK_MAX :
	    ke->ke_most;
	uint64_t count, thread;

	for (value += strspn(value, " "); *value != '\0';
	    value = next_item(value)) {
		count = 1;
		if (!parse_pair(value, '*', &thread, &count) ||
		    thread < ke->ke_least || thread > most ||
		    count < 1 || count > STEPS_MAX ||
		    sl->sl_steps + count > STEPS_MAX)
			return (lines_refuse(li, "\"%.*s\": expected a number "
			    "%u..%u, and perhaps \"*\" and how many times; "
			    "%d in all", ITEM_SIZE, value, ke->ke_least,
			    most, STEPS_MAX));
		schedule_append(sl, (unsigned)thread, (uint32_t)count);
	}
	return (0);
}

/* Reads "AMOUNT" or "AMOUNT@MS", separated by blanks. */
static int
read_steps(struct lines *li, struct scenario_step *step, unsigned *count,
    const char *value, unsigned count_max, uint32_t amount_max)
{
	uint64_t amount, sleep_ms;

	*count = 0;
	for (value += strspn(value, " "); *value != '\0';
	    value = next_item(value)) {
		if (*count == count_max)
			return (lines_refuse(li, "more than %u steps",
			    count_max));
		sleep_ms = 0;
		if (!parse_pair(value, '@', &amount, &sleep_ms) ||
		    amount > amount_max || sleep_ms > SCENARIO_SLEEP_MAX_MS)
			return (lines_refuse(li, "\"%.*s\": expected a number "
			    "up to %u, and perhaps \"@\" and milliseconds",
			    ITEM_SIZE, value, amount_max));
		step[(*count)++] = (struct scenario_step){
		    .ss_sleep_ms = (uint32_t)sleep_ms,
		    .ss_amount = (uint32_t)amount };
	}
	return (0);
}

static int
read_reader(struct lines *li, struct scenario *sn, const char *value)
{
	const unsigned i = sn->sn_readers;

	if (i == SCENARIO_READERS_MAX)
		return (lines_refuse(li, "more than %d readers",
		    SCENARIO_READERS_MAX));
	sn->sn_readers++;
	if (read_steps(li, sn->sn_read[i], &sn->sn_reads[i], value,
	    SCENARIO_READS_MAX, SCENARIO_BYTES_MAX) != 0)
		return (li->li_error);
	return (sn->sn_reads[i] > 0 ? 0 : lines_refuse(li, "reader %u reads "
	    "nothing", i + 1));
}

static int
read_tunable(struct lines *li, struct counterexample *cx, const char *value)
{
	char why[WHY_SIZE];

	if (counterexample_set_tunable(&cx->cx_subject, value, why,
	    sizeof(why)) != 0)
		return (lines_refuse(li, "%s", why));
	if (cx->cx_tunables == COUNTEREXAMPLE_TUNABLES_MAX)
		return (lines_refuse(li, "more than %d tunables",
		    COUNTEREXAMPLE_TUNABLES_MAX));
	cx->cx_tunable[cx->cx_tunables++] = xstrdup(value);
	return (0);
}

static int
read_failpoint(struct lines *li, struct counterexample *cx, const char *value)
{
	char *text, why[FAILPOINTS_ERROR_SIZE];

	/* The list keeps what it is given. */
	text = xstrdup(value);
	if (failpoints_parse(&cx->cx_faults, text, why) != 0) {
		free(text);
		return (lines_refuse(li, "%s", why));
	}
	cx->cx_failpoint[cx->cx_failpoints++] = text;
	cx->cx_subject.tb_faults = &cx->cx_faults;
	return (0);
}

/* Reads the property that was broken, or a strategy's name. */
static int
read_word(struct lines *li, const struct counterexample *cx,
    const char *value, char *word)
{
	const char *c;

	if (word == cx->cx_word && !execution_has_property(value))
		return (lines_refuse(li, "\"%.40s\" is no property; "
		    "rngsim-ledger(7) has them", value));
	for (c = value; *c > ' ' && *c < 0x7f;)
		c++;
	if (*c != '\0' || c == value || c - value >= COUNTEREXAMPLE_WORD_SIZE)
		return (lines_refuse(li, "\"%.40s\": expected a word", value));
	strcpy(word, value);
	return (0);
}

static int
read_key(struct lines *li, struct counterexample *cx, const struct key *ke,
    const char *value)
{
	struct subject *tb = &cx->cx_subject;
	struct scenario *sn = &cx->cx_scenario;
	void *member = (char *)cx + ke->ke_offset;
	unsigned *number = member;
	const void *found = NULL;
	char why[KSOURCE_WHY_SIZE];
	uint64_t v;
	unsigned i;

	switch (ke->ke_kind) {
	case DESIGN:
		if (ksource_named(value) &&
		    ksource_open(value, false, &value, why) != 0)
			return (lines_refuse(li, "%s", why));
		found = tb->tb_design = simulated_design(value);
		break;
	case LOCK:
		found = tb->tb_lock = simulated_lock(value);
		break;
	case CIPHER:
		found = tb->tb_cipher = cipher_find(value);
		break;
	case TUNABLE:
		return (read_tunable(li, cx, value));
	case FAILPOINT:
		return (read_failpoint(li, cx, value));
	case NUMBER:
	case HEX:
		return (parse_number(value, member) == 0 ? 0 :
		    lines_refuse(li, "\"%.40s\": expected a number", value));
	case PLACES:
		if (parse_number(value, &v) != 0 || v < 1 ||
		    v > SCENARIO_PLACES_MAX)
			return (lines_refuse(li, "\"%.20s\": expected 1..%d",
			    value, SCENARIO_PLACES_MAX));
		*number = (unsigned)v;
		return (0);
	case WORD:
		return (read_word(li, cx, value, member));
	case SWITCH:
		for (i = 0; i < SWITCH_MAX && ke->ke_values[i] != NULL; i++)
			if (strcmp(value, ke->ke_values[*number = i]) == 0)
				return (0);
		return (lines_refuse(li, "\"%.20s\": expected %s%s%s or %s",
		    value, i > 2 ? ke->ke_values[2] : "", i > 2 ? ", " : "",
		    ke->ke_values[1], ke->ke_values[0]));
	case READER:
		return (read_reader(li, sn, value));
	case BURSTS:
		return (read_steps(li, sn->sn_burst, &sn->sn_bursts, value,
		    SCENARIO_BURSTS_MAX, SCENARIO_EVENTS_MAX));
	case LIST:
		return (read_list(li, ke, member, tb->tb_memory != VM_SC,
		    value));
	}
	return (found != NULL ? 0 : lines_refuse(li, "\"%.40s\" is no %s of "
	    "simulated machines; see \"rngsim list %ss\"", value, ke->ke_word,
	    ke->ke_word));
}

/* Reads a line; seen has a bit for each key that was read. */
static int
read_line(struct lines *li, struct counterexample *cx, uint32_t *seen)
{
	char *word = li->li_text, *value = word + strcspn(word, " ");
	unsigned i;

	if (*value == ' ')
		*value++ = '\0';
	for (i = 0; i < KEYS && strcmp(word, keys[i].ke_word) != 0; i++)
		continue;
	if (i == KEYS)
		return (lines_refuse(li, "\"%.40s\" is nothing that a "
		    "schedule has", word));
	if ((*seen >> i & 1) != 0 && (keys[i].ke_flags & REPEATS) == 0)
		return (lines_refuse(li, "a second \"%s\"", word));
	*seen |= 1u << i;
	return (read_key(li, cx, &keys[i], value));
}

static int
load(struct lines *li, struct counterexample *cx)
{
	uint32_t seen = 0;
	bool ended = false;

	if (!lines_next(li))
		return (lines_refuse_file(li, "empty: expected \"%s\"",
		    COUNTEREXAMPLE_SCHEMA));
	if (strcmp(li->li_text, COUNTEREXAMPLE_SCHEMA) != 0)
		return (lines_refuse(li, "\"%.40s\": expected \"%s\"",
		    li->li_text, COUNTEREXAMPLE_SCHEMA));
	while (!ended && lines_next(li)) {
		if (li->li_text[0] == '#' || li->li_text[0] == '\0')
			continue;
		ended = strcmp(li->li_text, "end") == 0;
		if (!ended && read_line(li, cx, &seen) != 0)
			return (li->li_error);
	}
	if (!ended)
		return (lines_refuse_file(li, "cut off: no line \"end\""));
	for (unsigned i = 0; i < KEYS; i++)
		if ((keys[i].ke_flags & REQUIRED) != 0 && (seen >> i & 1) == 0)
			return (lines_refuse_file(li, "no line \"%s\"",
			    keys[i].ke_word));
	return (lines_next(li) ? lines_refuse(li, "text behind \"end\"") :
	    li->li_error);
}

int
counterexample_load(struct counterexample *cx, const char *path, char *message)
{
	struct lines li;
	int error;

	memset(cx, 0, sizeof(*cx));
	subject_default(&cx->cx_subject);
	lines_open(&li, path, message);
	error = load(&li, cx);
	lines_close(&li);
	return (error);
}

int
counterexample_run(struct execution *ex, const struct counterexample *cx,
    struct event_trace *trace, struct replay_result *cr)
{
	struct schedule_follower sf;
	const struct vm_control vh = { .vh_choose = schedule_choose,
	    .vh_running = schedule_answer, .vh_context = &sf,
	    .vh_polls = cx->cx_schedule.sd_polls != 0 };
	int error;

	schedule_follow(&sf, &cx->cx_schedule);
	error = execution_run(ex, &cx->cx_subject, &cx->cx_scenario, &vh,
	    cx->cx_draws, trace, &cr->cr_outcome);
	cr->cr_exact = schedule_exact(&sf);
	cr->cr_same = error == 0 && cr->cr_exact &&
	    cr->cr_outcome.to_word != NULL &&
	    strcmp(cr->cr_outcome.to_word, cx->cx_word) == 0 &&
	    cr->cr_outcome.to_hash == cx->cx_hash;
	return (error);
}
