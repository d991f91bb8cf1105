/* rngsim: finds the command and runs it. */
#include <sys/resource.h>

#include <fcntl.h>
#include <locale.h>

#include "bench/cmd.h"

/* For commands' own, the largest of which merges results. */
enum { STACK_BYTES = 256 * 1024 };

extern char **environ;

/* Bytes of the stack above here, which the arguments and environment take. */
static size_t
stack_taken(char *argv[])
{
	const char *last = argv[0];

	for (; *argv != NULL; argv++)
		last = *argv > last ? *argv : last;
	for (char **p = environ; *p != NULL; p++)
		last = *p > last ? *p : last;
	return ((size_t)(last + strlen(last) - (const char *)&last));
}

/* jemalloc reads this: 5.3 crashes in threads without memory for an arena. */
extern const char *malloc_conf;
const char *malloc_conf = "narenas:1";

static const char intro[] = "Usage: rngsim COMMAND [OPTIONS]\n\n"
    "Runs FreeBSD's Fortuna under a lock design of your choice, with readers "
    "and\nthe harvest thread contending for it, and measures what each of "
    "them gets.\n\nCommands:\n";

static const char outro[] = "\nTry:\n  rngsim sweep -o result.json\n"
    "  rngsim report result.json --plot result.png\n\n"
    "\"rngsim COMMAND --help\" lists the options of a command; its manual "
    "page is\nrngsim-COMMAND(1).  Other pages:\n"
    "  rngsim(7)          the model, what is measured, and its limits\n"
    "  rngsim-designs(7)  the designs: how to choose one\n"
    "  rngsim-virtual(7)  predicting other machines\n"
    "  rngsim-figures(7)  what was measured, on which machine\n"
    "  rngsim-kernel(7)   how to write a design\n"
    "  rngsim-lock(7)     the locks; how to write one\n"
    "  rngsim-result(5), rngsim-profile(5), rngsim-workload(5)  files";

static int
dispatch(int argc, char *argv[])
{
	const char *nearest, *word = argc < 2 ? "" : argv[1];
	const bool help = strcmp(word, "--help") == 0 ||
	    strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
	const bool version = strcmp(word, "--version") == 0;
	int cm;

	if (argc < 2)
		return (usage_error("expected a command; \"rngsim --help\" "
		    "lists them"));
	if ((help || version) && argc > 2)
		return (usage_error("surplus operand \"%s\"; try \"rngsim "
		    "COMMAND --help\"", argv[2]));
	if (help) {
		fputs(intro, stdout);
		for (cm = 0; cm < COMMANDS; cm++)
			printf("  %-9s  %s\n", command_texts[cm].ct_name,
			    command_texts[cm].ct_line);
		puts(outro);
		return (EXIT_SUCCESS);
	}
	if (version) {
		puts("rngsim " RNGSIM_REVISION);
		return (EXIT_SUCCESS);
	}
	if (strcmp(argv[1], "--complete") == 0) {
		command_families();
		options_complete(argc - 2, argv + 2);
		return (EXIT_SUCCESS);
	}
	if ((cm = family_find(&family_commands, argv[1])) != -1)
		return (command_execute((enum command_id)cm, argv));
	nearest = nearest_name(family_commands.fa_name, argv[1]);
	return (usage_error("unknown %s \"%s\"; \"rngsim --help\" lists the "
	    "commands%s", argv[1][0] == '-' ? "option" : "command", argv[1],
	    nearest == NULL ? "" : FORMATF(", such as %s", nearest)));
}

int
main(int argc, char *argv[])
{
	struct rlimit limit;
	size_t needed;
	int error, status;

	/* Files must not get a closed one's number; using it stays an error. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	/* Numbers have a decimal point in every locale. */
	setlocale(LC_ALL, "C");
	/* A full disk and a closed pipe are errors of write(2). */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* An overflow of the stack ends the program without a message. */
	needed = STACK_BYTES + stack_taken(argv);
	if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
	    (uintmax_t)limit.rlim_cur < needed)
		return (run_error("stacks have %ju bytes: expected at least "
		    "%zu; see ulimit -s", (uintmax_t)limit.rlim_cur, needed));
	if ((error = cpu_init()) != 0)
		return (run_error("cannot read the CPU topology: %s",
		    strerror(error)));
	status = dispatch(argc, argv);
	cpu_fini();
	errno = 0;
	usage_command = NULL;
	/* A command that failed has printed why. */
	return (status != EXIT_SUCCESS ? status : command_flush());
}
