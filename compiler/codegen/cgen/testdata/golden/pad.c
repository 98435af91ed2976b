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

/* k: pad */
static __attribute__((noinline)) void k_main(const f32 *restrict x, f32 *restrict y) {
  for (i64 fused = 0; fused < 100; fused++) {
    const i64 o = fused / 10;
    const i64 o_1 = fused % 10;
    const i64 o_2 = o * 8 + o_1;
    y[fused] = ((((o >= 1) && (o < 9)) && ((o_1 >= 1) && (o_1 < 9))) ? x[o_2 - 9] : 0.0f);
  }
}
__attribute__((visibility("default"))) i32 k(const hone_rt *rt, void *const *args, void *workspace) {
  (void)rt, (void)args, (void)workspace;
  k_main(args[0], args[1]);
  return 0;
}
