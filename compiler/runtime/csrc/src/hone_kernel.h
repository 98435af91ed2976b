/* The interface between a kernel image and whatever runs it: a shipped
 * artifact, the measuring executor or a test.
 *
 * An image is a shared object without undefined symbols and with relative
 * relocations only. Everything a kernel needs from outside comes through the
 * hone_rt table.
 */
#ifndef HONE_KERNEL_H
#define HONE_KERNEL_H

#ifdef __INT64_TYPE__
typedef __INT32_TYPE__ hone_i32;
typedef __INT64_TYPE__ hone_i64;
#else
#include <stdint.h>
typedef int32_t hone_i32;
typedef int64_t hone_i64;
#endif

#define HONE_RT_VERSION 1

/* Alignment in bytes of every argument and of the workspace. */
#define HONE_ALIGN 64

/* Runs the iterations [lo, hi); worker is in [0, threads) and no two calls
 * with the same worker run at the same time. */
typedef void hone_body(void *env, hone_i64 lo, hone_i64 hi, hone_i32 worker);

typedef struct hone_rt {
  hone_i32 version; /* HONE_RT_VERSION */
  hone_i32 threads; /* at least 1 */
  void *ctx;        /* first argument of parallel */
  /* Splits [0, n) statically over the threads, runs body on each part and
   * returns when all are done. Not reentrant. */
  void (*parallel)(void *ctx, hone_body *body, void *env, hone_i64 n);
} hone_rt;

/* A kernel. args holds one data pointer per parameter, in order. workspace has
 * the bytes the entry asks for and may be null when that is 0. Returns 0, or a
 * non-zero code when the kernel could not run (an assertion failed). */
typedef hone_i32 hone_kernel(const hone_rt *rt, void *const *args, void *workspace);

/* Rewrites one constant argument into the layout its kernel expects. */
typedef void hone_pack(const void *src, void *dst);

#endif
