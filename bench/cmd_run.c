#include "bench/cmd.h"

/* --resume changes the options first. */
const struct command cmd_run = { NULL, command_measure, 0 };
