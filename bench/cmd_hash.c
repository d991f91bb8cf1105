/*
 * rngsim hash: what digests cost as conditioners.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/choice.h"
#include "bench/console/outfile.h"
#include "bench/console/stop.h"
#include "bench/console/usage.h"
#include "bench/hash/hash_bench.h"
#include "lib/crypto.h"
#include "lib/kassert.h"
#include "lib/number.h"

enum {
	OPTION_DIGESTS,
	OPTION_HELP,
	OPTION_REPEATS,
	OPTION_OUTPUT,
	OPTION_SIZES,
	OPTION_TIME,
	OPTION_CRYPTO,
	OPTION_FORMAT,
	OPTION_SORT,
	OPTIONS,
	ITEM_SIZE	= 64,
	REPEATS		= 5,
	SORT_NAME	= -1,
	SORT_UNKNOWN	= -2
};

static const double seconds_default = 0.005;
static const double seconds_least = 0.0001;
static const double seconds_most = 60;

/* What published tables have, short messages first. */
static const unsigned sizes_default[] = { 5, 30, 90, 1000, 5000, 16, 64, 256,
    1024, 8192, 16384 };
/* Of them in the table. */
static const unsigned sizes_shown[] = { 16, 8192 };

static const struct argument options[OPTIONS] = {
	[OPTION_DIGESTS] = { 'd', "digest", "LIST", "digests (all); \"rngsim "
	    "list hashes\" has them", false },
	[OPTION_HELP] = { 'h', "help", NULL, "this text", false },
	[OPTION_REPEATS] = { 'n', "repeats", "N", "repeats of each figure, "
	    "1..1000 (5)", false },
	[OPTION_OUTPUT] = { 'o', "output", "FILE", "write the JSON document "
	    "there, too", false },
	[OPTION_SIZES] = { 's', "size", "LIST", "bytes of messages, 1..16m; "
	    "k, m are 2^10, 2^20 (5,30,90,1000,5000,16,64,256,1024,8192,"
	    "16384, of which the table shows 16 and 8192)", false },
	[OPTION_TIME] = { 't', "time", "SECONDS", "time of each repeat of "
	    "each figure (0.005)", false },
	[OPTION_CRYPTO] = { '\0', "crypto", "MODE", "how libraries may "
	    "compute: kernel, native (native)", false },
	[OPTION_FORMAT] = { '\0', "format", "FORMAT", "what stdout gets: "
	    "table, csv, json (table)", false },
	[OPTION_SORT] = { '\0', "sort", "KEY", "what the rows are sorted by: "
	    "name, event, finish, or a size of messages (name)", false },
};

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMATS };

static const char *const format_names[FORMATS] = {
	[FORMAT_TABLE]	= "table",
	[FORMAT_CSV]	= "csv",
	[FORMAT_JSON]	= "json",
};

struct hash_options {
	struct hash_bench ho_bench;
	struct hash	**ho_digest;	/* chosen; hash_count() is the most */
	unsigned	 ho_digests;	/* 0: all */
	bool		 ho_sizes;	/* were given */
	const char	*ho_output;
	const char	*ho_sort;
	int		 ho_by;		/* as hash_bench_sort() has it */
	enum format	 ho_format;
	bool		 ho_wrong;	/* a digest failed its known answers */
};

static int
add_digest(void *context, const char *label, const char *item)
{
	struct hash_options *ho = context;
	char other[ITEM_SIZE + 8];
	struct hash *ha = hash_find(item);
	unsigned i;

	if (ha == NULL) {
		snprintf(other, sizeof(other), "gcrypt:%s", item);
		if (hash_find(other) != NULL)
			return (usage_error("hash", "%s: \"%s\": expected a "
			    "digest such as %s; \"rngsim list hashes\" has "
			    "them", label, item, other));
		return (usage_error("hash", "%s: \"%s\": expected a digest; "
		    "\"rngsim list hashes\" has them", label, item));
	}
	for (i = 0; i < ho->ho_digests; i++)
		if (ho->ho_digest[i] == ha)
			return (usage_error("hash", "%s: \"%s\" is named "
			    "twice", label, item));
	ho->ho_digest[ho->ho_digests++] = ha;
	return (0);
}

static int
add_size(void *context, const char *label, const char *item)
{
	struct hash_options *ho = context;
	struct hash_bench *hb = &ho->ho_bench;
	uint64_t v;
	unsigned i;

	if (number_parse_size(item, &v) != 0 || v < 1 ||
	    v > HASH_BENCH_BYTES_MAX)
		return (usage_error("hash", "%s: \"%s\": expected bytes, "
		    "1..16m, with k or m for 2^10, 2^20", label, item));
	for (i = 0; i < hb->hb_sizes; i++)
		if (hb->hb_size[i] == v)
			return (usage_error("hash", "%s: \"%s\" is named "
			    "twice", label, item));
	if (hb->hb_sizes == HASH_BENCH_SIZES_MAX)
		return (usage_error("hash", "%s: more than %d members", label,
		    HASH_BENCH_SIZES_MAX));
	hb->hb_size[hb->hb_sizes++] = (unsigned)v;
	return (0);
}

static const char *
crypto_name(unsigned i)
{

	return (crypto_mode_names[i]);
}

static const char *
format_name(unsigned i)
{

	return (format_names[i]);
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct hash_options *ho = context;
	struct hash_bench *hb = &ho->ho_bench;
	unsigned index = 0;
	uint64_t v;
	int error;

	switch (i) {
	case OPTION_DIGESTS:
		return (choice_each("hash", label, value, add_digest, ho));
	case OPTION_SIZES:
		ho->ho_sizes = true;
		return (choice_each("hash", label, value, add_size, ho));
	case OPTION_REPEATS:
		if (number_parse(value, &v) != 0 || v < 1 ||
		    v > HASH_BENCH_REPEATS_MAX)
			return (usage_error("hash", "%s: \"%s\": expected "
			    "repeats, 1..%d", label, value,
			    HASH_BENCH_REPEATS_MAX));
		hb->hb_repeats = (unsigned)v;
		return (0);
	case OPTION_TIME:
		if (number_parse_real(value, &hb->hb_time_s) != 0 ||
		    hb->hb_time_s < seconds_least ||
		    hb->hb_time_s > seconds_most)
			return (usage_error("hash", "%s: \"%s\": expected "
			    "seconds, %g..%g", label, value, seconds_least,
			    seconds_most));
		return (0);
	case OPTION_CRYPTO:
		error = choice_find("hash", label, value, CRYPTO_MODES,
		    crypto_name, &index);
		hb->hb_crypto = (enum crypto_mode)index;
		return (error);
	case OPTION_FORMAT:
		error = choice_find("hash", label, value, FORMATS, format_name,
		    &index);
		ho->ho_format = (enum format)index;
		return (error);
	case OPTION_OUTPUT:
		ho->ho_output = value;
		return (value[0] != '\0' ? 0 : usage_error("hash", "%s: \"\": "
		    "expected a file name", label));
	default:
		ho->ho_sort = value;
		return (0);
	}
}

/* What the rows are sorted by, once all sizes are known. */
static int
find_sort(struct hash_options *ho)
{
	const struct hash_bench *hb = &ho->ho_bench;
	uint64_t v;
	unsigned i;

	ho->ho_by = SORT_UNKNOWN;
	if (ho->ho_sort == NULL || strcmp(ho->ho_sort, "name") == 0)
		ho->ho_by = SORT_NAME;
	else if (strcmp(ho->ho_sort, "event") == 0)
		ho->ho_by = HASH_BENCH_EVENT;
	else if (strcmp(ho->ho_sort, "finish") == 0)
		ho->ho_by = HASH_BENCH_FINISH;
	else if (number_parse_size(ho->ho_sort, &v) == 0)
		for (i = 0; i < hb->hb_sizes; i++)
			if (hb->hb_size[i] == v)
				ho->ho_by = (int)(HASH_BENCH_MESSAGE + i);
	if (ho->ho_by == SORT_UNKNOWN)
		return (usage_error("hash", "--sort: \"%s\": expected name, "
		    "event, finish or a size of -s", ho->ho_sort));
	return (0);
}

static void
skip(struct hash_bench *hb, const char *name, const char *why)
{
	struct hash_skip *grown, *hs;

	grown = realloc(hb->hb_skip, (hb->hb_skips + 1) * sizeof(*grown));
	if (grown == NULL)
		return;
	hb->hb_skip = grown;
	hs = &grown[hb->hb_skips++];
	snprintf(hs->hs_name, sizeof(hs->hs_name), "%s", name);
	hs->hs_why = why;
}

static void
skip_other(const char *name, void *arg)
{

	skip(arg, name, "no answer of it is known to check it on");
}

/* Those skipped for one reason in one line, in the order of the reasons. */
static void
tell_skipped(const struct hash_bench *hb)
{
	char names[900];
	const char *why;
	unsigned i, k;
	size_t used;

	for (i = 0; i < hb->hb_skips; i++) {
		why = hb->hb_skip[i].hs_why;
		for (k = 0; strcmp(hb->hb_skip[k].hs_why, why) != 0; k++)
			continue;
		if (k < i)
			continue;
		used = 0;
		for (k = i; k < hb->hb_skips && used < sizeof(names); k++)
			if (strcmp(hb->hb_skip[k].hs_why, why) == 0)
				used += (size_t)snprintf(names + used,
				    sizeof(names) - used, "%s%s",
				    used == 0 ? "" : ", ",
				    hb->hb_skip[k].hs_name);
		(void)run_error("hash", "skipped, as %s: %s", why, names);
	}
}

/* Loads what was chosen; what is no hash here is said, and left out. */
static int
load(struct hash_options *ho)
{
	struct hash_bench *hb = &ho->ho_bench;
	unsigned count, i;
	struct hash *ha;

	count = ho->ho_digests > 0 ? ho->ho_digests : hash_count();
	hb->hb_row = calloc(count, sizeof(*hb->hb_row));
	if (hb->hb_row == NULL)
		return (run_error("hash", "no memory"));
	for (i = 0; i < count; i++) {
		ha = ho->ho_digests > 0 ? ho->ho_digest[i] : hash_get(i);
		if (hash_load(ha) == HASH_READY)
			hb->hb_row[hb->hb_rows++].hr_hash = ha;
		else
			skip(hb, ha->ha_name, ha->ha_why);
		ho->ho_wrong |= ha->ha_state == HASH_WRONG;
	}
	if (ho->ho_digests == 0)
		hash_others(skip_other, hb);
	tell_skipped(hb);
	if (hb->hb_rows == 0)
		return (run_error("hash", "no digest is left to be timed"));
	return (EXIT_SUCCESS);
}

/* The table's columns: all sizes that were asked for, or a few. */
static void
print_table(const struct hash_options *ho)
{
	const struct hash_bench *hb = &ho->ho_bench;
	unsigned count = 0, i, k, shown[HASH_BENCH_SIZES_MAX];

	for (i = 0; i < hb->hb_sizes; i++) {
		for (k = 0; k < sizeof(sizes_shown) / sizeof(*sizes_shown);
		    k++)
			if (hb->hb_size[i] == sizes_shown[k])
				break;
		if (ho->ho_sizes ||
		    k < sizeof(sizes_shown) / sizeof(*sizes_shown) ||
		    ho->ho_by == (int)(HASH_BENCH_MESSAGE + i))
			shown[count++] = i;
	}
	hash_bench_print_table(stdout, hb, shown, count);
}

static int
show(const struct hash_options *ho, struct outfile *of)
{
	char *text = hash_bench_format_json(&ho->ho_bench);
	int error = 0;

	if (text == NULL)
		return (run_error("hash", "no memory"));
	if (ho->ho_output != NULL)
		error = outfile_commit(of, text, strlen(text));
	if (ho->ho_bench.hb_done == 0)
		;	/* nothing to show */
	else if (ho->ho_format == FORMAT_JSON)
		fputs(text, stdout);
	else if (ho->ho_format == FORMAT_CSV)
		hash_bench_print_csv(stdout, &ho->ho_bench);
	else
		print_table(ho);
	free(text);
	if (error != 0)
		return (run_error("hash", "%s: %s", ho->ho_output,
		    strerror(error)));
	return (EXIT_SUCCESS);
}

static int
measure(struct hash_options *ho)
{
	struct hash_bench *hb = &ho->ho_bench;
	struct outfile of = { .of_fd = -1 };
	int error, status;

	stop_catch_signals();
	status = load(ho);
	if (status != EXIT_SUCCESS)
		return (status);
	error = ho->ho_output == NULL ? 0 : outfile_open(&of, ho->ho_output);
	if (error != 0)
		return (run_error("hash", "%s: %s", ho->ho_output,
		    strerror(error)));
	error = hash_bench_run(hb);
	if (error == EINTR)
		status = run_error("hash", "interrupted: %u of %u repeats are "
		    "complete", hb->hb_done, hb->hb_repeats);
	else if (error == EIO)
		status = run_error("hash", "%s could no longer be computed",
		    crypto_failed());
	else if (error != 0)
		status = run_error("hash", "%s", strerror(error));
	if (hb->hb_done > 0)
		hash_bench_sort(hb, ho->ho_by);
	if (hb->hb_done > 0 || error == EINTR) {
		if (show(ho, &of) != EXIT_SUCCESS)
			status = EXIT_FAILURE;
	}
	outfile_abort(&of);
	return (ho->ho_wrong ? EXIT_FAILURE : status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	static struct hash_options ho;
	const struct arguments as = { .as_command = "hash",
	    .as_table = options, .as_options = OPTIONS, .as_set = set,
	    .as_context = &ho };
	bool help;
	int status;

	ho = (struct hash_options){ .ho_bench = { .hb_crypto = CRYPTO_NATIVE,
	    .hb_repeats = REPEATS, .hb_time_s = seconds_default } };
	ho.ho_digest = calloc(hash_count(), sizeof(*ho.ho_digest));
	if (ho.ho_digest == NULL)
		return (run_error("hash", "no memory"));
	status = arguments_parse(&as, &argc, argv, &help);
	if (status == 0 && !help) {
		if (!ho.ho_sizes) {
			CTASSERT(sizeof(sizes_default) <=
			    sizeof(ho.ho_bench.hb_size));
			memcpy(ho.ho_bench.hb_size, sizes_default,
			    sizeof(sizes_default));
			ho.ho_bench.hb_sizes = sizeof(sizes_default) /
			    sizeof(sizes_default[0]);
		}
		status = find_sort(&ho);
		if (status == 0)
			status = crypto_mode_enter(ho.ho_bench.hb_crypto,
			    whole) == 0 ? measure(&ho) : run_error("hash",
			    "cannot execute the program anew for --crypto");
	} else if (status == 0) {
		puts("Usage: rngsim hash [-d LIST] [-s LIST] [OPTIONS]\n\n"
		    "Times digests: of messages, and as conditioners of "
		    "what is harvested.\n");
		arguments_help(&as);
	}
	hash_bench_free(&ho.ho_bench);
	hash_unload_all();
	free(ho.ho_digest);
	return (status);
}

const struct command cmd_hash = {
	.cmd_name	= "hash",
	.cmd_args	= "[-d LIST] [-s LIST]",
	.cmd_descr	= "what digests cost, of messages and of events",
	.cmd_run	= run,
};
