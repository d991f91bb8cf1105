/* Text files that are part of the program. */
#pragma once

/* Declares embedded_NAME, a file's text; its path is from the tree's root. */
#define	EMBED(name, path)						\
	__asm__(".pushsection .rodata\n"				\
	    "embedded_text_" #name ":\n"				\
	    "\t.incbin \"" path "\"\n"					\
	    "\t.byte 0\n"						\
	    ".popsection\n");						\
	extern const char embedded_##name[]				\
	    __asm__("embedded_text_" #name)				\
	    __attribute__((visibility("hidden")))
