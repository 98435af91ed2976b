/* Scaled by a power of two near the larger side. */
@static @V @name(@V x, @V y) {
  @V a = @abs(x), b = @abs(y), m = @max(a, b);
  @V scale = @sel(m > 0x1p500, @bc(0x1p-600), @sel(m < 0x1p-500, @bc(0x1p600), @bc(1.0)));
  @V back = @sel(m > 0x1p500, @bc(0x1p600), @sel(m < 0x1p-500, @bc(0x1p-600), @bc(1.0)));
  a *= scale;
  b *= scale;
  @V h = @sqrt(a * a + b * b) * back;
  return @sel((@abs(x) == __builtin_inf()) | (@abs(y) == __builtin_inf()), @bc(__builtin_inf()), h);
}
