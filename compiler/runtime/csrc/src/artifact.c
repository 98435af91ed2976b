#include "hone_model.h"
#include "hone_sys.h"
#include "pool.h"

/* Arenas of at least this many bytes are aligned to huge pages and ask for
 * them: the first touch of a small page costs microseconds. */
#define HUGE_PAGE (2l << 20)
#define SMALL_PAGE 4096

void *memcpy(void *, const void *, hone_size);
void *memset(void *, int, hone_size);

struct hone_instance {
  const hone_model *model;
  hone_pool *pool;
  const hone_rt *rt;
  char *arena;
  const char *constants;
  void **args;      /* of all calls, one after another */
  const void **in;  /* where inputs are read in this run */
  void **out;       /* where outputs are written in this run */
  int lock;         /* 0 free, 1 held, 2 held and waited for */
  void *mapped[3];  /* this block, the arena, the weights file */
  hone_size mapped_bytes[3];
};

/* ---- messages ---- */

typedef struct text { char *at, *end; } text;

static void put(text *t, const char *s) {
  for (; *s && t->at + 1 < t->end; s++) *t->at++ = *s;
  if (t->at < t->end) *t->at = 0;
}

static void put_number(text *t, hone_i64 v) {
  char digits[24], *p = digits + sizeof digits;
  unsigned long long u = v < 0 ? -(unsigned long long)v : (unsigned long long)v;
  *--p = 0;
  do *--p = (char)('0' + u % 10);
  while (u /= 10);
  if (v < 0) *--p = '-';
  put(t, p);
}

/* Starts an error with an empty message. */
static text begin(hone_error *err, hone_i32 code) {
  err->code = code;
  text t = {err->message, err->message + sizeof err->message};
  *t.at = 0;
  return t;
}

static hone_i32 fail(hone_error *err, hone_i32 code, const char *a, const char *b, const char *c) {
  if (err) {
    text t = begin(err, code);
    put(&t, a);
    put(&t, b);
    put(&t, c);
  }
  return code;
}

/* ---- description ---- */

hone_i32 hone_abi_version(void) { return HONE_ABI_VERSION; }
const char *hone_metadata(void) { return hone_the_model.metadata; }
hone_i32 hone_num_inputs(void) { return hone_the_model.num_inputs; }
hone_i32 hone_num_outputs(void) { return hone_the_model.num_outputs; }
const hone_tensor_info *hone_input(hone_i32 i) { return i < 0 || i >= hone_the_model.num_inputs ? 0 : &hone_the_model.inputs[i]; }
const hone_tensor_info *hone_output(hone_i32 i) { return i < 0 || i >= hone_the_model.num_outputs ? 0 : &hone_the_model.outputs[i]; }
hone_i32 hone_num_calls(void) { return hone_the_model.num_calls; }
const char *hone_call_name(hone_i32 i) { return i < 0 || i >= hone_the_model.num_calls ? 0 : hone_the_model.calls[i].name; }
hone_i32 hone_threads(const hone_instance *m) { return m->rt->threads; }

/* ---- creation ---- */

/* Reads a decimal number from 1 to limit; 0 when s is none. */
static hone_i32 parse_count(const char *s, hone_i32 limit) {
  hone_i64 v = 0;
  if (!*s) return 0;
  for (; *s; s++) {
    if (*s < '0' || *s > '9' || v > limit) return 0;
    v = 10 * v + (*s - '0');
  }
  return v <= limit ? (hone_i32)v : 0;
}

static hone_i32 choose_threads(const hone_model *model, hone_i32 asked, hone_i32 *threads, hone_error *err) {
  const char *env = getenv("HONE_NUM_THREADS");
  if (asked < 0 || asked > model->max_threads) {
    if (err) {
      text t = begin(err, HONE_ERROR_THREADS);
      put_number(&t, asked);
      put(&t, " threads asked for: this model was compiled for 1 to ");
      put_number(&t, model->max_threads);
    }
    return HONE_ERROR_THREADS;
  }
  if (asked > 0) {
    *threads = asked;
    return HONE_OK;
  }
  if (env && *env) {
    hone_i32 n = parse_count(env, 1 << 20);
    if (n == 0) return fail(err, HONE_ERROR_THREADS, "HONE_NUM_THREADS=", env, " is not a number of threads");
    *threads = n < model->max_threads ? n : model->max_threads;
    return HONE_OK;
  }
  hone_i32 cpus = hone_usable_cpus();
  *threads = model->threads < cpus ? model->threads : cpus;
  return HONE_OK;
}

static hone_size round_up(hone_size n, hone_size to) { return (n + to - 1) / to * to; }

/* Maps zeroed memory at a multiple of HONE_ALIGN and touches it all. */
static void *map_memory(hone_instance *m, int slot, hone_size bytes) {
  int huge = bytes >= (hone_size)HUGE_PAGE;
  hone_size total = round_up(bytes ? bytes : 1, huge ? HUGE_PAGE : SMALL_PAGE) + (huge ? HUGE_PAGE : 0);
  char *p = mmap(0, total, HONE_PROT_READ | HONE_PROT_WRITE, HONE_MAP_PRIVATE | HONE_MAP_ANONYMOUS, -1, 0);
  if (p == HONE_MAP_FAILED) return 0;
  m->mapped[slot] = p;
  m->mapped_bytes[slot] = total;
  if (huge) {
    p = (char *)round_up((hone_size)p, HUGE_PAGE);
    madvise(p, round_up(bytes, HUGE_PAGE), HONE_MADV_HUGEPAGE);
  }
  for (hone_size i = 0; i < bytes; i += SMALL_PAGE) ((volatile char *)p)[i] = 0;
  return p;
}

static int same_bytes(const void *a, const void *b, hone_size n) {
  const unsigned char *p = a, *q = b;
  for (hone_size i = 0; i < n; i++)
    if (p[i] != q[i]) return 0;
  return 1;
}

/* Maps the weights file read-only and checks that it belongs to this model. */
static hone_i32 map_weights(hone_instance *m, const char *path, hone_error *err) {
  const hone_model *model = m->model;
  if (!path) return fail(err, HONE_ERROR_WEIGHTS, "the model's weights are in a file of their own: set weights_path", "", "");
  int fd = open(path, HONE_O_RDONLY | HONE_O_CLOEXEC);
  if (fd < 0) return fail(err, HONE_ERROR_WEIGHTS, "weights file ", path, ": cannot be opened");
  hone_size want = HONE_WEIGHTS_START + (hone_size)model->constants_bytes;
  long size = lseek(fd, 0, HONE_SEEK_END);
  if (size < 0 || (hone_size)size != want) {
    close(fd);
    return fail(err, HONE_ERROR_WEIGHTS, "weights file ", path, ": wrong size, it is damaged or belongs to another model");
  }
  char *p = mmap(0, want, HONE_PROT_READ, HONE_MAP_PRIVATE, fd, 0);
  close(fd);
  if (p == HONE_MAP_FAILED) return fail(err, HONE_ERROR_MEMORY, "weights file ", path, ": cannot be mapped");
  m->mapped[2] = p;
  m->mapped_bytes[2] = want;
  const hone_weights_header *h = (const hone_weights_header *)p;
  if (!same_bytes(h->magic, HONE_WEIGHTS_MAGIC, 8)) return fail(err, HONE_ERROR_WEIGHTS, "weights file ", path, ": not a Hone weights file");
  if (!same_bytes(h->digest, model->digest, 32)) return fail(err, HONE_ERROR_WEIGHTS, "weights file ", path, ": belongs to another model");
  m->constants = p + HONE_WEIGHTS_START;
  volatile const char *touch = p;
  char sum = 0;
  for (hone_size i = 0; i < want; i += SMALL_PAGE) sum = (char)(sum + touch[i]);
  (void)sum;
  return HONE_OK;
}

/* Points every argument that does not depend on the caller's tensors. */
static void bind_arguments(hone_instance *m) {
  const hone_model *model = m->model;
  for (hone_i32 i = 0; i < model->num_buffers; i++) {
    const hone_buffer *b = &model->buffers[i];
    if (b->where == HONE_IN_ARENA) m->args[i] = m->arena + b->offset;
    if (b->where == HONE_IN_CONSTANTS) m->args[i] = (char *)m->constants + b->offset;
  }
}

static hone_i32 set_up(hone_instance *m, const hone_options *opt, hone_error *err) {
  const hone_model *model = m->model;
  hone_i32 threads = 1, cpus[1024];
  hone_i32 code = choose_threads(model, opt->threads, &threads, err);
  if (code) return code;
  m->arena = map_memory(m, 1, (hone_size)model->arena_bytes);
  if (!m->arena) {
    if (err) {
      text t = begin(err, HONE_ERROR_MEMORY);
      put(&t, "no memory for the model's buffers: ");
      put_number(&t, model->arena_bytes);
      put(&t, " bytes");
    }
    return HONE_ERROR_MEMORY;
  }
  for (hone_i32 i = 0; i < model->num_zeros; i++) memset(m->arena + model->zeros[i].offset, 0, (hone_size)model->zeros[i].bytes);
  m->constants = model->constants;
  if (model->constants_bytes > 0 && !model->constants) {
    code = map_weights(m, opt->weights_path, err);
    if (code) return code;
  }
  bind_arguments(m);
  hone_pool_options po = {threads, opt->spin_us, 0};
  if (opt->pin && threads <= 1024 && hone_list_cpus(cpus, threads)) {
    cpus[0] = -1; /* the caller's thread is not ours to pin */
    po.cpus = cpus;
  }
  m->pool = hone_pool_create(&po);
  if (!m->pool) return fail(err, HONE_ERROR_THREADS, "threads could not be started", "", "");
  m->rt = hone_pool_rt(m->pool);
  return HONE_OK;
}

hone_i32 hone_create(const hone_options *opt, hone_instance **out, hone_error *err) {
  const hone_model *model = &hone_the_model;
  hone_options o = {0};
  if (err) err->code = 0, err->message[0] = 0;
  if (!out) return fail(err, HONE_ERROR_ARGUMENT, "hone_create: out is null", "", "");
  *out = 0;
  if (opt) {
    /* A caller compiled against an older header knows fewer options. */
    hone_size n = (hone_size)opt->size;
    if (opt->size < (hone_i32)(2 * sizeof(hone_i32))) return fail(err, HONE_ERROR_ARGUMENT, "hone_create: options have no size", "", "");
    memcpy(&o, opt, n < sizeof o ? n : sizeof o);
  }
  hone_size args = round_up(sizeof(hone_instance), HONE_ALIGN), in = args + (hone_size)model->num_buffers * sizeof(void *);
  hone_size outs = in + (hone_size)model->num_inputs * sizeof(void *), end = outs + (hone_size)model->num_outputs * sizeof(void *);
  hone_instance scratch = {0};
  char *p = map_memory(&scratch, 0, end);
  if (!p) return fail(err, HONE_ERROR_MEMORY, "no memory for an instance", "", "");
  hone_instance *m = (hone_instance *)p;
  *m = scratch;
  m->model = model;
  m->args = (void **)(p + args);
  m->in = (const void **)(p + in);
  m->out = (void **)(p + outs);
  hone_i32 code = set_up(m, &o, err);
  if (code) {
    hone_destroy(m);
    return code;
  }
  *out = m;
  return HONE_OK;
}

void hone_destroy(hone_instance *m) {
  if (!m) return;
  hone_pool_destroy(m->pool);
  for (int i = 2; i >= 0; i--) {
    void *p = m->mapped[i];
    if (p) munmap(p, m->mapped_bytes[i]);
  }
}

/* ---- running ---- */

static void lock(hone_instance *m) {
  int free = 0;
  if (__atomic_compare_exchange_n(&m->lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  while (__atomic_exchange_n(&m->lock, 2, __ATOMIC_ACQUIRE) != 0) syscall(HONE_SYS_FUTEX, &m->lock, (long)HONE_FUTEX_WAIT_PRIVATE, 2L, (void *)0, (void *)0, 0L);
}

static void unlock(hone_instance *m) {
  if (__atomic_exchange_n(&m->lock, 0, __ATOMIC_RELEASE) == 2) syscall(HONE_SYS_FUTEX, &m->lock, (long)HONE_FUTEX_WAKE_PRIVATE, 1L, (void *)0, (void *)0, 0L);
}

static void put_shape(text *t, hone_i32 ndim, const hone_i64 *shape) {
  put(t, "[");
  for (hone_i32 i = 0; i < ndim && i < 16; i++) {
    if (i) put(t, ", ");
    put_number(t, shape[i]);
  }
  put(t, "]");
}

static hone_i32 tensor_error(hone_error *err, const char *kind, const hone_tensor_info *info, const char *what) {
  if (err) {
    text t = begin(err, HONE_ERROR_ARGUMENT);
    put(&t, kind);
    put(&t, " ");
    put(&t, info->name);
    put(&t, ": ");
    put(&t, what);
  }
  return HONE_ERROR_ARGUMENT;
}

/* Checks a tensor against the model's description and returns its data. */
static hone_i32 check_tensor(const DLTensor *x, const hone_tensor_info *info, const char *kind, char **data, hone_error *err) {
  if (!x) return tensor_error(err, kind, info, "the tensor is null");
  if (x->device.device_type != 1 && x->device.device_type != 3) return tensor_error(err, kind, info, "the tensor is not in host memory");
  if (x->dtype.code != info->dtype.code || x->dtype.bits != info->dtype.bits || x->dtype.lanes != 1) return tensor_error(err, kind, info, "wrong element type");
  int same = x->ndim == info->ndim && (x->ndim == 0 || x->shape);
  for (hone_i32 i = 0; same && i < info->ndim; i++) same = x->shape[i] == info->shape[i];
  if (!same) {
    hone_i32 code = tensor_error(err, kind, info, "shape is ");
    if (err) {
      text t = {err->message, err->message + sizeof err->message};
      while (*t.at) t.at++;
      if (x->shape || x->ndim == 0) put_shape(&t, x->ndim, x->shape);
      put(&t, ", the model has ");
      put_shape(&t, info->ndim, info->shape);
    }
    return code;
  }
  if (x->strides) {
    hone_i64 step = 1;
    for (hone_i32 i = info->ndim - 1; i >= 0; i--) {
      if (info->shape[i] != 1 && x->strides[i] != step) return tensor_error(err, kind, info, "the tensor is not compact and row-major");
      step *= info->shape[i];
    }
  }
  if (!x->data && info->bytes > 0) return tensor_error(err, kind, info, "the tensor has no data");
  *data = (char *)x->data + x->byte_offset;
  return HONE_OK;
}

static int is_aligned(const void *p) { return ((hone_size)p & (HONE_ALIGN - 1)) == 0; }

/* Takes the caller's tensors: in place when aligned, through the arena's copies
 * otherwise. */
static hone_i32 take_tensors(hone_instance *m, DLTensor *const *inputs, DLTensor *const *outputs, hone_error *err) {
  const hone_model *model = m->model;
  char *data;
  for (hone_i32 i = 0; i < model->num_outputs; i++) {
    hone_i32 code = check_tensor(outputs[i], &model->outputs[i], "output", &data, err);
    if (code) return code;
    m->out[i] = is_aligned(data) ? data : m->arena + model->stages[model->num_inputs + i];
  }
  for (hone_i32 i = 0; i < model->num_inputs; i++) {
    hone_i32 code = check_tensor(inputs[i], &model->inputs[i], "input", &data, err);
    if (code) return code;
    m->in[i] = data;
    if (!is_aligned(data)) m->in[i] = memcpy(m->arena + model->stages[i], data, (hone_size)model->inputs[i].bytes);
  }
  for (hone_i32 i = 0; i < model->num_buffers; i++) {
    const hone_buffer *b = &model->buffers[i];
    if (b->where == HONE_IN_INPUT) m->args[i] = (char *)m->in[b->index] + b->offset;
    if (b->where == HONE_IN_OUTPUT) m->args[i] = (char *)m->out[b->index] + b->offset;
  }
  return HONE_OK;
}

static hone_i64 now_ns(void) {
  hone_i64 t[2] = {0, 0};
  syscall(HONE_SYS_CLOCK_GETTIME, (long)HONE_CLOCK_MONOTONIC, t);
  return t[0] * 1000000000 + t[1];
}

static hone_i32 run_calls(hone_instance *m, hone_i64 *call_ns, hone_error *err) {
  const hone_model *model = m->model;
  for (hone_i32 i = 0; i < model->num_calls; i++) {
    const hone_call *c = &model->calls[i];
    void *const *args = m->args + c->first;
    hone_i64 start = call_ns ? now_ns() : 0;
    if (c->kernel) {
      hone_i32 code = c->kernel(m->rt, args, c->workspace >= 0 ? m->arena + c->workspace : 0);
      if (code) {
        if (err) {
          text t = begin(err, HONE_ERROR_KERNEL);
          put(&t, "step ");
          put(&t, c->name);
          put(&t, " failed with code ");
          put_number(&t, code);
        }
        return HONE_ERROR_KERNEL;
      }
    } else if (args[0] != args[1]) {
      memcpy(args[1], args[0], (hone_size)c->bytes);
    }
    if (call_ns) call_ns[i] = now_ns() - start;
  }
  return HONE_OK;
}

hone_i32 hone_run_timed(hone_instance *m, DLTensor *const *inputs, hone_i32 num_inputs, DLTensor *const *outputs, hone_i32 num_outputs, hone_i64 *call_ns, hone_error *err) {
  if (err) err->code = 0, err->message[0] = 0;
  if (!m) return fail(err, HONE_ERROR_ARGUMENT, "hone_run: the instance is null", "", "");
  const hone_model *model = m->model;
  if (num_inputs != model->num_inputs || num_outputs != model->num_outputs || (num_inputs && !inputs) || (num_outputs && !outputs)) {
    if (err) {
      text t = begin(err, HONE_ERROR_ARGUMENT);
      put(&t, "hone_run: ");
      put_number(&t, num_inputs);
      put(&t, " inputs and ");
      put_number(&t, num_outputs);
      put(&t, " outputs given, the model has ");
      put_number(&t, model->num_inputs);
      put(&t, " and ");
      put_number(&t, model->num_outputs);
    }
    return HONE_ERROR_ARGUMENT;
  }
  lock(m);
  hone_i32 code = take_tensors(m, inputs, outputs, err);
  if (!code) code = run_calls(m, call_ns, err);
  if (!code)
    for (hone_i32 i = 0; i < model->num_outputs; i++) {
      char *data = (char *)outputs[i]->data + outputs[i]->byte_offset;
      if (m->out[i] != data) memcpy(data, m->out[i], (hone_size)model->outputs[i].bytes);
    }
  unlock(m);
  return code;
}

hone_i32 hone_run(hone_instance *m, DLTensor *const *inputs, hone_i32 num_inputs, DLTensor *const *outputs, hone_i32 num_outputs, hone_error *err) {
  return hone_run_timed(m, inputs, num_inputs, outputs, num_outputs, 0, err);
}
