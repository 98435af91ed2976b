package tir

// BinOp names the operation of a Binary node.
type BinOp uint8

// Binary operations. Div and Mod truncate on integers; FloorDiv and FloorMod
// round towards minus infinity, which is what index arithmetic uses.
const (
	OpAdd BinOp = iota
	OpSub
	OpMul
	OpDiv
	OpMod
	OpFloorDiv
	OpFloorMod
	OpMin
	OpMax
	OpEQ
	OpNE
	OpLT
	OpLE
	OpGT
	OpGE
	OpAnd
	OpOr
)

var opNames = [...]string{"Add", "Sub", "Mul", "Div", "truncmod", "FloorDiv", "FloorMod", "min", "max", "EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or"}

// String is the name under which TVMScript calls the node (T.Add, T.min, …).
func (op BinOp) String() string { return opNames[op] }

// IsCompare reports whether op compares two numbers and gives a bool.
func (op BinOp) IsCompare() bool { return op >= OpEQ && op <= OpGE }

// IsLogic reports whether op is And or Or.
func (op BinOp) IsLogic() bool { return op >= OpAnd }

func (op BinOp) divides() bool { return op >= OpDiv && op <= OpFloorMod }
