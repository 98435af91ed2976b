/* The executor: a disposable child of the agent that maps kernel images and runs, checks
 * and times their entries. It talks over one socket (file descriptor 3): a request is a
 * line of words, at most one descriptor travels with it, the answer is a line that starts
 * with "ok" or "err <class>". It trusts the agent and distrusts the images: whatever they
 * do costs this process only. The page on descriptor 4 outlives it and says what ran. */
#ifndef HONEX_H
#define HONEX_H

#include <stddef.h>
#include <stdint.h>

#include "pool.h"

enum { MAX_ARGS = 64, MAX_OPERANDS = 512, MAX_IMAGES = 64, MAX_KERNELS = 128, MAX_COPIES = 64 };

/* The page shared with the agent. Written before every call into foreign code. */
typedef struct page {
	uint64_t beat;  /* grows with every call: progress */
	int32_t tag;    /* what runs: the kernel's tag, or IDLE */
	int32_t phase;  /* PHASE_* */
	int32_t signal; /* set by the fault handler */
	int32_t guard;  /* 1 when the faulting address lies in a guard page */
	uint64_t addr;
} page;
enum { MAX_TAG = 500, IDLE = -1000, PHASE_NONE = 0, PHASE_PACK = 1, PHASE_FIRST = 2, PHASE_TIME = 3 };
extern volatile page *shared;

typedef enum { F32, F16, F64, I64, I32, I8, U8, BOOL, DTYPES } dtype;
extern const int dtype_size[DTYPES];

/* A region of memory between two guard pages; data ends within 64 bytes of the second. */
typedef struct region {
	char *map; /* guard page before the data's pages */
	size_t map_len;
	char *pages;
	size_t pages_len;
	char *data; /* 64-byte aligned */
	size_t bytes;
} region;

typedef struct operand {
	int used, writable;
	dtype type;
	size_t bytes;
	int copies;
	region first, more; /* more holds the other copies */
} operand;

typedef int32_t (*entry_fn)(const hone_rt *rt, void *const *args, void *workspace);
typedef void (*pack_fn)(const void *src, void *dst);

typedef struct image {
	int used;
	char *base;
	size_t len;
	const void *symtab, *strtab;
	size_t nsyms, strsz;
} image;

typedef struct kernel {
	int used, tag, nargs, image;
	entry_fn fn;
	int args[MAX_ARGS];
	size_t workspace;
} kernel;

extern operand operands[MAX_OPERANDS];
extern image images[MAX_IMAGES];
extern kernel kernels[MAX_KERNELS];
extern const hone_rt *runtime;

/* proto.c */
int next_request(char ***words, int *count, int *fd); /* 0 when the agent is gone */
void reply(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void reply_more(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void reply_raw(const void *p, size_t n);
long long number(const char *word, long long lo, long long hi); /* leaves by fail() */
double real(const char *word);
_Noreturn void fail(const char *klass, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* memory.c */
enum { NO_FILL = -1 };
int region_alloc(region *r, size_t bytes, int fill);
int region_map_fd(region *r, size_t bytes, int fd);
void region_free(region *r);
void region_protect(region *r);
int region_canary_ok(const region *r);
void region_poison(region *r, int fill);
int fill_of(dtype t);
int is_guard(const void *addr);
void *workspace_of(size_t bytes);
int workspace_canary_ok(size_t bytes);
void workspace_poison(size_t bytes);

/* image.c */
const char *image_map(image *im, int fd); /* NULL or the reason */
void image_unmap(image *im);
void *image_symbol(const image *im, const char *name);

/* run.c, check.c, peak.c, confine.c: the commands */
typedef void command(char **w, int n, int fd);
command cmd_operand, cmd_copies, cmd_drop, cmd_read, cmd_image, cmd_unimage, cmd_pack, cmd_kernel, cmd_unkernel, cmd_first, cmd_time;
command cmd_compare, cmd_peak, cmd_reference, cmd_rlimit, cmd_privileges, cmd_landlock, cmd_seccomp, cmd_budget;
void install_fault_handler(void); /* on this process */
void catch_faults_here(void);     /* on this thread */
void open_statm(void);            /* before files become unreachable */
int32_t call(kernel *k, int copy, int phase);
void wake_up(void);
kernel *kernel_at(const char *word);
operand *operand_at(const char *word);

#endif
