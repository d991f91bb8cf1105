#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_field.h"
#include "bench/result/result_uncertainty.h"

#define	MEMBER(type, member, kind)					\
	{ #member, RESULT_FIELD_##kind, true,				\
	    offsetof(struct type, member), NULL }
#define	END		{ NULL, RESULT_FIELD_NAME, false, 0, NULL }

static const struct result_field ranking[] = {
	MEMBER(result_ranking, by, NAME),
	MEMBER(result_ranking, better, NAME),
	MEMBER(result_ranking, worse, NAME),
	MEMBER(result_ranking, like, NAME),
	MEMBER(result_ranking, cipher, NAME),
	MEMBER(result_ranking, readers, COUNT),
	MEMBER(result_ranking, request_bytes, BYTES),
	MEMBER(result_ranking, share, REAL),
	MEMBER(result_ranking, robust, BOOL),
	END
};

static const struct result_field parameter[] = {
	MEMBER(result_parameter, key, NAME),
	MEMBER(result_parameter, provenance, NAME),
	END
};

static json_t *
reals(const double *v, unsigned n)
{
	json_t *array;
	unsigned i;

	array = json_array();
	for (i = 0; array != NULL && i < n; i++)
		if (json_array_append_new(array, json_real(v[i])) != 0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

json_t *
result_band_format(const struct result_band *rb)
{

	return (json_pack("{s:i, s:o, s:o, s:o}", "samples", (int)rb->samples,
	    "total_mb_per_s", reals(rb->total_mb_per_s, 2),
	    "harvest_cpu_percent", reals(rb->harvest_cpu_percent, 2),
	    "total_samples", reals(rb->total_samples, rb->samples)));
}

json_t *
result_uncertainty_format(const struct result_uncertainty *ru)
{
	json_t *params, *ranks;
	unsigned i;

	params = json_array();
	ranks = json_array();
	for (i = 0; params != NULL && i < ru->parameter_count; i++) {
		const struct result_parameter *rp = &ru->parameters[i];

		json_array_append_new(params, json_pack("{s:s, s:s, s:f}",
		    "key", rp->key, "provenance", rp->provenance, "effect",
		    rp->effect));
	}
	for (i = 0; ranks != NULL && i < ru->ranking_count; i++) {
		const struct result_ranking *rr = &ru->rankings[i];

		json_array_append_new(ranks, json_pack("{s:s, s:s, s:s, s:s, "
		    "s:s, s:i, s:I, s:f, s:b}", "by", rr->by, "better",
		    rr->better, "worse", rr->worse, "like", rr->like, "cipher",
		    rr->cipher, "readers", (int)rr->readers, "request_bytes",
		    (json_int_t)rr->request_bytes, "share", rr->share,
		    "robust", rr->robust));
	}
	if (params == NULL || ranks == NULL ||
	    json_array_size(params) != ru->parameter_count ||
	    json_array_size(ranks) != ru->ranking_count) {
		json_decref(params);
		json_decref(ranks);
		return (NULL);
	}
	return (json_pack("{s:s, s:i, s:o, s:o}", "profile", ru->profile,
	    "samples", (int)ru->samples, "parameters", params, "rankings",
	    ranks));
}

/* An array of exactly n numbers, or of as many as there are where n is 0. */
static int
load_reals(struct value_at *at, const json_t *object, const char *key,
    unsigned n, double *out)
{
	const json_t *array;
	unsigned i;
	int error = 0;

	array = value_needed(at, object, key);
	if (array == NULL)
		return (EINVAL);
	if (!json_is_array(array) || json_array_size(array) != n)
		return (value_refuse(at, key, "not an array of %u", n));
	for (i = 0; i < n && error == 0; i++)
		error = value_real(at, json_array_get(array, i), key, &out[i]);
	return (error);
}

static int
load_band(struct value_at *at, const json_t *object, const char *key,
    double band[2])
{
	int error;

	error = load_reals(at, object, key, 2, band);
	if (error == 0 && band[0] > band[1])
		error = value_refuse(at, key, "not [low, high]");
	return (error);
}

int
result_band_load(struct value_at *at, const json_t *object,
    struct result_band *rb)
{
	size_t up = value_enter(at, "uncertainty.");
	unsigned samples = 0;
	int error;

	error = json_is_object(object) ? value_count(at,
	    json_object_get(object, "samples"), "samples", &samples) :
	    value_refuse(at, "", "not an object");
	/* The file's size bounds the array before the number does. */
	if (error == 0 && samples != json_array_size(json_object_get(object,
	    "total_samples")))
		error = value_refuse(at, "total_samples", "not %u numbers",
		    samples);
	if (error == 0 && samples == 0)
		error = value_refuse(at, "samples", "0 is out of range");
	if (error == 0) {
		rb->total_samples = calloc(samples, sizeof(double));
		error = rb->total_samples == NULL ? ENOMEM : 0;
	}
	if (error == 0)
		error = load_reals(at, object, "total_samples", samples,
		    rb->total_samples);
	if (error == 0)
		error = load_band(at, object, "total_mb_per_s",
		    rb->total_mb_per_s);
	if (error == 0)
		error = load_band(at, object, "harvest_cpu_percent",
		    rb->harvest_cpu_percent);
	if (error == 0)
		rb->samples = samples;
	value_leave(at, up);
	return (error);
}

static int
load_parameter(struct value_at *at, const json_t *object, void *element)
{
	struct result_parameter *rp = element;
	const json_t *effect = json_object_get(object, "effect");
	int error;

	error = value_fields(at, object, parameter, rp);
	if (error != 0)
		return (error);
	if (!json_is_number(effect) || !(fabs(json_number_value(effect)) <= 1))
		return (value_refuse(at, "effect", "not a number from -1 to "
		    "1"));
	rp->effect = json_number_value(effect);
	return (0);
}

static int
load_ranking(struct value_at *at, const json_t *object, void *element)
{
	struct result_ranking *rr = element;
	int error;

	error = value_fields(at, object, ranking, rr);
	if (error == 0 && rr->share > 1)
		error = value_refuse(at, "share", "%g is out of range",
		    rr->share);
	return (error);
}

/* *out and *count are good for freeing whatever is returned. */
static int
load_objects(struct value_at *at, const json_t *object, const char *key,
    size_t size, void **out, unsigned *count,
    int (*load)(struct value_at *, const json_t *, void *))
{
	const json_t *array, *j;
	int error = 0;
	unsigned i;
	size_t up;

	array = value_needed(at, object, key);
	if (array == NULL)
		return (EINVAL);
	if (!json_is_array(array))
		return (value_refuse(at, key, "not an array"));
	*out = calloc(json_array_size(array) + 1, size);
	if (*out == NULL)
		return (ENOMEM);
	*count = (unsigned)json_array_size(array);
	for (i = 0; i < *count && error == 0; i++) {
		j = json_array_get(array, i);
		up = value_enter(at, "%s[%u].", key, i);
		error = json_is_object(j) ? load(at, j, (char *)*out +
		    i * size) : value_refuse(at, "", "not an object");
		value_leave(at, up);
	}
	return (error);
}

int
result_uncertainty_load(struct value_at *at, const json_t *object,
    struct result_uncertainty *ru)
{
	static const struct result_field top[] = {
		MEMBER(result_uncertainty, profile, TEXT),
		MEMBER(result_uncertainty, samples, COUNT),
		END
	};
	size_t up = value_enter(at, "uncertainty.");
	void *params = NULL, *ranks = NULL;
	int error;

	error = json_is_object(object) ? value_fields(at, object, top, ru) :
	    value_refuse(at, "", "not an object");
	if (error == 0)
		error = load_objects(at, object, "parameters",
		    sizeof(*ru->parameters), &params, &ru->parameter_count,
		    load_parameter);
	ru->parameters = params;
	if (error == 0)
		error = load_objects(at, object, "rankings",
		    sizeof(*ru->rankings), &ranks, &ru->ranking_count,
		    load_ranking);
	ru->rankings = ranks;
	value_leave(at, up);
	return (error);
}

void
result_band_free(struct result_band *rb)
{

	free(rb->total_samples);
	memset(rb, 0, sizeof(*rb));
}

void
result_uncertainty_free(struct result_uncertainty *ru)
{

	free(ru->parameters);
	free(ru->rankings);
	memset(ru, 0, sizeof(*ru));
}
