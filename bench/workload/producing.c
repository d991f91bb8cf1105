/* What --producer takes: KIND, or KIND:ITEM,ITEM... */
#include "bench/cli/format.h"
#include "bench/workload/workload.h"

/*
 * The callers of sys/net/if_ethersubr.c, sys/kern/kern_intr.c,
 * sys/kern/kern_timeout.c, sys/ufs/ffs/ffs_inode.c and sys/vm/uma_core.c, and
 * the bytes that they queue: the mbuf with its headers, two words, or one.
 */
static const struct {
	const char	*name;
	enum random_entropy_source source;
	unsigned	 bytes;
} kinds[] = {
	{ "ether", RANDOM_NET_ETHER, 256 },
	{ "interrupt", RANDOM_INTERRUPT, 16 },
	{ "swi", RANDOM_SWI, 16 },
	{ "callout", RANDOM_CALLOUT, 16 },
	{ "atime", RANDOM_FS_ATIME, 8 },
	{ "uma", RANDOM_UMA, 8 },
};

#define	REFUSE(...)	format_wrong(why, WORKLOAD_ERROR_SIZE, __VA_ARGS__)

static const char items[] = "expected work=TIME, work~TIME, cv=SHARE, "
    "curve=FILE, size=BYTES, rate=RATE, rate~RATE, burst=N or queue=N";

/* A number with k, m or g for 10^3, 10^6, 10^9. */
static int
parse_rate(const char *text, double *rate)
{
	static const char units[] = " kmg";	/* 1000^n at n */
	const size_t n = strlen(text);
	const char *unit = n == 0 ? NULL : strchr(units + 1, text[n - 1]);
	const int error = parse_real(FORMATF("%.*s", (int)(n - (unit !=
	    NULL)), text), rate);

	for (; error == 0 && unit != NULL && unit > units; unit--)
		*rate *= 1000;
	return (error);
}

/* Lines of a number of producers and ns: "4 693". */
static int
load_curve(struct producing *pg, const char *path, char *why)
{
	struct lines li;
	char *number, *rest;
	uint64_t n;
	double ns;

	if ((size_t)snprintf(pg->prw_path, sizeof(pg->prw_path), "%s", path) >=
	    sizeof(pg->prw_path) || path[0] == '\0' || strcmp(path, "-") == 0)
		return (REFUSE("curve: \"%.40s\": expected the name of a file",
		    path));
	(void)lines_open(&li, path, why);
	while (lines_next(&li)) {
		rest = li.li_text + strspn(li.li_text, " \t");
		if (*rest == '#' || *rest == '\0')
			continue;
		number = strsep(&rest, " \t,");
		if (rest == NULL || parse_number(number, &n) != 0 || n < 1 ||
		    n > PRODUCERS_MAX || parse_real(rest + strspn(rest, " \t"),
		    &ns) != 0 || ns < 1 || ns > (double)WORKLOAD_PAUSE_MAX_NS)
			lines_refuse(&li, "expected a number of producers, "
			    "1..%d, and the ns of one packet, 1 or more",
			    PRODUCERS_MAX);
		else if (pg->prw_curve_ns[n] != 0)
			lines_refuse(&li, "%" PRIu64 " producers are there "
			    "twice", n);
		else
			pg->prw_curve_ns[n] = (uint64_t)(ns + 0.5);
	}
	lines_close(&li);
	return (li.li_error == EINVAL ? EBADMSG : li.li_error);
}

static int
parse_item(struct producing *pg, char *item, char *why)
{
	const struct {
		const char	*name;
		unsigned	*to, most;
	} counts[] = { { "size", &pg->prw_bytes, PRODUCING_BYTES_MAX },
	    { "burst", &pg->prw_burst, WORKLOAD_BURST_MAX },
	    { "queue", &pg->prw_queue, PRODUCING_QUEUE_MAX } }, *count = counts;
	char *value = strpbrk(item, "=~");
	const bool drawn = value != NULL && *value == '~';
	uint64_t n;
	double v;

	if (value == NULL)
		return (REFUSE("\"%.40s\": %s", item, items));
	*value++ = '\0';
	if (strcmp(item, "work") == 0) {
		pg->prw_cv = drawn ? 1 : pg->prw_cv;
		return (workload_time("work", value, &pg->prw_work_ns, why));
	}
	if (strcmp(item, "rate") == 0) {
		pg->prw_rate_drawn = drawn;
		if (parse_rate(value, &pg->prw_rate_per_s) == 0 &&
		    pg->prw_rate_per_s >= 1 &&
		    pg->prw_rate_per_s <= PRODUCING_RATE_MAX_PER_S)
			return (0);
		return (REFUSE("rate: \"%.40s\": expected packets a second of "
		    "each producer, 1..%d, with k or m for 10^3, 10^6", value,
		    PRODUCING_RATE_MAX_PER_S));
	}
	if (!drawn && strcmp(item, "cv") == 0) {
		if (parse_real(value, &v) != 0 || v > 1)
			return (REFUSE("cv: \"%.40s\": expected a share, 0..1",
			    value));
		pg->prw_cv = v;
		return (0);
	}
	if (!drawn && strcmp(item, "curve") == 0)
		return (load_curve(pg, value, why));
	for (; !drawn && count < counts + 3; count++) {
		if (strcmp(item, count->name) != 0)
			continue;
		if (parse_size(value, &n) != 0 || n < 1 || n > count->most)
			return (REFUSE("%s: \"%.40s\": expected 1..%u", item,
			    value, count->most));
		*count->to = (unsigned)n;
		return (0);
	}
	return (REFUSE("\"%.40s\": %s", item, items));
}

/* Sets what was left out.  Two spellings of the same have one text. */
static int
canonical(struct producing *pg, unsigned bytes, char *why)
{
	const char *base = strrchr(pg->prw_path, '/');
	struct text t = { .s = "" };
	uint64_t hash = 0;

	pg->prw_burst = MAX(pg->prw_burst, 1);
	pg->prw_queue = pg->prw_queue == 0 ? PRODUCING_QUEUE : pg->prw_queue;
	text_add(&t, "%s:", pg->prw_name);
	for (unsigned i = 1; i <= PRODUCERS_MAX; i++)
		hash = splitmix(hash ^ pg->prw_curve_ns[i]);
	if (pg->prw_path[0] != '\0')
		text_add(&t, "curve=%.64s#%08" PRIx32, base == NULL ?
		    pg->prw_path : base + 1, (uint32_t)hash);
	else
		text_add(&t, "work=%" PRIu64 "ns", pg->prw_work_ns);
	if (pg->prw_cv > 0)
		text_add(&t, ",cv=%.9g", pg->prw_cv);
	if (pg->prw_bytes != bytes)
		text_add(&t, ",size=%u", pg->prw_bytes);
	if (pg->prw_rate_per_s > 0)
		text_add(&t, ",rate%c%.9g", pg->prw_rate_drawn ? '~' : '=',
		    pg->prw_rate_per_s);
	if (pg->prw_burst > 1)
		text_add(&t, ",burst=%u", pg->prw_burst);
	if (pg->prw_queue != PRODUCING_QUEUE)
		text_add(&t, ",queue=%u", pg->prw_queue);
	text_clean(t.s);
	if (strlen(t.s) >= sizeof(pg->prw_text))
		return (REFUSE("too long: expected at most %zu characters",
		    sizeof(pg->prw_text) - 1));
	memcpy(pg->prw_text, t.s, strlen(t.s) + 1);
	return (0);
}

int
producing_parse(const char *text, struct producing *pg,
    char why[WORKLOAD_ERROR_SIZE])
{
	char copy[512], *item, *rest = copy;
	struct text names = { .s = "" };
	unsigned i;
	int error = 0;

	memset(pg, 0, sizeof(*pg));
	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return (REFUSE("\"%.40s...\": too long", text));
	item = strsep(&rest, ":");
	for (i = 0; i < nitems(kinds) && strcmp(kinds[i].name, item) != 0; i++)
		text_list(&names, "%s", kinds[i].name);
	if (i == nitems(kinds))
		return (REFUSE("\"%.40s\": no kind of event: expected one of "
		    "%s, and after a colon work=TIME", item, names.s));
	pg->prw_name = kinds[i].name;
	pg->prw_source = kinds[i].source;
	pg->prw_bytes = kinds[i].bytes;
	while (error == 0 && (item = strsep(&rest, ",")) != NULL)
		error = parse_item(pg, item, why);
	if (error == 0 && (pg->prw_work_ns == 0) == (pg->prw_path[0] == '\0'))
		error = REFUSE("\"%.40s\": expected one of work= and curve=: "
		    "what a producer does before each event", text);
	if (error == 0 && pg->prw_rate_per_s <= 0 && (pg->prw_burst != 0 ||
	    pg->prw_queue != 0))
		error = REFUSE("\"%.40s\": burst= and queue= are of packets "
		    "that arrive: expected rate= too", text);
	return (error != 0 ? error : canonical(pg, kinds[i].bytes, why));
}
