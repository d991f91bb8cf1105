#include "bench/result/result.h"

#define	OPTIONAL	.f_optional = true,
#define	MEDIAN		.f_how = FIELD_HOW_MEDIAN,
#define	SUM		.f_how = FIELD_HOW_SUM,
#undef MAX
#define	MAX		.f_how = FIELD_HOW_MAX,
#define	POINT		.f_how = FIELD_HOW_POINT,
#define	CSV(column)	.f_column = column,
#define	AT(s, m)	offsetof(struct result_##s, m)
#define	SIZE(s, m)	sizeof(((struct result_##s *)0)->m)
/* A text is empty if its first byte is 0. */
#define	WHEN(s, m)	.f_optional = true, .f_when = AT(s, m),		\
	.f_when_size = SIZE(s, m) > 2 * sizeof(double) ? 1 : SIZE(s, m),
#define	KEY(s, m)	.f_key = #m, .f_offset = AT(s, m)
#define	COUNT(s, n)	.f_count = AT(s, n), .f_count_key = #n
#define	TABLE(type)	.f_kind = FIELD_OBJECT,				\
	.f_size = sizeof(struct result_##type),				\
	.f_table = result_##type##_fields

#define	BEGIN(s, ...)	const struct field result_##s##_fields[] = {
#define	END(s)		{ .f_key = NULL } };
#define	FIELD(s, m, kind, flags, text)					\
	{ KEY(s, m), .f_kind = FIELD_##kind, flags },
#define	OBJECT(s, m, type, flags, text)	{ KEY(s, m), TABLE(type), flags },
#define	LIST(s, m, type, n, flags, text)				\
	{ KEY(s, m), TABLE(type), .f_shape = FIELD_ARRAY, COUNT(s, n), flags },
#define	ARRAY(s, m, kind, n, flags, text)				\
	{ KEY(s, m), .f_kind = FIELD_##kind, .f_shape = FIELD_ARRAY,	\
	    COUNT(s, n), flags },
#define	EACH(s, m, kind, flags, text)					\
	{ KEY(s, m), .f_kind = FIELD_##kind, .f_shape = FIELD_EACH, flags },
#define	DRAWS(s, m, text) ARRAY(s, m, REAL, samples, WHEN(s, m) POINT, text)
#define	LENGTH(s, m)
#define	ROWS				LIST
#include "bench/result/result.tbl"

const struct field_type field_types[FIELD_OBJECT + 1] = {
#define	KIND(name, form, low, high, type)				\
	[FIELD_##name] = { FORM_##form, sizeof(field_##name), low, high },
#include "bench/result/kind.tbl"
	[FIELD_BUCKETS] = { FORM_BUCKETS, 0, 1, UINT32_MAX },
	[FIELD_OBJECT] = { FORM_OBJECT, 0, 0, 0 }
};

bool
field_is_array(const struct field *f)
{
	return (f->f_shape != FIELD_ONE || f->f_kind == FIELD_PAIR);
}

size_t
field_size(const struct field *f)
{
	size_t size = field_types[f->f_kind].ft_size;

	return (f->f_kind == FIELD_PAIR ? sizeof(double) : size != 0 ? size :
	    f->f_kind == FIELD_BUCKETS ? f->f_room * sizeof(uint32_t) :
	    f->f_size);
}

void *
field_elements(const struct field *f, const void *base)
{
	const char *p = (const char *)base + f->f_offset;
	void *elements;

	if (f->f_shape != FIELD_ARRAY && f->f_shape != FIELD_EACH)
		return ((char *)(uintptr_t)p);
	memcpy(&elements, p, sizeof(elements));
	return (elements);
}

static unsigned
length(const struct field *f, const void *base, unsigned readers)
{
	unsigned n;

	if (f->f_kind == FIELD_PAIR)
		return (2);
	if (f->f_shape == FIELD_EACH)
		return (readers);
	memcpy(&n, (const char *)base + f->f_count, sizeof(n));
	return (n);
}

bool
field_given(const struct field *f, const void *base)
{
	const char *p = (const char *)base + f->f_when;

	for (size_t i = 0; i < f->f_when_size; i++)
		if (p[i] != 0)
			return (true);
	return (f->f_when_size == 0);
}

static json_t *
format_one(const struct field *f, const void *p, unsigned readers)
{
	const uint32_t *bucket = p;
	const double *v = p;
	const uint64_t *u = p;
	json_t *array;
	char text[32];

	switch (field_types[f->f_kind].ft_form) {
	case FORM_TEXT:
		return (json_text_new(p));
	case FORM_WORDS:
		array = json_array();
		for (char *const *w = *(char *const *const *)p; w != NULL &&
		    *w != NULL; w++)
			json_array_append_new(array, json_text_new(*w));
		return (array);
	case FORM_BOOL:
		return (json_boolean(*(const bool *)p));
	case FORM_UNSIGNED:
		return (json_integer(*(const unsigned *)p));
	case FORM_UINT64:
		/* JSON's usual integers end here; a larger seed is a string. */
		return (*u <= INT64_MAX ? json_integer((json_int_t)*u) :
		    json_sprintf("%" PRIu64, *u));
	case FORM_DOUBLE:
		KASSERT(isfinite(*v) && fabs(*v) <= RESULT_REAL_MAX,
		    ("%s: %g has no place in a result", f->f_key, *v));
		/* Whole if it reads back so, as 1 - 2^-53 does. */
		snprintf(text, sizeof(text), "%.*g", RESULT_DIGITS, *v);
		return (f->f_how != FIELD_HOW_POINT && strpbrk(text, ".e") ==
		    NULL ? json_integer(llrint(*v)) : json_real(*v));
	case FORM_BUCKETS:
		/* Those that are not empty, each with its number before it. */
		array = json_array();
		for (unsigned i = 0; i < f->f_room; i++)
			if (bucket[i] != 0) {
				json_array_append_new(array, json_integer(i));
				json_array_append_new(array,
				    json_integer(bucket[i]));
			}
		return (array);
	case FORM_OBJECT:
		return (field_format(f->f_table, p, readers));
	}
	return (NULL);
}

json_t *
field_format(const struct field *table, const void *base, unsigned readers)
{
	json_t *object = json_object(), *value;
	const char *elements;
	unsigned n;

	for (const struct field *f = table; f->f_key != NULL; f++) {
		elements = field_elements(f, base);
		if (f->f_kind == FIELD_READERS)
			readers = *(const unsigned *)(const void *)elements;
		if (!field_given(f, base))
			continue;
		value = field_is_array(f) ? json_array() :
		    format_one(f, elements, readers);
		n = field_is_array(f) ? length(f, base, readers) : 0;
		KASSERT(elements != NULL || n == 0, ("%s: %u of nothing",
		    f->f_key, n));
		for (unsigned i = 0; i < n; i++)
			json_array_append_new(value, format_one(f, elements +
			    i * field_size(f), readers));
		json_object_set_new(object, f->f_key, value);
	}
	return (object);
}

void
field_free_words(char **words)
{
	for (char **w = words; w != NULL && *w != NULL; w++)
		free(*w);
	free(words);
}

void
field_add_word(char ***words, const char *word)
{
	size_t n = 0;

	while (*words != NULL && (*words)[n] != NULL)
		n++;
	*words = xreallocarray(*words, n + 2, sizeof(**words));
	(*words)[n] = xstrdup(word);
	(*words)[n + 1] = NULL;
}

void
field_free(const struct field *table, void *base)
{
	unsigned n;
	char *p;

	for (const struct field *f = table; f->f_key != NULL; f++) {
		p = field_elements(f, base);
		if (f->f_kind == FIELD_WORDS)
			field_free_words(*(char ***)(void *)p);
		n = f->f_kind != FIELD_OBJECT || p == NULL ? 0 :
		    f->f_shape == FIELD_ONE ? 1 : length(f, base, 0);
		for (unsigned i = 0; i < n; i++)
			field_free(f->f_table, p + i * f->f_size);
		if (f->f_shape == FIELD_ARRAY || f->f_shape == FIELD_EACH)
			free(p);
	}
}

bool
field_same_words(char *const a[], char *const b[])
{
	for (; *a != NULL && *b != NULL; a++, b++)
		if (strcmp(*a, *b) != 0)
			return (false);
	return (*a == *b);
}

static bool
same_names(const struct field *table, const void *a, const void *b)
{
	for (const struct field *f = table; f->f_key != NULL; f++) {
		const char *pa = (const char *)a + f->f_offset;
		const char *pb = (const char *)b + f->f_offset;

		if (f->f_kind == FIELD_NAME ? strcmp(pa, pb) != 0 :
		    f->f_kind == FIELD_OBJECT && f->f_shape == FIELD_ONE &&
		    !same_names(f->f_table, pa, pb))
			return (false);
	}
	return (true);
}

static void
merge_number(const struct field *f, void *to, const void *from)
{
	const bool sum = f->f_how == FIELD_HOW_SUM;
	uint64_t *u = to, more;
	double *d = to, v;

	switch (field_types[f->f_kind].ft_form) {
	case FORM_BOOL:
		*(bool *)to |= *(const bool *)from;
		break;
	case FORM_UINT64:
		more = *(const uint64_t *)from;
		*u = sum ? *u + more : more > *u ? more : *u;
		break;
	case FORM_DOUBLE:
		v = *(const double *)from;
		*d = sum ? *d + v : fmax(*d, v);
		break;
	case FORM_BUCKETS:
		for (unsigned i = 0; i < f->f_room; i++)
			((uint32_t *)to)[i] += ((const uint32_t *)from)[i];
		break;
	default:
		MPASS(false);
	}
}

static void
merge_objects(const struct field *f, void *to, const void *from)
{
	unsigned *count = (void *)((char *)to + f->f_count);
	unsigned k, n = length(f, from, 0);
	const char *p = field_elements(f, from);
	char *all = xreallocarray(field_elements(f, to), (size_t)*count + n,
	    f->f_size);

	memcpy((char *)to + f->f_offset, &all, sizeof(all));
	for (unsigned i = 0; i < n; i++, p += f->f_size) {
		for (k = 0; k < *count; k++)
			if (same_names(f->f_table, all + k * f->f_size, p))
				break;
		if (k < *count)
			field_merge(f->f_table, all + k * f->f_size, p);
		else
			memcpy(all + (*count)++ * f->f_size, p, f->f_size);
	}
}

void
field_merge(const struct field *table, void *to, const void *from)
{
	for (const struct field *f = table; f->f_key != NULL; f++) {
		void *p = (char *)to + f->f_offset;
		const void *more = (const char *)from + f->f_offset;

		if (f->f_how == FIELD_HOW_SUM || f->f_how == FIELD_HOW_MAX)
			merge_number(f, p, more);
		else if (f->f_kind == FIELD_OBJECT && f->f_shape != FIELD_ONE)
			merge_objects(f, to, from);
		else if (f->f_kind == FIELD_OBJECT)
			field_merge(f->f_table, p, more);
	}
}
