/* The multiply-add burst: the machine's peak, and the reference kernel that tells a slow
 * moment from a slow candidate. Every accumulator is its own dependency chain
 * (c = c * x + y, so nothing can be hoisted), and there are enough of them to cover the
 * latency of two units. */
#define _GNU_SOURCE
#include "honex.h"

#include <time.h>

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

#define TIMES8(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define TIMES12(F) TIMES8(F) F(8) F(9) F(10) F(11)
#define TIMES24(F) TIMES12(F) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23)
#define DECLARE(i) V c##i = x * (float)(i + 1);
#define STEP(i) c##i = c##i * x + y;
#define SUM(i) s += c##i;

/* The result's lanes are stored, or the loop would be dead. */
#define BURST(name, vector, list, attribute)                                         \
	attribute __attribute__((noinline)) static void name(int64_t n, float *out) {    \
		typedef vector V;                                                            \
		V x = {0}, y = {0}, s = {0};                                                 \
		x += 0.999f;                                                                 \
		y += 0.001f;                                                                 \
		__asm__("" : "+m"(x), "+m"(y));                                              \
		list(DECLARE) for (int64_t i = 0; i < n; i++) { list(STEP) }                 \
		list(SUM) for (unsigned i = 0; i < sizeof(V) / sizeof(float); i++) out[i] = s[i]; \
	}

typedef struct burst {
	void (*run)(int64_t n, float *out);
	double flops; /* of one iteration */
	const char *name;
} burst;

#if defined(__x86_64__)
BURST(burst_avx512, v16, TIMES24, __attribute__((target("avx512f"))))
BURST(burst_avx2, v8, TIMES12, __attribute__((target("avx2,fma"))))
BURST(burst_base, v4, TIMES12, )
static burst best_burst(void) {
	if (__builtin_cpu_supports("avx512f")) return (burst){burst_avx512, 24 * 16 * 2, "avx512"};
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return (burst){burst_avx2, 12 * 8 * 2, "avx2"};
	return (burst){burst_base, 12 * 4 * 2, "sse"};
}
#else
BURST(burst_base, v4, TIMES24, )
static burst best_burst(void) { return (burst){burst_base, 24 * 4 * 2, "base"}; }
#endif

static double clock_ns(clockid_t c) {
	struct timespec t;
	clock_gettime(c, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct job {
	burst b;
	int64_t iterations;
} job;

static void body(void *env, int64_t lo, int64_t hi, int32_t worker) {
	(void)worker;
	const job *j = env;
	float out[16];
	for (; lo < hi; lo++) j->b.run(j->iterations, out);
}

/* A processor that has just been woken is slow for a moment; the first samples of a request
 * would pay for it. Nothing but registers is touched. */
void wake_up(void) {
	float out[16];
	burst b = best_burst();
	double end = clock_ns(CLOCK_MONOTONIC) + 60e3;
	do b.run(500, out);
	while (clock_ns(CLOCK_MONOTONIC) < end);
}

/* peak MS: the best of repeated bursts on all threads, in GFLOP/s. */
void cmd_peak(char **w, int n, int fd) {
	(void)fd;
	if (n != 2) fail("request", "peak wants milliseconds");
	double budget = (double)number(w[1], 1, 10000) * 1e6, best = 0, start = clock_ns(CLOCK_MONOTONIC);
	job j = {best_burst(), 20000};
	do {
		double t0 = clock_ns(CLOCK_MONOTONIC);
		runtime->parallel(runtime->ctx, body, &j, runtime->threads);
		double rate = j.b.flops * (double)j.iterations * runtime->threads / (clock_ns(CLOCK_MONOTONIC) - t0);
		if (rate > best) best = rate;
	} while (clock_ns(CLOCK_MONOTONIC) - start < budget);
	reply("ok %.3f %s", best, j.b.name);
}

/* reference: the shortest of five fixed bursts on this thread, in nanoseconds of its time. */
void cmd_reference(char **w, int n, int fd) {
	(void)w, (void)fd;
	if (n != 1) fail("request", "reference wants nothing");
	job j = {best_burst(), 10000};
	double best = 0;
	for (int i = 0; i < 5; i++) {
		double t0 = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		body(&j, 0, 1, 0);
		double t = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t0;
		if (!i || t < best) best = t;
	}
	reply("ok %.0f", best);
}
