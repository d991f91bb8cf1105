/*
 * Which files a command line reads and writes: an output is no other file of
 * the same command.
 */
#include <sys/stat.h>

#include <limits.h>

#include "bench/options/options.h"

enum { USES_MAX = OPTIONS + 4 };

struct use {
	const char	*us_label;
	const char	*us_path;
	bool		 us_writes;
};

struct uses {
	struct use	 uss_use[USES_MAX];
	unsigned	 uss_count;
	char		 uss_host[PATH_MAX];	/* of --profile host */
};

static void
add(struct uses *uss, const char *label, const char *path, bool writes)
{
	if (path != NULL && path[0] != '\0')
		uss->uss_use[uss->uss_count++] = (struct use){ label, path,
		    writes };
}

/* The file that an option names; NULL: none. */
static const char *
path_of(const struct options *op, unsigned id, struct uses *uss)
{
	const char *name = op->op_text[id];

	if (id == OPTION_WORKLOAD)
		return (name != NULL && name[0] == '@' ? name + 1 : NULL);
	if (id != OPTION_PROFILE)
		return (name);
	/* Also by default; and a shipped profile is no file of its name. */
	name = op->op_profile;
	if (name != NULL && strcmp(name, "host") == 0 &&
	    profile_host_path(uss->uss_host, sizeof(uss->uss_host)) == 0)
		return (uss->uss_host);
	return (name != NULL && profile_is_path(name) ? name : NULL);
}

/* Devices and pipes have no content to lose. */
static bool
collide(const struct use *a, const struct use *b)
{
	struct stat of_a, of_b;

	if (stat(a->us_path, &of_a) == 0 && stat(b->us_path, &of_b) == 0)
		return (S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
		    of_a.st_ino == of_b.st_ino);
	return (a->us_writes && b->us_writes &&
	    strcmp(a->us_path, b->us_path) == 0);
}

int
options_check_files(const struct options *op)
{
	const struct harvest_config *hc = &op->op_config.bc_harvest;
	struct uses uss = { .uss_count = 0 };
	const struct use *in, *out;

	for (unsigned id = 0; id < OPTIONS; id++)
		if ((option_defs[id].od_flags & (READS | WRITES)) != 0)
			add(&uss, option_label(id), path_of(op, id, &uss),
			    (option_defs[id].od_flags & WRITES) != 0);
	add(&uss, "rngsim.harvest.record", hc->record_file, true);
	add(&uss, "rngsim.source.replay.file", hc->replay_file, false);
	/* Only these have operands and outputs. */
	for (int i = op->op_cmd == COMMAND_workload; i < op->op_operands &&
	    (op->op_cmd == COMMAND_report || op->op_cmd == COMMAND_workload);
	    i++)
		add(&uss, "the operand", op->op_operand[i], false);
	for (out = uss.uss_use; out < uss.uss_use + uss.uss_count; out++)
		for (in = uss.uss_use; out->us_writes &&
		    in < uss.uss_use + uss.uss_count; in++)
			if (in != out && collide(in, out))
				return (usage_error("%s and %s name the same "
				    "file, \"%s\" and \"%s\": expected two",
				    out->us_label, in->us_label, out->us_path,
				    in->us_path));
	return (0);
}
