package wire

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzDecodeWork: whatever arrives is refused or means one thing: encoding what was read
// and reading it again changes nothing.
func FuzzDecodeWork(f *testing.F) {
	good, err := EncodeWork(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"v":1}`))
	f.Add(bytes.Replace(good, []byte(`"float32"`), []byte(`"bool"`), 1))
	f.Add(bytes.Replace(good, []byte(`"shape":[4,8]`), []byte(`"shape":[-4,8]`), 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := DecodeWork(b)
		if err != nil {
			return
		}
		again, err := EncodeWork(w)
		if err != nil {
			if len(b) < MaxWorkBytes/8 { // escaping may make a long text longer than an item may be
				t.Fatalf("accepted but not encodable: %v", err)
			}
			return
		}
		w2, err := DecodeWork(again)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := json.Marshal(w)
		y, _ := json.Marshal(w2)
		if !bytes.Equal(x, y) {
			t.Fatalf("%s\nbecame\n%s", x, y)
		}
		for _, a := range w.Args {
			if a.Bytes() <= 0 {
				t.Fatalf("argument of %d bytes was accepted: %+v", a.Bytes(), a)
			}
		}
	})
}

// FuzzSplitUnit: splitting and joining give the same text, up to the newline at the end of
// a part.
func FuzzSplitUnit(f *testing.F) {
	f.Add("a\n/* hone:kernel k */\nb\n")
	f.Add("/* hone:kernel k */")
	f.Fuzz(func(t *testing.T, text string) {
		shared, kernels, err := SplitUnit(text)
		if err != nil {
			return
		}
		joined := JoinUnit(shared, kernels)
		s2, k2, err := SplitUnit(joined)
		if err != nil || JoinUnit(s2, k2) != joined || len(k2) != len(kernels) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
