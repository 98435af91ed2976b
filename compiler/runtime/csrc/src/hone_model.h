/* The tables that the compiler emits for a model and artifact.c executes.
 *
 * A model is a list of calls in order. Every argument has a place: in the
 * arena, in the constants, or in a tensor of the caller. The arena is one block
 * planned by the compiler: intermediate buffers, the kernels' workspace, and a
 * copy of each input and output for tensors that are not aligned.
 */
#ifndef HONE_MODEL_H
#define HONE_MODEL_H

#include "hone_artifact.h"

#define HONE_MODEL_VERSION 1

enum { HONE_IN_ARENA = 0, HONE_IN_CONSTANTS = 1, HONE_IN_INPUT = 2, HONE_IN_OUTPUT = 3 };

/* An argument: offset bytes into the arena, the constants, or tensor index. */
typedef struct hone_buffer {
  hone_i32 where;
  hone_i32 index;
  hone_i64 offset;
} hone_buffer;

/* One step. Without a kernel, bytes are copied from the first argument to the
 * second. */
typedef struct hone_call {
  const char *name;
  hone_kernel *kernel;
  hone_i64 workspace; /* offset in the arena, -1 for none */
  hone_i64 bytes;
  hone_i32 first; /* index of the first argument in the model's buffers */
  hone_i32 count;
} hone_call;

/* A range of the arena that is zero before the first run: borders that
 * kernels read and none writes. */
typedef struct hone_range { hone_i64 offset, bytes; } hone_range;

typedef struct hone_model {
  hone_i32 version;
  hone_i32 num_inputs, num_outputs, num_calls, num_buffers, num_zeros;
  hone_i32 threads;     /* what the model was tuned for */
  hone_i32 max_threads; /* what workspaces were sized for */
  const hone_tensor_info *inputs, *outputs;
  const hone_i64 *stages; /* arena offsets of the copies of inputs, then outputs */
  const hone_call *calls;
  const hone_buffer *buffers;
  const hone_range *zeros;
  hone_i64 arena_bytes;
  hone_i64 constants_bytes;
  const void *constants; /* null: in the weights file */
  unsigned char digest[32]; /* of the constants; the weights file repeats it */
  const char *metadata;
} hone_model;

/* The weights file: this header, zeros up to HONE_WEIGHTS_START, constants. */
#define HONE_WEIGHTS_MAGIC "HONEWTS1"
#define HONE_WEIGHTS_START 4096
typedef struct hone_weights_header {
  char magic[8];
  unsigned char digest[32];
  hone_i64 bytes;
} hone_weights_header;

extern const hone_model hone_the_model __attribute__((visibility("hidden")));

#endif
