typedef float V __attribute__((vector_size(32), aligned(4), may_alias));
typedef struct { int version, threads; void *ctx; void (*parallel)(void *, void (*)(void *, long, long, int), void *, long); } rt;
#define KERNEL(name) int name(const rt *r, void *const *a, void *ws)
/* c[i] = a[i] * b[i], 1024 elements */
KERNEL(good) {
	const float *x = a[0], *y = a[1];
	float *c = a[2];
	for (int i = 0; i < 1024; i++) c[i] = x[i] * y[i];
	return 0;
}
KERNEL(slow) {
	const float *x = a[0], *y = a[1];
	float *c = a[2];
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 1024; i++) { c[i] = x[i] * y[i]; __asm__ volatile("" ::: "memory"); }
	return 0;
}
KERNEL(wrong) {
	good(r, a, ws);
	((float *)a[2])[77] += 1;
	return 0;
}
KERNEL(partial) {
	const float *x = a[0], *y = a[1];
	float *c = a[2];
	for (int i = 0; i < 1000; i++) c[i] = x[i] * y[i];
	return 0;
}
KERNEL(segv) { *(volatile int *)8 = 1; return 0; }
KERNEL(ill) { __builtin_trap(); return 0; }
KERNEL(hang) { for (;;) __asm__ volatile("" ::: "memory"); }
KERNEL(past) { ((volatile float *)a[2])[1024] = 1; return 0; }
KERNEL(before) { ((volatile float *)a[2])[-1024] = 1; return 0; }
KERNEL(scribble) { good(r, a, ws); ((volatile float *)a[0])[0] = 1; return 0; }
KERNEL(refuses) { return 7; }
KERNEL(slack) { for (int i = 0; i < 3; i++) ((volatile char *)a[0])[i] = 1; ((volatile char *)a[0])[13] = 1; return 0; }
KERNEL(uses_ws) { float *w = ws; for (int i = 0; i < 100; i++) w[i] = i; return good(r, a, ws); }
KERNEL(past_ws) { ((volatile float *)ws)[100] = 1; return good(r, a, ws); }
static void body(void *env, long lo, long hi, int worker) {
	void *const *a = env;
	for (long i = lo; i < hi; i++) ((float *)a[2])[i] = ((const float *)a[0])[i] * ((const float *)a[1])[i];
}
KERNEL(par) { r->parallel(r->ctx, body, (void *)a, 1024); return 0; }
static void bad_body(void *env, long lo, long hi, int worker) { if (hi == 1024) ((volatile float *)((void **)env)[2])[1024] = 1; }
KERNEL(par_past) { r->parallel(r->ctx, bad_body, (void *)a, 1024); return 0; }
/* expects its second argument reversed */
void pack(const void *src, void *dst) { for (int i = 0; i < 1024; i++) ((float *)dst)[i] = ((const float *)src)[1023 - i]; }
void pack_hang(const void *src, void *dst) { for (;;) __asm__ volatile("" ::: "memory"); }
KERNEL(packed) {
	const float *x = a[0], *y = a[1];
	float *c = a[2];
	for (int i = 0; i < 1024; i++) c[i] = x[i] * y[1023 - i];
	return 0;
}
KERNEL(spin20us) {
	double s = 0;
	for (int i = 0; i < 20000; i++) { s += i; __asm__ volatile("" : "+m"(s)); }
	return good(r, a, ws);
}
/* system calls a kernel has no business making: fork, socket, open; 0 when all are refused */
static long sys3(long n, long a, long b, long c) {
	long ret;
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(ret) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#else
	ret = -1;
#endif
	return ret;
}
KERNEL(escape) {
	if (sys3(57, 0, 0, 0) != -1) return 1;
	if (sys3(41, 2, 1, 0) != -1) return 2;
	if (sys3(2, (long)"/etc/passwd", 0, 0) != -1) return 3;
	return good(r, a, ws);
}
/* asks the kernel for 8 GiB */
KERNEL(greedy) {
	long p;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = 0x22, r8 __asm__("r8") = -1, r9 __asm__("r9") = 0;
	__asm__ volatile("syscall" : "=a"(p) : "a"(9), "D"(0), "S"(8l << 30), "d"(3), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	if (p < 0 && p > -4096) return 12;
#endif
	return good(r, a, ws);
}
