package onnx

import (
	"math"

	"hone/compiler/graph"
)

func init() {
	register("Upsample", 1, func(c *opCtx) {
		c.resize(c.upsampleScales(), nil, "asymmetric", "floor")
	})
	register("Upsample", 9, func(c *opCtx) { c.resize(c.constFloats(1, "scales"), nil, "asymmetric", "floor") })
	register("Resize", 10, func(c *opCtx) { c.resize(c.constFloats(1, "scales"), nil, "asymmetric", "floor") })
	register("Resize", 11, importResize)
}

// upsampleScales is the attribute of opset 7; before, there were two others.
func (c *opCtx) upsampleScales() []float64 {
	if a := c.attr("scales", AttrFloats); a != nil {
		out := make([]float64, len(a.Floats))
		for i, f := range a.Floats {
			out[i] = float64(f)
		}
		return out
	}
	return []float64{1, 1, c.attrFloat("height_scale", 1), c.attrFloat("width_scale", 1)}
}

func importResize(c *opCtx) {
	var scales []float64
	var sizes []int64
	if c.has(3) {
		sizes = c.constInts(3, "sizes")
	}
	if len(sizes) == 0 && c.has(2) {
		scales, sizes = c.constFloats(2, "scales"), nil
	}
	if c.attrInt("antialias", 0) != 0 || c.attrInt("exclude_outside", 0) != 0 {
		c.fail("antialiasing and exclude_outside are not supported")
		return
	}
	if axes := c.attrInts("axes"); axes != nil && c.err == nil {
		scales, sizes = c.spreadAxes(axes, scales, sizes)
	}
	c.resize(scales, sizes, c.attrStr("coordinate_transformation_mode", "half_pixel"), c.attrStr("nearest_mode", "round_prefer_floor"))
}

// spreadAxes completes scales or sizes that are given for some axes only.
func (c *opCtx) spreadAxes(axes []int64, scales []float64, sizes []int64) ([]float64, []int64) {
	shape := c.shape(c.input(0))
	if c.err != nil {
		return nil, nil
	}
	if sizes == nil && len(scales) != len(axes) || sizes != nil && len(sizes) != len(axes) {
		c.fail("%d axes, %d scales and %d sizes", len(axes), len(scales), len(sizes))
		return nil, nil
	}
	var fs []float64
	var is []int64
	for range shape {
		fs = append(fs, 1)
	}
	is = append(is, shape...)
	for i, a := range axes {
		d := c.axis(a, len(shape))
		if c.err != nil {
			return nil, nil
		}
		if sizes != nil {
			is[d] = sizes[i]
		} else {
			fs[d] = scales[i]
		}
	}
	if sizes != nil {
		return nil, is
	}
	return fs, nil
}

func (c *opCtx) resize(scales []float64, sizes []int64, coordinates, rounding string) {
	x := c.input(0)
	shape := c.shape(x)
	if c.err != nil {
		return
	}
	if sizes != nil {
		scales = make([]float64, len(sizes))
		for d, n := range sizes {
			if len(sizes) == len(shape) {
				scales[d] = float64(n) / float64(shape[d])
			}
		}
	}
	if len(scales) != len(shape) {
		c.fail("%d scales or sizes for %v", len(scales), shape)
		return
	}
	if sizes == nil {
		for d, s := range scales {
			n := math.Floor(float64(shape[d]) * s)
			if !(n >= 0 && n <= maxDim) {
				c.fail("scale %g of dimension %d is out of bounds", s, d)
				return
			}
			sizes = append(sizes, int64(n))
		}
	}
	mode := c.attrStr("mode", "nearest")
	if mode == "bilinear" {
		mode = "linear"
	}
	if p := c.attrStr("keep_aspect_ratio_policy", "stretch"); p != "stretch" {
		c.fail("keep_aspect_ratio_policy %q is not supported", p)
		return
	}
	c.result(c.emit("resize", graph.A("coordinates", coordinates, "mode", mode, "rounding", rounding, "scales", scales, "sizes", sizes), x))
}
