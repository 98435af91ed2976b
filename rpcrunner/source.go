package rpcrunner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"hone/internal/wire"
)

// maxSource bounds a translation unit after decompression.
const maxSource = 64 << 20

// PackSource prepares a unit for a work item. The text must be uploaded as a blob when
// the result has no inline part.
func PackSource(text string) (wire.Source, error) {
	sum := sha256.Sum256([]byte(text))
	s := wire.Source{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(text))}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return s, fmt.Errorf("source: %w", err)
	}
	defer enc.Close()
	if z := enc.EncodeAll([]byte(text), nil); len(z) <= wire.MaxInline {
		s.Inline = z
	}
	return s, nil
}

// Keep puts data into the worker's own cache, for harnesses without a blob store: sources
// that do not fit into an item, artifacts built elsewhere.
func (w *Worker) Keep(data []byte) (wire.Blob, error) {
	b := digestOf(data)
	return b, w.artifacts.keep(b, data)
}

// sourceText returns the text of a unit, checked against its digest.
func (w *Worker) sourceText(ctx context.Context, s *wire.Source) (string, error) {
	var text []byte
	var err error
	if s.Inline != nil {
		text, err = unzip(s)
	} else {
		text, err = w.artifacts.get(ctx, wire.Blob{SHA256: s.SHA256, Size: s.Size})
	}
	if err != nil {
		return "", err
	}
	if got := digestOf(text); got.SHA256 != s.SHA256 {
		return "", fmt.Errorf("source: digest %.12s, the item says %.12s", got.SHA256, s.SHA256)
	}
	return string(text), nil
}

// unzip inflates at most the size the item announces.
func unzip(s *wire.Source) ([]byte, error) {
	if s.Size > maxSource {
		return nil, fmt.Errorf("source of %d bytes exceeds %d", s.Size, int64(maxSource))
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(s.Size)+1<<20))
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(s.Inline, make([]byte, 0, s.Size))
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	return text, nil
}
