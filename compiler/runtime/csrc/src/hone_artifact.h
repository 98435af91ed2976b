/* A compiled model, as a C library.
 *
 *   hone_instance *m;
 *   hone_error err;
 *   hone_options opt = {.size = sizeof opt, .weights_path = "model.weights"};
 *   if (hone_create(&opt, &m, &err)) { puts(err.message); exit(1); }
 *   hone_run(m, inputs, 1, outputs, 1, &err);   // arrays of DLTensor pointers
 *   hone_destroy(m);
 *
 * Instances are independent and may run at the same time; calls on one
 * instance from several threads run one after another. Nothing is allocated
 * while a model runs. Functions return 0 or a code and fill err, which may be
 * null.
 */
#ifndef HONE_ARTIFACT_H
#define HONE_ARTIFACT_H

#include "hone_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_ABI_VERSION 1

#ifndef DLPACK_DLPACK_H_
/* The tensor structure of DLPack. */
typedef struct { hone_i32 device_type, device_id; } DLDevice; /* 1 is the CPU */
typedef struct { unsigned char code, bits; unsigned short lanes; } DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  hone_i32 ndim;
  DLDataType dtype;
  hone_i64 *shape;
  hone_i64 *strides; /* in elements; null: compact, row-major */
  unsigned long long byte_offset;
} DLTensor;
#endif

enum {
  HONE_OK = 0,
  HONE_ERROR_ARGUMENT = 1, /* a tensor or option does not fit the model */
  HONE_ERROR_MEMORY = 2,   /* the system refused memory */
  HONE_ERROR_WEIGHTS = 3,  /* the weights file is missing, damaged or another model's */
  HONE_ERROR_THREADS = 4,  /* threads could not be started, or too many were asked for */
  HONE_ERROR_KERNEL = 5    /* a kernel reported failure */
};

typedef struct hone_error {
  hone_i32 code;
  char message[252];
} hone_error;

typedef struct hone_options {
  hone_i32 size;    /* sizeof(hone_options) of the caller */
  hone_i32 threads; /* 0: $HONE_NUM_THREADS, or what the model was tuned for */
  hone_i32 pin;     /* not 0: pin the library's own threads to processors */
  hone_i32 spin_us; /* how long idle threads spin before they sleep; 0: 60 */
  const char *weights_path; /* null when the weights are inside the library */
} hone_options;

typedef struct hone_tensor_info {
  const char *name;
  DLDataType dtype;
  hone_i32 ndim;
  const hone_i64 *shape;
  hone_i64 bytes;
} hone_tensor_info;

typedef struct hone_instance hone_instance;

#define HONE_API __attribute__((visibility("default")))

HONE_API hone_i32 hone_abi_version(void);
/* JSON: inputs, outputs, target, toolchain, records and hashes. */
HONE_API const char *hone_metadata(void);
HONE_API hone_i32 hone_num_inputs(void);
HONE_API hone_i32 hone_num_outputs(void);
/* Null when i is out of range. */
HONE_API const hone_tensor_info *hone_input(hone_i32 i);
HONE_API const hone_tensor_info *hone_output(hone_i32 i);

/* opt may be null. */
HONE_API hone_i32 hone_create(const hone_options *opt, hone_instance **out, hone_error *err);
HONE_API void hone_destroy(hone_instance *);
/* Threads the instance runs on. */
HONE_API hone_i32 hone_threads(const hone_instance *);

/* Reads inputs and writes outputs, all on the CPU, compact, with the model's
 * shapes and types. No output may overlap another tensor. Tensors whose data
 * is aligned to 64 bytes are used in place, others are copied. */
HONE_API hone_i32 hone_run(hone_instance *, DLTensor *const *inputs, hone_i32 num_inputs, DLTensor *const *outputs, hone_i32 num_outputs, hone_error *err);

/* The steps of a run: their number, their names, and a run that reports the
 * nanoseconds of each. */
HONE_API hone_i32 hone_num_calls(void);
HONE_API const char *hone_call_name(hone_i32 i);
HONE_API hone_i32 hone_run_timed(hone_instance *, DLTensor *const *inputs, hone_i32 num_inputs, DLTensor *const *outputs, hone_i32 num_outputs, hone_i64 *call_ns, hone_error *err);

#ifdef __cplusplus
}
#endif

#endif
