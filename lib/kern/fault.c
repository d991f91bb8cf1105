/* Faults inside loaded sources: a kernel panics there, with file and line. */
#include <sys/time.h>

#include <execinfo.h>

#include "lib/kern/object.h"

enum {
	FRAMES_MAX	= 32,
	PLACE_SIZE	= 1024,
	HANDLER_BYTES	= 64 * 1024,
	STACK_WORDS	= 2048,		/* fewer than the smallest stack has */
	/*
	 * How often a loop is looked at, and how many looks it has: more on
	 * this machine, where a read of 1 GB may take seconds.
	 */
	LOOK_US		= 250 * 1000,
	LOOKS_MAX	= 20,
	LOOKS_REAL_MAX	= 80,
	AGAIN_US	= 4 * 1000,
	/* Less is a member of a structure at NULL. */
	NULL_BYTES	= 64 * 1024
};

/* Where a program was, as addr2line(1) has it. */
struct place {
	const struct kern_file *whr_of;	/* its object; NULL: none */
	uintptr_t	 whr_offset;	/* in that */
	char		 whr_func[KERN_NAME_SIZE], whr_file[PLACE_SIZE];
	int		 whr_line;
};

_Thread_local uint64_t kern_fault_calls;
_Thread_local const struct kern_copy *kern_fault_copy;

static _Atomic(struct kern_copy *) copies;

/*
 * The copy whose code that is, and where in it; or NULL.  dladdr(3) would take
 * the loader's lock, which a thread that is stopped may hold.
 */
static struct kern_copy *
find_copy(const void *pc, uintptr_t *offset)
{
	struct kern_copy *kc;

	for (kc = copies; kc != NULL; kc = kc->kc_listed) {
		*offset = (uintptr_t)pc - kc->kc_base;
		if (*offset < kc->kc_bytes)
			break;
	}
	return (kc);
}

/*
 * Fills in a place, the caller of functions that were inlined there if these
 * are rngsim's.  False: it is in one of rngsim's files, or not known.
 */
static bool
look_up(const struct kern_copy *kc, uintptr_t offset, struct place *pl)
{
	char command[256], *colon;
	FILE *in = NULL;
	bool own = true;
	int fd = kern_file_image(kc->kc_file);

	*pl = (struct place){ .whr_of = kc->kc_file, .whr_offset = offset,
	    .whr_file = "the kernel's object" };
	snprintf(command, sizeof(command), "addr2line -f -i -e /proc/%ld/fd/%d "
	    "%#lx 2>/dev/null", (long)getpid(), fd, (unsigned long)offset);
	if (fd >= 0)
		in = popen(command, "r");
	while (own && in != NULL &&
	    fgets(pl->whr_func, sizeof(pl->whr_func), in) != NULL &&
	    fgets(pl->whr_file, sizeof(pl->whr_file), in) != NULL) {
		pl->whr_func[strcspn(pl->whr_func, ".\n")] = '\0';
		colon = strrchr(pl->whr_file, ':');
		/* The program's own objects have no lines. */
		if (colon == NULL ||
		    sscanf(colon + 1, "%d", &pl->whr_line) != 1) {
			snprintf(pl->whr_file, sizeof(pl->whr_file),
			    "the kernel's object");
			own = pl->whr_func[0] == '?' ||
			    strncmp(pl->whr_func, "kern_", 5) == 0 ||
			    strncmp(pl->whr_func, "glue_", 5) == 0;
			continue;
		}
		*colon = '\0';
		own = strstr(pl->whr_file, "/lib/kern/sys/") != NULL ||
		    strstr(pl->whr_file, "/fortuna/device/") != NULL;
	}
	if (in != NULL)
		pclose(in);
	if (fd >= 0)
		close(fd);
	return (!own);
}

/* Ends the run as a panic, at the first frame that is the source's. */
static void
stop(void *const frame[], int n, const char *what)
{
	static _Thread_local struct place pl;
	struct kern_copy *kc = NULL;
	struct place here;
	char text[PLACE_SIZE];
	uintptr_t offset;

	for (int i = 0; i < n; i++) {
		kc = find_copy(frame[i], &offset);
		/* A return address is behind its call. */
		offset -= i > 0;
		/* Runs that are repeated end at one place. */
		if (kc != NULL && kc->kc_file == pl.whr_of &&
		    offset == pl.whr_offset)
			break;
		if (kc != NULL && look_up(kc, offset, &here)) {
			pl = here;
			break;
		}
		kc = NULL;
	}
	if (kc == NULL)
		return;
	snprintf(text, sizeof(text), "%s, in %s()", what, pl.whr_func);
	kassert_panic(pl.whr_file, pl.whr_line, kc->kc_name, text);
}

void
kern_fault_here(const char *what)
{
	void *frame[FRAMES_MAX];

	stop(frame, (int)backtrace(frame, FRAMES_MAX), what);
}

#if defined(__linux__) && defined(__x86_64__)
#define	CONTEXT_PC(uc)	((uc)->uc_mcontext.gregs[16])	/* REG_RIP */
#define	CONTEXT_SP(uc)	((uc)->uc_mcontext.gregs[15])	/* REG_RSP */
#elif defined(__linux__) && defined(__aarch64__)
#define	CONTEXT_PC(uc)	((uc)->uc_mcontext.pc)
#define	CONTEXT_SP(uc)	((uc)->uc_mcontext.sp)
#elif defined(__FreeBSD__) && defined(__x86_64__)
#define	CONTEXT_PC(uc)	((uc)->uc_mcontext.mc_rip)
#define	CONTEXT_SP(uc)	((uc)->uc_mcontext.mc_rsp)
#elif defined(__FreeBSD__) && defined(__aarch64__)
#define	CONTEXT_PC(uc)	((uc)->uc_mcontext.mc_gpregs.gp_elr)
#define	CONTEXT_SP(uc)	((uc)->uc_mcontext.mc_gpregs.gp_sp)
#endif

#if defined(CONTEXT_PC) && !defined(__SANITIZE_ADDRESS__) &&		\
    !defined(__SANITIZE_THREAD__)
static pthread_key_t handler_stack;
static atomic_bool armed;	/* the process has the timer */

/* The frames from the one that a signal interrupted. */
static int
frames(void *pc, void *frame[FRAMES_MAX])
{
	int n = MAX(1, (int)backtrace(frame, FRAMES_MAX));

	/* It alone, without a way to unwind. */
	while (n > 1 && frame[0] != pc)
		memmove(frame, frame + 1, (size_t)--n * sizeof(frame[0]));
	frame[0] = pc;
	return (n);
}

static void
faulted(int sig, siginfo_t *si, void *context)
{
	const ucontext_t *uc = context;
	const uintptr_t at = (uintptr_t)si->si_addr;
	const uintptr_t depth = (uintptr_t)CONTEXT_SP(uc) - at;
	static const char full[] = "the stack is too small";
	void *frame[FRAMES_MAX];
	const char *what = "page fault";
	char text[48];
	const bool lost = sig == SIGSEGV && at == (uintptr_t)CONTEXT_PC(uc);
	int n = lost ? 1 : frames((void *)(uintptr_t)CONTEXT_PC(uc), frame);

	/* A call to nowhere has only left where it returns to. */
	if (lost)
		frame[0] = *(char *const *)(uintptr_t)CONTEXT_SP(uc) - 1;
	snprintf(text, sizeof(text), "page fault at address %#lx",
	    (unsigned long)at);
	if (sig == SIGFPE || sig == SIGILL)
		what = sig == SIGFPE ? "integer divide fault" : "the compiler "
		    "put a trap there, as what is done is undefined";
	else if (at < NULL_BYTES)
		what = text;
	else if (depth + NULL_BYTES < 2 * NULL_BYTES)
		/* Where calls of itself fill a stack, the last is chance. */
		stop(frame + n / 2, n - n / 2, what = full);
	stop(frame, n, what);
	/* The cipher's library may have no way to unwind. */
	if (what == full)
		stop((void *const *)(uintptr_t)CONTEXT_SP(uc), STACK_WORDS,
		    what);
	/* What it overwrote may be rngsim's, so nothing else is tried. */
	fprintf(stderr, "rngsim: %s: panic: %s, not in its code: it may have "
	    "overwritten other memory\n", kern_fault_copy == NULL ?
	    "a source" : kern_fault_copy->kc_name, what);
	_exit(EXIT_FAILURE);
}

static void
look_each(int us)
{
	const struct itimerval it = { { 0, us }, { 0, us } };

	setitimer(ITIMER_VIRTUAL, &it, NULL);
}

/*
 * Simulated time does not pass in a loop that touches nothing, and no call ends
 * in it: it is one if the same call is in the source, and on a real machine in
 * the same frame, whenever it is looked at.
 */
static void
looked(int sig __unused, siginfo_t *si __unused, void *context)
{
	static _Thread_local uint64_t call, run, sp;
	static _Thread_local unsigned looks;
	const ucontext_t *uc = context;
	void *pc = (void *)(uintptr_t)CONTEXT_PC(uc), *frame[FRAMES_MAX];
	uintptr_t offset;
	const struct kern_copy *kc = find_copy(pc, &offset);
	unsigned most;

	if (kc == NULL || kc->kc_run != run || kern_fault_calls != call ||
	    (run == 0 && (uint64_t)CONTEXT_SP(uc) != sp))
		looks = 0;
	run = kc == NULL ? 0 : kc->kc_run;
	call = kern_fault_calls;
	sp = (uint64_t)CONTEXT_SP(uc);
	most = run == 0 ? LOOKS_REAL_MAX : LOOKS_MAX;
	if (looks++ < most)
		return;
	/* It is run again, to make the schedule shorter. */
	looks = most - 1;
	look_each(AGAIN_US);
	stop(frame, frames(pc, frame), "a loop does not end");
}

static void
disarm_thread(void *stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	(void)sigaltstack(&none, NULL);
	free(stack);
}

/* A child has no timer. */
static void
disarm_process(void)
{
	atomic_store(&armed, false);
}

static void
arm_process(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct sigaction sa = { .sa_sigaction = faulted,
	    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	void *frame[1];

	sigemptyset(&sa.sa_mask);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
	sa.sa_sigaction = looked;
	sa.sa_flags |= SA_RESTART;
	sigaction(SIGVTALRM, &sa, NULL);
	(void)pthread_key_create(&handler_stack, disarm_thread);
	(void)pthread_atfork(NULL, NULL, disarm_process);
	/* Loads what it needs, which a handler must not. */
	(void)backtrace(frame, 1);
}

/* An interrupted stack may be full; a small one has no room for another. */
static void
arm_thread(void)
{
	stack_t ss = { .ss_size = HANDLER_BYTES };

	if (pthread_getspecific(handler_stack) != NULL)
		return;
	ss.ss_sp = xcalloc(1, HANDLER_BYTES);
	(void)pthread_setspecific(handler_stack, ss.ss_sp);
	(void)sigaltstack(&ss, NULL);
}

void
kern_fault_catch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, arm_process);
	if (!atomic_exchange(&armed, true))
		look_each(LOOK_US);
	arm_thread();
}
#else
void
kern_fault_catch(void)
{
}
#endif

void
kern_fault_add(struct kern_copy *kc)
{
	kc->kc_listed = copies;
	while (!atomic_compare_exchange_weak(&copies, &kc->kc_listed, kc))
		continue;
}
