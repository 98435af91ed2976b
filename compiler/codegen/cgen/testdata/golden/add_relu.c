/* Hone kernels, x86_64, vectors of 256 bits */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-predictive-commoning")
#pragma GCC optimize("no-tree-pre", "no-code-hoisting", "no-gcse", "no-tree-tail-merge", "no-crossjumping", "no-tree-slp-vectorize")
#endif
typedef __INT8_TYPE__ i8;
typedef __INT16_TYPE__ i16;
typedef __INT32_TYPE__ i32;
typedef __INT64_TYPE__ i64;
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef float f32;
typedef double f64;
typedef struct hone_rt {
  i32 version;
  i32 threads;
  void *ctx;
  void (*parallel)(void *ctx, void (*body)(void *env, i64 lo, i64 hi, i32 worker), void *env, i64 n);
} hone_rt;
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef f32 f32x8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef i32 i32x8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef f32 f32x4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef i32 i32x4u __attribute__((vector_size(16), aligned(4), may_alias));
__attribute__((weak, visibility("hidden"))) void *memcpy(void *d, const void *s, __SIZE_TYPE__ n) {
  u8 *p = d;
  const u8 *q = s;
  for (; n >= 8; n -= 8, p += 8, q += 8) { struct w { u64 v; } __attribute__((packed, may_alias)); ((struct w *)p)->v = ((const struct w *)q)->v; __asm__ volatile("" ::: "memory"); }
  for (; n; n--) { *p++ = *q++; __asm__ volatile("" ::: "memory"); }
  return d;
}
__attribute__((weak, visibility("hidden"))) void *memmove(void *d, const void *s, __SIZE_TYPE__ n) {
  u8 *p = d;
  const u8 *q = s;
  if (p <= q || p >= q + n) return memcpy(d, s, n);
  while (n) { n--; p[n] = q[n]; __asm__ volatile("" ::: "memory"); }
  return d;
}
__attribute__((weak, visibility("hidden"))) void *memset(void *d, int c, __SIZE_TYPE__ n) {
  u8 *p = d;
  u64 v = 0x0101010101010101ull * (u8)c;
  for (; n >= 8; n -= 8, p += 8) { struct w { u64 v; } __attribute__((packed, may_alias)); ((struct w *)p)->v = v; __asm__ volatile("" ::: "memory"); }
  for (; n; n--) { *p++ = (u8)c; __asm__ volatile("" ::: "memory"); }
  return d;
}
static inline __attribute__((always_inline, unused)) f32x8 ld_f32x8(const void *p) { return *(const f32x8u *)p; }
static inline __attribute__((always_inline, unused)) f32x8 bc_f32x8(f32 x) { return (f32x8){x, x, x, x, x, x, x, x}; }
static inline __attribute__((always_inline, unused)) f32x8 sel_f32x8(i32x8 m, f32x8 a, f32x8 b) { return (f32x8)(((i32x8)a & m) | ((i32x8)b & ~m)); }
#if defined(__GNUC__) && !defined(__clang__)
static inline __attribute__((always_inline, unused)) f32x8 hone_max_f32x8(f32x8 a, f32x8 b) { return (f32x8)__builtin_ia32_maxps256(a, b); }
#else
static inline __attribute__((always_inline, unused)) f32x8 hone_max_f32x8(f32x8 a, f32x8 b) { return sel_f32x8(a > b, a, b); }
#endif
static inline __attribute__((always_inline, unused)) void st_f32x8(void *p, f32x8 x) { *(f32x8u *)p = x; }
static inline __attribute__((always_inline, unused)) f32x4 ld_f32x4(const void *p) { return *(const f32x4u *)p; }
static inline __attribute__((always_inline, unused)) f32x4 bc_f32x4(f32 x) { return (f32x4){x, x, x, x}; }
static inline __attribute__((always_inline, unused)) f32x4 sel_f32x4(i32x4 m, f32x4 a, f32x4 b) { return (f32x4)(((i32x4)a & m) | ((i32x4)b & ~m)); }
#if defined(__GNUC__) && !defined(__clang__)
static inline __attribute__((always_inline, unused)) f32x4 hone_max_f32x4(f32x4 a, f32x4 b) { return (f32x4)__builtin_ia32_maxps(a, b); }
#else
static inline __attribute__((always_inline, unused)) f32x4 hone_max_f32x4(f32x4 a, f32x4 b) { return sel_f32x4(a > b, a, b); }
#endif
static inline __attribute__((always_inline, unused)) void st_f32x4(void *p, f32x4 x) { *(f32x4u *)p = x; }
static inline __attribute__((always_inline, unused)) f32 hone_max_f32(f32 a, f32 b) { return a > b ? a : b; }

/* k: add_relu */
typedef struct { const f32 *a; const f32 *b; f32 *c; } k_env0;
static __attribute__((noinline)) void k_loop0(i64 lo, i64 hi, const f32 *restrict a, const f32 *restrict b, f32 *restrict c) {
  for (i64 p = lo; p < hi; p++) {
    const i64 o = p * 77;
    for (i64 j = 0; j < 4; j++) {
      const i64 o_1 = o + j * 16;
      const i64 o_2 = j * 16;
      st_f32x8(&c[o_1], hone_max_f32x8((ld_f32x8(&a[o_1]) + ld_f32x8(&b[o_2])), bc_f32x8(0.0f)));
      st_f32x8(&c[o_1 + 8], hone_max_f32x8((ld_f32x8(&a[o_1 + 8]) + ld_f32x8(&b[o_2 + 8])), bc_f32x8(0.0f)));
    }
    st_f32x8(&c[o + 64], hone_max_f32x8((ld_f32x8(&a[o + 64]) + ld_f32x8(&b[64])), bc_f32x8(0.0f)));
    st_f32x4(&c[o + 72], hone_max_f32x4((ld_f32x4(&a[o + 72]) + ld_f32x4(&b[72])), bc_f32x4(0.0f)));
    c[o + 76] = hone_max_f32((a[o + 76] + b[76]), 0.0f);
  }
}
static void k_body0(void *env, i64 lo, i64 hi, i32 worker) {
  const k_env0 *e = env;
  (void)e, (void)worker;
  k_loop0(lo, hi, e->a, e->b, e->c);
}
static __attribute__((noinline)) void k_main(const hone_rt *rt, const f32 *restrict a, const f32 *restrict b, f32 *restrict c) {
  {
    k_env0 e = {a, b, c};
    rt->parallel(rt->ctx, k_body0, &e, 10);
  }
}
__attribute__((visibility("default"))) i32 k(const hone_rt *rt, void *const *args, void *workspace) {
  (void)rt, (void)args, (void)workspace;
  k_main(rt, args[0], args[1], args[2]);
  return 0;
}
