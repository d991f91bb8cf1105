/*
 * One source, several machines.
 *
 * The code that is measured (locks, generators, harvest queue, reader loop) is
 * written against lib/machine.h and compiled once for each flavour, as
 * will-it-scale builds one test as threads and as processes.  The flavours:
 *
 *	real	threads on this machine's CPUs, lock profiling on
 *	bare	the same without lock profiling, to measure what that costs
 *	virtual	threads on simulated CPUs in simulated time, lib/vm.h
 *
 * An external symbol of such a file is wrapped in FLAVOURED() in its header, so
 * that all flavours link into one program; FLAVOUR comes from the Makefile.
 */
#ifndef LIB_FLAVOUR_H
#define LIB_FLAVOUR_H

#ifndef FLAVOUR
#define	FLAVOUR	real
#endif

#define	FLAVOUR_PASTE_(f, s)	f##_##s
#define	FLAVOUR_PASTE(f, s)	FLAVOUR_PASTE_(f, s)
#define	FLAVOURED(s)		FLAVOUR_PASTE(FLAVOUR, s)

#endif
