#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/validate/validate.h"
#include "bench/validate/validate_words.h"
#include "lib/cipher.h"
#include "lib/cpu.h"

enum {
	NUMBER_SIZE	= 24,
	SEEDS		= 3	/* repeats of what is simulated */
};

static const char time_default[] = "0.25";
static const char lock_profile_tunable[] = "debug.lock.prof.enable=";

static void
add_word(struct validate_words *vw, const char *word)
{

	KASSERT(vw->vw_count < VALIDATE_WORDS_MAX, ("too many words"));
	vw->vw_word[vw->vw_count++] = (char *)(uintptr_t)word;
}

static void
add_option(struct validate_words *vw, enum validate_option i,
    const char *value)
{
	static const char *const names[] = { "-c", "-d", "-l", "-r", "-s", "-t",
	    "--crypto", "--place" };

	add_word(vw, names[i]);
	add_word(vw, value);
}

/* Room for a value that is made here. */
static char *
text(struct validate_words *vw)
{

	KASSERT(vw->vw_texts < VALIDATE_TEXTS, ("too many texts"));
	return (vw->vw_text[vw->vw_texts++]);
}

/* Adds a name to a list, once; not where there is no room. */
static void
list_add(char *list, const char *name)
{
	size_t n = strlen(name), used = strlen(list);
	const char *at;

	for (at = list; (at = strstr(at, name)) != NULL; at += n)
		if ((at == list || at[-1] == ',') &&
		    (at[n] == ',' || at[n] == '\0'))
			return;
	if (used + n + 2 < VALIDATE_LIST_SIZE)
		snprintf(list + used, VALIDATE_LIST_SIZE - used, "%s%s",
		    used == 0 ? "" : ",", name);
}

static void
default_designs(char *list)
{
	unsigned i;

	for (i = 0; i < generator_count; i++)
		if (validate_takes_design(generators[i]->ra_ident))
			list_add(list, generators[i]->ra_ident);
}

static void
default_locks(char *list)
{
	unsigned i;

	for (i = 0; i < lock_class_count; i++)
		if (validate_takes_lock(lock_classes[i]->lc_name))
			list_add(list, lock_classes[i]->lc_name);
}

void
validate_words(struct validate_words *vw, const struct validate_options *vo)
{
	char *list;
	unsigned i;

	memset(vw, 0, sizeof(*vw));
	add_word(vw, "validate");
	for (i = 0; i <= VALIDATE_PLACE; i++)
		if (vo->vo_value[i] != NULL)
			add_option(vw, (enum validate_option)i,
			    vo->vo_value[i]);
	if (vo->vo_value[VALIDATE_DESIGN] == NULL) {
		list = text(vw);
		default_designs(list);
		add_option(vw, VALIDATE_DESIGN, list);
	}
	if (vo->vo_value[VALIDATE_LOCK] == NULL) {
		list = text(vw);
		default_locks(list);
		add_option(vw, VALIDATE_LOCK, list);
	}
	if (vo->vo_value[VALIDATE_READERS] == NULL) {
		list = text(vw);
		snprintf(list, VALIDATE_LIST_SIZE, "1-%u", cpu_count());
		add_option(vw, VALIDATE_READERS, list);
	}
	if (vo->vo_value[VALIDATE_TIME] == NULL)
		add_option(vw, VALIDATE_TIME, time_default);
	for (i = 0; i < vo->vo_tunables; i++) {
		add_word(vw, "-S");
		add_word(vw, vo->vo_tunable[i]);
	}
}

/* The values that cells have, and the first cell. */
static const struct result_cell *
collect(const struct result *r, char *list[VALIDATE_SIZE + 1])
{
	const struct result_cell *first = NULL, *rc;
	char number[NUMBER_SIZE];
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		rc = &r->cells[i];
		if (!validate_takes(rc) || (first != NULL &&
		    strcmp(first->crypto, rc->crypto) != 0))
			continue;
		first = first != NULL ? first : rc;
		list_add(list[VALIDATE_CIPHER], rc->cipher);
		list_add(list[VALIDATE_DESIGN], rc->design);
		list_add(list[VALIDATE_LOCK], rc->lock);
		snprintf(number, sizeof(number), "%u", rc->readers);
		list_add(list[VALIDATE_READERS], number);
		snprintf(number, sizeof(number), "%" PRIu64,
		    rc->request_bytes);
		list_add(list[VALIDATE_SIZE], number);
	}
	return (first);
}

bool
validate_words_of(struct validate_words *vw, const struct validate_options *vo,
    const struct result *r)
{
	const struct result_cell *first;
	char *list[VALIDATE_SIZE + 1];
	unsigned i;

	memset(vw, 0, sizeof(*vw));
	add_word(vw, "validate");
	for (i = 0; i <= VALIDATE_SIZE; i++)
		list[i] = text(vw);
	first = collect(r, list);
	if (first == NULL)
		return (false);
	for (i = 0; i <= VALIDATE_SIZE; i++)
		add_option(vw, (enum validate_option)i, list[i]);
	add_option(vw, VALIDATE_CRYPTO, first->crypto);
	add_option(vw, VALIDATE_TIME, vo->vo_value[VALIDATE_TIME] != NULL ?
	    vo->vo_value[VALIDATE_TIME] : time_default);
	if (r->place[0] != '\0')
		add_option(vw, VALIDATE_PLACE, r->place);
	for (i = 0; r->tunables[i] != NULL && i < VALIDATE_TUNABLES_MAX; i++) {
		/* A simulated machine's locks are always profiled. */
		if (strncmp(r->tunables[i], lock_profile_tunable,
		    sizeof(lock_profile_tunable) - 1) == 0)
			continue;
		add_word(vw, "-S");
		add_word(vw, r->tunables[i]);
	}
	return (true);
}

int
validate_words_parse(struct validate_words *vw,
    const struct validate_options *vo, bool simulated, struct options *op)
{
	char seed[NUMBER_SIZE], seeds[NUMBER_SIZE];
	int status;

	snprintf(seed, sizeof(seed), "%" PRIu64, vo->vo_seed);
	snprintf(seeds, sizeof(seeds), "%d", SEEDS);
	add_word(vw, "--seed");
	add_word(vw, vo->vo_value[VALIDATE_SEED] != NULL ?
	    vo->vo_value[VALIDATE_SEED] : seed);
	if (simulated) {
		add_word(vw, "--engine");
		add_word(vw, VIRTUAL_NAME);
		add_word(vw, "--profile");
		add_word(vw, vo->vo_value[VALIDATE_PROFILE] != NULL ?
		    vo->vo_value[VALIDATE_PROFILE] : "host");
		add_word(vw, "-n");
		add_word(vw, seeds);
	} else if (vo->vo_value[VALIDATE_REPEATS] != NULL) {
		add_word(vw, "-n");
		add_word(vw, vo->vo_value[VALIDATE_REPEATS]);
	}
	vw->vw_word[vw->vw_count] = NULL;
	status = options_parse(op, OPTIONS_SWEEP, vw->vw_count, vw->vw_word);
	/* What is not Fortuna's is not judged. */
	op->op_config.bc_program.controls = false;
	return (status);
}
