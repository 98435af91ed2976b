/* Operand memory: every region lies between guard pages and ends at the second, so that a
 * write past the end faults at once; the few bytes of slack that alignment leaves carry a
 * canary. Everything is touched before it is used: a first touch costs as much as a small
 * kernel. */
#define _GNU_SOURCE
#include "honex.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0x5a, HUGE = 2 << 20, LARGE = 128 << 10, MAX_GUARDS = 2 * MAX_OPERANDS * 4, MAX_SPARES = 2 * MAX_COPIES };

const int dtype_size[DTYPES] = {4, 2, 8, 8, 4, 1, 1, 1};

static region workspace;

static size_t page_size(void) {
	static size_t size;
	if (!size) size = (size_t)sysconf(_SC_PAGESIZE);
	return size;
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Guard pages are remembered so that the fault handler can tell them from wild pointers. */
static struct { char *lo, *hi; } guards[MAX_GUARDS];
static int n_guards;

int is_guard(const void *addr) {
	const char *a = addr;
	for (int i = 0; i < n_guards; i++)
		if (a >= guards[i].lo && a < guards[i].hi) return 1;
	return 0;
}

static void remember(char *lo, char *hi) {
	for (int i = 0; i < n_guards; i++)
		if (!guards[i].lo) {
			guards[i].lo = lo, guards[i].hi = hi;
			return;
		}
	if (n_guards < MAX_GUARDS) guards[n_guards].lo = lo, guards[n_guards++].hi = hi;
}

static void forget(const char *lo) {
	for (int i = 0; i < n_guards; i++)
		if (guards[i].lo == lo) guards[i].lo = guards[i].hi = NULL;
}

static void place(region *r, size_t bytes) {
	r->data = r->pages + r->pages_len - round_up(bytes, 64);
	r->bytes = bytes;
}

/* reserve sets up addresses only: guard, data pages, guard. Large regions consist of huge
 * pages, the last of which ends at the guard: small ones lie scattered in physical memory,
 * and how many of them fall into the same sets of the cache is another matter of luck in
 * every child (a 512×512 matmul: 53 to 83 GFLOP/s). The guards are as wide as a page can be
 * on any machine we serve. */
static int reserve(region *r, size_t bytes) {
	enum { GUARD = 1 << 16 };
	size_t align = bytes >= LARGE ? HUGE : page_size(), len = round_up(bytes, align);
	r->map_len = GUARD + len + GUARD + align;
	r->map = mmap(NULL, r->map_len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->map == MAP_FAILED) {
		memset(r, 0, sizeof *r);
		return -1;
	}
	r->pages = (char *)round_up((size_t)r->map + GUARD, align);
	r->pages_len = len;
	place(r, bytes);
	remember(r->map, r->pages);
	remember(r->pages + len, r->map + r->map_len);
	return 0;
}

/* Large regions that were freed wait, out of reach, for the next one of their size: the
 * candidates of an item have packed constants of the same sizes, and clearing new pages
 * costs more than filling them. */
static region spares[MAX_SPARES];
static int n_spares;

static void unmap(region *r) {
	forget(r->map);
	forget(r->pages + r->pages_len);
	munmap(r->map, r->map_len);
	memset(r, 0, sizeof *r);
}

static int reuse(region *r, size_t bytes) {
	for (int i = 0; bytes >= LARGE && i < n_spares; i++) {
		if (spares[i].pages_len != round_up(bytes, HUGE)) continue;
		if (mprotect(spares[i].pages, spares[i].pages_len, PROT_READ | PROT_WRITE)) continue;
		*r = spares[i];
		spares[i] = spares[--n_spares];
		place(r, bytes);
		return 1;
	}
	if (bytes >= LARGE) /* of another size: nobody may want them again */
		while (n_spares) unmap(&spares[--n_spares]);
	return 0;
}

static int map_pages(region *r, size_t bytes) {
	if (reuse(r, bytes)) return 0;
	if (reserve(r, bytes)) return -1;
	char *p = mmap(r->pages, r->pages_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (p == MAP_FAILED) {
		unmap(r);
		return -1;
	}
	if (bytes >= LARGE) madvise(p, r->pages_len, MADV_HUGEPAGE);
	return 0;
}

/* With fill NO_FILL the caller writes all of the data. */
int region_alloc(region *r, size_t bytes, int fill) {
	if (map_pages(r, bytes)) return -1;
	memset(r->pages, CANARY, (size_t)(r->data - r->pages));
	memset(r->data + bytes, CANARY, (size_t)(r->pages + r->pages_len - r->data) - bytes);
	if (fill != NO_FILL) region_poison(r, fill);
	return 0;
}

/* The file holds the data at the end of its pages. A small region maps them; a large one
 * takes a copy, since files have small pages. */
int region_map_fd(region *r, size_t bytes, int fd) {
	size_t len = round_up(bytes, page_size());
	if (bytes >= LARGE ? region_alloc(r, bytes, NO_FILL) : reserve(r, bytes)) return -1;
	if (bytes < LARGE) {
		if (mmap(r->pages, len, PROT_READ, MAP_SHARED | MAP_POPULATE | MAP_FIXED, fd, 0) != MAP_FAILED) return 0;
		region_free(r);
		return -1;
	}
	const char *file = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED) {
		region_free(r);
		return -1;
	}
	memcpy(r->data, file + len - round_up(bytes, 64), bytes);
	munmap((void *)file, len);
	region_protect(r);
	return 0;
}

void region_free(region *r) {
	if (!r->map) return;
	if (r->bytes < LARGE || n_spares == MAX_SPARES || mprotect(r->pages, r->pages_len, PROT_NONE)) return unmap(r);
	spares[n_spares++] = *r;
	memset(r, 0, sizeof *r);
}

void region_protect(region *r) { mprotect(r->pages, r->pages_len, PROT_READ); }

void region_poison(region *r, int fill) { memset(r->data, fill, r->bytes); }

int region_canary_ok(const region *r) {
	for (const char *p = r->pages; p < r->data; p++)
		if (*p != CANARY) return 0;
	for (const char *p = r->data + r->bytes; p < r->pages + r->pages_len; p++)
		if (*p != CANARY) return 0;
	return 1;
}

/* Reals are poisoned with NaN, integers with a value no kernel produces by habit. */
int fill_of(dtype t) { return t == F32 || t == F16 || t == F64 ? 0xff : 0xa5; }

/* One workspace serves all kernels; each sees it end at the guard page. */
void *workspace_of(size_t bytes) {
	if (bytes == 0) return NULL;
	if (bytes > workspace.bytes) {
		region_free(&workspace);
		if (region_alloc(&workspace, bytes, 0xff)) return NULL;
	}
	return workspace.pages + workspace.pages_len - round_up(bytes, 64);
}

/* The slack of the request at hand is canaried and the rest poisoned, whatever kernel used
 * the workspace before. */
void workspace_poison(size_t bytes) {
	if (bytes == 0) return;
	memset(workspace.data, 0xff, workspace.bytes);
	char *end = workspace.pages + workspace.pages_len;
	memset(end - round_up(bytes, 64) + bytes, CANARY, round_up(bytes, 64) - bytes);
}

int workspace_canary_ok(size_t bytes) {
	if (bytes == 0) return 1;
	const char *end = workspace.pages + workspace.pages_len, *p = end - round_up(bytes, 64) + bytes;
	for (; p < end; p++)
		if (*p != CANARY) return 0;
	return 1;
}
