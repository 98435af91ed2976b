package onnx

// The messages of onnx.proto that matter, as the decoder fills them. Byte
// slices alias the file.

// Proto is a decoded ModelProto.
type Proto struct {
	IRVersion int64
	Producer  string
	Graph     *GraphProto
	Opsets    map[string]int64 // by domain; "" is ai.onnx
	Functions []*FunctionProto
}

// GraphProto is a graph or a subgraph.
type GraphProto struct {
	Name         string
	Nodes        []*NodeProto
	Initializers []*TensorProto
	Sparse       int // sparse initializers, which are refused
	Inputs       []*ValueInfo
	Outputs      []*ValueInfo
}

// NodeProto is an application of an operator or a local function.
type NodeProto struct {
	Name, Op, Domain string
	Inputs, Outputs  []string
	Attrs            map[string]*AttrProto
}

// AttrProto is an attribute; the field that Type names is set.
type AttrProto struct {
	Name   string
	Type   AttrType
	Ref    string // the function attribute it stands for
	F      float32
	I      int64
	S      []byte
	T      *TensorProto
	G      *GraphProto
	Floats []float32
	Ints   []int64
	Strs   [][]byte
	Graphs int
}

// AttrType is AttributeProto.AttributeType.
type AttrType int32

// The attribute types that the reader knows.
const (
	AttrFloat AttrType = iota + 1
	AttrInt
	AttrString
	AttrTensor
	AttrGraph
	AttrFloats
	AttrInts
	AttrStrings
	AttrTensors
	AttrGraphs
)

// TensorProto is a tensor whose elements are still encoded.
type TensorProto struct {
	Name     string
	Dims     []int64
	DataType int32
	Raw      []byte
	HasRaw   bool
	// Typed fields, undecoded: the concatenated payloads of packed fields and
	// the encoded scalars of unpacked ones.
	Int32s, Int64s, Uint64s, Floats, Doubles []byte
	Strings                                  int
	External                                 map[string]string
	IsExternal                               bool
	Segmented                                bool
}

// ValueInfo declares a graph input or output.
type ValueInfo struct {
	Name     string
	Kind     string // "tensor", or what else it is
	DataType int32
	HasShape bool
	Dims     []Dim
}

// Dim is a declared dimension: a value, or a name, or (both empty) unknown.
type Dim struct {
	Value int64
	Param string
	Known bool
}

// FunctionProto is a function that a model defines.
type FunctionProto struct {
	Name, Domain    string
	Inputs, Outputs []string
	Nodes           []*NodeProto
	Opsets          map[string]int64
	Defaults        map[string]*AttrProto
}
