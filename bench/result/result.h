/*
 * A result: a rngsim-result(5) document in memory.  Measuring fills it; tables,
 * CSV and plots come from it, so a file's report shows what the run showed.
 *
 * The structures have the members that bench/result/result.tbl lists, which
 * says what each one is.  Units end the names: MB is 10^6 bytes, percent is of
 * one CPU.  Structures are written as JSON objects and read by tables of their
 * fields: arrays of struct field that end with a NULL key.
 */
#pragma once

#include <jansson.h>

#include "bench/cli/format.h"

#define	RESULT_SCHEMA	"rngsim-result/1"

/* What an interval was computed over. */
#define	RESULT_CI95_REPEATS	"repeats"
#define	RESULT_CI95_PARTS	"window parts"	/* too few repeats */

enum {
	RESULT_NAME_SIZE	= 32,
	RESULT_TEXT_SIZE	= 256,
	/* With fewer repeats, RESULT_CI95_PARTS. */
	RESULT_CI95_REPEATS_MIN	= 3,
	RESULT_SHA256_SIZE	= 2 * 32 + 1,	/* in hex */
	RESULT_FILE_MAX		= 256 << 20
};

/* Above this the digits written could round up past the largest double. */
#define	RESULT_REAL_MAX	1e300
#define	RESULT_DIGITS	15	/* so that a loaded file is written as it was */

/* Texts have no control characters; reals are finite. */
enum field_kind {
#define	KIND(name, ...)		FIELD_##name,
#include "bench/result/kind.tbl"
	FIELD_BUCKETS,		/* f_room counts; [index, count, ...] if > 0 */
	FIELD_OBJECT
};

/* How kinds are kept in memory. */
enum field_form {
	FORM_TEXT, FORM_WORDS, FORM_BOOL, FORM_UNSIGNED, FORM_UINT64,
	FORM_DOUBLE,
	FORM_BUCKETS,		/* uint32_t */
	FORM_OBJECT
};

struct field_type {
	enum field_form	ft_form;
	size_t		ft_size;	/* of one; 0: the field has it */
	/* The range of a number, and of a text's length. */
	double		ft_low, ft_high;
};

extern const struct field_type field_types[FIELD_OBJECT + 1];

enum field_shape {
	FIELD_ONE,
	FIELD_ARRAY,	/* a pointer to as many as f_count says */
	FIELD_EACH	/* a pointer to one for each reader */
};

/* How repeats combine (bool: MAX is or), and how a number is written. */
enum field_how {
	FIELD_HOW_0, FIELD_HOW_MEDIAN, FIELD_HOW_SUM, FIELD_HOW_MAX,
	FIELD_HOW_POINT		/* with a decimal point, also whole numbers */
};

struct field {
	const char	*f_key;
	enum field_kind	 f_kind;
	enum field_shape f_shape;
	enum field_how	 f_how;
	bool		 f_optional;	/* to read */
	unsigned	 f_column;	/* of CSV; 0: none */
	unsigned	 f_room;
	/* Offsets in the structure described. */
	size_t		 f_offset;
	size_t		 f_count;	/* of the unsigned that is the length */
	const char	*f_count_key;
	size_t		 f_when;	/* written when this is not all zero */
	size_t		 f_when_size;	/* 0: always */
	size_t		 f_size;	/* of an object */
	const struct field *f_table;	/* of an object */
};

/* Their types. */
#define	KIND(name, form, low, high, type) typedef __typeof__(type) field_##name;
#include "bench/result/kind.tbl"

/* The whole document is struct result. */
#define	result_document	result
#define	BEGIN(s, ...)			struct result_##s {
/* And result_cell_fields, result_document_fields, ... */
#define	END(s)				};				\
	extern const struct field result_##s##_fields[];
#define	FIELD(s, m, kind, ...)		field_##kind m;
#define	OBJECT(s, m, type, ...)		struct result_##type m;
#define	LIST(s, m, type, ...)		struct result_##type *m;
#define	ARRAY(s, m, kind, ...)		field_##kind *m;
#define	EACH(s, m, kind, ...)		field_##kind *m;
#define	DRAWS(s, m, text)		field_REAL *m;
#define	LENGTH(s, m)			unsigned m;
#define	ROWS(s, m, type, n, ...)	unsigned n; struct result_##type *m;
#include "bench/result/result.tbl"

/*
 * The structure at base as an object.  "readers" is the length of FIELD_EACH; 0
 * where the table has FIELD_READERS.
 */
json_t *field_format(const struct field *table, const void *base,
    unsigned readers);

/* All of a result but its cells; the host's members among the others. */
json_t *result_format_head(const struct result *r);

/*
 * Reads an object into the zeroed structure at base; field_free() that also
 * after a failure.  Other keys than the table's are ignored.  Returns: 0; or
 * EINVAL, with the path of the member and what is wrong with it.
 */
int field_read(const struct field *table, const json_t *object, void *base,
    unsigned readers, char error[RESULT_TEXT_SIZE]);

/* Frees what the structure at base points to; an array of words, or NULL. */
void field_free(const struct field *table, void *base);
void field_free_words(char **words);

/* Adds a copy of a word to such an array; compares two, which are not NULL. */
void field_add_word(char ***words, const char *word);
bool field_same_words(char *const a[], char *const b[]);

/* Whether a field is to be written. */
bool field_given(const struct field *f, const void *base);

/* Whether it is an array in JSON, the size of an element, and the elements. */
bool field_is_array(const struct field *f);
size_t field_size(const struct field *f);
void *field_elements(const struct field *f, const void *base);

/*
 * Adds one structure to another by FIELD_HOW_SUM and FIELD_HOW_MAX.  An object
 * of an array, without pointers, to the one with its names, or at the end.
 */
void field_merge(const struct field *table, void *to, const void *from);

/*
 * A document, which is released, as text with a newline at the end; printed,
 * indented by 1.  jansson finds memory, or ends the program.
 */
char *json_document(json_t *root, size_t flags);
void json_print(FILE *out, json_t *root);
/* Parses; NULL, and *where says why, also of a NUL, which jansson skips. */
json_t *json_read(const char *text, size_t len, json_error_t *where);

/* Adds a value; more than 255 bytes are cut.  NULL is "unknown". */
const char *json_add(struct text *t, const json_t *value);

/* An array of element(of, 0..n - 1). */
json_t *json_list(unsigned n, json_t *(*element)(const void *of, unsigned i),
    const void *of);

/* A string; bytes above 0x7f become '?' in a text that is not UTF-8. */
json_t *json_text_new(const char *text);

/* The document as JSON text, to be freed. */
char *result_format_json(const struct result *r);

/*
 * Reads a result from a file, or "-" for stdin; result_free() r.  On failure r
 * is untouched, and "error" says what is wrong and where: EINVAL for a file
 * that is not a whole document of this schema or fails result_check(), EFBIG
 * above RESULT_FILE_MAX bytes, or the error of open(2) or read(2).
 */
int result_load(const char *path, struct result *r,
    char error[RESULT_TEXT_SIZE]);

/* Frees everything that r points to. */
void result_free(struct result *r);

/* Fills in the host, but for clock_ns and profile_ns. */
void result_host_fill(struct result_host *host);

/* The current date and time, RFC 3339. */
void result_now(char text[RESULT_NAME_SIZE]);

/* Sets the numbers of a cell that are medians of its samples'. */
void result_set_medians(struct result_cell *c);

/*
 * Looks for what no measurement writes: a cell that is there twice, a repeat's
 * total that is not its readers' sum, medians that are not those of the
 * samples.  A median may leave out repeats that failed a gate.  Objects that
 * the samples lack are not looked at, and decimals may be rounded.  Returns: 0;
 * or EINVAL, with the member and what is wrong with it.
 */
int result_check(const struct result *r, char error[RESULT_TEXT_SIZE]);

/* Whether a repeat's total is the sum of its readers, *sum. */
bool result_check_sum(const struct result_sample *rs, unsigned readers,
    double *sum);

/*
 * Order by what was measured, of pointers to cells, for qsort(3).  Leaves out
 * spin_polls, which is a setting of the whole run.
 */
int result_cell_order(const void *left, const void *right);
