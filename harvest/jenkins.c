#include "harvest/jenkins.h"

enum { LOOKUP3_BLOCK_BYTES = 12 };

struct lookup3 {
	uint32_t	a;
	uint32_t	b;
	uint32_t	c;
};

static uint32_t
rol32(uint32_t x, unsigned bits)
{
	return (x << bits | x >> (32 - bits));
}

/* Up to four bytes, little-endian; missing bytes are zero. */
static uint32_t
load_le(const uint8_t *p, size_t n)
{
	uint32_t v = 0;

	for (size_t i = 0; i < 4 && i < n; i++)
		v |= (uint32_t)p[i] << (8 * i);
	return (v);
}

static void
lookup3_add(struct lookup3 *s, const uint8_t *p, size_t n)
{
	s->a += load_le(p, n);
	if (n > 4)
		s->b += load_le(p + 4, n - 4);
	if (n > 8)
		s->c += load_le(p + 8, n - 8);
}

/* Reversible, so that every block keeps its influence. */
static void
lookup3_mix(struct lookup3 *s)
{
	s->a -= s->c; s->a ^= rol32(s->c, 4); s->c += s->b;
	s->b -= s->a; s->b ^= rol32(s->a, 6); s->a += s->c;
	s->c -= s->b; s->c ^= rol32(s->b, 8); s->b += s->a;
	s->a -= s->c; s->a ^= rol32(s->c, 16); s->c += s->b;
	s->b -= s->a; s->b ^= rol32(s->a, 19); s->a += s->c;
	s->c -= s->b; s->c ^= rol32(s->b, 4); s->b += s->a;
}

static void
lookup3_final(struct lookup3 *s)
{
	s->c ^= s->b; s->c -= rol32(s->b, 14);
	s->a ^= s->c; s->a -= rol32(s->c, 11);
	s->b ^= s->a; s->b -= rol32(s->a, 25);
	s->c ^= s->b; s->c -= rol32(s->b, 16);
	s->a ^= s->c; s->a -= rol32(s->c, 4);
	s->b ^= s->a; s->b -= rol32(s->a, 14);
	s->c ^= s->b; s->c -= rol32(s->b, 24);
}

uint32_t
jenkins_hash(const void *data, size_t n, uint32_t init)
{
	const uint8_t *p = data;
	struct lookup3 s;

	s.a = s.b = s.c = UINT32_C(0xdeadbeef) + (uint32_t)n + init;
	if (n == 0)
		return (s.c);
	/* The last block, even a whole one, is finished instead of mixed. */
	for (; n > LOOKUP3_BLOCK_BYTES; n -= LOOKUP3_BLOCK_BYTES) {
		lookup3_add(&s, p, LOOKUP3_BLOCK_BYTES);
		lookup3_mix(&s);
		p += LOOKUP3_BLOCK_BYTES;
	}
	lookup3_add(&s, p, n);
	lookup3_final(&s);
	return (s.c);
}
