#include "bench/cmd.h"
#include "bench/options/options.h"

static int
run(int argc, char *argv[], char *const whole[])
{

	return (cmd_measure(OPTIONS_RUN, argc, argv, whole, &cmd_run));
}

const struct command cmd_run = {
	.cmd_name	= "run",
	.cmd_args	= "[OPTIONS]",
	.cmd_descr	= "measure one cell",
	.cmd_run	= run,
};
