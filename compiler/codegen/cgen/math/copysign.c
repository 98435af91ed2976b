@static @V @name(@V x, @V s) { return (@V)(((@I)x & @maxint) | ((@I)s & ~@maxint)); }
