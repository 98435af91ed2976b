static char big[1l << 34];
int entry(const void *r, void *const *a, void *ws) { big[(long)ws & 1023] = 1; return big[5]; }
