#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/clip.h"
#include "bench/compare/compare.h"
#include "bench/result/claim.h"

enum { TEXTS_SHOWN = 256 };	/* bytes of tunables or sources */

static void __attribute__((format(printf, 2, 3)))
add(char text[COMPARE_TEXT_SIZE], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	if (len > 0 && len + 2 < COMPARE_TEXT_SIZE) {
		strcpy(text + len, ", ");
		len += 2;
	}
	va_start(ap, fmt);
	vsnprintf(text + len, COMPARE_TEXT_SIZE - len, fmt, ap);
	va_end(ap);
	clip_utf8(text);
}

int
compare_flag(struct compare *co, const char *fmt, ...)
{
	char **grown, text[COMPARE_TEXT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clip_utf8(text);
	grown = realloc(co->co_flags, (co->co_flag_count + 2) *
	    sizeof(*grown));
	if (grown == NULL)
		return (ENOMEM);
	co->co_flags = grown;
	grown[co->co_flag_count] = strdup(text);
	if (grown[co->co_flag_count] == NULL)
		return (ENOMEM);
	grown[++co->co_flag_count] = NULL;
	return (0);
}

/* "name=value name=value", in the order given; "none" where empty. */
static void
join(char out[COMPARE_TEXT_SIZE], char *const *texts)
{
	char *c;

	out[0] = '\0';
	for (; texts != NULL && *texts != NULL; texts++)
		add(out, "%s", *texts);
	for (c = out; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	if (out[0] == '\0')
		strcpy(out, "none");
}

static void
differ_text(char text[COMPARE_TEXT_SIZE], const char *what, const char *a,
    const char *b)
{

	if (strcmp(a, b) != 0)
		add(text, "%s (A \"%s\", B \"%s\")", what, a, b);
}

static void
differ_real(char text[COMPARE_TEXT_SIZE], const char *what, double a,
    double b)
{

	if (a < b || a > b)
		add(text, "%s (A %g, B %g)", what, a, b);
}

static void
differ_texts(char text[COMPARE_TEXT_SIZE], const char *what, char *const *a,
    char *const *b)
{
	char ta[COMPARE_TEXT_SIZE], tb[COMPARE_TEXT_SIZE];

	join(ta, a);
	join(tb, b);
	if (strcmp(ta, tb) == 0)
		return;
	ta[TEXTS_SHOWN] = tb[TEXTS_SHOWN] = '\0';
	clip_utf8(ta);
	clip_utf8(tb);
	add(text, "%s (A %s, B %s)", what, ta, tb);
}

/* What makes two hosts two; of predictions, two simulated machines. */
static void
differ_host(char text[COMPARE_TEXT_SIZE], const struct result *ra,
    const struct result *rb)
{
	const struct result_host *a = &ra->host, *b = &rb->host;
	char ma[CLAIM_SIZE], mb[CLAIM_SIZE];

	if (claim_of(ra) == CLAIM_PREDICTED &&
	    claim_of(rb) == CLAIM_PREDICTED) {
		differ_text(text, "machine", claim_machine(ra, ma),
		    claim_machine(rb, mb));
		return;
	}
	differ_text(text, "CPU", a->cpu_model, b->cpu_model);
	differ_real(text, "usable CPUs", a->cpus, b->cpus);
	differ_real(text, "CPUs", a->cpus_machine, b->cpus_machine);
	differ_real(text, "CPU quota", a->cpu_quota, b->cpu_quota);
	differ_text(text, "kernel", a->kernel, b->kernel);
}

/* What the comparison may be about, or what spoils it. */
static void
differ_build(char text[COMPARE_TEXT_SIZE], const struct result *a,
    const struct result *b)
{

	differ_text(text, "revision", a->host.revision, b->host.revision);
	differ_text(text, "compiler", a->host.compiler, b->host.compiler);
	differ_text(text, "flags", a->host.flags, b->host.flags);
	differ_text(text, "libcrypto", a->host.libcrypto, b->host.libcrypto);
	differ_text(text, "placement", a->place, b->place);
	differ_texts(text, "tunables", a->tunables, b->tunables);
	differ_texts(text, "sources", a->sources, b->sources);
}

static int
flag_incomplete(struct compare *co, unsigned side)
{

	if (co->co_result[side]->complete)
		return (0);
	return (compare_flag(co, "%sincomplete: stopped before everything was "
	    "measured", co->co_by != COMPARE_RESULTS ? "" : side == 0 ?
	    "A is " : "B is "));
}

/* A revision that does not say what was built may be any. */
static bool
known_revision(const char *revision)
{

	return (strcmp(revision, "unknown") != 0 &&
	    strstr(revision, "-dirty") == NULL);
}

int
compare_conditions(struct compare *co, bool across,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	char build[COMPARE_TEXT_SIZE] = "", host[COMPARE_TEXT_SIZE] = "";
	char method[COMPARE_TEXT_SIZE] = "";
	int status;

	if (claim_of(a) != claim_of(b)) {
		snprintf(error, COMPARE_TEXT_SIZE, "A was %s, B %s: a "
		    "prediction is no measurement to compare with; \"rngsim "
		    "validate\" sets them beside each other", claim_word(a),
		    claim_word(b));
		return (EINVAL);
	}
	differ_real(method, "measured seconds of a repeat", a->time_s,
	    b->time_s);
	if (a->host.invariants != b->host.invariants)
		add(method, "INVARIANTS (on in %s)", a->host.invariants ?
		    "A" : "B");
	if (claim_ledgered(a) != claim_ledgered(b))
		add(method, "ledger (on in %s)", claim_ledgered(a) ? "A" :
		    "B");
	differ_host(host, a, b);
	differ_build(build, a, b);
	if (!across && (method[0] != '\0' || host[0] != '\0')) {
		snprintf(error, COMPARE_TEXT_SIZE, "A and B were %s under "
		    "different conditions: %.800s%s%.1000s; --across "
		    "compares them nevertheless", claim_word(a), method,
		    method[0] != '\0' && host[0] != '\0' ? ", " : "", host);
		return (EINVAL);
	}
	status = flag_incomplete(co, 0);
	if (status == 0 && co->co_by == COMPARE_RESULTS)
		status = flag_incomplete(co, 1);
	if (status == 0)
		status = compare_noise(co, build[0] == '\0' &&
		    known_revision(a->host.revision));
	if (status == 0 && method[0] != '\0')
		status = compare_flag(co, "different method: %s", method);
	if (status == 0 && host[0] != '\0')
		status = compare_flag(co, "different hosts: %s", host);
	if (status == 0 && build[0] != '\0')
		status = compare_flag(co, "different: %s", build);
	if (status == 0 && a->host.invariants)
		status = compare_flag(co, "INVARIANTS is on: its checks are "
		    "timed too, no figures to quote");
	if (status == 0 && claim_ledgered(a))
		status = compare_flag(co, "a ledger was kept: its checks are "
		    "timed too");
	if (status != 0)
		snprintf(error, COMPARE_TEXT_SIZE, "%s", strerror(status));
	return (status);
}
