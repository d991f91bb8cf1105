/*
 * Runs that continue: what they were begun with.
 */
#include <fcntl.h>
#include <unistd.h>

#include <zlib.h>

#include "bench/kernel/ksource.h"
#include "bench/options/options.h"
#include "bench/result/json_text.h"

enum { CHUNK = 1 << 14 };

/* A sum of a file's contents: its name stays, the file may not. */
static uLong
sum_of_file(const char *path)
{
	uLong sum = 0;
	Bytef buf[CHUNK];
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return (0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sum = crc32(sum, buf, (uInt)n);
	close(fd);
	return (sum);
}

static void
describe_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_text_new(text));
}

json_t *
options_describe(const struct options *op)
{
	const struct profile *pr = &op->op_machine.vi_profile;
	const char *design, *replayed = op->op_config.bc_harvest.replay_file;
	char text[OPTION_TEXT_SIZE];
	json_t *object = json_object(), *set = json_array();

	for (unsigned id = 0; id < OPTIONS; id++) {
		const struct option_def *od = &option_defs[id];

		if (!option_takes(COMMAND_sweep, id) || id == OPTION_SEED ||
		    id == OPTION_HELP || (od->od_flags & (ASIDE | REPEATS)) !=
		    0)
			continue;
		option_render(op, (enum option_id)id, text);
		describe_text(object, od->od_name, text);
	}
	if (op->op_simulated) {
		snprintf(text, sizeof(text), "%s#%08lx", pr->pr_name, crc32(0,
		    (const Bytef *)pr->pr_value, sizeof(pr->pr_value)));
		describe_text(object, "profile", text);
	}
	if (replayed[0] != '\0') {
		snprintf(text, sizeof(text), "%s#%08lx", replayed,
		    sum_of_file(replayed));
		describe_text(object, "replayed events", text);
	}
	for (unsigned i = 0; i < op->op_designs.ol_count; i++) {
		design = generators[op->op_designs.ol_value[i]]->ra_ident;
		if (ksource_key(design) != NULL)
			describe_text(object, design, ksource_key(design));
	}
	for (unsigned i = 0; i < op->op_tunable_count; i++)
		json_array_append_new(set, json_text_new(op->op_tunables[i]));
	json_object_set_new(object, "set", set);
	return (object);
}

int
options_resume(struct options *op, const struct options *given,
    const struct options_begun *ob)
{
	char *const *old = ob->ob_argv;
	int error, n = 0;

	memset(op, 0, sizeof(*op));
	while (old[n] != NULL)
		n++;
	if (given->op_given > 1U + GIVEN(given, FORMAT))
		return (usage_error("--resume: %s has the options it was begun "
		    "with: expected no other one beside --resume but --format",
		    given->op_resume));
	if (n < 2 || strcmp(old[1], usage_command) != 0)
		return (usage_error("--resume: %s was begun by \"rngsim %s\": "
		    "expected that command", given->op_resume, n < 2 ? "" :
		    old[1]));
	error = options_parse(op, given->op_cmd, n - 1, old + 1);
	op->op_seed = ob->ob_seed;
	op->op_seed_given = true;
	op->op_resume = given->op_resume;
	op->op_output = given->op_resume;
	if (GIVEN(given, FORMAT))
		op->op_format = given->op_format;
	return (error);
}
