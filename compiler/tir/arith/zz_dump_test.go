package arith
import ("testing";"fmt";"os";"math/rand/v2";"hone/compiler/tir";"bufio";"strconv")
func gen(r *rand.Rand, vars []*tir.Var, depth int, cond bool) tir.Expr {
	sub := func(c bool) tir.Expr { return gen(r, vars, depth-1, c) }
	if cond {
		if depth>2 && r.IntN(3)==0 { return tir.NewBinary(tir.OpAnd+tir.BinOp(r.IntN(2)), sub(true), sub(true)) }
		return tir.NewBinary(tir.OpEQ+tir.BinOp(r.IntN(6)), sub(false), sub(false))
	}
	if depth <= 0 || r.IntN(6) == 0 {
		if r.IntN(4) == 0 { return tir.Int(int64(r.IntN(17)) - 4) }
		return vars[r.IntN(len(vars))]
	}
	c := []int64{1, 2, 3, 4, 4, 8, 8, 16}[r.IntN(8)]
	switch r.IntN(14) {
	case 0, 1, 2, 3: return tir.NewBinary(tir.OpAdd, sub(false), sub(false))
	case 4: return tir.NewBinary(tir.OpSub, sub(false), sub(false))
	case 5, 6, 7: return tir.NewBinary(tir.OpMul, sub(false), tir.Int(c))
	case 8, 9, 10: return tir.NewBinary(tir.OpFloorDiv, sub(false), tir.Int(c))
	case 11, 12: return tir.NewBinary(tir.OpFloorMod, sub(false), tir.Int(c))
	}
	return tir.NewBinary(tir.OpMin+tir.BinOp(r.IntN(2)), sub(false), sub(false))
}
func TestZZ(t *testing.T) {
	mode := os.Getenv("ZZ")
	if mode == "" { t.Skip() }
	if mode == "dump" {
		seed,_ := strconv.Atoi(os.Getenv("SEED"))
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		for _, d := range []string{"i=0:16 j=0:4 k=0:64","i=0:16 j=0:4 k=0:64 n","i=0:8 n m"} {
			fmt.Println("scope "+d)
			sc := newScope(t, d)
			var vars []*tir.Var
			for _, name := range sc.names { vars = append(vars, sc.vars[name]) }
			for i:=0;i<400;i++ { fmt.Println(show(gen(r,vars,2+r.IntN(3),i%4==0))) }
		}
		return
	}
	f,_ := os.Open(mode)
	s := bufio.NewScanner(f)
	sc := newScope(t,"")
	n,bad := 0,0
	for s.Scan() {
		l := s.Text()
		if len(l)>6 && l[:6]=="scope " { sc=newScope(t,l[6:]); fmt.Println(l); continue }
		var i int
		for i=0;i+2<len(l);i++ { if l[i:i+2]=="=>" {break} }
		if i+2>=len(l) || l[0]=='#' {continue}
		n++
		got := show(sc.analyzer().Simplify(sc.parse(t,l[:i])))
		if got != l[i+3:] { bad++; fmt.Printf("%s\n   tvm  %s\n   hone %s\n", l[:i], l[i+3:], got) }
	}
	fmt.Println(n,bad)
}
