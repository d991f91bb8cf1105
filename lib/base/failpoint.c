#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/failpoint.h"
#include "lib/base/kassert.h"
#include "lib/base/splitmix.h"

enum {
	/* Of a percentage's decimals, those that count. */
	DECIMALS	= 4,
	PER_PERCENT	= FAILPOINT_ALWAYS / 100
};

const char *const failpoint_action_names[FAILPOINT_ACTIONS] = {
	[FAILPOINT_OFF]		= "off",
	[FAILPOINT_RETURN]	= "return",
	[FAILPOINT_SLEEP]	= "sleep",
	[FAILPOINT_PANIC]	= "panic",
	[FAILPOINT_BREAK]	= "break",
	[FAILPOINT_PRINT]	= "print",
	[FAILPOINT_PAUSE]	= "pause",
	[FAILPOINT_YIELD]	= "yield",
	[FAILPOINT_DELAY]	= "delay",
};

const struct failpoint_def lib_failpoints[LIB_FAILPOINTS] = {
#define	FAILPOINT(name, where, descr)	{ #name, where, descr },
#include "lib/base/failpoint.tbl"
#undef FAILPOINT
};

/* A text under way. */
struct reading {
	const char	*re_text;
	const char	*re_at;
	char		*re_error;
};

static bool
digit(char c)
{
	return (c >= '0' && c <= '9');
}

static int
expected(const struct reading *re, const char *what)
{
	snprintf(re->re_error, FAILPOINT_ERROR_SIZE, "at character %zu, "
	    "\"%.20s\": expected %s", (size_t)(re->re_at - re->re_text) + 1,
	    re->re_at, what);
	return (EINVAL);
}

/*
 * A number in front of "%" or "*": its whole part, and ten thousandths, the
 * digits behind them rounded.  Saturates.
 */
static int
read_number(struct reading *re, uint64_t *units, uint32_t *part, bool *point)
{
	const char *start = re->re_at;
	unsigned digits = 0;

	*units = 0;
	*part = 0;
	for (; digit(*re->re_at); re->re_at++)
		*units = *units > UINT32_MAX ? *units :
		    *units * 10 + (uint64_t)(*re->re_at - '0');
	*point = *re->re_at == '.';
	if (!*point)
		return (0);
	for (re->re_at++; digit(*re->re_at); re->re_at++, digits++) {
		if (digits < DECIMALS)
			*part = *part * 10 + (uint32_t)(*re->re_at - '0');
		else if (digits == DECIMALS && *re->re_at >= '5')
			(*part)++;
	}
	if (digits == 0) {
		re->re_at = start;
		return (expected(re, "digits behind the point"));
	}
	for (; digits < DECIMALS; digits++)
		*part *= 10;
	return (0);
}

/* What stands before an action; of several of a kind the last counts. */
static int
read_modifiers(struct reading *re, struct failpoint_term *ft)
{
	const char *start;
	uint64_t units;
	uint32_t part;
	bool point;
	int error;

	while (digit(*re->re_at) || *re->re_at == '.') {
		start = re->re_at;
		error = read_number(re, &units, &part, &point);
		if (error != 0)
			return (error);
		if (*re->re_at == '%') {
			if (units * PER_PERCENT + part > FAILPOINT_ALWAYS) {
				re->re_at = start;
				return (expected(re, "a percentage, 0..100"));
			}
			ft->ft_probability = (uint32_t)units * PER_PERCENT +
			    part;
		} else if (*re->re_at == '*') {
			if (point || units < 1 || units > INT_MAX) {
				re->re_at = start;
				return (expected(re, "a count, 1..2147483647"));
			}
			ft->ft_count = (uint32_t)units;
		} else {
			return (expected(re, "% or *"));
		}
		re->re_at++;
	}
	return (0);
}

static int
read_action(struct reading *re, struct failpoint_term *ft)
{
	size_t n = strspn(re->re_at, "abcdefghijklmnopqrstuvwxyz");
	unsigned i;

	for (i = 0; i < FAILPOINT_ACTIONS; i++)
		if (strlen(failpoint_action_names[i]) == n &&
		    memcmp(failpoint_action_names[i], re->re_at, n) == 0)
			break;
	if (i == FAILPOINT_ACTIONS)
		return (expected(re, "[PERCENT%][COUNT*] and off, return, "
		    "sleep, panic, break, print, pause, yield or delay"));
	ft->ft_action = (enum failpoint_action)i;
	re->re_at += n;
	return (0);
}

static int
read_argument(struct reading *re, struct failpoint_term *ft)
{
	const char *start;
	char *end;
	long v;

	if (*re->re_at != '(')
		return (0);
	start = ++re->re_at;
	if (!digit(*start) && !(*start == '-' && digit(start[1])))
		return (expected(re, "a number"));
	errno = 0;
	v = strtol(start, &end, 0);
	if (errno != 0 || v > INT_MAX || v < INT_MIN)
		return (expected(re, "a number, -2147483648..2147483647"));
	if (v < 0 && (ft->ft_action == FAILPOINT_SLEEP ||
	    ft->ft_action == FAILPOINT_DELAY))
		return (expected(re, "a duration, 0..2147483647"));
	re->re_at = end;
	if (*end != ')')
		return (expected(re, ")"));
	re->re_at++;
	ft->ft_argument = (int)v;
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
		if (fs->fs_terms == FAILPOINT_TERMS_MAX)
			return (expected(&re, "no more than 20 terms"));
		CTASSERT(FAILPOINT_TERMS_MAX == 20);
		ft = &fs->fs_term[fs->fs_terms++];
		ft->ft_probability = FAILPOINT_ALWAYS;
		error = read_modifiers(&re, ft);
		if (error == 0)
			error = read_action(&re, ft);
		if (error == 0)
			error = read_argument(&re, ft);
		if (error != 0)
			return (error);
		if (*re.re_at == '\0')
			return (0);
		if (strncmp(re.re_at, "->", 2) != 0)
			return (expected(&re, "-> and another term, or the "
			    "end"));
		re.re_at += 2;
	}
}

void
failpoint_init(struct failpoint *fp, const struct failpoint_def *def,
    const struct failpoint_spec *spec, const struct failpoint_machine *fm,
    uint64_t seed)
{
	memset(fp, 0, sizeof(*fp));
	fp->fp_def = def;
	fp->fp_spec = spec;
	fp->fp_machine = fm;
	fp->fp_pause_ns = -1;
	fp->fp_seed = splitmix(seed);
	for (const char *p = def->fd_name; *p != '\0'; p++)
		fp->fp_seed = splitmix(fp->fp_seed ^ (unsigned char)*p);
	atomic_init(&fp->fp_draws, 0);
	atomic_init(&fp->fp_evaluated, 0);
	atomic_init(&fp->fp_executed, 0);
	atomic_init(&fp->fp_released, false);
	for (unsigned i = 0; i < FAILPOINT_TERMS_MAX; i++)
		atomic_init(&fp->fp_left[i], spec != NULL ?
		    spec->fs_term[i].ft_count : 0);
}

void
failpoint_release(struct failpoint *fp)
{
	atomic_store(&fp->fp_released, true);
	if (fp->fp_machine != NULL)
		fp->fp_machine->fm_open(&fp->fp_gate);
}

/* Numbered draws, so that threads need no lock for them. */
static bool
drawn(struct failpoint *fp, uint32_t probability)
{
	if (probability == FAILPOINT_ALWAYS)
		return (true);
	return (splitmix(fp->fp_seed + atomic_fetch_add_explicit(
	    &fp->fp_draws, 1, memory_order_relaxed)) % FAILPOINT_ALWAYS <
	    probability);
}

/* Takes one of what is left of a term's count. */
static bool
counted(struct failpoint *fp, unsigned i)
{
	uint32_t left;

	if (fp->fp_spec->fs_term[i].ft_count == 0)
		return (true);
	left = atomic_load_explicit(&fp->fp_left[i], memory_order_relaxed);
	while (left > 0)
		if (atomic_compare_exchange_weak_explicit(&fp->fp_left[i],
		    &left, left - 1, memory_order_relaxed,
		    memory_order_relaxed))
			return (true);
	return (false);
}

/* Returns: whether the next term is to be looked at nevertheless. */
static bool
execute(struct failpoint *fp, const struct failpoint_term *ft, int *value)
{
	const struct failpoint_machine *fm = fp->fp_machine;

	switch (ft->ft_action) {
	case FAILPOINT_OFF:
	case FAILPOINT_ACTIONS:
		return (false);
	case FAILPOINT_RETURN:
		*value = ft->ft_argument;
		break;
	case FAILPOINT_SLEEP:
		fm->fm_sleep((int64_t)ft->ft_argument * 1000 * 1000);
		break;
	case FAILPOINT_PANIC:
		KASSERT(false, ("fail point %s panicking",
		    fp->fp_def->fd_name));
		break;
	case FAILPOINT_BREAK:
		fprintf(stderr, "fail point %s breaking to debugger\n",
		    fp->fp_def->fd_name);
		raise(SIGTRAP);
		break;
	case FAILPOINT_PRINT:
		fprintf(stderr, "fail point %s executing\n",
		    fp->fp_def->fd_name);
		return (ft->ft_argument != 0);
	case FAILPOINT_PAUSE:
		fm->fm_wait(&fp->fp_gate, fp->fp_pause_ns);
		break;
	case FAILPOINT_YIELD:
		fm->fm_yield();
		break;
	case FAILPOINT_DELAY:
		fm->fm_delay((int64_t)ft->ft_argument * 1000);
		break;
	}
	return (false);
}

int
failpoint_eval(struct failpoint *fp)
{
	const struct failpoint_term *ft;
	int value = 0;

	atomic_fetch_add_explicit(&fp->fp_evaluated, 1, memory_order_relaxed);
	if (fp->fp_spec == NULL)
		return (0);
	for (unsigned i = 0; i < fp->fp_spec->fs_terms; i++) {
		ft = &fp->fp_spec->fs_term[i];
		if (!drawn(fp, ft->ft_probability) || !counted(fp, i))
			continue;
		/* As if it had been set to off. */
		if (ft->ft_action == FAILPOINT_PAUSE &&
		    atomic_load(&fp->fp_released))
			break;
		if (ft->ft_action != FAILPOINT_OFF)
			atomic_fetch_add_explicit(&fp->fp_executed, 1,
			    memory_order_relaxed);
		if (!execute(fp, ft, &value))
			break;
	}
	return (value);
}
