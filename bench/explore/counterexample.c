#include "bench/explore/counterexample.h"
#include "bench/kernel/ksource.h"

enum {
	ITEM_SIZE	= 32,
	STEPS_MAX	= EXECUTION_AGED_STEPS * EXECUTION_STEPS_MAX,
	THREAD_MAX	= SCENARIO_READERS_MAX + 2,
	WEAK_MAX	= VM_OLDER + VM_STORES - 1,	/* with weak memory */
	MOVED		= VM_MOVED + 1,
	MOVED_MAX	= VM_MOVED + SCENARIO_PLACES_MAX - 1,
	/* ky_flags */
	REQUIRED	= 1 << 0,
	REPEATS		= 1 << 1
};

/* How a line's value is read. */
enum kind { DESIGN, LOCK, CIPHER, TUNABLE, FAILPOINT, NUMBER, WORD, PROPERTY,
	CHOICE, READER, BURSTS, CHOICES, ANSWERS };

/* Values of a choice; their indexes are kept. */
static const char *const no_yes[] = { "no", "yes", NULL };
/* enum vm_polls */
static const char *const polls[] = { "no", "yes", "once", NULL };
static const char *const ideal_real[] = { "ideal", "real", NULL };

/* The lines of a file. */
static const struct key {
	const char	*ky_word;
	enum kind	 ky_kind;
	unsigned	 ky_flags;
	size_t		 ky_offset;	/* of the member */
	const char *const *ky_values;	/* of a choice; NULL: 1 to 4 */
} keys[] = {
#define	AT(member)	offsetof(struct counterexample, member)
	{ "design", DESIGN, REQUIRED, AT(cx_subject.tb_design), NULL },
	{ "lock", LOCK, REQUIRED, AT(cx_subject.tb_lock), NULL },
	{ "cipher", CIPHER, REQUIRED, AT(cx_subject.tb_cipher), NULL },
	{ "tunable", TUNABLE, REPEATS, 0, NULL },
	{ "failpoint", FAILPOINT, REPEATS, 0, NULL },
	{ "seed", NUMBER, REQUIRED, AT(cx_seed), NULL },
	{ "number", NUMBER, REQUIRED, AT(cx_number), NULL },
	{ "strategy", WORD, REQUIRED, AT(cx_strategy), NULL },
	{ "draws", NUMBER, REQUIRED, AT(cx_draws), NULL },
	{ "seeded", CHOICE, REQUIRED, AT(cx_scenario.sn_seeded), no_yes },
	{ "queue", CHOICE, REQUIRED, AT(cx_scenario.sn_queue), no_yes },
	{ "crypto", CHOICE, REQUIRED, AT(cx_scenario.sn_real), ideal_real },
	{ "places", CHOICE, REQUIRED, AT(cx_scenario.sn_places), NULL },
	{ "reader", READER, REQUIRED | REPEATS, 0, NULL },
	{ "bursts", BURSTS, REQUIRED, 0, NULL },
	{ "property", PROPERTY, REQUIRED, AT(cx_word), NULL },
	{ "hash", NUMBER, REQUIRED, AT(cx_hash), NULL },
	{ "memory", CHOICE, 0, AT(cx_subject.tb_memory), vm_memory_names },
#define	ALSO(of)	{ #of, CHOICE, 0, AT(cx_scenario.sn_##of), no_yes }
	ALSO(guarded), ALSO(sources), ALSO(signals), ALSO(pair), ALSO(calls),
	ALSO(aged), ALSO(unpaced), ALSO(vmgenid),
	{ "copied", NUMBER, 0, AT(cx_scenario.sn_copied), NULL },
	{ "polls", CHOICE, 0, AT(cx_schedule.sd_polls), polls },
	{ "choices", CHOICES, REPEATS, AT(cx_schedule.sd_choices), NULL },
	{ "answers", ANSWERS, REPEATS, AT(cx_schedule.sd_answers), NULL },
#undef AT
};

void
counterexample_free(struct counterexample *cx)
{
	for (unsigned i = 0; i < cx->cx_settings; i++)
		free(cx->cx_setting[i].gv_text);
	free(cx->cx_setting);
	schedule_free(&cx->cx_schedule);
	memset(cx, 0, sizeof(*cx));
}

const char *
counterexample_add(struct counterexample *cx, bool failpoint, const char *fmt,
    ...)
{
	struct setting *gv = ARRAY_ADD(cx->cx_setting, cx->cx_settings);
	va_list ap;

	gv->gv_failpoint = failpoint;
	va_start(ap, fmt);
	if (vasprintf(&gv->gv_text, fmt, ap) < 0)
		no_memory();
	va_end(ap);
	return (gv->gv_text);
}

static void
print_steps(FILE *out, const char *word, const struct scenario_step *step,
    unsigned count)
{
	fputs(word, out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, " %u", step[i].stp_amount);
		if (step[i].stp_sleep_ms > 0)
			fprintf(out, "@%u", step[i].stp_sleep_ms);
	}
	fputc('\n', out);
}

char *
counterexample_text(const struct counterexample *cx)
{
	const struct subject *tb = &cx->cx_subject;
	const struct scenario *sn = &cx->cx_scenario;
	char *text = NULL;
	size_t size = 0;
	FILE *out = xmemstream(&text, &size);
	const unsigned *choice;

	fprintf(out, COUNTEREXAMPLE_SCHEMA "\ndesign %s\nlock %s\ncipher %s\n",
	    ksource_spec(tb->tb_design->de_ident), tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name);
	for (unsigned i = 0; i < cx->cx_settings; i++)
		fprintf(out, "%s %s\n", cx->cx_setting[i].gv_failpoint ?
		    "failpoint" : "tunable", cx->cx_setting[i].gv_text);
	fprintf(out, "seed %" PRIu64 "\nnumber %" PRIu64 "\nstrategy %s\n"
	    "draws %" PRIu64 "\nseeded %s\nqueue %s\ncrypto %s\nplaces %u\n",
	    cx->cx_seed, cx->cx_number, cx->cx_strategy, cx->cx_draws,
	    no_yes[sn->sn_seeded], no_yes[sn->sn_queue],
	    ideal_real[sn->sn_real], sn->sn_places);
	for (unsigned i = 0; i < sn->sn_readers; i++)
		print_steps(out, "reader", sn->sn_read[i], sn->sn_reads[i]);
	print_steps(out, "bursts", sn->sn_burst, sn->sn_bursts);
	fprintf(out, "property %s\nhash 0x%" PRIx64 "\n", cx->cx_word,
	    cx->cx_hash);
	/* Those that may be missing are the first of their values then. */
	for (unsigned i = 0; i < nitems(keys); i++) {
		choice = (const void *)((const char *)cx + keys[i].ky_offset);
		if (keys[i].ky_kind == CHOICE && keys[i].ky_flags == 0 &&
		    *choice != 0)
			fprintf(out, "%s %s\n", keys[i].ky_word,
			    keys[i].ky_values[*choice]);
	}
	if (sn->sn_copied > 0)
		fprintf(out, "copied %" PRIu64 "\n", sn->sn_copied);
	schedule_list_print(out, "choices", &cx->cx_schedule.sd_choices);
	schedule_list_print(out, "answers", &cx->cx_schedule.sd_answers);
	fputs("end\n", out);
	xmemclose(out);
	return (text);
}

int
counterexample_set_tunable(struct subject *tb, const char *text, char *why,
    size_t size)
{
	const size_t n = strcspn(text, "=");
	const char *value = text + n + (text[n] != '\0');
	const struct tunable *tn;
	struct kern_setting set;
	char name[128], range[160];
	int error;

	CTASSERT(sizeof(range) >= DESIGN_RANGE_SIZE);
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	tn = tunable_find(lock_tunables, name);
	if (tn != NULL && text[n] != '\0') {
		error = tunable_set_text(tn, &tb->tb_lock_config, value);
		tunable_range(tn, range, sizeof(range));
	} else {
		/* A sysctl of the design. */
		design_setting(&set, text);
		error = design_check(tb->tb_design, HARVEST_MODEL_newest, &set,
		    range);
		TEXT_SET(name, set.kv_name);
		if (error == 0 && tb->tb_settings == DESIGN_SETTINGS_MAX)
			return (format_wrong(why, size, "more than %d sysctls",
			    DESIGN_SETTINGS_MAX));
		if (error == 0)
			tb->tb_setting[tb->tb_settings++] = set;
	}
	return (error == 0 ? 0 : error == EINVAL ? format_wrong(why, size,
	    "%s: \"%.40s\": expected %s", name, value, range) :
	    format_wrong(why, size, "\"%.60s\": expected name=value of a "
	    "tunable of locks or of design %s; \"rngsim list tunables\" has "
	    "them", text, tb->tb_design->de_ident));
}

/* A list's items: "FIRST", or "FIRST" and "SECOND" with a mark between. */
struct pairs {
	char		 ip_mark;
	const char	*ip_means;	/* SECOND */
	uint64_t	 ip_usual;	/* the least SECOND, or if left out */
	uint64_t	 ip_second_most;
	uint64_t	 ip_least;	/* FIRST */
	uint64_t	 ip_most;
	bool		 ip_moved;	/* or a CPU of VM_POINT_CPU */
};

/* Takes the next item off a list; false at its end and after an error. */
static bool
next_pair(struct lines *li, const char **list, const struct pairs *ip,
    uint64_t *first, uint64_t *second)
{
	const char *at = *list + strspn(*list, " ");
	const size_t n = strcspn(at, " ");
	char item[ITEM_SIZE], *mark;

	if (n == 0)
		return (false);
	*list = at + n;
	snprintf(item, sizeof(item), "%.*s", (int)n, at);
	if ((mark = strchr(item, ip->ip_mark)) != NULL)
		*mark++ = '\0';
	*second = ip->ip_usual;
	if (n < sizeof(item) && parse_number(item, first) == 0 &&
	    ((*first >= ip->ip_least && *first <= ip->ip_most) ||
	    (ip->ip_moved && *first >= MOVED && *first <= MOVED_MAX)) &&
	    (mark == NULL || parse_number(mark, second) == 0) &&
	    *second >= ip->ip_usual && *second <= ip->ip_second_most)
		return (true);
	(void)lines_refuse(li, "\"%.*s\": expected a number %ju..%ju%s, and "
	    "perhaps \"%c\" and %s, %ju..%ju", n < ITEM_SIZE ? (int)n :
	    ITEM_SIZE, at, (uintmax_t)ip->ip_least, (uintmax_t)ip->ip_most,
	    ip->ip_moved ? FORMATF(" or %d..%d", MOVED, MOVED_MAX) : "",
	    ip->ip_mark, ip->ip_means, (uintmax_t)ip->ip_usual,
	    (uintmax_t)ip->ip_second_most);
	return (false);
}

static int
read_schedule(struct lines *li, struct schedule_list *sq, unsigned least,
    unsigned most, const char *value)
{
	const struct pairs ip = { '*', "how many times", 1, STEPS_MAX, least,
	    most, least > 0 };
	uint64_t count, thread;

	while (next_pair(li, &value, &ip, &thread, &count)) {
		if (sq->sq_count + count > STEPS_MAX)
			return (lines_refuse(li, "more than %d in all",
			    STEPS_MAX));
		while (count-- > 0)
			schedule_add(sq, (unsigned)thread);
	}
	return (li->li_error);
}

static int
read_steps(struct lines *li, struct scenario_step *step, unsigned *count,
    const char *value, unsigned count_max, unsigned amount_max)
{
	const struct pairs ip = { '@', "milliseconds", 0,
	    SCENARIO_SLEEP_MAX_MS, 0, amount_max, false };
	uint64_t amount, sleep_ms;

	*count = 0;
	while (next_pair(li, &value, &ip, &amount, &sleep_ms)) {
		if (*count == count_max)
			return (lines_refuse(li, "more than %u steps",
			    count_max));
		step[(*count)++] = (struct scenario_step){
		    .stp_sleep_ms = (uint32_t)sleep_ms,
		    .stp_amount = (uint32_t)amount };
	}
	return (li->li_error);
}

static int
find_name(struct lines *li, struct subject *tb, const struct key *ky,
    const char *value)
{
	char why[KSOURCE_WHY_SIZE];
	bool found;

	if (ky->ky_kind == DESIGN && ksource_named(value) &&
	    ksource_open(value, false, &value, why) != 0)
		return (lines_refuse(li, "%s", why));
	if (ky->ky_kind == DESIGN)
		found = (tb->tb_design = design_find(value)) != NULL;
	else if (ky->ky_kind == LOCK)
		found = (tb->tb_lock = virtual_lock_class_find(value)) != NULL;
	else
		found = (tb->tb_cipher = cipher_find(value)) != NULL;
	return (found ? 0 : lines_refuse(li, "\"%.40s\" is no %s of simulated "
	    "machines; see \"rngsim list %ss\"", value, ky->ky_word,
	    ky->ky_word));
}

static int
read_setting(struct lines *li, struct counterexample *cx, bool failpoint,
    const char *value)
{
	struct subject *tb = &cx->cx_subject;
	char why[FAILPOINTS_ERROR_SIZE];

	/* Which tunables there are depends on the design. */
	if (!failpoint && tb->tb_design == NULL)
		return (lines_refuse(li, "a tunable before the design"));
	/* The list of fail points keeps the text. */
	value = counterexample_add(cx, failpoint, "%s", value);
	if (failpoint)
		tb->tb_faults = &cx->cx_faults;
	return ((failpoint ? failpoints_parse(&cx->cx_faults, value, why) :
	    counterexample_set_tunable(tb, value, why, sizeof(why))) == 0 ? 0 :
	    lines_refuse(li, "%s", why));
}

static int
read_choice(struct lines *li, struct counterexample *cx, const struct key *ky,
    const char *value)
{
	const struct tunable choice = { .tn_type = ky->ky_values == NULL ?
	    TUNABLE_UINT : TUNABLE_CHOICE, .tn_offset = ky->ky_offset,
	    .tn_min = 1, .tn_max = SCENARIO_PLACES_MAX,
	    .tn_choices = ky->ky_values };
	char why[FAILPOINTS_ERROR_SIZE];

	if (tunable_set_text(&choice, cx, value) == 0)
		return (0);
	tunable_range(&choice, why, sizeof(why));
	return (lines_refuse(li, "\"%.20s\": expected %s%s", value,
	    ky->ky_values == NULL ? "" : "one of ", why));
}

static bool
is_property(const struct ledger_property_text *lp, unsigned count,
    const char *word)
{
	while (count > 0 && strcmp(lp[count - 1].lgp_word, word) != 0)
		count--;
	return (count > 0);
}

static int
read_key(struct lines *li, struct counterexample *cx, const struct key *ky,
    const char *value)
{
	struct scenario *sn = &cx->cx_scenario;
	void *member = (char *)cx + ky->ky_offset;
	unsigned i = sn->sn_readers;
	size_t v = 0;

	switch (ky->ky_kind) {
	case DESIGN:
	case LOCK:
	case CIPHER:
		return (find_name(li, &cx->cx_subject, ky, value));
	case TUNABLE:
	case FAILPOINT:
		return (read_setting(li, cx, ky->ky_kind == FAILPOINT, value));
	case NUMBER:
		return (parse_number(value, member) == 0 ? 0 :
		    lines_refuse(li, "\"%.40s\": expected a number", value));
	case CHOICE:
		return (read_choice(li, cx, ky, value));
	case PROPERTY:
		if (!is_property(execution_properties, EXECUTION_PROPERTIES,
		    value) && !is_property(ledger_properties,
		    LEDGER_PROPERTIES, value))
			return (lines_refuse(li, "\"%.40s\" is no property; "
			    "rngsim-ledger(7) has them", value));
		/* FALLTHROUGH */
	case WORD:
		while (value[v] > ' ' && value[v] < 0x7f)
			v++;
		if (value[v] != '\0' || v == 0 || v >= COUNTEREXAMPLE_WORD_SIZE)
			return (lines_refuse(li, "\"%.40s\": expected a word",
			    value));
		strcpy(member, value);
		return (0);
	case READER:
		if (i == SCENARIO_READERS_MAX)
			return (lines_refuse(li, "more than %u readers", i));
		sn->sn_readers++;
		return (read_steps(li, sn->sn_read[i], &sn->sn_reads[i], value,
		    SCENARIO_READS_MAX, SCENARIO_BYTES_MAX));
	case BURSTS:
		return (read_steps(li, sn->sn_burst, &sn->sn_bursts, value,
		    SCENARIO_BURSTS_MAX, SCENARIO_EVENTS_MAX));
	case CHOICES:
		return (read_schedule(li, member, 1, cx->cx_schedule.sd_polls ==
		    VM_POLLS_ONCE ? VM_NUMBERS - 1 : cx->cx_subject.tb_memory ==
		    VM_SC ? THREAD_MAX : WEAK_MAX, value));
	case ANSWERS:
		return (read_schedule(li, member, 0, 1, value));
	}
	return (EINVAL);
}

/* Reads a line; seen has a bit for each key that was read. */
static int
read_line(struct lines *li, struct counterexample *cx, uint32_t *seen)
{
	char *word = li->li_text, *value = word + strcspn(word, " ");
	unsigned i;

	if (*value == ' ')
		*value++ = '\0';
	for (i = 0; i < nitems(keys) && strcmp(word, keys[i].ky_word) != 0; i++)
		continue;
	if (i == nitems(keys))
		return (lines_refuse(li, "\"%.40s\" is nothing that a "
		    "schedule has", word));
	if ((*seen >> i & 1) != 0 && (keys[i].ky_flags & REPEATS) == 0)
		return (lines_refuse(li, "a second \"%s\"", word));
	*seen |= 1u << i;
	return (read_key(li, cx, &keys[i], value));
}

int
counterexample_load(struct counterexample *cx, const char *path,
    char message[LINES_ERROR_SIZE])
{
	uint32_t seen = 0;
	bool ended = false;
	struct lines li;

	memset(cx, 0, sizeof(*cx));
	subject_default(&cx->cx_subject);
	/* After the first error the others have no effect. */
	lines_open(&li, path, message);
	if (!lines_next(&li))
		(void)lines_refuse_file(&li, "empty: expected \"%s\"",
		    COUNTEREXAMPLE_SCHEMA);
	else if (strcmp(li.li_text, COUNTEREXAMPLE_SCHEMA) != 0)
		(void)lines_refuse(&li, "\"%.40s\": expected \"%s\"",
		    li.li_text, COUNTEREXAMPLE_SCHEMA);
	while (!ended && lines_next(&li)) {
		if (li.li_text[0] == '#' || li.li_text[0] == '\0')
			continue;
		ended = strcmp(li.li_text, "end") == 0;
		if (!ended)
			(void)read_line(&li, cx, &seen);
	}
	if (!ended)
		(void)lines_refuse_file(&li, "cut off: no line \"end\"");
	for (unsigned i = 0; i < nitems(keys); i++)
		if ((keys[i].ky_flags & REQUIRED) != 0 && (seen >> i & 1) == 0)
			(void)lines_refuse_file(&li, "no line \"%s\"",
			    keys[i].ky_word);
	if (lines_next(&li))
		(void)lines_refuse(&li, "text behind \"end\"");
	lines_close(&li);
	return (li.li_error);
}

int
counterexample_run(struct execution *ex, const struct counterexample *cx,
    bool traced, struct replay *ry)
{
	struct schedule_follower sf = { .sf_schedule = &cx->cx_schedule };
	const struct vm_control vh = { .vh_choose = schedule_choose,
	    .vh_running = schedule_answer, .vh_context = &sf,
	    .vh_polls = (enum vm_polls)cx->cx_schedule.sd_polls };
	const struct outcome *to = &ry->ry_outcome;
	int error;

	memset(&ry->ry_trace, 0, sizeof(ry->ry_trace));
	error = execution_run(ex, &cx->cx_subject, &cx->cx_scenario, &vh,
	    cx->cx_draws, traced ? &ry->ry_trace : NULL, &ry->ry_outcome);
	/* All of it was used, and nothing else. */
	ry->ry_exact = !sf.sf_strayed &&
	    sf.sf_choice == cx->cx_schedule.sd_choices.sq_count &&
	    sf.sf_answer == cx->cx_schedule.sd_answers.sq_count;
	ry->ry_same = error == 0 && ry->ry_exact && to->to_word != NULL &&
	    strcmp(to->to_word, cx->cx_word) == 0 && to->to_hash == cx->cx_hash;
	return (error);
}
