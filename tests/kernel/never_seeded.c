/*
 * No event reaches a pool.
 */
#define	OWN_EVENT
#include "fortuna.c"

static void
random_fortuna_process_event(struct harvest_event *event)
{
	(void)random_harvest_healthtest(event);
}
