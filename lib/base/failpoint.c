#include "lib/base/failpoint.h"

enum { PER_PERCENT = FAILPOINT_ALWAYS / 100 };

const char *const failpoint_action_names[FAILPOINT_ACTIONS] = {
	[FAILPOINT_OFF] = "off", [FAILPOINT_RETURN] = "return",
	[FAILPOINT_SLEEP] = "sleep", [FAILPOINT_PANIC] = "panic",
	[FAILPOINT_BREAK] = "break", [FAILPOINT_PRINT] = "print",
	[FAILPOINT_PAUSE] = "pause", [FAILPOINT_YIELD] = "yield",
	[FAILPOINT_DELAY] = "delay"
};

/* A text under way. */
struct reading {
	const char	*fpr_text, *fpr_at;
	char		*fpr_error;
};

static int
expected(const struct reading *re, const char *what)
{
	snprintf(re->fpr_error, FAILPOINT_ERROR_SIZE, "at character %zu, "
	    "\"%.20s\": expected %s", (size_t)(re->fpr_at - re->fpr_text) + 1,
	    re->fpr_at, what);
	return (EINVAL);
}

/* Percentages, counts, of which the last ones hold, and an action. */
static int
read_term(struct reading *re, struct failpoint_term *ft)
{
	char number[24];
	double parts, v;
	unsigned i;
	size_t n;

	ft->fpt_probability = FAILPOINT_ALWAYS;
	while ((n = strspn(re->fpr_at, "0123456789.")) > 0) {
		snprintf(number, sizeof(number), "%.*s", (int)n, re->fpr_at);
		if (n >= sizeof(number) || number[n - 1] == '.' ||
		    parse_real(number, &v) != 0)
			v = -1;
		if (re->fpr_at[n] == '%') {
			parts = floor(v * PER_PERCENT + 0.5);
			if (parts < 0 || parts > FAILPOINT_ALWAYS)
				return (expected(re, "a percentage, 0..100"));
			ft->fpt_probability = (uint32_t)parts;
		} else if (re->fpr_at[n] == '*') {
			if (v < 1 || v > INT_MAX || strchr(number, '.') != NULL)
				return (expected(re, "a count, 1..2147483647"));
			ft->fpt_count = (uint32_t)v;
		} else {
			re->fpr_at += n;
			return (expected(re, "% or *"));
		}
		re->fpr_at += n + 1;
	}
	n = strspn(re->fpr_at, "abcdefghijklmnopqrstuvwxyz");
	for (i = 0; i < FAILPOINT_ACTIONS; i++)
		if (strlen(failpoint_action_names[i]) == n &&
		    memcmp(failpoint_action_names[i], re->fpr_at, n) == 0)
			break;
	if (i == FAILPOINT_ACTIONS)
		return (expected(re, "[PERCENT%][COUNT*] and off, return, "
		    "sleep, panic, break, print, pause, yield or delay"));
	ft->fpt_action = (enum failpoint_action)i;
	re->fpr_at += n;
	return (0);
}

static int
read_argument(struct reading *re, struct failpoint_term *ft)
{
	char *end;
	long v;

	if (*re->fpr_at != '(')
		return (0);
	re->fpr_at++;
	if (strspn(re->fpr_at + (*re->fpr_at == '-'), "0123456789") == 0)
		return (expected(re, "a number"));
	errno = 0;
	v = strtol(re->fpr_at, &end, 0);
	if (errno != 0 || v > INT_MAX || v < INT_MIN)
		return (expected(re, "a number, -2147483648..2147483647"));
	if (v < 0 && (ft->fpt_action == FAILPOINT_SLEEP ||
	    ft->fpt_action == FAILPOINT_DELAY))
		return (expected(re, "a duration, 0..2147483647"));
	re->fpr_at = end;
	if (*end != ')')
		return (expected(re, ")"));
	re->fpr_at++;
	ft->fpt_argument = (int)v;
	return (0);
}

int
failpoint_parse(struct failpoint_spec *fs, const char *text,
    char error_text[FAILPOINT_ERROR_SIZE])
{
	struct reading re = { text, text, error_text };
	struct failpoint_term *ft;
	int error;

	memset(fs, 0, sizeof(*fs));
	for (;;) {
		if (fs->fps_terms == FAILPOINT_TERMS_MAX)
			return (expected(&re, "no more than 20 terms"));
		CTASSERT(FAILPOINT_TERMS_MAX == 20);
		ft = &fs->fps_term[fs->fps_terms++];
		if ((error = read_term(&re, ft)) == 0)
			error = read_argument(&re, ft);
		if (error != 0 || *re.fpr_at == '\0')
			return (error);
		if (strncmp(re.fpr_at, "->", 2) != 0)
			return (expected(&re, "-> and another term, or the "
			    "end"));
		re.fpr_at += 2;
	}
}

void
failpoint_init(struct failpoint *fp, const struct failpoint_def *def,
    const struct failpoint_spec *spec, const struct failpoint_machine *fm,
    uint64_t seed)
{
	*fp = (struct failpoint){ .fp_def = def, .fp_spec = spec,
	    .fp_machine = fm, .fp_pause_ns = -1, .fp_seed = splitmix(seed) };
	for (const char *p = def->fd_name; *p != '\0'; p++)
		fp->fp_seed = splitmix(fp->fp_seed ^ (unsigned char)*p);
	for (unsigned i = 0; i < FAILPOINT_TERMS_MAX; i++)
		atomic_init(&fp->fp_left[i], spec != NULL ?
		    spec->fps_term[i].fpt_count : 0);
}

void
failpoint_release(struct failpoint *fp)
{
	atomic_store(&fp->fp_released, true);
	if (fp->fp_machine != NULL)
		fp->fp_machine->fpm_open(&fp->fp_gate);
}

/* Returns: whether the next term is to be looked at nevertheless. */
static bool
execute(struct failpoint *fp, const struct failpoint_term *ft, int *value)
{
	const struct failpoint_machine *fm = fp->fp_machine;
	const char *name = fp->fp_def->fd_name;

	switch (ft->fpt_action) {
	case FAILPOINT_OFF:
	case FAILPOINT_ACTIONS:
		return (false);
	case FAILPOINT_RETURN:
		*value = ft->fpt_argument;
		break;
	case FAILPOINT_SLEEP:
		(void)fm->fpm_sleep((int64_t)ft->fpt_argument * 1000 * 1000);
		break;
	case FAILPOINT_PANIC:
		KASSERT(false, ("fail point %s panicking", name));
		break;
	case FAILPOINT_BREAK:
		fprintf(stderr, "fail point %s breaking to debugger\n", name);
		raise(SIGTRAP);
		break;
	case FAILPOINT_PRINT:
		fprintf(stderr, "fail point %s executing\n", name);
		return (ft->fpt_argument != 0);
	case FAILPOINT_PAUSE:
		fm->fpm_wait(&fp->fp_gate, fp->fp_pause_ns);
		break;
	case FAILPOINT_YIELD:
		fm->fpm_yield();
		break;
	case FAILPOINT_DELAY:
		fm->fpm_delay((int64_t)ft->fpt_argument * 1000);
		break;
	}
	return (false);
}

int
failpoint_eval(struct failpoint *fp)
{
	const struct failpoint_term *ft;
	uint32_t left;
	int value = 0;

	atomic_fetch_add_explicit(&fp->fp_evaluated, 1, memory_order_relaxed);
	if (fp->fp_spec == NULL)
		return (0);
	for (unsigned i = 0; i < fp->fp_spec->fps_terms; i++) {
		ft = &fp->fp_spec->fps_term[i];
		/* Numbered draws, so that threads need no lock for them. */
		if (ft->fpt_probability != FAILPOINT_ALWAYS &&
		    splitmix(fp->fp_seed + atomic_fetch_add_explicit(
		    &fp->fp_draws, 1, memory_order_relaxed)) %
		    FAILPOINT_ALWAYS >= ft->fpt_probability)
			continue;
		left = atomic_load_explicit(&fp->fp_left[i],
		    memory_order_relaxed);
		while (left > 0 && !atomic_compare_exchange_weak_explicit(
		    &fp->fp_left[i], &left, left - 1, memory_order_relaxed,
		    memory_order_relaxed))
			continue;
		if (ft->fpt_count != 0 && left == 0)
			continue;
		/* As if it had been set to off. */
		if (ft->fpt_action == FAILPOINT_PAUSE &&
		    atomic_load(&fp->fp_released))
			break;
		if (ft->fpt_action != FAILPOINT_OFF)
			atomic_fetch_add_explicit(&fp->fp_executed, 1,
			    memory_order_relaxed);
		if (!execute(fp, ft, &value))
			break;
	}
	return (value);
}
