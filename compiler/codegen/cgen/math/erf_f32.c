/* x P(x^2)/Q(x^2); beyond 4 the result is 1. */
@static @V @name(@V x) {
  @V c = @min(@bc(4.0f), @max(@bc(-4.0f), x)), s = c * c;
  @V p = @bc(1.98661428e-06f);
  p = p * s + 0.000284414651f;
  p = p * s + 0.00387941138f;
  p = p * s + 0.0530894622f;
  p = p * s + 0.193462268f;
  p = p * s + 1.12837911f;
  @V q = @bc(3.74104711e-05f);
  q = q * s + 0.00118449877f;
  q = q * s + 0.0151994471f;
  q = q * s + 0.115314558f;
  q = q * s + 0.504784048f;
  q = q * s + 1.0f;
  return @min(@bc(1.0f), @max(@bc(-1.0f), c * p / q));
}
