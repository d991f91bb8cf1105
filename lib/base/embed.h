/* Files that are part of the program. */
#pragma once

/*
 * Declares embedded_NAME, a file's bytes and a NUL, and embedded_NAME_end, at
 * the NUL; the file's path is from the tree's root.
 */
#define	EMBED(name, path)						\
	__asm__(".pushsection .rodata\n.balign 64\n"			\
	    "embedded_file_" #name ":\n\t.incbin \"" path "\"\n"	\
	    "embedded_file_" #name "_end:\n\t.byte 0\n.popsection\n"); \
	EMBEDDED(name);							\
	EMBEDDED(name##_end)
#define	EMBEDDED(name)							\
	extern const char embedded_##name[]				\
	    __asm__("embedded_file_" #name)				\
	    __attribute__((visibility("hidden")))
