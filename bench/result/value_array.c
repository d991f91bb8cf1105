#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/value_array.h"

int
value_array(struct value_at *at, const json_t *object, const char *key,
    const json_t **array, size_t size, void **out, unsigned *count)
{
	const json_t *j;

	j = value_needed(at, object, key);
	if (j == NULL)
		return (EINVAL);
	if (!json_is_array(j))
		return (value_refuse(at, key, "not an array"));
	/* The file's size bounds this long before an unsigned does. */
	*out = calloc(json_array_size(j) + 1, size);
	if (*out == NULL)
		return (ENOMEM);
	*count = (unsigned)json_array_size(j);
	*array = j;
	return (0);
}

int
value_texts(struct value_at *at, const json_t *object, const char *key,
    bool is_needed, char ***out)
{
	const json_t *array;
	unsigned count, i;
	void *texts;
	int error;

	if (!is_needed && json_object_get(object, key) == NULL) {
		*out = calloc(1, sizeof(**out));
		return (*out == NULL ? ENOMEM : 0);
	}
	error = value_array(at, object, key, &array, sizeof(**out), &texts,
	    &count);
	if (error != 0)
		return (error);
	*out = texts;
	for (i = 0; i < count; i++) {
		const json_t *j = json_array_get(array, i);

		if (!json_is_string(j))
			return (value_refuse(at, key, "[%u]: not a string", i));
		(*out)[i] = strdup(json_string_value(j));
		if ((*out)[i] == NULL)
			return (ENOMEM);
	}
	return (0);
}

int
value_reals(struct value_at *at, const json_t *object, const char *key,
    double **out, unsigned *count)
{
	const json_t *array;
	void *reals;
	unsigned i;
	int error;

	error = value_array(at, object, key, &array, sizeof(**out), &reals,
	    count);
	if (error != 0)
		return (error);
	*out = reals;
	for (i = 0; error == 0 && i < *count; i++) {
		size_t up = value_enter(at, "%s", key);
		char place[16];

		snprintf(place, sizeof(place), "[%u]", i);
		error = value_real(at, json_array_get(array, i), place,
		    &(*out)[i]);
		value_leave(at, up);
	}
	return (error);
}

int
value_objects(struct value_at *at, const json_t *object, const char *key,
    size_t size, void **out, unsigned *count, value_element *element,
    const struct result_cell *cell)
{
	const json_t *array;
	unsigned i;
	int error;

	*count = 0;
	error = value_array(at, object, key, &array, size, out, count);
	for (i = 0; error == 0 && i < *count; i++) {
		const json_t *j = json_array_get(array, i);
		size_t up = value_enter(at, "%s[%u]", key, i);

		if (!json_is_object(j)) {
			error = value_refuse(at, "", "not an object");
		} else {
			value_enter(at, ".");
			error = element(at, j, (char *)*out + i * size, cell);
		}
		value_leave(at, up);
	}
	return (error);
}
