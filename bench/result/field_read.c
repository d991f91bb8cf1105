#include "bench/result/result.h"

enum { PATH_SIZE = 96 };

/* Where in the document the reader is. */
struct reader {
	char	*frd_error;	/* RESULT_TEXT_SIZE bytes */
	unsigned frd_readers;
	char	 frd_path[PATH_SIZE];	/* "cells[3].host." or "" */
};

static int read_table(struct reader *rd, const struct field *table,
    const json_t *object, void *base);

#define	refuse(rd, key, ...)						\
	((void)snprintf((rd)->frd_error, RESULT_TEXT_SIZE, "%s%s: ",	\
	    (rd)->frd_path, key),					\
	    APPEND((rd)->frd_error, RESULT_TEXT_SIZE, __VA_ARGS__), EINVAL)

/* Control characters would reach the terminal that shows a report. */
static int
read_text(struct reader *rd, const json_t *j, const struct field *f,
    const char *key, char *out)
{
	const struct field_type *ft = &field_types[f->f_kind];
	const char *text = json_string_value(j);
	size_t n = json_string_length(j);

	if (text == NULL)
		return (refuse(rd, key, "not a string"));
	if ((f->f_kind == FIELD_SHA256 || (f->f_kind == FIELD_HEX && n > 0)) &&
	    ((double)n < ft->ft_high ||
	    (double)strspn(text, "0123456789abcdef") < ft->ft_high))
		return (refuse(rd, key, "not %.0f hexadecimal digits",
		    ft->ft_high));
	if ((double)n < ft->ft_low)
		return (refuse(rd, key, "empty"));
	if ((double)n > ft->ft_high)
		return (refuse(rd, key, "longer than %.0f bytes", ft->ft_high));
	for (const char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return (refuse(rd, key, "has a control character"));
	memcpy(out, text, n + 1);
	return (0);
}

static int
read_integer(struct reader *rd, const json_t *j, const char *key,
    double low, double high, uint64_t *out)
{
	json_int_t v = json_integer_value(j);

	*out = (uint64_t)v;
	if (!json_is_integer(j))
		return (refuse(rd, key, "not an integer"));
	return ((double)v >= low && (double)v <= high ? 0 : refuse(rd, key,
	    "%" JSON_INTEGER_FORMAT " is out of range", v));
}

static int
read_words(struct reader *rd, const json_t *j, const char *key, char ***out)
{
	char **words;
	size_t n = json_array_size(j);
	const char *word;

	if (j != NULL && !json_is_array(j))
		return (refuse(rd, key, "not an array"));
	words = *out = xcalloc(n + 1, sizeof(*words));
	for (size_t i = 0; i < n; i++) {
		if ((word = json_string_value(json_array_get(j, i))) == NULL)
			return (refuse(rd, FORMATF("%s[%zu]", key, i),
			    "not a string"));
		words[i] = xstrdup(word);
	}
	return (0);
}

static int
read_buckets(struct reader *rd, const json_t *j, const struct field *f,
    const char *key, uint32_t *bucket)
{
	uint64_t at = 0, count = 0, least = 0;

	if (!json_is_array(j) || json_array_size(j) % 2 != 0)
		return (refuse(rd, key, "not a histogram"));
	for (size_t i = 0; i < json_array_size(j); i += 2) {
		if (read_integer(rd, json_array_get(j, i), key, (double)least,
		    f->f_room - 1.0, &at) != 0 || read_integer(rd,
		    json_array_get(j, i + 1), key, 1, UINT32_MAX, &count) != 0)
			return (EINVAL);
		bucket[at] = (uint32_t)count;
		least = at + 1;
	}
	return (0);
}

/* One member, or one element of an array; key is its name in messages. */
static int
read_one(struct reader *rd, const json_t *j, const struct field *f,
    const char *key, void *p)
{
	const struct field_type *ft = &field_types[f->f_kind];
	const size_t len = strlen(rd->frd_path);
	double *real = p;
	uint64_t v = 0;
	int error;

	switch (ft->ft_form) {
	case FORM_TEXT:
		return (read_text(rd, j, f, key, p));
	case FORM_WORDS:
		return (read_words(rd, j, key, p));
	case FORM_BOOL:
		*(bool *)p = json_is_true(j);
		return (json_is_boolean(j) ? 0 :
		    refuse(rd, key, "not true or false"));
	case FORM_UNSIGNED:
		error = read_integer(rd, j, key, ft->ft_low, ft->ft_high, &v);
		*(unsigned *)p = (unsigned)v;
		return (error);
	case FORM_UINT64:
		if (f->f_kind != FIELD_SEED)
			return (read_integer(rd, j, key, ft->ft_low,
			    ft->ft_high, p));
		*(uint64_t *)p = (uint64_t)json_integer_value(j);
		return ((json_is_string(j) ? parse_number(json_string_value(j),
		    p) == 0 : json_is_integer(j) && json_integer_value(j) >= 0)
		    ? 0 : refuse(rd, key, "not a number from 0 to 2^64 - 1"));
	case FORM_DOUBLE:
		*real = json_number_value(j);
		if (!json_is_number(j))
			return (refuse(rd, key, "not a number"));
		return (isfinite(*real) && *real >= ft->ft_low &&
		    *real <= ft->ft_high ? 0 :
		    refuse(rd, key, "%g is out of range", *real));
	case FORM_BUCKETS:
		return (read_buckets(rd, j, f, key, p));
	case FORM_OBJECT:
		if (!json_is_object(j))
			return (refuse(rd, key, "not an object"));
		snprintf(rd->frd_path + len, PATH_SIZE - len, "%s.", key);
		error = read_table(rd, f->f_table, j, p);
		rd->frd_path[len] = '\0';
		return (error);
	}
	return (refuse(rd, key, "of no known kind"));
}

static int
read_array(struct reader *rd, const json_t *j, const struct field *f,
    void *base)
{
	const bool counts = f->f_count_key != NULL;
	unsigned *count = (void *)((char *)base + f->f_count);
	size_t n = json_array_size(j);
	void *elements = field_elements(f, base);
	const double *pair;
	int error = 0;

	if (!json_is_array(j))
		return (refuse(rd, f->f_key, "not an array"));
	if (f->f_kind == FIELD_PAIR && n != 2)
		return (refuse(rd, f->f_key, "not [low, high]"));
	if (f->f_shape == FIELD_EACH && n != rd->frd_readers)
		return (refuse(rd, f->f_key, "%zu elements for %u readers", n,
		    rd->frd_readers));
	/* Its own field, if it has one, is read already. */
	if (counts && *count != 0 && n != *count)
		return (refuse(rd, f->f_key, "%zu elements, but %s is %u", n,
		    f->f_count_key, *count));
	if (f->f_shape == FIELD_ARRAY || f->f_shape == FIELD_EACH) {
		elements = xcalloc(n + 1, field_size(f));
		memcpy((char *)base + f->f_offset, &elements, sizeof(elements));
	}
	if (counts)
		*count = (unsigned)n;
	for (size_t i = 0; i < n && error == 0; i++)
		error = read_one(rd, json_array_get(j, i), f, FORMATF("%s[%zu]",
		    f->f_key, i), (char *)elements + i * field_size(f));
	pair = elements;
	if (error == 0 && f->f_kind == FIELD_PAIR && pair[0] > pair[1])
		error = refuse(rd, f->f_key, "not [low, high]");
	return (error);
}

static int
read_table(struct reader *rd, const struct field *table, const json_t *object,
    void *base)
{
	int error = 0;

	for (const struct field *f = table; f->f_key != NULL && error == 0;
	    f++) {
		const json_t *j = json_object_get(object, f->f_key);
		void *p = (char *)base + f->f_offset;

		if (j == NULL && !f->f_optional)
			return (refuse(rd, f->f_key, "missing"));
		/* A list of words always has its end. */
		if (j == NULL && f->f_kind != FIELD_WORDS)
			continue;
		error = field_is_array(f) ? read_array(rd, j, f, base) :
		    read_one(rd, j, f, f->f_key, p);
		if (f->f_kind != FIELD_READERS || error != 0)
			continue;
		rd->frd_readers = *(const unsigned *)p;
		if (rd->frd_readers == 0 && json_integer_value(
		    json_object_get(object, "producers")) <= 0)
			return (refuse(rd, f->f_key, "0 is out of range"));
	}
	return (error);
}

int
field_read(const struct field *table, const json_t *object, void *base,
    unsigned readers, char error_text[RESULT_TEXT_SIZE])
{
	struct reader rd = { .frd_error = error_text, .frd_readers = readers };

	return (json_is_object(object) ? read_table(&rd, table, object, base) :
	    refuse(&rd, "document", "not an object"));
}
