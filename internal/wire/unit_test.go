package wire

import (
	"reflect"
	"testing"
)

func TestUnitRoundTrip(t *testing.T) {
	kernels := []UnitKernel{{"k0", "int k0(void) { return 0; }\n"}, {"k1", "static int h;\nint k1(void) { return h; }\n"}}
	text := JoinUnit("typedef float V;\n", kernels)
	shared, got, err := SplitUnit(text)
	if err != nil || shared != "typedef float V;\n" || !reflect.DeepEqual(got, kernels) {
		t.Errorf("%q %+v %v", shared, got, err)
	}
	if JoinUnit(shared, got) != text {
		t.Error("joining the parts again gave another text")
	}
	if shared, got, err := SplitUnit("int f(void);\n/* a comment */\n"); err != nil || len(got) != 0 || shared != "int f(void);\n/* a comment */\n" {
		t.Errorf("no markers: %q %+v %v", shared, got, err)
	}
	for _, bad := range []string{"/* hone:kernel a */\n/* hone:kernel a */\n", "/* hone:kernel a b */\n", "/* hone:kernel  */\n"} {
		if _, _, err := SplitUnit(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestMarkUnit(t *testing.T) {
	kernels := []UnitKernel{{"k0", "int k0;\n"}, {"k1", "int k1;\n"}}
	got, err := MarkUnit("prelude\nint k0;\nint k1;\n", kernels)
	if err != nil || got != JoinUnit("prelude\n", kernels) {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"prelude\nint k1;\nint k0;\n", "int k1;\n"} {
		if _, err := MarkUnit(bad, kernels); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
