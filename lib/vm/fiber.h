/*
 * Fibers: stacks that one host thread switches between, on Boost.Context's
 * fcontext, announced to AddressSanitizer and ThreadSanitizer.
 *
 * A fiber stays on the host thread that first switched to it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fiber {
	void		*fb_context;	/* where it stopped */
	void		(*fb_fn)(void *);
	void		*fb_arg;
	unsigned char	*fb_map;	/* guard page and stack; NULL: thread */
	size_t		 fb_map_bytes;
	const void	*fb_stack;	/* lowest byte; for sanitizers */
	size_t		 fb_stack_bytes;
	void		*fb_fake_stack, *fb_tsan;
};

/* The calling host thread as a fiber; needs no fiber_free(). */
void fiber_init_thread(struct fiber *fb);

/*
 * Makes a fiber that will run fn(arg), with a guard page below its stack of
 * whole pages; more under a sanitizer.  fn does not return: it ends with
 * fiber_exit().  Returns: 0 or ENOMEM.
 */
int fiber_make(struct fiber *fb, size_t stack_bytes, void (*fn)(void *),
    void *arg);

/* Resets a fiber that is not running to its start, and with clear its stack. */
void fiber_again(struct fiber *fb, bool clear);

/* Releases a fiber that is not running; what its stack refers to is lost. */
void fiber_free(struct fiber *fb);

/* From the running fiber to another. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* The same, and from never runs again. */
void fiber_exit(struct fiber *from, struct fiber *to) __attribute__((noreturn));
