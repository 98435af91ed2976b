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
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef f32 f32x4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef i32 i32x4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef u32 u32x4u __attribute__((vector_size(16), aligned(4), may_alias));
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
static inline __attribute__((always_inline, unused)) f32x4 sel_f32x4(i32x4 m, f32x4 a, f32x4 b) { return (f32x4)(((i32x4)a & m) | ((i32x4)b & ~m)); }
#if defined(__GNUC__) && !defined(__clang__)
static inline __attribute__((always_inline, unused)) f32x4 hone_min_f32x4(f32x4 a, f32x4 b) { return (f32x4)__builtin_ia32_minps(a, b); }
#else
static inline __attribute__((always_inline, unused)) f32x4 hone_min_f32x4(f32x4 a, f32x4 b) { return sel_f32x4(a < b, a, b); }
#endif
static inline __attribute__((always_inline, unused)) f32x4 bc_f32x4(f32 x) { return (f32x4){x, x, x, x}; }
#if defined(__GNUC__) && !defined(__clang__)
static inline __attribute__((always_inline, unused)) f32x4 hone_max_f32x4(f32x4 a, f32x4 b) { return (f32x4)__builtin_ia32_maxps(a, b); }
#else
static inline __attribute__((always_inline, unused)) f32x4 hone_max_f32x4(f32x4 a, f32x4 b) { return sel_f32x4(a > b, a, b); }
#endif
/* e^x = 2^k e^r with k = x log2(e) rounded and r within ln(2)/2; the scale goes
 * on in two factors, so that overflow and subnormal results come out right. Their
 * exponents add up to k + 254, which stands in the last bits of t; what else is in
 * them leaves by the shifts. */
static inline __attribute__((always_inline, unused)) f32x4 hone_exp_f32x4(f32x4 x) {
  x = hone_min_f32x4(bc_f32x4(89.0f), hone_max_f32x4(bc_f32x4(-104.0f), x));
  f32x4 t = x * 0x1.715476p+0f + 0x1.8001fcp23f, k = t - 0x1.8001fcp23f;
  f32x4 r = x - k * 0x1.62e4p-1f - k * 0x1.7f7d1cp-20f;
  f32x4 q = bc_f32x4(0.00139269268f);
  q = q * r + 0.00836377405f;
  q = q * r + 0.0416665487f;
  q = q * r + 0.166665733f;
  q = q * r + 0.5f;
  f32x4 y = q * r * r + r + 1.0f;
  i32x4 i = (i32x4)t, h = i >> 1;
  return y * (f32x4)(h << 23) * (f32x4)((i - h) << 23);
}
static inline __attribute__((always_inline, unused)) f32 hone_exp_f32(f32 x) { return hone_exp_f32x4((f32x4){x, x, x, x})[0]; }
static inline __attribute__((always_inline, unused)) u32 hone_as_bits_u32(f32 x) { union { f32 a; u32 b; } p = {x}; return p.b; }
static inline __attribute__((always_inline, unused)) u32 hone_above_u32(u32 a, u32 limit) { return a > limit ? ~0u : 0u; }
static inline __attribute__((always_inline, unused)) f32 hone_as_float_f32(u32 x) { union { u32 a; f32 b; } p = {x}; return p.b; }
static inline __attribute__((always_inline, unused)) u16 hone_narrow_f16_f32(f32 x) { u32 b = hone_as_bits_u32(x), a = b & 0x7fffffffu, s = (b >> 16) & 0x8000u, p = (a + 0xc8000fffu + ((a >> 13) & 1u)) >> 13, z = hone_as_bits_u32(hone_as_float_f32(a) + 0.5f) - 0x3f000000u, big = hone_above_u32(a, 0x477fefffu), nan = hone_above_u32(a, 0x7f800000u), norm = hone_above_u32(a, 0x387fffffu), v = (p & norm) | (z & ~norm), u = (v & ~big) | (0x7c00u & big), r = s | (u & ~nan) | (0x7e00u & nan); return (u16)r; }
static inline __attribute__((always_inline, unused)) u32 hone_equal_u32(u32 a, u32 b, u32 v) { return a == b ? v : 0u; }
static inline __attribute__((always_inline, unused)) f32 hone_widen_f16_f32(u16 h) { u32 w = h; f32 m = hone_as_float_f32((w & 0x7fffu) << 13) * 0x1p112f; u32 s = (w & 0x8000u) << 16; return hone_as_float_f32(hone_as_bits_u32(m) | s | hone_equal_u32(w & 0x7c00u, 0x7c00u, 0x7f800000u)); }

/* k: scratch_rows */
typedef struct { const f32 *a; u16 *b; u8 *ws; } k_env0;
static __attribute__((noinline)) void k_loop0(i64 lo, i64 hi, const f32 *restrict a, u16 *restrict b, u8 *slice) {
  for (i64 p = lo; p < hi; p++) {
    const i64 o = p * 20000;
    f32 *restrict scratch = (f32 *)(slice + 0);
    for (i64 i = 0; i < 20000; i++) {
      const i64 o_1 = o + i;
      scratch[i] = hone_exp_f32(a[o_1]);
    }
    for (i64 j = 0; j < 20000; j++) {
      const i64 o_2 = j * (-1);
      const i64 o_3 = o + j;
      b[o_3] = hone_narrow_f16_f32(scratch[o_2 + 19999]);
    }
  }
}
static void k_body0(void *env, i64 lo, i64 hi, i32 worker) {
  const k_env0 *e = env;
  (void)e, (void)worker;
  k_loop0(lo, hi, e->a, e->b, e->ws + 0 + worker * 80000);
}
static __attribute__((noinline)) void k_main(const hone_rt *rt, const f32 *restrict a, u16 *restrict b, u8 *ws) {
  {
    k_env0 e = {a, b, ws};
    rt->parallel(rt->ctx, k_body0, &e, 16);
  }
}
__attribute__((visibility("default"))) i32 k(const hone_rt *rt, void *const *args, void *workspace) {
  (void)rt, (void)args, (void)workspace;
  if (rt->threads > 4) return 1;
  k_main(rt, args[0], args[1], workspace);
  return 0;
}
