/* x P(x^2)/Q(x^2); beyond 9 the result is 1. */
@static @V @name(@V x) {
  @V c = @min(@bc(9.0f), @max(@bc(-9.0f), x)), s = c * c;
  @V p = @bc(-8.49622564e-14f);
  p = p * s + 5.28128409e-11f;
  p = p * s - 2.02330082e-08f;
  p = p * s + 1.11564104e-05f;
  p = p * s + 0.00310416869f;
  p = p * s + 0.130842045f;
  p = p * s + 1.0f;
  @V q = @bc(0.000254644779f);
  q = q * s + 0.0244960357f;
  q = q * s + 0.464175314f;
  q = q * s + 1.0f;
  return @min(@bc(1.0f), @max(@bc(-1.0f), c * p / q));
}
