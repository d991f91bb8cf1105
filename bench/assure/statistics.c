/* Blocks that come twice in what "rngsim cat" writes, searched exactly. */
#include "bench/assure/duplicates.h"
#include "bench/assure/evidence.h"
#include "bench/kernel/ksource.h"
#include "lib/crypto/cipher.h"

enum {
	READERS		= 3,
	REQUESTS_PER_S	= 2000,	/* of budget; takes less than that */
	REQUESTS_MAX	= 20000,
	FIRST_BLOCKS	= 1 << 12,
	BLOCK_MAX_BYTES	= 1 << 12
};

/* A part of a block; one; more; a page.  Each from a generator of its own. */
static const size_t sizes[] = { 16, 32, 64, 256, 4096 };

void
duplicates_fini(struct duplicates *du)
{
	if (du->du_blocks != NULL)
		wipe(du->du_blocks, du->du_count * sizeof(*du->du_blocks));
	free(du->du_blocks);
	memset(du, 0, sizeof(*du));
}

void
duplicates_add(struct duplicates *du, uint64_t byte, const void *block)
{
	struct duplicates_block db = { .db_byte = byte };

	memcpy(db.db_word, block, sizeof(db.db_word));
	if (du->du_count == du->du_room) {
		du->du_room = 2 * du->du_room + FIRST_BLOCKS;
		du->du_blocks = xreallocarray(du->du_blocks, du->du_room,
		    sizeof(db));
	}
	du->du_blocks[du->du_count++] = db;
}

void
duplicates_read(struct duplicates *du, FILE *in)
{
	uint8_t block[BLOCK_MAX_BYTES];
	uint64_t byte = 0;

	MPASS(du->du_block_bytes >= DUPLICATES_KEPT_BYTES &&
	    du->du_block_bytes <= sizeof(block));
	for (; fread(block, du->du_block_bytes, 1, in) == 1;
	    byte += du->du_block_bytes)
		duplicates_add(du, byte, block);
	wipe(block, sizeof(block));
}

static int
compare(const void *a, const void *b)
{
	const struct duplicates_block *x = a, *y = b;
	const int c = memcmp(x->db_word, y->db_word, sizeof(x->db_word));

	return (c != 0 ? c : (x->db_byte > y->db_byte) -
	    (x->db_byte < y->db_byte));
}

void
duplicates_find(struct duplicates *du, struct duplicates_found *df)
{
	const struct duplicates_block *db = du->du_blocks;

	memset(df, 0, sizeof(*df));
	if (du->du_count > 0)
		qsort(du->du_blocks, du->du_count, sizeof(*db), compare);
	for (size_t i = 1; i < du->du_count; i++) {
		if (memcmp(db[i - 1].db_word, db[i].db_word,
		    sizeof(db[i].db_word)) != 0)
			continue;
		if (df->df_duplicates++ == 0 || db[i].db_byte < df->df_again) {
			df->df_first = db[i - 1].db_byte;
			df->df_again = db[i].db_byte;
		}
	}
}

/* Whether to go on. */
static bool
scan(const struct assure_params *ap, const struct cipher *cipher,
    size_t request_bytes, uint64_t requests, uint64_t *blocks,
    struct evidence_row *row)
{
	struct duplicates du = { .du_block_bytes = request_bytes <
	    cipher->ci_block_bytes ? request_bytes : cipher->ci_block_bytes };
	static const uint8_t none[DUPLICATES_KEPT_BYTES];
	const char *argv[PROGRAM_WORDS];
	struct child ch = { .cld_argv = argv, .cld_fd = { 0, CHILD_PIPE, 0 } };
	struct duplicates_found again, df;
	char words[PROGRAM_SCRIPT_SIZE];
	FILE *in = NULL;
	int status = 0;

	snprintf(words, sizeof(words), "cat -d %s -c %s -r %d -s %zu "
	    "--interleave %zu -n %" PRIu64,
	    ksource_words(ap->ap_design->de_ident), cipher->ci_name, READERS,
	    request_bytes, request_bytes, requests * request_bytes);
	program_words(ap->ap_program, words, argv);
	if (child_start(&ch) == 0) {
		if ((in = fdopen(ch.cld_out, "r")) == NULL)
			no_memory();
		duplicates_read(&du, in);
		fclose(in);
		status = child_wait(ch.cld_pid);
	}
	duplicates_find(&du, &df);
	*blocks += du.du_count;
	/* Once more, with a copy of one block at the end. */
	duplicates_add(&du, UINT64_MAX, du.du_count == 0 ? (const void *)none :
	    du.du_blocks[du.du_count / 2].db_word);
	duplicates_find(&du, &again);
	if (in == NULL)
		row_missing(row, "No process. ");
	else if (status != 0) {
		row->er_state = EVIDENCE_FAILS;
		program_say_end(status, STDERR_FILENO, row);
	} else if (df.df_duplicates > 0)
		row_fails(row, "%s, requests of %zu bytes: %" PRIu64 " of %zu "
		    "blocks come twice; byte %" PRIu64 " of the output repeats "
		    "byte %" PRIu64 ". ", cipher->ci_name, request_bytes,
		    df.df_duplicates, du.du_count - 1, df.df_again,
		    df.df_first);
	else if (again.df_duplicates != 1 || again.df_again != UINT64_MAX)
		row_fails(row, "%s, requests of %zu bytes: a planted copy is "
		    "not found, so the search shows nothing. ",
		    cipher->ci_name, request_bytes);
	duplicates_fini(&du);
	if (row->er_state != EVIDENCE_HOLDS)
		evidence_say(row->er_replay, "rngsim %s", words);
	return (row->er_state == EVIDENCE_HOLDS);
}

void
statistics_gather(const struct assure_params *ap, struct evidence_row *row)
{
	const double wanted = ap->ap_budget_s * REQUESTS_PER_S;
	const uint64_t requests = READERS * (wanted > REQUESTS_MAX ?
	    REQUESTS_MAX : wanted < 1 ? 1 : (uint64_t)wanted);
	uint64_t blocks;
	unsigned c, i;

	evidence_say(row->er_bounds, "%d readers of", READERS);
	for (i = 0; i < nitems(sizes); i++)
		evidence_say(row->er_bounds, "%s %zu", i == 0 ? "" :
		    i == nitems(sizes) - 1 ? " or" : ",", sizes[i]);
	evidence_say(row->er_bounds, " bytes, lock mtx.");
	for (c = 0; c < design_info(ap->ap_design).di_ciphers; c++) {
		blocks = 0;
		for (i = 0; i < nitems(sizes); i++)
			if (!scan(ap, ciphers[c], sizes[i], requests, &blocks,
			    row))
				return;
		row_says(row, "%s: no block, or shorter request, comes twice: "
		    "%" PRIu64 " different ones in %" PRIu64 " requests of %d "
		    "readers. Planted copies are found. ",
		    ciphers[c]->ci_name, blocks, nitems(sizes) * requests,
		    READERS);
	}
	row_says(row, "Statistical tests find gross faults only: "
	    "rngsim-cat(1).");
}
