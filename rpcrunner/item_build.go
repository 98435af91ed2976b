package rpcrunner

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"hone/internal/wire"
	"hone/rpcrunner/build"
)

// doBuild serves a build item: images go to the cache (and the remote store, where there
// is one) and the result names them.
func (w *Worker) doBuild(ctx context.Context, item *wire.Work, r *wire.Result) {
	blobs, ok := w.buildItem(ctx, item, r)
	if !ok {
		return
	}
	entries := r.Entries
	r.Entries = nil
	for i, e := range entries {
		if blobs[i] != nil && e.Code == wire.OK {
			if _, err := w.upload(ctx, blobs[i]); err != nil {
				e.Code, e.Detail = wire.InfraDisk, err.Error()
			}
		}
		r.Entries = append(r.Entries, e)
	}
}

// upload makes a locally kept artifact durable; without a remote store it is done.
func (w *Worker) upload(ctx context.Context, b *wire.Blob) (*wire.Blob, error) {
	if w.artifacts.remote == nil {
		return b, nil
	}
	data, err := w.artifacts.get(ctx, *b)
	if err != nil {
		return nil, err
	}
	_, err = w.artifacts.put(ctx, data)
	return b, err
}

// buildItem compiles the item's source and appends one result per entry, in order, with
// code ok for those that may now be measured. blobs[i] is the image of entry i. When it
// returns false the result is complete already.
func (w *Worker) buildItem(ctx context.Context, item *wire.Work, r *wire.Result) (blobs []*wire.Blob, ok bool) {
	start := time.Now()
	text, err := w.sourceText(ctx, item.Source)
	r.Clocks.Fetch += ms(start)
	if err != nil {
		*r = failAll(*r, item, wire.InfraSource, err.Error())
		return nil, false
	}
	out, err := w.compile(ctx, item, text)
	r.Clocks.Build += float64(out.Took.Microseconds()) / 1000
	if err != nil {
		code := wire.InfraDisk
		var ie *build.ItemError
		switch {
		case errors.As(err, &ie):
			code = ie.Code
		case ctx.Err() != nil:
			code = interrupted(ctx)
		}
		*r = failAll(*r, item, code, err.Error())
		return nil, false
	}
	return w.keepImages(item, out, r)
}

func (w *Worker) compile(ctx context.Context, item *wire.Work, text string) (build.Output, error) {
	b, err := w.builder(item.Project)
	if err != nil {
		return build.Output{}, err
	}
	req := build.Request{Toolchain: *item.Toolchain, Source: text, Limits: item.Limits}
	for _, e := range item.Entries {
		be := build.Entry{Symbol: e.Symbol}
		for _, p := range e.Pack {
			be.Packs = append(be.Packs, p.Symbol)
		}
		req.Entries = append(req.Entries, be)
	}
	return b.Build(ctx, req)
}

// keepImages stores the images and writes the entries' results.
func (w *Worker) keepImages(item *wire.Work, out build.Output, r *wire.Result) ([]*wire.Blob, bool) {
	images := make([]wire.Blob, len(out.Images))
	for i, data := range out.Images {
		images[i] = digestOf(data)
		if err := w.artifacts.keep(images[i], data); err != nil {
			*r = failAll(*r, item, wire.InfraDisk, err.Error())
			return nil, false
		}
	}
	if len(images) == 1 {
		r.Artifact = &images[0]
	}
	blobs := make([]*wire.Blob, len(item.Entries))
	for i, e := range out.Entries {
		er := wire.EntryResult{Trial: item.Entries[i].Trial, Code: e.Code, Detail: e.Detail}
		if e.Image >= 0 {
			blobs[i] = &images[e.Image]
			if len(images) > 1 {
				er.Artifact = blobs[i]
			}
		}
		r.Entries = append(r.Entries, er)
	}
	return blobs, true
}

// fetchCode is the code of an artifact that could not be had: gone sends the trial back to
// building, anything else is the store's or the context's trouble.
func fetchCode(ctx context.Context, err error) wire.Code {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wire.InfraArtifact
	case ctx.Err() != nil:
		return interrupted(ctx)
	}
	return wire.InfraDisk
}

// ms is the time since start in milliseconds.
func ms(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }
