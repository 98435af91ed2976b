/* The few calls of the C library that the runtime makes, declared here so that
 * it compiles for any Linux target without that target's headers. All of them
 * exist since glibc 2.2.5 (x86_64) and 2.17 (aarch64).
 */
#ifndef HONE_SYS_H
#define HONE_SYS_H

#include "hone_kernel.h"

typedef __SIZE_TYPE__ hone_size;

/* Larger than the types of any C library; only their addresses are passed. */
typedef union { unsigned long word; unsigned char bytes[128]; } hone_opaque;
typedef unsigned long hone_thread;

int pthread_create(hone_thread *, const hone_opaque *attr, void *(*)(void *), void *);
int pthread_join(hone_thread, void **);
int pthread_attr_init(hone_opaque *);
int pthread_attr_setstacksize(hone_opaque *, hone_size);
int pthread_attr_destroy(hone_opaque *);
int pthread_sigmask(int how, const hone_opaque *set, hone_opaque *old);
int sigfillset(hone_opaque *);

void *mmap(void *, hone_size, int prot, int flags, int fd, long offset);
int munmap(void *, hone_size);
int madvise(void *, hone_size, int advice);
int open(const char *path, int flags, ...);
int close(int);
long lseek(int, long, int);
long read(int, void *, hone_size);
char *getenv(const char *);
long syscall(long number, ...);
int *__errno_location(void);

#define HONE_SIG_BLOCK 0
#define HONE_SIG_SETMASK 2
#define HONE_PROT_READ 1
#define HONE_PROT_WRITE 2
#define HONE_MAP_PRIVATE 2
#define HONE_MAP_ANONYMOUS 0x20
#define HONE_MADV_HUGEPAGE 14
#define HONE_MAP_FAILED ((void *)-1)
#define HONE_O_RDONLY 0
#define HONE_O_CLOEXEC 02000000
#define HONE_SEEK_SET 0
#define HONE_SEEK_END 2
#define HONE_EINTR 4

#define HONE_FUTEX_WAIT_PRIVATE 128
#define HONE_FUTEX_WAKE_PRIVATE 129
#define HONE_CLOCK_MONOTONIC 1

#if defined(__x86_64__)
#define HONE_SYS_FUTEX 202
#define HONE_SYS_SCHED_SETAFFINITY 203
#define HONE_SYS_SCHED_GETAFFINITY 204
#define HONE_SYS_SCHED_YIELD 24
#define HONE_SYS_GETTID 186
#define HONE_SYS_GETCPU 309
#define HONE_SYS_CLOCK_GETTIME 228
#define HONE_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define HONE_SYS_FUTEX 98
#define HONE_SYS_SCHED_SETAFFINITY 122
#define HONE_SYS_SCHED_GETAFFINITY 123
#define HONE_SYS_SCHED_YIELD 124
#define HONE_SYS_GETTID 178
#define HONE_SYS_GETCPU 168
#define HONE_SYS_CLOCK_GETTIME 113
#define HONE_PAUSE() __asm__ volatile("yield" ::: "memory")
#else
#error "the runtime knows x86_64 and aarch64"
#endif

#endif
