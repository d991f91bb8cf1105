/*
 * crypto/ and contrib/libb2, of kern.h: what dev/random/hash.h is made of.
 * Key objects are as large as the kernel's and have the key where sources look
 * for it.  The contents of hashes are the program's.
 */

/* crypto/rijndael */
enum { DIR_ENCRYPT = 0, MODE_ECB = 1 };
typedef struct {
	u_int8_t	direction;
	int		keyLen;		/* bits */
	char		keyMaterial[64 + 1];
	int		Nr;
	/* The schedule, which begins with the key, and is not used. */
	u_int32_t	rk[2][60];
} keyInstance;
typedef struct {
	u_int8_t	mode, IV[16];
} cipherInstance;

KERN_CALL(int, rijndael_cipherInit, (cipherInstance *cipher, u_int8_t mode,
    char *iv __unused), (KERN_STORES(cipher, sizeof(*cipher)),
    cipher->mode = mode, 1))

KERN_INLINE int
rijndael_makeKey(keyInstance *key, u_int8_t direction, int bits,
    const char *material)
{
	MPASS(bits == KERN_KEY_BYTES * 8);
	KERN_STORES(key, sizeof(*key));
	key->direction = direction;
	key->keyLen = bits;
	HOST(key_set, key->keyMaterial, material);
	__builtin_memcpy(key->rk[0], key->keyMaterial, KERN_KEY_BYTES);
	return (1);
}

/* Encrypts counters, which may be where the result goes. */
int	rijndael_blockEncrypt(cipherInstance *, keyInstance *, const u_int8_t *,
	    int, u_int8_t *);

/*
 * crypto/chacha20, whose words 12 to 15 are a counter of 128 bits.  Sources
 * that include chacha.c compare a key's first words with its constant.
 */
#define	CHACHA_BLOCKLEN		64
#define	CHACHA_MINKEYLEN	16
#define	CHACHA_NONCELEN		8
#define	CHACHA_CTRLEN		8
#define	CHACHA_STATELEN		(CHACHA_NONCELEN + CHACHA_CTRLEN)
static const char kern_sigma[16] __unused = "expand 32-byte k";
struct chacha_ctx { u_int32_t input[16]; };
void	chacha_keysetup(struct chacha_ctx *, const u_char *, u_int);
void	chacha_encrypt_bytes(struct chacha_ctx *, const u_char *, u_char *,
	    u_int);
#define	chacha_ivsetup(x, iv, counter)	memcpy(&(x)->input[12], counter, 16)
#define	chacha_ctrsave(x, counter)	memcpy(counter, &(x)->input[12], 16)

/* crypto/sha2, contrib/libb2: an implementation's functions may be macros */
#define	SHA256_DIGEST_LENGTH	32
#define	SHA256_BLOCK_LENGTH	64
#define	BLAKE2B_OUTBYTES	64
#define	BLAKE2S_OUTBYTES	32
#define	BLAKE2S_KEYBYTES	KERN_KEY_BYTES
typedef struct { uint64_t kern_state[KERN_HASH_STATE / 8 + 9]; } SHA256_CTX;
typedef struct { uint64_t kern_state[31]; } blake2b_state;
typedef struct { uint64_t kern_state[17]; } blake2s_state;
#define	KERN_HASHES(call, ...)						\
	(KERN_STORES(s, sizeof(*s)), HOST(call, s, __VA_ARGS__), 0)
#define	KERN_HASH(type, init, init_args, hash, update, final, final_args) \
KERN_CALL(int, init, init_args, KERN_HASHES(hash_init, hash, NULL))		\
KERN_CALL(int, update, (type *s, const void *data, size_t n),		\
    KERN_HASHES(hash_add, data, n))						\
KERN_CALL(int, final, final_args, KERN_HASHES(hash_finish, out))
KERN_HASH(SHA256_CTX, SHA256_Init, (SHA256_CTX *s), KERN_SHA256, SHA256_Update,
    SHA256_Final, (void *out, SHA256_CTX *s))
KERN_HASH(blake2b_state, blake2b_init, (blake2b_state *s, size_t n __unused),
    KERN_BLAKE2B, blake2b_update, blake2b_final, (blake2b_state *s, void *out,
    size_t n __unused))
KERN_HASH(blake2s_state, blake2s_init, (blake2s_state *s, size_t n __unused),
    KERN_BLAKE2S, blake2s_update, blake2s_final, (blake2s_state *s, void *out,
    size_t n __unused))

KERN_CALL(int, blake2s_init_key, (blake2s_state *s, size_t n __unused,
    const void *key, size_t keylen), keylen != BLAKE2S_KEYBYTES ?
    (panic("blake2s: %zu bytes of key", keylen), -1) :
    KERN_HASHES(hash_init, KERN_BLAKE2S, key))
