@static @V @name(@V x) { return @atan(x / @sqrt((1.0 - x) * (1.0 + x))); }
