package gbdt

import (
	"bytes"
	"testing"
)

func TestSeal(t *testing.T) {
	two := append(Seal([]byte("one\n")), Seal(nil)...)
	first, rest, err := Unseal(two)
	if err != nil || string(first) != "one\n" {
		t.Fatalf("%q, %v", first, err)
	}
	if second, rest, err := Unseal(rest); err != nil || len(second) != 0 || len(rest) != 0 {
		t.Fatalf("%q, %q, %v", second, rest, err)
	}
	sealed := Seal([]byte("a payload"))
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if _, _, err := Unseal(bad); err == nil {
			t.Errorf("a flipped bit in byte %d goes unnoticed", i)
		}
		if _, _, err := Unseal(sealed[:i]); err == nil {
			t.Errorf("cut after %d bytes goes unnoticed", i)
		}
	}
}
