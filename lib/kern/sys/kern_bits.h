/* Sets of bits, of kern.h: bitset(9) and bitstring(3), arrays of words. */

enum { KERN_WORD_BITS = NBBY * sizeof(u_long) };
#define	KERN_BIT_WORDS(n)	howmany(n, KERN_WORD_BITS)
#define	KERN_BIT(i)		(1ul << (i) % KERN_WORD_BITS)
#define	KERN_WORD(b, i)		((b)[(i) / KERN_WORD_BITS])
/* From bit i on the first of n that is set, or clear; -1: none. */
int	kern_bits_find(const u_long *, int n, int i, bool set);
int	kern_bits_count(const u_long *, int from, int n);
/* Sets or clears n bits from i on; whether all of them are so. */
void	kern_bits_fill(u_long *, int i, int n, bool set);
#define	kern_bits_are(b, i, n, set)	(kern_bits_find(b, (i) + (n), i, !(set)) < 0)

#define	BITSET_DEFINE(name, size)					\
struct name { u_long __bits[KERN_BIT_WORDS(size)]; }
#define	BITSET_DEFINE_VAR(name)	BITSET_DEFINE(name, 1)
#define	__bitset_word(size, i)	((i) / KERN_WORD_BITS)
#define	BITSET_SIZE(size)	(KERN_BIT_WORDS(size) * sizeof(u_long))
#define	BITSET_ALLOC(size, type, flags)	malloc(BITSET_SIZE(size), type, flags)
#define	BITSET_T_INITIALIZER(...)	{ .__bits = { __VA_ARGS__ } }
#define	BITSET_FSET(n)		[0 ... (n) - 1] = ~0ul
#define	BIT_ISSET(size, i, p)	bit_test((p)->__bits, i)
#define	BIT_SET(size, i, p)	bit_set((p)->__bits, i)
#define	BIT_CLR(size, i, p)	bit_clear((p)->__bits, i)
#define	KERN_BIT_ATOMIC(op, p, i, with)					\
	atomic_##op##_long(&KERN_WORD((p)->__bits, i), with)
#define	BIT_SET_ATOMIC(n, i, p)	KERN_BIT_ATOMIC(set, p, i, KERN_BIT(i))
#define	BIT_SET_ATOMIC_ACQ(n, i, p)	KERN_BIT_ATOMIC(set_acq, p, i, KERN_BIT(i))
#define	BIT_CLR_ATOMIC(n, i, p)	KERN_BIT_ATOMIC(clear, p, i, KERN_BIT(i))
#define	BIT_TEST_SET_ATOMIC(n, i, p)					\
	KERN_BIT_ATOMIC(testandset, p, i, (u_int)(i))
#define	BIT_TEST_CLR_ATOMIC(n, i, p)					\
	KERN_BIT_ATOMIC(testandclear, p, i, (u_int)(i))
#define	BIT_ZERO(size, p)	kern_bits_fill((p)->__bits, 0, size, false)
#define	BIT_FILL(size, p)	kern_bits_fill((p)->__bits, 0, size, true)
#define	BIT_SETOF(size, i, p)	(BIT_ZERO(size, p), BIT_SET(size, i, p))
#define	BIT_EMPTY(size, p)	kern_bits_are((p)->__bits, 0, size, false)
#define	BIT_ISFULLSET(size, p)	kern_bits_are((p)->__bits, 0, size, true)
#define	BIT_COUNT(size, p)	kern_bits_count((p)->__bits, 0, size)
/* From 1; 0: none. */
#define	BIT_FFS_AT(size, p, i) (kern_bits_find((p)->__bits, size, i, true) + 1)
#define	BIT_FFS(size, p)	BIT_FFS_AT(size, p, 0)
#define	KERN_BITS_WALK(b, n, i, set)					\
	for ((i) = kern_bits_find(b, n, 0, set); (int)(i) >= 0;		\
	    (i) = kern_bits_find(b, n, (i) + 1, set))
#define	BIT_FOREACH_ISSET(n, i, p)	KERN_BITS_WALK((p)->__bits, n, i, true)
#define	BIT_FOREACH_ISCLR(n, i, p)	KERN_BITS_WALK((p)->__bits, n, i, false)
#define	KERN_BITS_EACH(size, d, a, op, b) do {				\
	for (size_t kern_i = 0; kern_i < KERN_BIT_WORDS(size); kern_i++) \
		(d)->__bits[kern_i] = (a)->__bits[kern_i] op		\
		    (b)->__bits[kern_i];				\
} while (0)
#define	BIT_COPY(size, f, t)	KERN_BITS_EACH(size, t, f, |, f)
#define	BIT_OR2(size, d, a, b)	KERN_BITS_EACH(size, d, a, |, b)
#define	BIT_AND2(size, d, a, b)	KERN_BITS_EACH(size, d, a, &, b)
#define	BIT_ANDNOT2(size, d, a, b)	KERN_BITS_EACH(size, d, a, & ~, b)
#define	BIT_XOR2(size, d, a, b)	KERN_BITS_EACH(size, d, a, ^, b)
#define	BIT_OR(size, d, s)	BIT_OR2(size, d, d, s)
#define	BIT_AND(size, d, s)	BIT_AND2(size, d, d, s)
#define	BIT_ANDNOT(size, d, s)	BIT_ANDNOT2(size, d, d, s)
#define	BIT_XOR(size, d, s)	BIT_XOR2(size, d, d, s)
/* Whether no word of a and b has such bits. */
#define	KERN_BITS_NONE(size, a, b, op) ({				\
	bool kern_none = true;						\
									\
	for (size_t kern_i = 0; kern_i < KERN_BIT_WORDS(size); kern_i++) \
		kern_none &= ((a)->__bits[kern_i] op			\
		    (b)->__bits[kern_i]) == 0;				\
	kern_none;							\
})
#define	BIT_SUBSET(size, a, b)	KERN_BITS_NONE(size, b, a, & ~)
#define	BIT_OVERLAP(size, a, b)	(!KERN_BITS_NONE(size, a, b, &))
/* Whether they differ. */
#define	BIT_CMP(size, a, b)	(!KERN_BITS_NONE(size, a, b, ^))

typedef u_long bitstr_t;
#define	bitstr_size(n)		(KERN_BIT_WORDS(n) * sizeof(bitstr_t))
#define	bit_decl(name, n)	((name)[KERN_BIT_WORDS(n)])
#define	bit_alloc(n, type, flags)					\
	((bitstr_t *)malloc(bitstr_size(n), type, (flags) | M_ZERO))
#define	bit_test(b, i)		((KERN_WORD(b, i) & KERN_BIT(i)) != 0)
#define	bit_set(b, i)		((void)(KERN_WORD(b, i) |= KERN_BIT(i)))
#define	bit_clear(b, i)		((void)(KERN_WORD(b, i) &= ~KERN_BIT(i)))
#define	bit_nset(b, i, last)	kern_bits_fill(b, i, (last) - (i) + 1, true)
#define	bit_nclear(b, i, last)	kern_bits_fill(b, i, (last) - (i) + 1, false)
#define	bit_ntest(b, i, last, set) kern_bits_are(b, i, (last) - (i) + 1, set)
#define	bit_ffs_at(b, i, n, at)	((void)(*(at) = kern_bits_find(b, n, i, true)))
#define	bit_ffc_at(b, i, n, at)	((void)(*(at) = kern_bits_find(b, n, i, false)))
#define	bit_ffs(b, n, at)	bit_ffs_at(b, 0, n, at)
#define	bit_ffc(b, n, at)	bit_ffc_at(b, 0, n, at)
#define	bit_count(b, i, n, count)					\
	((void)(*(count) = kern_bits_count(b, i, (n) - (i))))
#define	bit_foreach(b, n, i)	KERN_BITS_WALK(b, n, i, true)
