/*
 * A validation as a document for programs.
 */
#include <jansson.h>

#include "bench/result/json_text.h"
#include "bench/validate/validate.h"

enum { DIGITS = 12, INDENT = 1 };

static json_t *
laws_json(const struct validate_cell *vc)
{
	json_t *laws = json_object();
	unsigned by;

	for (by = VALIDATE_LINEAR; by < VALIDATORS; by++)
		if (vc->vc_has[by])
			json_object_set_new(laws, validate_names[by],
			    json_real(vc->vc_total[by]));
	return (laws);
}

/* What of a cell is compared. */
static json_t *
side_json(const struct result_cell *rc)
{

	return (json_pack("{s:f, s:[f, f], s:f, s:f, s:f}",
	    "total_mb_per_s", rc->total_mb_per_s, "total_mb_per_s_ci95",
	    rc->total_mb_per_s_ci95[0], rc->total_mb_per_s_ci95[1],
	    "harvest_cpu_percent", rc->harvest.cpu_percent,
	    "latency_p50_ns", rc->latency_ns.p50,
	    "latency_p99_ns", rc->latency_ns.p99));
}

static json_t *
cell_json(const struct validate_cell *vc)
{
	const struct result_cell *mc = vc->vc_measured;

	return (json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:b, s:b, s:o, "
	    "s:o, s:o, s:o, s:f, s:o, s:b}",
	    "design", mc->design, "lock", mc->lock, "cipher", mc->cipher,
	    "crypto", mc->crypto, "readers", (int)mc->readers,
	    "request_bytes", (json_int_t)mc->request_bytes,
	    "gate", mc->gate, "oversubscribed", mc->oversubscribed,
	    "judged", vc->vc_judged, "hold_share", vc->vc_profiled ?
	    json_real(vc->vc_busy) : json_null(),
	    "saturated", vc->vc_profiled ? json_boolean(vc->vc_saturated) :
	    json_null(),
	    "measured", side_json(mc), "predicted", side_json(vc->vc_predicted),
	    "error", vc->vc_total[VALIDATE_VIRTUAL] / mc->total_mb_per_s - 1,
	    "laws_mb_per_s", laws_json(vc), "usl_fitted", vc->vc_fitted));
}

static json_t *
name_json(const struct validate_cell *vc)
{
	const struct result_cell *mc;

	if (vc == NULL)
		return (json_null());
	mc = vc->vc_measured;
	return (json_pack("{s:s, s:s, s:s, s:i, s:I}", "design", mc->design,
	    "lock", mc->lock, "cipher", mc->cipher, "readers",
	    (int)mc->readers, "request_bytes", (json_int_t)mc->request_bytes));
}

static json_t *
ranks_json(const struct agreement_ranks *ar)
{

	return (json_pack("{s:i, s:i, s:o}", "pairs", (int)ar->ar_pairs,
	    "told_apart", (int)ar->ar_told, "tau", ar->ar_told == 0 ?
	    json_null() : json_real(agreement_tau(ar))));
}

static json_t *
error_json(const struct agreement *ag, const struct validate_cell *worst,
    const struct agreement_ranks *ar)
{

	return (json_pack("{s:i, s:f, s:f, s:o, s:f, s:o}",
	    "cells", (int)ag->ag_count, "mape_percent", 100 * ag->ag_mape,
	    "worst_percent", 100 * ag->ag_worst, "worst_cell",
	    name_json(worst), "bias", ag->ag_bias, "ranks", ranks_json(ar)));
}

static json_t *
off_json(const struct validate_off *vo)
{

	return (json_pack("{s:i, s:f, s:f, s:o}",
	    "cells", (int)vo->vo_distance.ad_count,
	    "mean", vo->vo_distance.ad_mean,
	    "worst", vo->vo_distance.ad_worst,
	    "worst_cell", name_json(vo->vo_worst)));
}

static json_t *
readers_json(const struct validation *va)
{
	json_t *list = json_array(), *row;
	unsigned by, i;

	for (i = 0; i < va->va_rank_count; i++) {
		row = json_pack("{s:i}", "readers",
		    (int)va->va_ranks[i].vr_readers);
		for (by = 0; by < VALIDATORS; by++)
			json_object_set_new(row, validate_names[by],
			    ranks_json(&va->va_ranks[i].vr_by[by]));
		json_array_append_new(list, row);
	}
	return (list);
}

static json_t *
checks_json(const struct validation *va)
{
	const struct validate_check *vk;
	json_t *list = json_array();
	unsigned i;

	for (i = 0; i < VALIDATE_TARGETS; i++) {
		vk = &va->va_check[i];
		json_array_append_new(list, json_pack("{s:s, s:f, s:b, s:o, "
		    "s:o}", "name", vk->vk_name, "limit", vk->vk_limit,
		    "least", vk->vk_least, "found", vk->vk_judged ?
		    json_real(vk->vk_found) : json_null(),
		    "met", vk->vk_judged ? json_boolean(vk->vk_met) :
		    json_null()));
	}
	return (list);
}

static json_t *
summary_json(const struct validation *va)
{
	json_t *root = json_object();
	unsigned by;

	for (by = 0; by < VALIDATORS; by++)
		json_object_set_new(root, validate_names[by],
		    error_json(&va->va_error[by], va->va_worst[by],
		    &va->va_all[by]));
	json_object_set_new(root, "one_reader", json_pack("{s:i, s:f, s:f}",
	    "cells", (int)va->va_alone.ag_count,
	    "mape_percent", 100 * va->va_alone.ag_mape,
	    "bias", va->va_alone.ag_bias));
	json_object_set_new(root, "ranks", readers_json(va));
	json_object_set_new(root, "harvest_saturated_points",
	    off_json(&va->va_saturated));
	json_object_set_new(root, "harvest_idle_points",
	    off_json(&va->va_idle));
	json_object_set_new(root, "latency_p50_octaves",
	    off_json(&va->va_p50));
	json_object_set_new(root, "latency_p99_octaves",
	    off_json(&va->va_p99));
	json_object_set_new(root, "judged", json_integer(va->va_judged));
	json_object_set_new(root, "gated", json_integer(va->va_gated));
	json_object_set_new(root, "left_out", json_integer(va->va_left_out));
	json_object_set_new(root, "targets", checks_json(va));
	json_object_set_new(root, "met", json_boolean(va->va_met));
	return (root);
}

char *
validate_format_json(const struct validation *va,
    const struct result *measured, const struct result *predicted)
{
	const struct result_cell *pc = &predicted->cells[0];
	json_t *cells = json_array(), *root;
	char *text = NULL;
	unsigned i;

	for (i = 0; i < va->va_count; i++)
		json_array_append_new(cells, cell_json(&va->va_cells[i]));
	root = json_pack("{s:s, s:s, s:s, s:s, s:f, s:I, s:o, s:o}",
	    "schema", "rngsim-validate/1",
	    "host", measured->host.cpu_model, "measured", measured->started,
	    "profile", pc->profile, "guessed_share", pc->guessed_share,
	    "seed", (json_int_t)predicted->seed,
	    "summary", summary_json(va), "cells", cells);
	if (root != NULL && json_array_size(cells) == va->va_count)
		text = json_text(root, JSON_INDENT(INDENT) |
		    JSON_REAL_PRECISION(DIGITS));
	json_decref(root);
	return (text);
}
