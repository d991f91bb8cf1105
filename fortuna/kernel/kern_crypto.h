/*
 * crypto/ and contrib/, of kern.h: what dev/random/hash.h is made of.  The
 * contents are the program's.  The sizes are about the kernel's.
 */
#ifndef KERN_CRYPTO_H
#define	KERN_CRYPTO_H

typedef struct { uint64_t kern_state[KERNEL_HASH_STATE / 8 + 9]; } SHA256_CTX;
typedef struct { uint64_t kern_state[62]; } keyInstance;
typedef struct { uint64_t kern_state[3]; } cipherInstance;
struct chacha_ctx { uint32_t input[16]; };
typedef struct { uint64_t kern_state[31]; } blake2b_state;
#define	CHACHA_BLOCKLEN		64
#define	CHACHA_MINKEYLEN	16
#define	SHA256_DIGEST_LENGTH	32
#define	SHA256_BLOCK_LENGTH	64
#define	BLAKE2B_OUTBYTES	KERNEL_BLAKE2B_BYTES

/* ChaCha20 with a counter of 128 bits: it follows what the program keeps. */
#define	chacha_ivsetup(x, iv, counter)	memcpy(&(x)->input[12], counter, 16)
#define	chacha_ctrsave(x, counter)	memcpy(counter, &(x)->input[12], 16)

KERN_PLAIN static __inline void
chacha_keysetup(struct chacha_ctx *x, const u_char *key, u_int bits)
{
	MPASS(bits == KERNEL_KEY_BYTES * 8);
	KERN_STORES(x, sizeof(*x));
	HOST(key_set, x, key);
}

KERN_PLAIN static __inline void
chacha_encrypt_bytes(struct chacha_ctx *x, const u_char *text, u_char *out,
    u_int n)
{
	const uint64_t lo = le64dec(&x->input[12]);
	const uint64_t hi = le64dec(&x->input[14]);
	uint64_t next;

	MPASS(text == NULL);
	KERN_LOADS(x, sizeof(*x));
	next = lo + HOST(keystream, x, lo, hi, out, n);
	le64enc(&x->input[12], next);
	le64enc(&x->input[14], hi + (next < lo));
}

/* A source may have macros of these names. */
#define	blake2b_init_ref	blake2b_init
#define	blake2b_update_ref	blake2b_update
#define	blake2b_final_ref	blake2b_final
#define	KERN_BLAKE2B(name, args, call)					\
KERN_PLAIN static __inline int						\
name args								\
{									\
	KERN_STORES(s, sizeof(*s));					\
	call;								\
	return (0);							\
}
KERN_BLAKE2B(blake2b_init, (blake2b_state *s, size_t n),
    HOST(hash_init, s, (unsigned)n))
KERN_BLAKE2B(blake2b_update, (blake2b_state *s, const void *data, size_t n),
    HOST(hash_add, s, data, n))
/* Stubs write less. */
KERN_BLAKE2B(blake2b_final, (blake2b_state *s, void *out, size_t n),
    HOST(hash_finish, s, __builtin_memset(out, 0, n)))

#endif
