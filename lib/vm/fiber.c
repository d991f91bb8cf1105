#include <sys/mman.h>

#include "lib/base/base.h"
#include "lib/vm/fiber.h"

#ifndef __has_feature
#define	__has_feature(x)	0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define	FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define	FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
enum { STACK_FACTOR = 4 };
#else
enum { STACK_FACTOR = 1 };
#endif

/*
 * Boost.Context's C linkage; its header is C++.  A jump stores where it left
 * from and hands that, with data, to where it arrives.
 */
struct transfer {
	void	*context, *data;
};

struct transfer	jump_fcontext(void *to, void *data);
void	*make_fcontext(void *top, size_t bytes, void (*fn)(struct transfer));

void
fiber_init_thread(struct fiber *fb)
{
	memset(fb, 0, sizeof(*fb));
#ifdef FIBER_TSAN
	fb->fb_tsan = __tsan_get_current_fiber();
#endif
}

/* After a jump, which t describes. */
static void
arrive(struct fiber *self __unused, struct transfer t)
{
	struct fiber *from = t.data;

	from->fb_context = t.context;
#ifdef FIBER_ASAN
	/* The first jump away gives the host thread's own stack. */
	__sanitizer_finish_switch_fiber(self->fb_fake_stack,
	    from->fb_map == NULL ? &from->fb_stack : NULL,
	    from->fb_map == NULL ? &from->fb_stack_bytes : NULL);
#endif
}

/* Before a jump.  Inlined: a function's end is the current fiber's to TSan. */
static inline void __attribute__((always_inline))
leave(struct fiber *from __unused, struct fiber *to __unused,
    bool for_good __unused)
{
#ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(for_good ? NULL : &from->fb_fake_stack,
	    to->fb_stack, to->fb_stack_bytes);
#endif
#ifdef FIBER_TSAN
	/* A switch is a happens-before edge: one host thread runs both. */
	__tsan_switch_to_fiber(to->fb_tsan, 0);
#endif
}

/* The fiber of the first jump to it. */
static _Thread_local struct fiber *starting;

static void
fiber_main(struct transfer t)
{
	struct fiber *self = starting;

	arrive(self, t);
	self->fb_fn(self->fb_arg);
	KASSERT(false, ("a fiber's function returned"));
}

static void
begin(struct fiber *fb)
{
	fb->fb_context = make_fcontext(fb->fb_map + fb->fb_map_bytes,
	    fb->fb_stack_bytes, fiber_main);
	fb->fb_fake_stack = NULL;
#ifdef FIBER_TSAN
	fb->fb_tsan = __tsan_create_fiber(0);
#endif
}

/* Makes sanitizers forget the fiber's stack. */
static void
forget(struct fiber *fb __unused)
{
#ifdef FIBER_TSAN
	__tsan_destroy_fiber(fb->fb_tsan);
#endif
#ifdef FIBER_ASAN
	/* Frames that never returned would mark what is there next. */
	__asan_unpoison_memory_region(fb->fb_stack, fb->fb_stack_bytes);
#endif
}

int
fiber_make(struct fiber *fb, size_t stack_bytes, void (*fn)(void *), void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	memset(fb, 0, sizeof(*fb));
	stack_bytes = (stack_bytes * STACK_FACTOR + page - 1) / page * page;
	if ((map = map_zeros(stack_bytes + page)) == NULL)
		return (ENOMEM);
	if (mprotect(map, page, PROT_NONE) != 0) {
		munmap(map, stack_bytes + page);
		return (ENOMEM);
	}
	fb->fb_map = map;
	fb->fb_map_bytes = stack_bytes + page;
	fb->fb_stack = fb->fb_map + page;
	fb->fb_stack_bytes = stack_bytes;
	fb->fb_fn = fn;
	fb->fb_arg = arg;
	begin(fb);
	return (0);
}

void
fiber_again(struct fiber *fb, bool clear)
{
	forget(fb);
	if (clear)
		memset(fb->fb_map + fb->fb_map_bytes - fb->fb_stack_bytes, 0,
		    fb->fb_stack_bytes);
	begin(fb);
}

void
fiber_free(struct fiber *fb)
{
	if (fb->fb_map == NULL)
		return;
	forget(fb);
	munmap(fb->fb_map, fb->fb_map_bytes);
	memset(fb, 0, sizeof(*fb));
}

void
fiber_switch(struct fiber *from, struct fiber *to)
{
	starting = to;
	leave(from, to, false);
	arrive(from, jump_fcontext(to->fb_context, from));
}

void
fiber_exit(struct fiber *from, struct fiber *to)
{
	starting = to;
	leave(from, to, true);
	jump_fcontext(to->fb_context, from);
	__builtin_unreachable();
}
