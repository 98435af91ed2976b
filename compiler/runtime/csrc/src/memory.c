#include "hone_sys.h"

/* What compilers call on their own. The empty asm keeps them from turning the
 * loops into calls to themselves. */
typedef struct { unsigned long long v[4]; } __attribute__((packed, may_alias)) block32;

#define HIDDEN __attribute__((visibility("hidden")))
#define STAY __asm__ volatile("" ::: "memory")

HIDDEN void *memcpy(void *d, const void *s, hone_size n) {
  unsigned char *p = d;
  const unsigned char *q = s;
  for (; n >= 32; n -= 32, p += 32, q += 32) {
    unsigned long long a = ((const block32 *)q)->v[0], b = ((const block32 *)q)->v[1], c = ((const block32 *)q)->v[2], e = ((const block32 *)q)->v[3];
    ((block32 *)p)->v[0] = a, ((block32 *)p)->v[1] = b, ((block32 *)p)->v[2] = c, ((block32 *)p)->v[3] = e;
    STAY;
  }
  for (; n; n--) {
    *p++ = *q++;
    STAY;
  }
  return d;
}

HIDDEN void *memmove(void *d, const void *s, hone_size n) {
  unsigned char *p = d;
  const unsigned char *q = s;
  if (p <= q || p >= q + n) return memcpy(d, s, n);
  while (n) {
    n--;
    p[n] = q[n];
    STAY;
  }
  return d;
}

HIDDEN void *memset(void *d, int c, hone_size n) {
  unsigned char *p = d;
  unsigned long long v = 0x0101010101010101ull * (unsigned char)c;
  for (; n >= 32; n -= 32, p += 32) {
    for (int i = 0; i < 4; i++) ((block32 *)p)->v[i] = v;
    STAY;
  }
  for (; n; n--) {
    *p++ = (unsigned char)c;
    STAY;
  }
  return d;
}
