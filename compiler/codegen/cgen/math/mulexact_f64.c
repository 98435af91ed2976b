/* a b as the rounded product and, in lo, exactly what is missing: both are cut
 * in halves whose products are exact. The product is pinned, or a compiler
 * might fuse it into the sums that take it apart. */
@static @V @name(@V a, @V b, @V *lo) {
  @V p = a * b;
  @opaque(p);
  @V ah = (@V)((@I)a & -0x8000000ll), al = a - ah, bh = (@V)((@I)b & -0x8000000ll), bl = b - bh;
  *lo = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  return p;
}
