// OpenBLAS on one product of matrices, a batch of them, or of a row and a matrix.
// Usage: openblasbench COPIES BATCH M N K TURNED. Every call takes the next of COPIES
// right-hand matrices; TURNED says that they lie as N rows of K.
#include "serve.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TURN = 112 };
extern void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
extern void cblas_sgemv(int order, int t, int m, int n, float alpha, const float *a, int lda, const float *x, int incx, float beta, float *y, int incy);

static int copies, batch, m, n, k, turned, at;
static float *a, *b, *c;

static float *filled(size_t count) {
  float *p = aligned_alloc(1 << 21, ((count * sizeof *p >> 21) + 1) << 21);
  if (!p) exit(1);
  for (size_t i = 0; i < count; i++) p[i] = (float)(int)(i % 7) - 3;
  return p;
}

static const float *next(void) {
  const float *w = b + (size_t)at * (size_t)batch * (size_t)n * (size_t)k;
  at = (at + 1) % copies;
  return w;
}

static void products(void) {
  const float *w = next();
  for (int i = 0; i < batch; i++)
    cblas_sgemm(ROW_MAJOR, PLAIN, turned ? TURN : PLAIN, m, n, k, 1, a + (size_t)i * (size_t)m * (size_t)k, k, w + (size_t)i * (size_t)n * (size_t)k, turned ? k : n, 0, c + (size_t)i * (size_t)m * (size_t)n, n);
}

static void dots(void) { cblas_sgemv(ROW_MAJOR, PLAIN, n, k, 1, next(), k, a, 1, 0, c, 1); }
static void sums(void) { cblas_sgemv(ROW_MAJOR, TURN, k, n, 1, next(), n, a, 1, 0, c, 1); }

static double best_of(void (*run)(void)) {
  double best = 0;
  for (int i = 0; i < 30; i++) {
    double t = clock_ns(CLOCK_MONOTONIC);
    run();
    t = clock_ns(CLOCK_MONOTONIC) - t;
    if (!i || t < best) best = t;
  }
  return best;
}

int main(int argc, char **argv) {
  if (argc != 7) return 2;
  copies = atoi(argv[1]), batch = atoi(argv[2]), m = atoi(argv[3]), n = atoi(argv[4]), k = atoi(argv[5]), turned = atoi(argv[6]);
  a = filled((size_t)batch * (size_t)m * (size_t)k);
  b = filled((size_t)copies * (size_t)batch * (size_t)k * (size_t)n);
  c = filled((size_t)batch * (size_t)m * (size_t)n);
  // A weight may lie either way: the better one counts.
  if (m == 1 && batch == 1) serve(best_of(dots) < best_of(sums) ? dots : sums, NULL);
  else serve(products, NULL);
  return 0;
}
