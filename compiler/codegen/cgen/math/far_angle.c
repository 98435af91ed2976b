/* Angles beyond 2^20. */
static const u64 hone_two_over_pi[] = {
  0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
  0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
  0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
  0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull, 0, 0};
/* 64 bits of 2/pi from bit number i on, the first behind the point is 1. */
static u64 hone_pi_bits(i64 i) {
  i64 w = (i - 1) >> 6, s = (i - 1) & 63;
  return s ? hone_two_over_pi[w] << s | hone_two_over_pi[w + 1] >> (64 - s) : hone_two_over_pi[w];
}
/* The far argument x = M 2^E: only bits of 2/pi whose product with x is below 4
 * matter, and 192 of them are enough for the nearest any double comes to a
 * multiple of pi/2. */
static __attribute__((noinline)) f64 hone_far_angle(f64 x, f64 *rest, i64 *n) {
  union { f64 f; u64 u; } p = {x};
  i64 e = (i64)(p.u >> 52 & 2047) - 1075, first = e - 1 < 1 ? 1 : e - 1, shift = 64 + e - first + 1;
  if (e > 971) { *rest = 0.0; *n = 0; return x - x; }
  u64 m = (p.u & 0xfffffffffffffull) | 1ull << 52, a[3] = {hone_pi_bits(first + 128), hone_pi_bits(first + 64), hone_pi_bits(first)}, q[4], carry = 0;
  for (int i = 0; i < 3; i++) {
    unsigned __int128 t = (unsigned __int128)m * a[i] + carry;
    q[i] = (u64)t;
    carry = (u64)(t >> 64);
  }
  q[3] = carry;
  /* Units stand at bit 256 - shift. */
  i64 words = shift >> 6, bits = shift & 63;
  u64 top[4];
  for (int i = 3; i >= 0; i--) {
    i64 j = i - words;
    u64 hi = j >= 0 ? q[j] : 0, lo = j >= 1 ? q[j - 1] : 0;
    top[i] = bits ? hi << bits | lo >> (64 - bits) : hi;
  }
  u64 whole = words ? (bits ? q[3] << bits | q[2] >> (64 - bits) : q[3]) : (bits ? q[3] >> (64 - bits) : 0);
  u64 f1 = top[3], f0 = top[2];
  f64 sign = 1.0;
  if (f1 >> 63) {
    whole++;
    sign = -1.0;
    f1 = ~f1;
    f0 = ~f0 + 1;
    f1 += f0 == 0;
  }
  if (p.u >> 63) {
    sign = -sign;
    whole = 0 - whole;
  }
  *n = (i64)(whole & 3);
  if (f1 == 0) { f1 = f0; f0 = 0; sign *= 0x1p-64; }
  if (f1 == 0) { *rest = 0.0; return 0.0; }
  int z = __builtin_clzll(f1);
  if (z) { f1 = f1 << z | f0 >> (64 - z); f0 <<= z; }
  union { u64 u; f64 f; } scale = {(u64)(1023 - 64 - z) << 52};
  f64 hi = (f64)(i64)(f1 >> 11) * 0x1p11, lo = (f64)(i64)((f1 & 2047) << 42 | f0 >> 22) * 0x1p-42;
  hi *= scale.f * sign;
  lo *= scale.f * sign;
  f64 y = hi * 0x1.921fb54442d18p+0;
  @opaque(y);
  union { f64 f; u64 u; } ch = {hi};
  ch.u &= ~0x7ffffffull;
  f64 cl = hi - ch.f, dh = 0x1.921fb5p+0, dl = 0x1.921fb54442d18p+0 - 0x1.921fb5p+0;
  f64 err = ((ch.f * dh - y) + ch.f * dl + cl * dh) + cl * dl;
  *rest = err + hi * 0x1.1a62633145c07p-54 + lo * 0x1.921fb54442d18p+0;
  return y;
}
