/* Runs loops of many sizes on a pool and checks that every iteration runs
 * exactly once, that a thread that is held up holds up one part only, and that
 * workers that slept do not wake on the caller's processor. Arguments: threads, pause in microseconds between
 * loops. Prints the median time of an empty loop. */
#define _GNU_SOURCE
#include "pool.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 1000 };
static int hits[MAX], owner[MAX], cpu[MAX];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
/* env: how long a part takes, in microseconds, so that all threads come to theirs. */
static void body(void *env, hone_i64 lo, hone_i64 hi, hone_i32 worker) {
  cpu[worker] = sched_getcpu();
  for (double end = now() + 1e3 * *(int *)env; now() < end;) {}
  for (hone_i64 i = lo; i < hi; i++) {
    hits[i]++;
    owner[i] = worker;
  }
}
/* The first part that is begun ends when all other iterations are done. */
static int done, held;
static void hold(void *env, hone_i64 lo, hone_i64 hi, hone_i32 worker) {
  (void)env, (void)worker;
  int n = (int)(hi - lo), none = 0;
  if (__atomic_compare_exchange_n(&held, &none, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < MAX - n) usleep(100);
  __atomic_fetch_add(&done, n, __ATOMIC_SEQ_CST);
}
static void nothing(void *env, hone_i64 lo, hone_i64 hi, hone_i32 worker) { (void)env, (void)lo, (void)hi, (void)worker; }
static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
int main(int argc, char **argv) {
  hone_pool_options o = {argc > 1 ? atoi(argv[1]) : 1, 0, 0};
  int pause = argc > 2 ? atoi(argv[2]) : 0, rounds = pause ? 100 : o.threads > hone_usable_cpus() ? 300 : 3000;
  hone_pool *p = hone_pool_create(&o);
  if (!p) return puts("no pool"), 2;
  const hone_rt *rt = hone_pool_rt(p);
  if (rt->version != HONE_RT_VERSION || rt->threads != o.threads) return puts("bad table"), 2;
  int beside = 0, length = pause ? 100 : 0;
  for (int r = 0; r < rounds; r++) {
    int n = r % 7 == 0 ? r % MAX : r % 13;
    memset(hits, 0, sizeof hits);
    for (int w = 0; w < MAX; w++) cpu[w] = -1 - w;
    if (pause) usleep(pause);
    rt->parallel(rt->ctx, body, &length, n);
    for (int w = 1; w < o.threads; w++) beside += cpu[w] == cpu[0];
    for (int i = 0; i < n; i++)
      if (hits[i] != 1 || owner[i] < 0 || owner[i] >= o.threads) return printf("n=%d: iteration %d ran %d times by %d\n", n, i, hits[i], owner[i]), 1;
    for (int i = n; i < MAX; i++)
      if (hits[i]) return printf("n=%d: iteration %d ran\n", n, i), 1;
  }
  if (pause && o.threads > 1 && o.threads <= hone_usable_cpus() && beside > rounds / 4) return printf("a worker ran beside the caller %d times in %d loops\n", beside, rounds), 1;
  rt->parallel(rt->ctx, hold, 0, MAX);
  if (done != MAX || (o.threads > 1 && 2 * o.threads * held > MAX)) return printf("a part of %d of %d iterations held the loop up, %d ran\n", held, MAX, done), 1;
  enum { MANY = 2000 };
  static double ts[MANY];
  int T = o.threads > hone_usable_cpus() ? 100 : MANY;
  for (int i = 0; i < T; i++) {
    double t = now();
    rt->parallel(rt->ctx, nothing, 0, o.threads);
    ts[i] = now() - t;
  }
  qsort(ts, (size_t)T, sizeof ts[0], order);
  printf("ok median %.0f ns\n", ts[T / 2]);
  hone_pool_destroy(p);
  for (int i = 0; i < 20; i++) hone_pool_destroy(hone_pool_create(&o));
  return hone_usable_cpus() < 1;
}
