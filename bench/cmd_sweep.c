#include "bench/cmd.h"
#include "bench/options/options.h"

static int
run(int argc, char *argv[], char *const whole[])
{

	return (cmd_measure(OPTIONS_SWEEP, argc, argv, whole, &cmd_sweep));
}

const struct command cmd_sweep = {
	.cmd_name	= "sweep",
	.cmd_args	= "[OPTIONS]",
	.cmd_descr	= "measure a grid of cells, repeats interleaved",
	.cmd_run	= run,
};
