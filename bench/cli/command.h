/* What commands do alike.  They print why they failed; return a status or 0. */
#ifndef BENCH_CLI_COMMAND_H
#define BENCH_CLI_COMMAND_H

#include <stdio.h>

#include "bench/cli/atomic_file.h"
#include "lib/crypto/crypto.h"

/* The program's own argv, to execute it anew. */
extern char *const *command_argv;

/* Starts libcrypto; crypto_fini() ends it. */
int command_crypto(void);

/* Executes the program anew where libcrypto's instructions are others. */
int command_crypto_mode(enum crypto_mode mode);

/* Opens the file that becomes path; does nothing without a path. */
int command_open(const char *path, struct atomic_file *of);

/* Writes text and completes such a file. */
int command_commit(const char *path, struct atomic_file *of, const char *text,
    size_t len);

/* The same with what a function prints. */
int command_write(const char *path, struct atomic_file *of,
    void (*print)(FILE *out, const void *arg), const void *arg);

#endif
