/*
 * Which files a command line reads and writes: an output is no other file of
 * the same command.
 */
#include <limits.h>

#include "bench/options/options.h"

enum { USES_MAX = OPTIONS + 4 };

struct use {
	char		 us_label[OPTION_LABEL_SIZE];
	const char	*us_name;	/* as given */
	bool		 us_writes;
	struct stat	 us_file;	/* of no type where there is none */
};

struct uses {
	struct use	 uss_use[USES_MAX];
	unsigned	 uss_count;
};

static void
add(struct uses *uss, const char *label, const char *name, const char *path,
    bool writes)
{
	struct use *us = &uss->uss_use[uss->uss_count++];

	snprintf(us->us_label, sizeof(us->us_label), "%s", label);
	us->us_name = name;
	us->us_writes = writes;
	/* Devices and pipes have no content to lose. */
	if (stat(path, &us->us_file) != 0 || !S_ISREG(us->us_file.st_mode))
		us->us_file.st_mode = 0;
}

/* Adds what an option names, or --profile by default. */
static void
add_option(const struct options *op, unsigned id, struct uses *uss)
{
	const struct option_def *od = &option_defs[id];
	const char *name = op->op_text[id];
	char host[PATH_MAX], label[OPTION_LABEL_SIZE];

	if (id == OPTION_PROFILE && option_takes(op->op_cmd, id))
		name = op->op_profile;
	/* A shipped profile is none of the files that have its name. */
	if (name == NULL || (id == OPTION_PROFILE &&
	    strcmp(name, "host") != 0 && !profile_is_path(name)))
		return;
	add(uss, option_label((enum option_id)id, label), name,
	    strcmp(name, "host") == 0 && profile_host_path(host,
	    sizeof(host)) == 0 ? host : name, (od->od_flags & WRITES) != 0);
	if (id == OPTION_WORKLOAD)
		uss->uss_use[uss->uss_count - 1].us_file =
		    op->op_workload.wl_file;
}

static bool
collide(const struct use *a, const struct use *b)
{
	if (a->us_file.st_mode != 0 && b->us_file.st_mode != 0)
		return (a->us_file.st_dev == b->us_file.st_dev &&
		    a->us_file.st_ino == b->us_file.st_ino);
	return (a->us_writes && b->us_writes &&
	    strcmp(a->us_name, b->us_name) == 0);
}

int
options_check_files(const struct options *op)
{
	const struct harvest_config *hc = &op->op_config.bc_harvest;
	struct uses uss = { .uss_count = 0 };

	for (int i = 0; i < OPTIONS; i++)
		if ((option_defs[i].od_flags & (READS | WRITES)) != 0)
			add_option(op, (unsigned)i, &uss);
	if (hc->record_file[0] != '\0')
		add(&uss, "rngsim.harvest.record", hc->record_file,
		    hc->record_file, true);
	if (hc->replay_file[0] != '\0')
		add(&uss, "rngsim.source.replay.file", hc->replay_file,
		    hc->replay_file, false);
	/* Only these have operands and outputs. */
	for (int i = op->op_cmd == COMMAND_workload; i < op->op_operands &&
	    (op->op_cmd == COMMAND_report || op->op_cmd == COMMAND_workload);
	    i++)
		add(&uss, "the operand", op->op_operand[i], op->op_operand[i],
		    false);
	for (const struct use *out = uss.uss_use;
	    out < uss.uss_use + uss.uss_count; out++)
		for (const struct use *in = uss.uss_use; out->us_writes &&
		    in < uss.uss_use + uss.uss_count; in++)
			if (in != out && collide(in, out))
				return (usage_error("%s and %s name the same "
				    "file, \"%s\" and \"%s\": expected two",
				    out->us_label, in->us_label, out->us_name,
				    in->us_name));
	return (0);
}
