int x;
__attribute__((constructor)) static void early(void) { x = 1; }
int entry(const void *r, void *const *a, void *ws) { return x; }
