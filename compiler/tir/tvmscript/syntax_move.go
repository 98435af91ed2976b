package tvmscript

// relocate gives every node of a quoted expression the position of the literal
// it was quoted in.
func relocate(n node, at pos) node {
	list := func(ns []node) {
		for _, x := range ns {
			relocate(x, at)
		}
	}
	switch n := n.(type) {
	case nil:
	case *nameNode:
		n.p = at
	case *intNode:
		n.p = at
	case *floatNode:
		n.p = at
	case *textNode:
		n.p = at
	case *attrNode:
		n.p = at
		relocate(n.x, at)
	case *callNode:
		n.p = at
		relocate(n.fn, at)
		list(n.args)
		for i := range n.kw {
			n.kw[i].p = at
			relocate(n.kw[i].val, at)
		}
	case *indexNode:
		n.p = at
		relocate(n.x, at)
		list(n.items)
	case *sliceNode:
		n.p = at
		list([]node{n.lo, n.hi, n.step})
	case *listNode:
		n.p = at
		list(n.items)
	case *dictNode:
		n.p = at
		list(n.keys)
		list(n.vals)
	case *unaryNode:
		n.p = at
		relocate(n.x, at)
	case *binNode:
		n.p = at
		list([]node{n.a, n.b})
	case *cmpNode:
		n.p = at
		list(n.items)
	case *logicNode:
		n.p = at
		list(n.items)
	case *ifNode:
		n.p = at
		list([]node{n.cond, n.then, n.els})
	case *lamNode:
		n.p = at
		relocate(n.body, at)
	case *starNode:
		n.p = at
		relocate(n.x, at)
	}
	return n
}
