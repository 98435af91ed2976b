@static @V @name(@V x) { return @log(x) * 0x1.bcb7b1526e50ep-2; }
