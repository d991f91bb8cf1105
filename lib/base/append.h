/* Texts that grow in an array. */
#pragma once

#include "lib/base/base.h"

/* Appends what printf(3) would print to the text in so many bytes; cuts it. */
#define	APPEND(text, size, ...)						\
	((void)snprintf((text) + strlen(text), (size) - strlen(text),	\
	    __VA_ARGS__))
