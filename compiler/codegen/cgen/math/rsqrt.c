@static @V @name(@V x) { return (@F)1 / @sqrt(x); }
