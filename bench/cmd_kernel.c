#include "bench/cmd.h"
#include "bench/kernel/ksource.h"

static int
run(struct options *op)
{
	const char *action = op->op_operand[0], *name;
	const char *path = op->op_operands > 1 ? op->op_operand[1] : "";
	char why[KSOURCE_WHY_SIZE] = "";
	int status;

	if (action[0] == 'i') {
#define	INTERFACE(page, headers, since, lock, how)			\
		fputs(page ": " headers ", FreeBSD " #since lock "\n    " \
		    how "\n", stdout);
#include "lib/kern/sys/interface.tbl"
#undef INTERFACE
		return (0);
	}
	if (action[0] != 'b')
		status = ksource_command(action, path, stdout, why);
	else if ((status = ksource_open(path, false, &name, why)) == 0) {
		printf("%s  %s\ncompiled  ", name, ksource_spec(name));
		ksource_say(name, stdout, NULL);
		printf("\nreplaced  ");
		ksource_say(name, NULL, stdout);
		putchar('\n');
	}
	return (status == 0 || why[0] == '\0' ? status : complain(status,
	    "%s%s%s", path, path[0] != '\0' ? ": " : "", why));
}

const struct command cmd_kernel = { options_action, run, 0 };
