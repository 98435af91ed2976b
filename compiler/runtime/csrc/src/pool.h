/* A fork-join pool: a fixed team of threads that run loops. Each thread has an equal
 * share of the iterations, in a few parts; what a thread has not begun, another that is
 * done does instead.
 *
 * Workers spin for a moment after a loop (the next usually follows within
 * microseconds) and then sleep on a futex. They are not pinned unless asked:
 * a pinned spinner is helpless when another process takes its core. They are only
 * kept off the processor of the thread that wakes them, where they would wait.
 */
#ifndef HONE_POOL_H
#define HONE_POOL_H

#include "hone_kernel.h"

typedef struct hone_pool hone_pool;

typedef struct hone_pool_options {
  hone_i32 threads;     /* the caller's thread included; at least 1 */
  hone_i32 spin_us;     /* how long to spin before sleeping; 0 means 60 */
  const hone_i32 *cpus; /* one processor per thread to pin it to, -1 for none; or null */
} hone_pool_options;

/* Null when threads could not be started or memory was refused. The calling
 * thread is worker 0 of every loop; with cpus it is pinned too. */
hone_pool *hone_pool_create(const hone_pool_options *);
void hone_pool_destroy(hone_pool *);

/* The table to hand to kernels; valid as long as the pool. One thread at a
 * time may run kernels with it. */
const hone_rt *hone_pool_rt(const hone_pool *);

/* Processors this process may run on; at least 1. */
hone_i32 hone_usable_cpus(void);

/* Fills cpus with the first n processors this process may run on; 0 when there
 * are fewer. */
hone_i32 hone_list_cpus(hone_i32 *cpus, hone_i32 n);

#endif
