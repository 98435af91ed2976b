package rpcrunner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hone/internal/wire"
	"hone/rpcrunner/executor"
)

// outputs lists the arguments that are written.
func outputs(item *wire.Work) []int {
	var out []int
	for i, a := range item.Args {
		if a.Role == wire.RoleOut {
			out = append(out, i)
		}
	}
	return out
}

// loadExpected shows the child the outputs to compare with. The first child of an argument
// set computes them with the reference kernel; they are sealed and kept, so that no
// candidate can touch them and later children need not compute them again.
func (s *session) loadExpected(ctx context.Context) error {
	e := s.item.Expect
	if e.Reference == nil {
		return nil // compared by digest
	}
	c := s.operands
	if key := s.expectKey(); c.expectKey != key {
		c.forgetExpected()
		var err error
		if c.expected, err = s.compute(ctx, e.Reference, tagReference); err != nil {
			return fmt.Errorf("reference %s: %w", e.Reference.Symbol, err)
		}
		c.expectKey = key
	}
	for i, a := range outputs(s.item) {
		dtype := s.item.Args[a].DType
		if err := s.p.Input(ctx, opExpected+i, dtype, c.expected[i]); err != nil {
			return err
		}
	}
	return nil
}

// expectKey names the expected outputs: the kernels they come from and the image those
// are in when they are the item's own.
func (s *session) expectKey() string {
	key := expectation(s.item.Expect)
	if s.own != nil && s.item.Expect.Reference.Artifact == nil {
		key += s.own.SHA256
	}
	return key
}

// compute runs a trusted kernel and seals what it wrote.
func (s *session) compute(ctx context.Context, k *wire.Kernel, tag int) ([]*executor.Sealed, error) {
	l, err := s.load(ctx, k, tag)
	if err != nil {
		return nil, err
	}
	if err := s.warm(ctx, l); err != nil {
		return nil, err
	}
	var out []*executor.Sealed
	for _, a := range outputs(s.item) {
		data, err := s.p.Read(ctx, a)
		s.w.touch()
		if err == nil {
			var f *executor.Sealed
			if f, err = executor.Seal(data); err == nil {
				out = append(out, f)
			}
		}
		if err != nil {
			closeAll(out)
			return nil, err
		}
	}
	s.unload(ctx, l)
	if s.p == nil {
		closeAll(out)
		return nil, fmt.Errorf("the executor was lost after %s", k.Symbol)
	}
	return out, nil
}

// verify compares the outputs of the kernel that ran last. mismatch is empty when they are
// right.
func (s *session) verify(ctx context.Context) (maxErr float64, mismatch string, err error) {
	e := s.item.Expect
	if e.Reference == nil {
		mismatch, err = s.verifyDigest(ctx)
		return 0, mismatch, err
	}
	for i, a := range outputs(s.item) {
		v, err := s.p.Compare(ctx, e.Rule, e.RTol, e.ATol, a, opExpected+i)
		s.w.touch()
		if err != nil {
			return maxErr, "", err
		}
		maxErr = max(maxErr, v.MaxErr)
		if v.Bad > 0 && mismatch == "" {
			mismatch = fmt.Sprintf("argument %d: %d of %d elements differ (%s), the first at %d: %.9g instead of %.9g; largest error %.3g",
				a, v.Bad, s.item.Args[a].Elems(), e.Rule, v.First, v.Got, v.Want, v.MaxErr)
		}
	}
	return maxErr, mismatch, nil
}

func (s *session) verifyDigest(ctx context.Context) (string, error) {
	h := sha256.New()
	for _, a := range outputs(s.item) {
		data, err := s.p.Read(ctx, a)
		s.w.touch()
		if err != nil {
			return "", err
		}
		h.Write(data)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != s.item.Expect.OutputsSHA256 {
		return fmt.Sprintf("the outputs have digest %.16s, expected %.16s", got, s.item.Expect.OutputsSHA256), nil
	}
	return "", nil
}
