@static @V @name(@V a, @V b) { return @sel((b > a) | (a != a), b, a); }
