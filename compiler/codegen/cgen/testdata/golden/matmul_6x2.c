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
static inline __attribute__((always_inline, unused)) f32x8 bc_f32x8(f32 x) { return (f32x8){x, x, x, x, x, x, x, x}; }
static inline __attribute__((always_inline, unused)) f32x8 ld_f32x8(const void *p) { return *(const f32x8u *)p; }
static inline __attribute__((always_inline, unused)) void st_f32x8(void *p, f32x8 x) { *(f32x8u *)p = x; }

/* k_pack0: pack */
static __attribute__((noinline)) void k_pack0_main(const f32 *restrict B, f32 *restrict B_packed) {
  for (i64 o = 0; o < 2; o++) {
    const i64 o_1 = o * 16;
    const i64 o_4 = o * 1024;
    for (i64 r = 0; r < 64; r++) {
      const i64 o_2 = o_1 + r * 32;
      const i64 o_5 = o_4 + r * 16;
      for (i64 c = 0; c < 16; c++) {
        const i64 o_3 = o_2 + c;
        const i64 o_6 = o_5 + c;
        B_packed[o_6] = B[o_3];
      }
    }
  }
}
__attribute__((visibility("default"))) void k_pack0(const void *src, void *dst) {
  k_pack0_main(src, dst);
}

/* k: matmul */
static __attribute__((noinline)) void k_main(const f32 *restrict A, const f32 *restrict B, f32 *restrict C) {
  for (i64 j = 0; j < 2; j++) {
    const i64 o = j * 1024;
    const i64 o_4 = j * 16;
    for (i64 i = 0; i < 2; i++) {
      const i64 o_2 = i * 384;
      const i64 o_5 = o_4 + i * 192;
      f32x8 r0_0;
      f32x8 r0_1;
      f32x8 r0_2;
      f32x8 r0_3;
      f32x8 r0_4;
      f32x8 r0_5;
      f32x8 r0_6;
      f32x8 r0_7;
      f32x8 r0_8;
      f32x8 r0_9;
      f32x8 r0_10;
      f32x8 r0_11;
      r0_0 = bc_f32x8(0.0f);
      r0_1 = bc_f32x8(0.0f);
      r0_2 = bc_f32x8(0.0f);
      r0_3 = bc_f32x8(0.0f);
      r0_4 = bc_f32x8(0.0f);
      r0_5 = bc_f32x8(0.0f);
      r0_6 = bc_f32x8(0.0f);
      r0_7 = bc_f32x8(0.0f);
      r0_8 = bc_f32x8(0.0f);
      r0_9 = bc_f32x8(0.0f);
      r0_10 = bc_f32x8(0.0f);
      r0_11 = bc_f32x8(0.0f);
      for (i64 k = 0; k < 64; k++) {
        const i64 o_1 = o + k * 16;
        const i64 o_3 = o_2 + k;
        f32x8 b0 = ld_f32x8(&B[o_1]);
        __asm__("" : "+v"(b0));
        f32x8 b1 = ld_f32x8(&B[o_1 + 8]);
        __asm__("" : "+v"(b1));
        const f32 a0 = A[o_3];
        f32x8 a0_v = bc_f32x8(a0);
        __asm__("" : "+v"(a0_v));
        r0_0 = (r0_0 + (a0_v * b0));
        r0_1 = (r0_1 + (a0_v * b1));
        const f32 a1 = A[o_3 + 64];
        f32x8 a1_v = bc_f32x8(a1);
        __asm__("" : "+v"(a1_v));
        r0_2 = (r0_2 + (a1_v * b0));
        r0_3 = (r0_3 + (a1_v * b1));
        const f32 a2 = A[o_3 + 128];
        f32x8 a2_v = bc_f32x8(a2);
        __asm__("" : "+v"(a2_v));
        r0_4 = (r0_4 + (a2_v * b0));
        r0_5 = (r0_5 + (a2_v * b1));
        const f32 a3 = A[o_3 + 192];
        f32x8 a3_v = bc_f32x8(a3);
        __asm__("" : "+v"(a3_v));
        r0_6 = (r0_6 + (a3_v * b0));
        r0_7 = (r0_7 + (a3_v * b1));
        const f32 a4 = A[o_3 + 256];
        f32x8 a4_v = bc_f32x8(a4);
        __asm__("" : "+v"(a4_v));
        r0_8 = (r0_8 + (a4_v * b0));
        r0_9 = (r0_9 + (a4_v * b1));
        const f32 a5 = A[o_3 + 320];
        f32x8 a5_v = bc_f32x8(a5);
        __asm__("" : "+v"(a5_v));
        r0_10 = (r0_10 + (a5_v * b0));
        r0_11 = (r0_11 + (a5_v * b1));
      }
      st_f32x8(&C[o_5], r0_0);
      st_f32x8(&C[o_5 + 8], r0_1);
      st_f32x8(&C[o_5 + 32], r0_2);
      st_f32x8(&C[o_5 + 40], r0_3);
      st_f32x8(&C[o_5 + 64], r0_4);
      st_f32x8(&C[o_5 + 72], r0_5);
      st_f32x8(&C[o_5 + 96], r0_6);
      st_f32x8(&C[o_5 + 104], r0_7);
      st_f32x8(&C[o_5 + 128], r0_8);
      st_f32x8(&C[o_5 + 136], r0_9);
      st_f32x8(&C[o_5 + 160], r0_10);
      st_f32x8(&C[o_5 + 168], r0_11);
    }
  }
}
__attribute__((visibility("default"))) i32 k(const hone_rt *rt, void *const *args, void *workspace) {
  (void)rt, (void)args, (void)workspace;
  k_main(args[0], args[1], args[2]);
  return 0;
}
