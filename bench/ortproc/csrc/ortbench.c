// A process that runs one ONNX model with ONNX Runtime's C API and times it on
// request, as serve.h says. Usage: ortbench LIBRARY MODEL THREADS MANIFEST. Each line of
// the manifest is an input: NAME TYPE RANK DIMS... FILE, TYPE as in
// ONNXTensorElementDataType. "o PREFIX" writes output K to PREFIX.K.
#define _GNU_SOURCE
#include <dlfcn.h>
#include "onnxruntime_c_api.h"
#include "serve.h"

static const OrtApi *A;

static void die(const char *what, const char *why) {
  fprintf(stderr, "ortbench: %s: %s\n", what, why ? why : "failed");
  exit(1);
}
static void ok(OrtStatus *s, const char *what) {
  if (s) die(what, A->GetErrorMessage(s));
}
static void *slurp(const char *path, size_t want) {
  FILE *f = fopen(path, "rb");
  if (!f) die(path, "cannot be opened");
  void *p = aligned_alloc(64, (want + 63) / 64 * 64 + 64);
  if (fread(p, 1, want, f) != want) die(path, "is too short");
  fclose(f);
  return p;
}
static size_t width(int type) {
  switch (type) {
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return 8;
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL: case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8: case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8: return 1;
  }
  return 4;
}

enum { MAX = 64 };
static const char *in_names[MAX], *out_names[MAX];
static OrtValue *ins[MAX], *outs[MAX];
static size_t nin, nout;

static void load_inputs(const char *manifest) {
  FILE *f = fopen(manifest, "r");
  if (!f) die(manifest, "cannot be opened");
  OrtMemoryInfo *mem;
  ok(A->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &mem), "memory");
  char name[512], file[4096];
  int type, rank;
  while (nin < MAX && fscanf(f, "%511s %d %d", name, &type, &rank) == 3) {
    int64_t dims[16];
    size_t n = 1;
    for (int i = 0; i < rank && i < 16; i++) {
      long long d;
      if (fscanf(f, "%lld", &d) != 1) die(manifest, "bad dimension");
      dims[i] = d;
      n *= (size_t)d;
    }
    if (fscanf(f, "%4095s", file) != 1) die(manifest, "bad line");
    size_t bytes = n * width(type);
    ok(A->CreateTensorWithDataAsOrtValue(mem, slurp(file, bytes), bytes, dims, (size_t)rank, type, &ins[nin]), name);
    in_names[nin++] = strdup(name);
  }
  fclose(f);
}

static OrtSession *session;

static void run(void) {
  for (size_t i = 0; i < nout; i++) {
    if (outs[i]) A->ReleaseValue(outs[i]);
    outs[i] = NULL;
  }
  ok(A->Run(session, NULL, in_names, (const OrtValue *const *)ins, nin, out_names, nout, outs), "run");
}

static void write_outputs(const char *prefix) {
  for (size_t i = 0; i < nout; i++) {
    char path[4200];
    snprintf(path, sizeof path, "%s.%zu", prefix, i);
    OrtTensorTypeAndShapeInfo *info;
    ONNXTensorElementDataType type;
    size_t n;
    void *data;
    ok(A->GetTensorTypeAndShape(outs[i], &info), "output");
    ok(A->GetTensorElementType(info, &type), "output");
    ok(A->GetTensorShapeElementCount(info, &n), "output");
    ok(A->GetTensorMutableData(outs[i], &data), "output");
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, width(type), n, f) != n) die(path, "cannot be written");
    fclose(f);
    A->ReleaseTensorTypeAndShapeInfo(info);
  }
}

static void other(const char *cmd) {
  if (cmd[0] == 'o') write_outputs(cmd + 2);
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage", "ortbench LIBRARY MODEL THREADS MANIFEST");
  void *lib = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!lib) die(argv[1], dlerror());
  const OrtApiBase *(*base)(void) = (const OrtApiBase *(*)(void))dlsym(lib, "OrtGetApiBase");
  if (!base) die(argv[1], "has no OrtGetApiBase");
  A = base()->GetApi(ORT_API_VERSION);
  if (!A) die(argv[1], "is older than its header");
  OrtEnv *env;
  ok(A->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &env), "env");
  OrtSessionOptions *o;
  ok(A->CreateSessionOptions(&o), "options");
  ok(A->SetSessionGraphOptimizationLevel(o, ORT_ENABLE_ALL), "optimisations");
  ok(A->SetIntraOpNumThreads(o, atoi(argv[3])), "threads");
  ok(A->SetInterOpNumThreads(o, 1), "threads");
  ok(A->CreateSession(env, argv[2], o, &session), argv[2]);
  OrtAllocator *alloc;
  ok(A->GetAllocatorWithDefaultOptions(&alloc), "allocator");
  ok(A->SessionGetOutputCount(session, &nout), "outputs");
  if (nout > MAX) die("outputs", "too many");
  for (size_t i = 0; i < nout; i++) {
    char *n;
    ok(A->SessionGetOutputName(session, i, alloc, &n), "output");
    out_names[i] = n;
  }
  load_inputs(argv[4]);
  serve(run, other);
  return 0;
}
