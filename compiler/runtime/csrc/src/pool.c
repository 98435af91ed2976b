#include "pool.h"
#include "hone_sys.h"

/* Two lines apart: adjacent lines are fetched in pairs. */
#define LINE __attribute__((aligned(128)))

#define WORKER_STACK (4u << 20)
#define DEFAULT_SPIN_US 60
/* Pauses between two looks at the clock. */
#define SPIN_BATCH 64
#define MAX_THREADS 4096
/* Parts of a loop per thread. A thread that another process keeps off its processor leaves
 * the parts it has not begun to the others; they wait for one part of it at most. */
#define PARTS 4

typedef unsigned long long claims; /* generation << 32 | first part not begun << 16 | end */

typedef struct worker {
  LINE claims claims; /* the parts that are this thread's to begin, and the others' to take over */
  LINE hone_pool *pool;
  hone_i32 index;
  hone_i32 cpu; /* -1: not pinned */
  hone_i32 tid; /* 0 until it runs */
  hone_thread thread;
} worker;

#define MASK_WORDS 128
#define MASK_BITS (8 * (unsigned)sizeof(unsigned long))

struct hone_pool {
  /* Written by the caller before each loop, read by workers after they see
   * the new generation. */
  LINE hone_body *body;
  void *env;
  hone_i64 n;
  hone_i32 parts;
  hone_i32 stop;

  LINE int generation; /* one more for each loop; workers wait for a change */
  LINE int sleepers;   /* workers that wait in the kernel */
  LINE int pending;    /* parts that are not finished */
  LINE int caller_sleeps;

  LINE hone_rt rt;
  hone_i32 started; /* threads to join */
  hone_i32 spread;  /* workers are kept off the caller's processor */
  hone_i32 cleared; /* the processor they are kept off; -1: none */
  long mask_bytes;
  unsigned long mask[MASK_WORDS]; /* where the pool may run */
  hone_i64 spin_ns;
  hone_size bytes; /* of this mapping */
  worker workers[];
};

static hone_i64 now_ns(void) {
  hone_i64 t[2] = {0, 0};
  syscall(HONE_SYS_CLOCK_GETTIME, (long)HONE_CLOCK_MONOTONIC, t);
  return t[0] * 1000000000 + t[1];
}

static void futex_wait(int *word, int value) { syscall(HONE_SYS_FUTEX, word, (long)HONE_FUTEX_WAIT_PRIVATE, (long)value, (void *)0, (void *)0, 0L); }
static void futex_wake(int *word, int count) { syscall(HONE_SYS_FUTEX, word, (long)HONE_FUTEX_WAKE_PRIVATE, (long)count, (void *)0, (void *)0, 0L); }

/* Spins while *word has the value, at most limit_ns; says whether it changed. */
static int spin_while(const int *word, int value, hone_i64 limit_ns) {
  hone_i64 end = 0;
  for (;;) {
    for (int i = 0; i < SPIN_BATCH; i++) {
      if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) return 1;
      HONE_PAUSE();
    }
    hone_i64 t = now_ns();
    if (end == 0) end = t + limit_ns;
    if (t >= end) return 0;
  }
}

/* Begins the next part of w in a generation: its number, or -1 when none is left. Whoever
 * has begun a part may read the loop in the pool, for the loop ends with its last part. */
static hone_i32 claim(worker *w, unsigned generation) {
  claims c = __atomic_load_n(&w->claims, __ATOMIC_ACQUIRE);
  for (;;) {
    hone_i32 part = (hone_i32)(c >> 16 & 0xffff), end = (hone_i32)(c & 0xffff);
    if ((unsigned)(c >> 32) != generation || part >= end) return -1;
    if (__atomic_compare_exchange_n(&w->claims, &c, c + (1 << 16), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return part;
  }
}

/* Does the parts of thread index, then those that the others have not begun. */
static void run_parts(hone_pool *p, hone_i32 index, unsigned generation) {
  int done = 0;
  for (hone_i32 k = 0; k < p->rt.threads; k++) {
    worker *w = &p->workers[(index + k) % p->rt.threads];
    for (hone_i32 part; (part = claim(w, generation)) >= 0; done++) {
      hone_i64 lo = p->n * part / p->parts, hi = p->n * (part + 1) / p->parts;
      p->body(p->env, lo, hi, index);
    }
  }
  if (done && __atomic_sub_fetch(&p->pending, done, __ATOMIC_SEQ_CST) == 0 && index && __atomic_load_n(&p->caller_sleeps, __ATOMIC_SEQ_CST))
    futex_wake(&p->pending, 1);
}

static void pin(hone_i32 cpu) {
  unsigned long mask[16] = {0};
  unsigned long bits = 8 * sizeof mask[0];
  if (cpu < 0 || (unsigned long)cpu >= 16 * bits) return;
  mask[cpu / bits] = 1ul << (cpu % bits);
  syscall(HONE_SYS_SCHED_SETAFFINITY, 0L, sizeof mask, mask);
}

static void *work(void *arg) {
  worker *w = arg;
  hone_pool *p = w->pool;
  int seen = 0;
  if (w->cpu >= 0) pin(w->cpu);
  __atomic_store_n(&w->tid, (hone_i32)syscall(HONE_SYS_GETTID), __ATOMIC_RELEASE);
  for (;;) {
    if (!spin_while(&p->generation, seen, p->spin_ns)) {
      /* Announce, then look again: the caller raises the generation first and
       * looks at the sleepers second, so one of us sees the other. */
      __atomic_fetch_add(&p->sleepers, 1, __ATOMIC_SEQ_CST);
      while (__atomic_load_n(&p->generation, __ATOMIC_SEQ_CST) == seen) futex_wait(&p->generation, seen);
      __atomic_fetch_sub(&p->sleepers, 1, __ATOMIC_SEQ_CST);
    }
    seen = __atomic_load_n(&p->generation, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&p->stop, __ATOMIC_ACQUIRE)) return 0;
    run_parts(p, w->index, (unsigned)seen);
  }
}

/* Keeps workers that are about to be woken off the caller's processor. Linux likes to put
 * a woken thread beside the one that wakes it, where it waits until the caller has done its
 * own part and stopped spinning: a loop then takes longer than on one thread, and the
 * balancer needs many milliseconds to notice. */
static void make_way(hone_pool *p) {
  unsigned cpu = 0;
  if (!p->spread || syscall(HONE_SYS_GETCPU, &cpu, (void *)0, (void *)0) != 0) return;
  if (cpu >= MASK_WORDS * MASK_BITS || (hone_i32)cpu == p->cleared) return;
  unsigned long bit = 1ul << cpu % MASK_BITS, was = p->mask[cpu / MASK_BITS];
  p->mask[cpu / MASK_BITS] &= ~bit;
  p->cleared = (hone_i32)cpu;
  for (hone_i32 i = 1; i <= p->started; i++) {
    hone_i32 tid = __atomic_load_n(&p->workers[i].tid, __ATOMIC_ACQUIRE);
    if (tid == 0) p->cleared = -1; /* not up yet: the next time */
    else if (syscall(HONE_SYS_SCHED_SETAFFINITY, (long)tid, p->mask_bytes, p->mask) != 0) p->spread = 0;
  }
  p->mask[cpu / MASK_BITS] = was;
}

/* Wakes the workers for the loop described in p, or for the end. */
static void release(hone_pool *p) {
  int generation = (int)((unsigned)p->generation + 1);
  hone_i32 threads = p->rt.threads;
  __atomic_store_n(&p->pending, p->parts, __ATOMIC_RELAXED);
  for (hone_i32 i = 0; i < threads; i++) {
    claims lo = (claims)(p->parts * i / threads), hi = (claims)(p->parts * (i + 1) / threads);
    __atomic_store_n(&p->workers[i].claims, (claims)(unsigned)generation << 32 | lo << 16 | hi, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&p->generation, generation, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&p->sleepers, __ATOMIC_SEQ_CST) > 0) {
    make_way(p);
    futex_wake(&p->generation, MAX_THREADS);
  }
}

/* Waits until every part is finished. */
static void join(hone_pool *p) {
  hone_i64 end = 0;
  for (;;) {
    int left = __atomic_load_n(&p->pending, __ATOMIC_ACQUIRE);
    if (left == 0) return;
    for (int i = 0; i < SPIN_BATCH && __atomic_load_n(&p->pending, __ATOMIC_ACQUIRE) != 0; i++) HONE_PAUSE();
    if (__atomic_load_n(&p->pending, __ATOMIC_ACQUIRE) == 0) return;
    hone_i64 t = now_ns();
    if (end == 0) end = t + p->spin_ns;
    if (t >= end) break;
  }
  __atomic_store_n(&p->caller_sleeps, 1, __ATOMIC_SEQ_CST);
  for (int left; (left = __atomic_load_n(&p->pending, __ATOMIC_SEQ_CST)) != 0;) futex_wait(&p->pending, left);
  __atomic_store_n(&p->caller_sleeps, 0, __ATOMIC_RELAXED);
}

static void parallel(void *ctx, hone_body *body, void *env, hone_i64 n) {
  hone_pool *p = ctx;
  if (n <= 1 || p->started == 0) {
    if (n > 0) body(env, 0, n, 0);
    return;
  }
  p->body = body;
  p->env = env;
  p->n = n;
  hone_i32 most = PARTS * p->rt.threads;
  p->parts = n < most ? (hone_i32)n : most;
  release(p);
  run_parts(p, 0, (unsigned)p->generation);
  join(p);
}

/* Starts worker i with all signals blocked: handlers of the host program must
 * not run on its stack. */
static int start(worker *w) {
  hone_opaque attr, all, old;
  if (pthread_attr_init(&attr) != 0) return 0;
  pthread_attr_setstacksize(&attr, WORKER_STACK);
  sigfillset(&all);
  pthread_sigmask(HONE_SIG_BLOCK, &all, &old);
  int failed = pthread_create(&w->thread, &attr, work, w);
  pthread_sigmask(HONE_SIG_SETMASK, &old, 0);
  pthread_attr_destroy(&attr);
  return !failed;
}

hone_pool *hone_pool_create(const hone_pool_options *o) {
  if (o->threads < 1 || o->threads > MAX_THREADS) return 0;
  hone_size bytes = sizeof(hone_pool) + (hone_size)o->threads * sizeof(worker);
  hone_pool *p = mmap(0, bytes, HONE_PROT_READ | HONE_PROT_WRITE, HONE_MAP_PRIVATE | HONE_MAP_ANONYMOUS, -1, 0);
  if (p == HONE_MAP_FAILED) return 0;
  p->bytes = bytes;
  p->spin_ns = 1000 * (hone_i64)(o->spin_us > 0 ? o->spin_us : DEFAULT_SPIN_US);
  p->mask_bytes = syscall(HONE_SYS_SCHED_GETAFFINITY, 0L, sizeof p->mask, p->mask);
  hone_i32 usable = hone_usable_cpus();
  p->spread = !o->cpus && o->threads > 1 && usable >= o->threads && p->mask_bytes > 0;
  p->cleared = -1;
  if (usable < o->threads) p->spin_ns = 0; /* spinning would keep a thread that has work off its processor */
  p->rt.version = HONE_RT_VERSION;
  p->rt.threads = o->threads;
  p->rt.ctx = p;
  p->rt.parallel = parallel;
  for (hone_i32 i = 1; i < o->threads; i++) {
    worker *w = &p->workers[i];
    w->pool = p;
    w->index = i;
    w->cpu = o->cpus ? o->cpus[i] : -1;
    if (!start(w)) {
      hone_pool_destroy(p);
      return 0;
    }
    p->started++;
  }
  if (o->cpus) pin(o->cpus[0]);
  return p;
}

void hone_pool_destroy(hone_pool *p) {
  if (!p) return;
  __atomic_store_n(&p->stop, 1, __ATOMIC_RELEASE); /* a worker that wakes late may look */
  p->parts = 0;
  release(p);
  for (hone_i32 i = 1; i <= p->started; i++) pthread_join(p->workers[i].thread, 0);
  munmap(p, p->bytes);
}

const hone_rt *hone_pool_rt(const hone_pool *p) { return &p->rt; }

static hone_i32 walk_cpus(hone_i32 *cpus, hone_i32 limit) {
  unsigned long mask[MASK_WORDS] = {0};
  long bytes = syscall(HONE_SYS_SCHED_GETAFFINITY, 0L, sizeof mask, mask);
  hone_i32 n = 0, bits = 8 * (hone_i32)sizeof mask[0];
  for (hone_i32 i = 0; i < (hone_i32)(bytes / (long)sizeof mask[0]); i++)
    for (hone_i32 b = 0; b < bits; b++)
      if (mask[i] >> b & 1) {
        if (n < limit) cpus[n] = i * bits + b;
        n++;
      }
  return n;
}

hone_i32 hone_usable_cpus(void) {
  hone_i32 n = walk_cpus(0, 0);
  return n > 0 ? n : 1;
}

hone_i32 hone_list_cpus(hone_i32 *cpus, hone_i32 n) { return walk_cpus(cpus, n) >= n; }
