/*
 * Kernel sources that are part of this program: compiled when it is built, as
 * bench/kernel/source.sh compiles others, and loaded from its own file.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fortuna/kernel/design.h"
#include "fortuna/generator.h"

/* The object NAME.so, between object_NAME and object_NAME_end. */
#define	OBJECT(name)							\
	__asm__(".pushsection .rodata\n"				\
	    "kernel_object_" #name ":\n"				\
	    "\t.incbin \"" KERNEL_OBJECTS "/" #name ".so\"\n"		\
	    "kernel_object_" #name "_end:\n"				\
	    ".popsection\n");						\
	extern const char object_##name[]				\
	    __asm__("kernel_object_" #name)				\
	    __attribute__((visibility("hidden")));			\
	extern const char object_##name##_end[]				\
	    __asm__("kernel_object_" #name "_end")			\
	    __attribute__((visibility("hidden")))
OBJECT(real);
OBJECT(simulated);

const struct random_algorithm *real_generator_find(const char *);
const struct random_algorithm *bare_generator_find(const char *);
const struct random_algorithm *virtual_generator_find(const char *);

static const char *const objects[KERNEL_FLAVOURS][2] = {
	[KERNEL_REAL] = { object_real, object_real_end },
	[KERNEL_SIMULATED] = { object_simulated, object_simulated_end }
};

static const struct random_algorithm pcpu = {
	.ra_ident	= "pcpu",
	.ra_descr	= "Fortuna with a key for each CPU, proposed",
	.ra_stands	= "a change to FreeBSD's Fortuna that is proposed in "
	    "rngsim-pcpu(7): fortuna/kernel/fortuna_pcpu.c, compiled as the "
	    "kernel would compile it.",
	.ra_argument	= "Pools, K and reseeds are FreeBSD's.  A CPU's output "
	    "depends on that CPU's key, which each read replaces before it "
	    "answers, so later state does not reveal earlier output.  An "
	    "attacker who learns a CPU's key can follow that CPU until its "
	    "first read after the next reseed, or until it has answered 1 MiB. "
	    "That read hashes the key with a seed that only the new K "
	    "generated.  K and that seed do not give a CPU's key without the "
	    "key before it; an attacker who had that one, and reads the seed "
	    "later, "
	    "learns that CPU's output since the last reseed.",
	.ra_flags	= RA_MANY_LOCKS,
};

/* A file in memory with the object; its path, while *fd is open. */
static int
open_object(const char *const object[2], int *fd, char path[32])
{
	const size_t n = (size_t)(object[1] - object[0]);

	*fd = memfd_create("kernel", MFD_CLOEXEC);
	if (*fd == -1)
		return (errno);
	/* The loader knows copies of objects as /proc/self/fd/N. */
	snprintf(path, 32, "/dev/fd/%d", *fd);
	return (write(*fd, object[0], n) == (ssize_t)n ? 0 : EFBIG);
}

/* Gives a machine's design, which kernel_design_add() made, its texts. */
static void
describe(const struct random_algorithm *made)
{
	struct random_algorithm *ra = (void *)(uintptr_t)made;

	ra->ra_descr = pcpu.ra_descr;
	ra->ra_stands = pcpu.ra_stands;
	ra->ra_argument = pcpu.ra_argument;
	ra->ra_flags |= pcpu.ra_flags;
	ra->ra_core = NULL;
}

int
kernel_built_in(char error[KERNEL_ERROR_SIZE])
{
	char path[KERNEL_FLAVOURS][32];
	int e = 0, fd[KERNEL_FLAVOURS], i;

	for (i = 0; i < KERNEL_FLAVOURS && e == 0; i++)
		e = open_object(objects[i], &fd[i], path[i]);
	if (e != 0)
		snprintf(error, KERNEL_ERROR_SIZE, "%s", strerror(e));
	else
		e = kernel_design_add(pcpu.ra_ident, (const char *const
		    [KERNEL_FLAVOURS]){ path[KERNEL_REAL],
		    path[KERNEL_SIMULATED] }, error);
	while (--i >= 0)
		close(fd[i]);
	if (e != 0)
		return (e);
	describe(real_generator_find(pcpu.ra_ident));
	describe(bare_generator_find(pcpu.ra_ident));
	describe(virtual_generator_find(pcpu.ra_ident));
	return (0);
}
