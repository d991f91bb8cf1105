#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/malloc.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/sysctl.h>

#include <dev/random/randomdev.h>

SYSCTL_NODE(_kern, OID_AUTO, random, CTLFLAG_RW, 0, "Random numbers");

MALLOC_DEFINE(M_ENTROPY, "entropy", "Entropy and output");

struct sources_head source_list = LIST_HEAD_INITIALIZER(source_list);
struct mtx source_mtx;
MTX_SYSINIT(source, &source_mtx, "entropy sources", MTX_DEF);
struct random_algorithm *p_random_alg_context = &random_alg_context;
