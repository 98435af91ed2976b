@static @V @name(@V x) { return 2.0 * @atan(@sqrt((1.0 - x) / (1.0 + x))); }
