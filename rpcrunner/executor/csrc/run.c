/* Operands, images and kernels by number, and the calls into them. */
#define _GNU_SOURCE
#include "honex.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

operand operands[MAX_OPERANDS];
image images[MAX_IMAGES];
kernel kernels[MAX_KERNELS];

static void want(int n, int count) {
	if (n != count) fail("request", "%d words, want %d", n, count);
}

operand *operand_at(const char *word) {
	operand *o = &operands[number(word, 0, MAX_OPERANDS - 1)];
	if (!o->used) fail("request", "no operand %s", word);
	return o;
}

kernel *kernel_at(const char *word) {
	kernel *k = &kernels[number(word, 0, MAX_KERNELS - 1)];
	if (!k->used) fail("request", "no kernel %s", word);
	return k;
}

static image *image_at(const char *word) {
	image *im = &images[number(word, 0, MAX_IMAGES - 1)];
	if (!im->used) fail("request", "no image %s", word);
	return im;
}

static void release(operand *o) {
	region_free(&o->first);
	region_free(&o->more);
	memset(o, 0, sizeof *o);
}

static size_t stride(const operand *o) { return (o->bytes + 63) / 64 * 64; }

static char *data_of(const operand *o, int copy) {
	return copy == 0 ? o->first.data : o->more.data + (size_t)(copy - 1) * stride(o);
}

/* operand ID DTYPE BYTES, with a sealed file for a constant or an input, without
 * one for memory that kernels write. */
void cmd_operand(char **w, int n, int fd) {
	want(n, 4);
	operand *o = &operands[number(w[1], 0, MAX_OPERANDS - 1)];
	dtype type = (dtype)number(w[2], 0, DTYPES - 1);
	size_t bytes = (size_t)number(w[3], 1, 1ll << 37);
	if (o->used) release(o);
	if (fd >= 0 ? region_map_fd(&o->first, bytes, fd) : region_alloc(&o->first, bytes, fill_of(type))) fail("memory", "operand of %zu bytes", bytes);
	o->used = 1, o->type = type, o->bytes = bytes, o->writable = fd < 0, o->copies = 1;
	reply("ok");
}

/* copies ID COPIES: so many of a constant, or what it has, which cold measuring rotates over.
 * They lie close together, so that small ones share the huge pages; the first stays where
 * it is, between guards. */
void cmd_copies(char **w, int n, int fd) {
	(void)fd;
	want(n, 3);
	operand *o = operand_at(w[1]);
	int copies = (int)number(w[2], 1, MAX_COPIES);
	if (o->writable) fail("request", "operand %s is no constant", w[1]);
	if (o->copies == 1 && copies > 1) {
		if (region_alloc(&o->more, (size_t)(copies - 1) * stride(o), NO_FILL)) fail("memory", "%d copies of %zu bytes", copies, o->bytes);
		for (int i = 1; i < copies; i++) memcpy(data_of(o, i), o->first.data, o->bytes);
		region_protect(&o->more);
		o->copies = copies;
	}
	reply("ok");
}

void cmd_drop(char **w, int n, int fd) {
	(void)fd;
	want(n, 2);
	release(operand_at(w[1]));
	reply("ok");
}

void cmd_read(char **w, int n, int fd) {
	(void)fd;
	want(n, 2);
	const operand *o = operand_at(w[1]);
	reply("ok %zu", o->bytes);
	reply_raw(o->first.data, o->bytes);
}

/* image ID, with the file. */
void cmd_image(char **w, int n, int fd) {
	want(n, 2);
	image *im = &images[number(w[1], 0, MAX_IMAGES - 1)];
	if (fd < 0) fail("request", "no file came along");
	if (im->used) fail("request", "image %s is mapped already", w[1]);
	const char *why = image_map(im, fd);
	if (why) fail(strcmp(why, "memory") ? "image" : "memory", "the image %s", strcmp(why, "memory") ? why : "does not fit the memory limit");
	reply("ok");
}

void cmd_unimage(char **w, int n, int fd) {
	(void)fd;
	want(n, 2);
	image *im = image_at(w[1]);
	for (int i = 0; i < MAX_KERNELS; i++)
		if (kernels[i].used && &images[kernels[i].image] == im) kernels[i].used = 0;
	image_unmap(im);
	reply("ok");
}

/* pack TAG IMAGE SYMBOL SOURCE ID BYTES: operand ID becomes the packed form. */
void cmd_pack(char **w, int n, int fd) {
	(void)fd;
	want(n, 7);
	int tag = (int)number(w[1], -MAX_TAG, MAX_TAG);
	pack_fn fn = (pack_fn)image_symbol(image_at(w[2]), w[3]);
	const operand *src = operand_at(w[4]);
	operand *o = &operands[number(w[5], 0, MAX_OPERANDS - 1)];
	size_t bytes = (size_t)number(w[6], 1, 1ll << 37);
	if (!fn) fail("image", "no pack function %s", w[3]);
	if (o->used) release(o);
	if (region_alloc(&o->first, bytes, 0xff)) fail("memory", "packed constant of %zu bytes", bytes);
	o->used = 1, o->type = src->type, o->bytes = bytes, o->copies = 1;
	shared->tag = tag, shared->phase = PHASE_PACK, shared->beat++;
	fn(src->first.data, o->first.data);
	shared->tag = IDLE, shared->phase = PHASE_NONE;
	if (!region_canary_ok(&o->first)) {
		release(o);
		fail("bounds", "%s wrote outside its %zu bytes", w[3], bytes);
	}
	region_protect(&o->first);
	reply("ok");
}

/* kernel ID TAG IMAGE SYMBOL WORKSPACE OPERAND... */
void cmd_kernel(char **w, int n, int fd) {
	(void)fd;
	if (n < 6 || n - 6 > MAX_ARGS) fail("request", "%d arguments, at most %d", n - 6, MAX_ARGS);
	kernel k = {.used = 1, .tag = (int)number(w[2], -MAX_TAG, MAX_TAG), .nargs = n - 6};
	k.image = (int)(image_at(w[3]) - images);
	k.fn = (entry_fn)image_symbol(&images[k.image], w[4]);
	if (!k.fn) fail("image", "no entry %s", w[4]);
	k.workspace = (size_t)number(w[5], 0, 1ll << 37);
	for (int i = 0; i < k.nargs; i++) k.args[i] = (int)(operand_at(w[6 + i]) - operands);
	if (k.workspace && !workspace_of(k.workspace)) fail("memory", "workspace of %zu bytes", k.workspace);
	kernels[number(w[1], 0, MAX_KERNELS - 1)] = k;
	reply("ok");
}

void cmd_unkernel(char **w, int n, int fd) {
	(void)fd;
	want(n, 2);
	kernel_at(w[1])->used = 0;
	reply("ok");
}

static void bind(const kernel *k, int copy, void **args) {
	for (int i = 0; i < k->nargs; i++) {
		operand *o = &operands[k->args[i]];
		if (!o->used) fail("request", "operand %d of a kernel is gone", k->args[i]);
		args[i] = data_of(o, copy % o->copies);
	}
}

static void enter(const kernel *k, int phase) { shared->tag = k->tag, shared->phase = phase, shared->beat++; }
static void leave(void) { shared->tag = IDLE, shared->phase = PHASE_NONE, shared->beat++; }

int32_t call(kernel *k, int copy, int phase) {
	void *args[MAX_ARGS];
	bind(k, copy, args);
	void *ws = workspace_of(k->workspace);
	enter(k, phase);
	int32_t rc = k->fn(runtime, args, ws);
	leave();
	return rc;
}

static double clock_ns(clockid_t c) {
	struct timespec t;
	clock_gettime(c, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* first ID: poison everything the kernel may write, call it once, look at the canaries.
 * Answers the wall time of that call. */
void cmd_first(char **w, int n, int fd) {
	(void)fd;
	want(n, 2);
	kernel *k = kernel_at(w[1]);
	for (int i = 0; i < k->nargs; i++) {
		operand *o = &operands[k->args[i]];
		if (o->used && o->writable) region_poison(&o->first, fill_of(o->type));
	}
	workspace_poison(k->workspace);
	double t0 = clock_ns(CLOCK_MONOTONIC);
	int32_t rc = call(k, 0, PHASE_FIRST);
	double t1 = clock_ns(CLOCK_MONOTONIC);
	if (rc) fail("refused", "returned %d", rc);
	for (int i = 0; i < k->nargs; i++) {
		const operand *o = &operands[k->args[i]];
		if (o->writable && !region_canary_ok(&o->first)) fail("bounds", "wrote outside argument %d", i);
	}
	if (!workspace_canary_ok(k->workspace)) fail("bounds", "wrote outside its workspace of %zu bytes", k->workspace);
	reply("ok %.0f", t1 - t0);
}

/* sample times `inner` calls back to back; constants advance one copy per call. */
static double sample(kernel *k, int inner, int copy, clockid_t clock) {
	void *args[MAX_ARGS], *ws = workspace_of(k->workspace);
	int32_t rc = 0, moving = 0;
	bind(k, copy, args);
	for (int i = 0; i < k->nargs; i++) moving |= operands[k->args[i]].copies > 1;
	enter(k, PHASE_TIME);
	double t0 = clock_ns(clock);
	for (int i = 0; i < inner; i++) {
		if (moving && i) bind(k, copy + i, args);
		rc |= k->fn(runtime, args, ws);
	}
	double t1 = clock_ns(clock);
	leave();
	if (rc) fail("refused", "returned %d while timed", rc);
	return (t1 - t0) / inner;
}

/* time CLOCK ROUNDS WARM COPY (KERNEL INNER)...: interleaved samples, round by round, the
 * order rotating so that no kernel always follows the same one. WARM is the number of
 * untimed calls before each sample. */
void cmd_time(char **w, int n, int fd) {
	(void)fd;
	if (n < 7 || (n - 5) % 2) fail("request", "time wants a clock, rounds, warm, copy and pairs");
	clockid_t clock = number(w[1], 0, 1) ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	int rounds = (int)number(w[2], 1, 1000), warm = (int)number(w[3], 0, 1000), copy = (int)number(w[4], 0, 1 << 30), m = (n - 5) / 2;
	static double samples[1 << 13];
	if ((size_t)rounds * (size_t)m > sizeof samples / sizeof *samples) fail("request", "too many samples");
	wake_up();
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < m; i++) {
			int j = (r + (r & 1 ? m - i : i)) % m;
			kernel *k = kernel_at(w[5 + 2 * j]);
			int inner = (int)number(w[6 + 2 * j], 1, 1 << 20);
			for (int c = 0; c < warm; c++)
				if (call(k, copy + c, PHASE_TIME)) fail("refused", "returned an error");
			samples[r * m + j] = sample(k, inner, copy + warm + r * inner, clock);
		}
	reply_more("ok");
	for (int i = 0; i < rounds * m; i++) reply_more(" %.2f", samples[i]);
	reply("%s", "");
}
