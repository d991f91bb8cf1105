/*
 * One source, several machines.
 *
 * Measured code (locks, generators, harvest queue, reader loop) is written
 * against lib/machine/machine.h and compiled once for each flavour:
 *
 *	real	threads on this machine's CPUs, lock profiling on
 *	bare	the same without lock profiling, to measure its cost
 *	virtual	threads on simulated CPUs in simulated time, lib/vm/vm.h
 *
 * Each external symbol of such files is wrapped in FLAVOURED(), so that all
 * flavours link into one program: functions by a header that mk/rules.sh makes,
 * variables where they are declared.  The Makefile sets FLAVOUR.
 */
#pragma once

#ifndef FLAVOUR
#define	FLAVOUR	real
#endif

#define	FLAVOUR_PASTE_(f, s)	f##_##s
#define	FLAVOUR_PASTE(f, s)	FLAVOUR_PASTE_(f, s)
#define	FLAVOURED(s)		FLAVOUR_PASTE(FLAVOUR, s)

#include "found/flavoured.h"

/* What all flavours have in common. */
enum { MACHINE_CACHE_LINE = 64, MACHINE_CPU_ANY = -1, MTHREAD_NAME_MAX = 15 };
