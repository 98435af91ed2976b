/* log(u) with u = 1 + x rounded, corrected for the rounding: dividing the
 * error by u is its first-order effect. */
@static @V @name(@V x) {
  @V u = 1.0 + x, d = x - (u - 1.0);
  @V y = @log(u) + d / u;
  y = @sel(@abs(x) < 0x1p-54, x, y);
  return @sel((x > -1.0) & (x < __builtin_inf()), y, @log(u));
}
