/*
 * Synthetic results: what no machine measured, so that every figure is known.
 */
#ifndef TESTS_UNIT_RESULT_FIXTURE_H
#define TESTS_UNIT_RESULT_FIXTURE_H

#include <atf-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result.h"

static inline void
check_has(const char *text, const char *part)
{
	ATF_CHECK_MSG(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part,
	    text);
}

static inline void
check_has_not(const char *text, const char *part)
{
	ATF_CHECK_MSG(strstr(text, part) == NULL, "\"%s\" in:\n%s", part,
	    text);
}

/* How often a text contains another. */
static inline unsigned
count_text(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return (n);
}

/* A cell's place in the grid, and what it is to have yielded. */
struct fixture_cell {
	const char	*fc_design;
	const char	*fc_cipher;
	unsigned	 fc_readers;
	unsigned	 fc_repeats;
	double		 fc_mb_per_s;	/* total */
	double		 fc_spread;	/* of the interval, half, MB/s */
	bool		 fc_oversubscribed;
};

static inline void *
fixture_alloc(size_t n, size_t size)
{
	void *p;

	p = calloc(n, size);
	ATF_REQUIRE(p != NULL);
	return (p);
}

static inline char **
fixture_texts(const char *first, const char *second)
{
	char **texts = fixture_alloc(3, sizeof(*texts));

	texts[0] = strdup(first);
	texts[1] = strdup(second);
	ATF_REQUIRE(texts[0] != NULL && texts[1] != NULL);
	return (texts);
}

static inline double *
fixture_reals(unsigned n, double value)
{
	double *v = fixture_alloc(n, sizeof(*v));

	for (unsigned i = 0; i < n; i++)
		v[i] = value;
	return (v);
}

static inline void
fixture_sample(struct result_sample *s, const struct result_cell *c,
    unsigned order, double mb_per_s)
{
	s->order = order;
	s->window_s = 1.5;
	s->total_mb_per_s = mb_per_s;
	s->reader_mb_per_s = fixture_reals(c->readers,
	    mb_per_s / c->readers);
	s->reader_cpu = fixture_alloc(c->readers, sizeof(*s->reader_cpu));
	s->intervals = 2;
	s->interval_mb_per_s = fixture_reals(2, mb_per_s);
	s->reads_per_s = mb_per_s * 1e6 / (double)c->request_bytes;
	s->readers_cpu_percent = 90;
	s->start_skew_ms = 0.25;
	s->reseeds = 9;
	s->latency_ns = c->latency_ns;
	s->fairness = c->fairness;
	s->harvest = c->harvest;
}

static inline void
fixture_row(struct result_row *row)
{
	snprintf(row->site, sizeof(row->site), "genbytes");
	snprintf(row->lock, sizeof(row->lock), "reseed mutex");
	snprintf(row->role, sizeof(row->role), "reader");
	row->count = 123456789;
	row->contended = 4321;
	row->hold_total_ns = 1.25e12;
	row->hold_max_ns = 80000;
	row->wait_total_ns = 2.5e11;
	row->wait_max_ns = 3.5e6;
	row->spin_total_ns = 1e11;
	row->block_total_ns = 1.5e11;
}

static inline void
fixture_cell(struct result_cell *c, const struct fixture_cell *fc)
{
	snprintf(c->engine, sizeof(c->engine), "real");
	snprintf(c->design, sizeof(c->design), "%s", fc->fc_design);
	snprintf(c->lock, sizeof(c->lock), "mtx");
	snprintf(c->cipher, sizeof(c->cipher), "%s", fc->fc_cipher);
	snprintf(c->crypto, sizeof(c->crypto), "kernel");
	c->readers = fc->fc_readers;
	c->request_bytes = 65536;
	c->repeats = fc->fc_repeats;
	c->oversubscribed = fc->fc_oversubscribed;
	c->profiled = true;
	c->total_mb_per_s = fc->fc_mb_per_s;
	c->total_mb_per_s_ci95[0] = fc->fc_mb_per_s - fc->fc_spread;
	c->total_mb_per_s_ci95[1] = fc->fc_mb_per_s + fc->fc_spread;
	c->reader_mb_per_s = fixture_reals(c->readers,
	    fc->fc_mb_per_s / c->readers);
	c->profile_cost_percent = 0.75;
	c->latency_ns = (struct result_latency){
		152000, 161000, 310000.5, 1.5e6, 9.25e6
	};
	c->fairness = (struct result_fairness){
		.min_max = 0.9,
		.cov = 0.0125,
		.jain = 0.9998,
		.hold_share_harvest = 0.02,
	};
	c->harvest = (struct result_harvest){
		3.25, 1.5, 0.5, 1000.25, 0, 0, 20500
	};
	c->lock_profile_rows = 1;
	c->lock_profile = fixture_alloc(1, sizeof(*c->lock_profile));
	fixture_row(&c->lock_profile[0]);
	c->samples = fixture_alloc(c->repeats, sizeof(*c->samples));
	for (unsigned i = 0; i < c->repeats; i++)
		fixture_sample(&c->samples[i], c, i,
		    fc->fc_mb_per_s + i - (c->repeats - 1) / 2.0);
}

/* A result of n cells as grid says; result_free() frees it. */
static inline void
fixture_result(struct result *r, const struct fixture_cell *grid, unsigned n)
{
	*r = (struct result){ .complete = true, .seed = 42, .time_s = 1.5 };
	snprintf(r->started, sizeof(r->started), "2026-01-02T03:04:05Z");
	r->argv = fixture_texts("rngsim", "sweep");
	r->tunables = fixture_alloc(1, sizeof(*r->tunables));
	r->sources = fixture_texts("interrupt", "net_ether");
	r->sources_skipped = fixture_alloc(1, sizeof(*r->sources_skipped));
	r->host = (struct result_host){
		.cpu_model = "Example 9000 Processor",
		.cpus = 4, .cpus_machine = 8, .numa_nodes = 1,
		.kernel = "FreeBSD 14.1-RELEASE amd64",
		.compiler = "cc 1.0", .flags = "-O2",
		.libcrypto = "OpenSSL 3.0.15", .revision = "abcdef0",
		.clock_ns = 20.5, .profile_ns = 31.25
	};
	r->cell_count = n;
	r->cells = fixture_alloc(n, sizeof(*r->cells));
	for (unsigned i = 0; i < n; i++)
		fixture_cell(&r->cells[i], &grid[i]);
}

/* Two designs: alike with one reader, apart with more threads than CPUs. */
static const struct fixture_cell fixture_grid[] = {
	{ "locked",	"chacha20", 1, 5, 440, 2, false },
	{ "concurrent",	"chacha20", 1, 5, 441, 2, false },
	{ "locked",	"chacha20", 5, 5, 430, 4, true },
	{ "concurrent",	"chacha20", 5, 5, 1720, 30, true },
};

enum {
	FIXTURE_CELLS = sizeof(fixture_grid) / sizeof(fixture_grid[0])
};

/* Everything print() says about r, as text to be freed. */
static inline char *
fixture_printed(void (*print)(FILE *, const void *),
    const struct result *r)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	out = open_memstream(&text, &len);
	ATF_REQUIRE(out != NULL);
	print(out, r);
	ATF_REQUIRE(fclose(out) == 0);
	return (text);
}

static const char fixture_file[] = "result.json";

/* Loads a file with the first len bytes of text. */
static inline int
fixture_load(const char *text, size_t len, struct result *r,
    char why[RESULT_TEXT_SIZE])
{
	FILE *out = fopen(fixture_file, "w");

	ATF_REQUIRE(out != NULL);
	ATF_REQUIRE_EQ(len, fwrite(text, 1, len, out));
	ATF_REQUIRE_EQ(0, fclose(out));
	why[0] = '\0';
	return (result_load(fixture_file, r, why));
}

/* The same of the text with the first old in it replaced. */
static inline int
fixture_load_edited(const char *text, const char *old, const char *new,
    struct result *r, char why[RESULT_TEXT_SIZE])
{
	const char *at = strstr(text, old);
	char *edited;
	int error, n;

	ATF_REQUIRE_MSG(at != NULL, "no %s in %s", old, text);
	n = asprintf(&edited, "%.*s%s%s", (int)(at - text), text, new,
	    at + strlen(old));
	ATF_REQUIRE(n >= 0);
	error = fixture_load(edited, (size_t)n, r, why);
	free(edited);
	return (error);
}

/* Frees a result and what was printed of it. */
static inline void
fixture_free(char *text, struct result *r)
{
	free(text);
	result_free(r);
}

#endif
