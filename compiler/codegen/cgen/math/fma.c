@static @V @name(@V a, @V b, @V c) { return a * b + c; }
