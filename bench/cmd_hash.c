/*
 * rngsim hash: what digests cost, of messages and as conditioners of what is
 * harvested.  A subject is a hash; its ways: operations, or sizes of messages.
 */
#include "bench/cmd.h"
#include "bench/survey/survey.h"

enum {
	EVENT_ENTROPY	= 8,
	TABLE_WAYS	= 6,	/* of a line */
	/* The sizes in the table unless -s is given. */
	SHOWN_SHORT	= 16,
	SHOWN_LONG	= 8192
};

enum hash_way {
	/* Absorb 4 + 8 bytes, as random_fortuna_process_event() does. */
	HASH_EVENT,
	/* Drain a pool: hash, reset, hash of the hash, reset, new contexts. */
	HASH_FINISH,
	/* A message of the first size, with its context; more sizes follow. */
	HASH_MESSAGE
};

struct hash_work {
	const struct hash *hb_hash;
	struct digest	 hb_digest;	/* of hashes that are timed */
	const uint8_t	*hb_message;	/* of the largest size */
};

static const struct options *asked;

static const struct hash *
hash_of(const struct survey_subject *su)
{
	return (((const struct hash_work *)su->su_of)->hb_hash);
}

static int
absorb(struct window_state *wn, struct window_batch *wb)
{
	static const uint8_t entropy[EVENT_ENTROPY] = { 1, 2, 3, 4, 5, 6, 7 };
	struct digest *dg = &((struct hash_work *)wn->wn_object)->hb_digest;

	for (uint32_t n = 0; n < wb->wb_count; n++) {
		digest_update(dg, &n, sizeof(n));
		digest_update(dg, entropy, EVENT_ENTROPY);
	}
	return (0);
}

static int
drain(struct window_state *wn, struct window_batch *wb)
{
	struct digest *dg = &((struct hash_work *)wn->wn_object)->hb_digest;
	uint8_t s[HASH_BYTES_MAX], temp[HASH_BYTES_MAX];

	for (uint64_t n = 0; n < wb->wb_count; n++) {
		digest_finish(dg, temp);
		digest_reset(dg);
		digest_update(dg, temp, digest_bytes(dg));
		digest_finish(dg, s);
		digest_reset(dg);
		wipe(temp, digest_bytes(dg));
		digest_prepare(dg);
	}
	return (0);
}

static int
message(struct window_state *wn, struct window_batch *wb)
{
	const struct hash_work *hb = wn->wn_object;
	const struct hash *ha = hb->hb_hash;
	uint8_t out[HASH_BYTES_MAX];
	union hash_context hc;

	for (uint64_t n = 0; n < wb->wb_count; n++) {
		if (hash_init(ha, &hc) != 0) {
			crypto_fail(ha->ha_name);
			break;
		}
		hash_update(ha, &hc, hb->hb_message, wn->wn_word[0]);
		hash_finish(ha, &hc, out);
		hash_fini(ha, &hc);
	}
	return (0);
}

static const char *const way_names[HASH_MESSAGE + 1] = { "event", "finish",
    "message" };

/* Of a way that is a message. */
static unsigned
bytes_of(unsigned way)
{
	return ((unsigned)asked->op_sizes.ol_value[way - HASH_MESSAGE]);
}

static double
mb_per_s(const struct survey_subject *su, unsigned way)
{
	return (su->su_points[way].pt_per_s / 1e6 * bytes_of(way));
}

static double
ns_of(double per_s)
{
	return (1e9 / per_s);
}

/* A table of at most TABLE_WAYS ways. */
static void
print_ways(FILE *out, const struct survey *sv, const unsigned *ways, unsigned n)
{
	struct column columns[TABLE_WAYS + 3] = { { "digest", -19 },
	    { "out", 3 } };
	char buf[TABLE_WAYS + 2][32];
	const char *texts[TABLE_WAYS + 3];

	for (unsigned i = 0; i < n; i++)
		columns[2 + i] = (struct column){ ways[i] < HASH_MESSAGE ?
		    way_names[ways[i]] : format_bytes(buf[i],
		    bytes_of(ways[i])), FORMAT_WIDTH };
	columns[2 + n] = (struct column){ "+-%", 5 };
	putc('\n', out);
	columns_titles(out, columns, n + 3);
	for (unsigned s = 0; s < sv->sv_count; s++) {
		const struct survey_subject *su = &sv->sv_subjects[s];
		const struct survey_point *pt, *widest = NULL;

		if (su->su_error != 0)
			continue;
		texts[0] = su->su_name;
		texts[1] = format_count(buf[n], hash_of(su)->ha_bytes);
		for (unsigned i = 0; i < n; i++) {
			pt = &su->su_points[ways[i]];
			texts[2 + i] = format_real(buf[i], ns_of(pt->pt_per_s));
			if (i == 0 || survey_spread(pt) > survey_spread(widest))
				widest = pt;
		}
		texts[2 + n] = format_spread(buf[n + 1], widest);
		columns_row(out, columns, n + 3, texts);
	}
}

static void
hash_table(FILE *out, const struct survey *sv)
{
	unsigned *ways, count = 0;
	struct text where = { .s = "" };

	if (sv->sv_done == 0)
		return;
	ways = xcalloc(sv->sv_ways, sizeof(*ways));
	for (unsigned i = 0; i < hash_library_count; i++)
		text_add(&where, "%s %s", i == 0 ? ";" : ",",
		    hash_libraries[i]->hl_version());
	survey_print_head(out, sv, where.s, FORMATF(", crypto %s",
	    crypto_mode_names[asked->op_crypto]));
	for (unsigned i = 0; i < sv->sv_ways; i++)
		if (i < HASH_MESSAGE || GIVEN(asked, MESSAGE_SIZE) ||
		    bytes_of(i) == SHOWN_SHORT || bytes_of(i) == SHOWN_LONG)
			ways[count++] = i;
	for (unsigned i = 0; i < count; i += TABLE_WAYS)
		print_ways(out, sv, &ways[i], MIN(count - i, TABLE_WAYS));
	free(ways);
	format_wrap(out, "", 2, "ns of an event, of finishing a pool and of a "
	    "message of that size; +-% is half the 95 % interval, the widest "
	    "of the line.");
	if (sv->sv_done == 1)
		survey_print_unknown(out);
}

static void
hash_csv(FILE *out, const struct survey *sv)
{
	fputs("digest,library,output_bytes,what,message_bytes,ns,ns_p25,"
	    "ns_p75,mb_per_s,repeats,invariants,complete\n", out);
	for (unsigned i = 0; sv->sv_done > 0 && i < sv->sv_count * sv->sv_ways;
	    i++) {
		const struct survey_subject *su =
		    &sv->sv_subjects[i / sv->sv_ways];
		const struct hash *ha = hash_of(su);
		const unsigned way = i % sv->sv_ways;
		const struct survey_point *pt = &su->su_points[way];
		const bool message = way >= HASH_MESSAGE;

		if (su->su_error != 0)
			continue;
		fprintf(out, "%s,%s,%u,%s,%s,%.6g,%.6g,%.6g,%s,%u,%d,%d\n",
		    ha->ha_name, ha->ha_library->hl_name, ha->ha_bytes,
		    way_names[message ? HASH_MESSAGE : way], !message ? "" :
		    FORMATF("%u", bytes_of(way)), ns_of(pt->pt_per_s),
		    ns_of(pt->pt_quartiles[1]), ns_of(pt->pt_quartiles[0]),
		    !message ? "" : FORMATF("%.6g", mb_per_s(su, way)),
		    sv->sv_done, sv->sv_host.invariants, survey_complete(sv));
	}
}

static json_t *
cost_json(const struct survey_point *pt)
{
	return (json_pack("{s:f, s:f, s:f}", "ns", ns_of(pt->pt_per_s),
	    "ns_p25", ns_of(pt->pt_quartiles[1]),
	    "ns_p75", ns_of(pt->pt_quartiles[0])));
}

static json_t *
subject_json(const struct survey_subject *su, unsigned ways)
{
	const struct hash *ha = hash_of(su);
	json_t *message, *messages = json_array();

	for (unsigned k = HASH_MESSAGE; k < ways; k++) {
		message = json_pack("{s:i}", "bytes", (int)bytes_of(k));
		json_object_update_new(message, cost_json(&su->su_points[k]));
		json_object_set_new(message, "mb_per_s",
		    json_real(mb_per_s(su, k)));
		json_array_append_new(messages, message);
	}
	return (json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "name",
	    ha->ha_name, "algorithm", ha->ha_algorithm, "library",
	    ha->ha_library->hl_name, "output_bytes", (int)ha->ha_bytes, "event",
	    cost_json(&su->su_points[HASH_EVENT]), "finish",
	    cost_json(&su->su_points[HASH_FINISH]), "messages", messages));
}

static json_t *
hash_json(const struct survey *sv)
{
	json_t *libraries = json_object(), *digests = json_array();
	json_t *skipped = json_array();

	for (unsigned i = 0; i < sv->sv_count; i++) {
		const struct survey_subject *su = &sv->sv_subjects[i];

		if (su->su_error != 0)
			json_array_append_new(skipped, json_pack("{s:s, s:s}",
			    "name", su->su_name, "why", hash_of(su)->ha_why));
		/* Without a complete repeat there are no figures. */
		else if (sv->sv_done > 0)
			json_array_append_new(digests, subject_json(su,
			    sv->sv_ways));
	}
	for (unsigned i = 0; i < hash_library_count; i++)
		json_object_set_new(libraries, hash_libraries[i]->hl_name,
		    json_string(hash_libraries[i]->hl_version()));
	return (json_pack("{s:s, s:b, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, "
	    "s:f, s:o, s:o, s:o}", "schema", "rngsim-hash/1", "complete",
	    survey_complete(sv), "started", sv->sv_started, "crypto",
	    crypto_mode_names[asked->op_crypto], "cpu_model",
	    sv->sv_host.cpu_model, "kernel", sv->sv_host.kernel, "revision",
	    sv->sv_host.revision, "invariants", sv->sv_host.invariants,
	    "repeats", (int)sv->sv_repeats, "repeats_done", (int)sv->sv_done,
	    "time_s", sv->sv_time_s, "libraries", libraries, "digests", digests,
	    "skipped", skipped));
}

static const struct survey_kind hash_kind = { 200 * NS_PER_US, true, hash_json,
    hash_csv, hash_table };

static void
make_subject(struct survey_subject *su, struct hash *ha, unsigned ways,
    const uint8_t *text)
{
	enum hash_state state = hash_load(ha);
	struct hash_work *hb = su->su_of;

	TEXT_SET(su->su_name, ha->ha_name);
	su->su_error = state == HASH_READY ? 0 : state == HASH_WRONG ? EILSEQ :
	    ENOTSUP;
	hb->hb_hash = ha;
	hb->hb_message = text;
	if (su->su_error == 0 && digest_init(&hb->hb_digest, ha) != 0)
		no_memory();
	for (unsigned i = 0; i < ways; i++) {
		struct window_task *wt = &su->su_points[i].pt_task;

		wt->wtk_batch = i == HASH_EVENT ? absorb : i == HASH_FINISH ?
		    drain : message;
		wt->wtk_state.wn_object = hb;
		if (i >= HASH_MESSAGE)
			wt->wtk_state.wn_word[0] = bytes_of(i);
	}
}

static int
run(struct options *op)
{
	const struct option_list *chosen = &op->op_digests;
	struct survey sv = { .sv_kind = &hash_kind,
	    .sv_repeats = op->op_repeats, .sv_time_s = op->op_time_s };
	const size_t bytes = (size_t)option_list_max(&op->op_sizes) + 1;
	uint8_t *text = xmalloc(bytes);
	struct survey_subject *su;
	unsigned left = 0;
	bool wrong = false;
	int status;

	asked = op;
	for (size_t i = 0; i < bytes; i++)
		text[i] = (uint8_t)(i * i + i / 256);
	survey_make(&sv, chosen->ol_count > 0 ? chosen->ol_count : hash_count(),
	    HASH_MESSAGE + op->op_sizes.ol_count, sizeof(struct hash_work));
	for (unsigned i = 0; i < sv.sv_count; i++) {
		su = &sv.sv_subjects[i];
		make_subject(su, hash_get(chosen->ol_count > 0 ?
		    (unsigned)chosen->ol_value[i] : i), sv.sv_ways, text);
		left += su->su_error == 0;
		wrong |= su->su_error == EILSEQ;
		if (su->su_error != 0)
			(void)run_error("skipped: %s: %s", su->su_name,
			    hash_of(su)->ha_why);
	}
	status = left > 0 ? survey_command(&sv, op) :
	    run_error("no digest is left to be timed");
	for (unsigned i = 0; i < sv.sv_count; i++)
		digest_fini(
		    &((struct hash_work *)sv.sv_subjects[i].su_of)->hb_digest);
	survey_free(&sv);
	free(text);
	return (wrong ? EXIT_FAILURE : status);
}

const struct command cmd_hash = { NULL, run,
    NEEDS_MODE | NEEDS_STOP | NEEDS_THREAD };
