package compiler_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/onnx"
	"hone/compiler/runtime/csrc"
	"hone/compiler/target"
	"hone/internal/cc"
)

// foreignProgram runs a model once: inputs from standard input, one after another,
// outputs to standard output.
const foreignProgram = `
#include <stdio.h>
#include <stdlib.h>
#include "model.h"
static DLTensor *tensor(const hone_tensor_info *info) {
  DLTensor *t = calloc(1, sizeof *t);
  t->data = aligned_alloc(64, (info->bytes + 127) / 64 * 64);
  t->device.device_type = 1;
  t->ndim = info->ndim;
  t->dtype = info->dtype;
  t->shape = (hone_i64 *)info->shape;
  return t;
}
int main(void) {
  hone_instance *m;
  hone_error err;
  hone_options opt = {.size = sizeof opt, .threads = 2};
  DLTensor *in[16], *out[16];
  if (hone_create(&opt, &m, &err)) return fprintf(stderr, "create: %s\n", err.message), 1;
  for (int i = 0; i < hone_num_inputs(); i++) {
    in[i] = tensor(hone_input(i));
    if (fread(in[i]->data, 1, hone_input(i)->bytes, stdin) != (size_t)hone_input(i)->bytes) return fprintf(stderr, "input %d ends early\n", i), 1;
  }
  for (int i = 0; i < hone_num_outputs(); i++) out[i] = tensor(hone_output(i));
  if (hone_run(m, in, hone_num_inputs(), out, hone_num_outputs(), &err)) return fprintf(stderr, "run: %s\n", err.message), 1;
  for (int i = 0; i < hone_num_outputs(); i++) fwrite(out[i]->data, 1, hone_output(i)->bytes, stdout);
  hone_destroy(m);
  return 0;
}
`

// Artifacts for a Raspberry Pi, built by the cross compiler and run under an emulator
// with two threads, give the outputs that came with the models.
func TestForeignArtifacts(t *testing.T) {
	const triple, libs = "aarch64-linux-gnu", "/usr/aarch64-linux-gnu"
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("qemu-aarch64-static: ", err)
	}
	comp, err := cc.Default(context.Background(), triple)
	if err != nil {
		t.Skip(err)
	}
	for _, c := range [][2]string{
		{"demo", "4b"}, {"bert_tiny", "4b"}, {"mobilenetv2", "4b"}, {"mobilenetv2_qdq", "4b"}, {"conv_gru", "4b"},
		{"mobilenetv2_qdq", "5"}, // has dot products of bytes
	} {
		name := c[0]
		tgt, err := target.Parse("raspberry-pi/" + c[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name+" "+c[1], func(t *testing.T) {
			if os.Getenv("HONE_TEST_ALL") == "" {
				t.Skip("HONE_TEST_ALL is not set")
			}
			dir := modelDir(t, name)
			lib := buildFor(t, dir, tgt.WithThreads(2), comp)
			at := filepath.Dir(lib)
			write(t, filepath.Join(at, "model.h"), csrc.ArtifactHeader())
			write(t, filepath.Join(at, "program.c"), foreignProgram)
			build := exec.Command(comp.Path, "-O1", "-o", filepath.Join(at, "program"), filepath.Join(at, "program.c"), lib, "-Wl,-rpath,"+at)
			if log, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			run := exec.Command(qemu, "-L", libs, filepath.Join(at, "program"))
			var in, out, log bytes.Buffer
			for _, x := range testData(t, dir, "input") {
				in.Write(x.Data)
			}
			run.Stdin, run.Stdout, run.Stderr = &in, &out, &log
			if err := run.Run(); err != nil {
				t.Fatalf("%v\n%s", err, log.String())
			}
			for _, want := range testData(t, dir, "output") {
				got := &dtype.Tensor{Type: want.Type, Shape: want.Shape, Data: out.Next(len(want.Data))}
				closeTo(t, name, got, want, onnx.Tolerance(dir))
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
