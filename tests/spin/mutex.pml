/*
 * The mutex as models have it: its holder holds it alone.
 *
 * LOCK_TAS, the default, gives it to any of its waiters: it stands for
 * all locks that exclude, fair or not, as every order in which it can be had is
 * searched.  LOCK_TICKET gives it in order of arrival and stands for the FIFO
 * locks; its orders are some of the other's.
 */
byte mutex_owners;		/* only looks on */

#define ENTER							\
	mutex_owners++;						\
	RULE(exclusion, mutex_owners == 1)
#define LEAVE							\
	mutex_owners--

#ifdef LOCK_TICKET
byte ticket_next, ticket_serving;

inline acquire()
{
	d_step {
		ticket = ticket_next;
		ticket_next = (ticket_next + 1) % TICKETS
	}
	atomic {
		ticket_serving == ticket;
		ticket = 0;
		ENTER
	}
}

inline release_now()
{
	LEAVE;
	ticket_serving = (ticket_serving + 1) % TICKETS
}

#define MUTEX_LOCAL	byte ticket
#else
bool tas_held;

inline acquire()
{
	atomic {
		!tas_held;
		tas_held = true;
		ENTER
	}
}

inline release_now()
{
	LEAVE;
	tas_held = false
}

#define MUTEX_LOCAL	skip
#endif

inline release()
{
	d_step {
		release_now()
	}
}
