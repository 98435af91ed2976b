/* From e^-|x|, so that neither side overflows or loses its leading digits. */
@static @V @name(@V x) {
  @V e = @exp(-@abs(x)), r = (@F)1 / ((@F)1 + e);
  return @sel(x < (@F)0, e * r, r);
}
