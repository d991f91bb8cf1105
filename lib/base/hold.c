#include "lib/base/hold.h"

_Thread_local struct hold hold_self;

void
hold_end(void)
{
	int sig;

	if (--hold_self.ho_depth > 0 || hold_self.ho_signal == 0)
		return;
	sig = (int)hold_self.ho_signal;
	hold_self.ho_signal = 0;
	raise(sig);
}
