/* Half away from zero. */
@static @V @name(@V x) {
  @V t = @trunc(x);
  return @copysign(@sel(@abs(x - t) >= (@F)0.5, t + @copysign(@bc(1), x), t), x);
}
