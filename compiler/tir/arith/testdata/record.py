"""Writes what TVM makes of the cases in this directory.

    python3 record.py simplify  < simplify.txt
    python3 record.py interval  < interval.txt
    python3 record.py itermap   < itermap.txt
    python3 record.py subspace  < subspace.txt

The left sides of "=>" are read, the right sides are written anew to standard
output. Needs apache-tvm 0.27.
"""
import ast
import sys

import tvm
import tvm.sym as sym
from tvm import tirx

LEVEL = {"Or": 0, "And": 1, "LT": 2, "LE": 2, "GT": 2, "GE": 2, "EQ": 2, "NE": 2,
         "Add": 3, "Sub": 3, "Mul": 4, "FloorDiv": 4, "FloorMod": 4}
SIGN = {"Or": "or", "And": "and", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "==", "NE": "!=",
        "Add": "+", "Sub": "-", "Mul": "*", "FloorDiv": "//", "FloorMod": "%"}
NAMED = {"Min": "min", "Max": "max", "Div": "div", "Mod": "mod"}
AST = {ast.Add: tirx.Add, ast.Sub: tirx.Sub, ast.Mult: tirx.Mul, ast.FloorDiv: tirx.FloorDiv, ast.Mod: tirx.FloorMod,
       ast.Lt: tirx.LT, ast.LtE: tirx.LE, ast.Gt: tirx.GT, ast.GtE: tirx.GE, ast.Eq: tirx.EQ, ast.NotEq: tirx.NE}
CALLS = {"min": tirx.Min, "max": tirx.Max, "div": tirx.Div, "mod": tirx.Mod, "select": tirx.Select,
         "ite": tirx.if_then_else, "i64": lambda x: tirx.Cast("int64", x)}


def alike(x, y):
    """The operands, literals in the type of the other side."""
    if isinstance(x, tirx.IntImm):
        x = tirx.const(int(x.value), str(y.ty.dtype))
    elif isinstance(y, tirx.IntImm):
        y = tirx.const(int(y.value), str(x.ty.dtype))
    return x, y


class Scope:
    """Variables and their half-open ranges, from "i=0:16 n"."""

    def __init__(self, text):
        self.vars, self.ranges = {}, {}
        for field in text.split():
            name, _, bounds = field.partition("=")
            dtype = "int64" if name[0].isupper() else "int32"
            self.vars[name] = tirx.Var(name, dtype)
            if bounds:
                lo, hi = bounds.split(":")
                lo = tirx.const(int(lo), dtype)
                hi = self.vars[hi] if hi in self.vars else tirx.const(int(hi), dtype)
                self.ranges[name] = tvm.ir.Range(lo, hi)

    def domains(self):
        return {self.vars[n]: r for n, r in self.ranges.items()}

    def parse(self, text):
        return self.build(ast.parse(text.strip(), mode="eval").body)

    def build(self, n):
        if isinstance(n, ast.Constant):
            return tirx.const(n.value, "int32")
        if isinstance(n, ast.Name):
            return self.vars[n.id]
        if isinstance(n, ast.BinOp):
            return AST[type(n.op)](*alike(self.build(n.left), self.build(n.right)))
        if isinstance(n, ast.Compare):
            return AST[type(n.ops[0])](*alike(self.build(n.left), self.build(n.comparators[0])))
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not):
            return tirx.Not(self.build(n.operand))
        if isinstance(n, ast.UnaryOp):
            if isinstance(n.operand, ast.Constant):
                return tirx.const(-n.operand.value, "int32")
            return tirx.Mul(self.build(n.operand), tirx.const(-1, "int32"))
        if isinstance(n, ast.BoolOp):
            join = tirx.And if isinstance(n.op, ast.And) else tirx.Or
            out = self.build(n.values[0])
            for v in n.values[1:]:
                out = join(out, self.build(v))
            return out
        args = list(map(self.build, n.args))
        if len(args) > 1:
            args[-2:] = alike(*args[-2:])
        return CALLS[n.func.id](*args)


names = {}  # of variables that TVM made, where theirs are not ours


def show(e, level=0):
    kind = type(e).__name__
    if kind in LEVEL:
        text = f"{show(e.a, LEVEL[kind])} {SIGN[kind]} {show(e.b, LEVEL[kind] + 1)}"
        return f"({text})" if LEVEL[kind] < level else text
    if kind in NAMED:
        return f"{NAMED[kind]}({show(e.a)}, {show(e.b)})"
    if kind == "Not":
        return "not " + show(e.a, 2)
    if kind == "Select":
        return f"select({show(e.condition)}, {show(e.true_value)}, {show(e.false_value)})"
    if kind == "Call":
        return "ite(" + ", ".join(map(show, e.args)) + ")"
    if kind == "Cast":
        return f"i64({show(e.value)})"
    if kind == "Var":
        return names.get(e, e.name)
    if kind == "IntImm":
        is_bool = str(e.ty.dtype) == "bool"
        return ("true" if e.value else "false") if is_bool else str(e.value)
    return "?" + kind


def simplify(scope, text):
    a = sym.Analyzer()
    for name, r in scope.ranges.items():
        a.bind(scope.vars[name], r)
    return show(a.simplify(scope.parse(text)))


def bounds(scope, text):
    """Constant bounds, modular set and whether a condition is proved."""
    a = sym.Analyzer()
    for name, r in scope.ranges.items():
        a.bind(scope.vars[name], r)
    e = scope.parse(text)
    b = a.const_int_bound(e)
    if str(e.ty.dtype) == "bool":
        return f"proved {a.can_prove(e)}"
    m = a.modular_set(e)
    return f"{int(b.min_value)} {int(b.max_value)} {int(m.coeff)} {int(m.base)}"


def under(scope, text):
    """What an expression is where a condition holds: "condition | expression"."""
    a = sym.Analyzer()
    for name, r in scope.ranges.items():
        a.bind(scope.vars[name], r)
    cond, e = text.split("|")
    with a.constraint_scope(scope.parse(cond)):
        return show(a.simplify(scope.parse(e)))


def indexmap(_, text):
    """Shape, inverse and padded inverse of "scope | indices"."""
    decl, indices = text.split("|")
    scope = Scope(decl)
    m = tirx.IndexMap(list(scope.vars.values()), [scope.parse(x) for x in indices.split(";")], None)
    shape = [r.extent for r in scope.ranges.values()]

    def attempt(f):
        try:
            return f()
        except Exception:
            return "none"

    def renamed(inv):
        for i, v in enumerate(inv.initial_indices):
            names[v] = f"axis{i}"
        return "; ".join(map(show, inv.final_indices))

    def padded():
        inv, pred = m.non_surjective_inverse(shape)
        return renamed(inv) + " where " + show(pred)

    return " | ".join([attempt(lambda: " ".join(map(show, m.map_shape(shape)))), attempt(lambda: renamed(m.inverse(shape))), attempt(padded)])


def interval(scope, text):
    a = sym.Analyzer()
    sets = {scope.vars[n]: sym.IntervalSet(r.min, r.min + r.extent - 1) for n, r in scope.ranges.items()}
    s = a.int_set(scope.parse(text), sets)
    return show(a.simplify(s.min_value)) + " : " + show(a.simplify(s.max_value))


def fields(text, n):
    f = [x.strip() for x in text.split("|")]
    return f + [""] * (n - len(f))


def itermap(_, text):
    decl, indices, pred, level, trivial = fields(text, 5)
    scope = Scope(decl)
    args = ([scope.parse(x) for x in indices.split(";")], scope.domains(), scope.parse(pred) if pred else True,
            level or "surjective", trivial == "1")
    out = "; ".join(map(show, sym.iter_map_simplify(*args)))
    return out + (" | affine" if len(sym.detect_iter_map(*args).indices) else " | no")


def subspace(_, text):
    decl, indices, inner, pred = fields(text, 4)
    scope = Scope(decl)
    r = sym.subspace_divide([scope.parse(x) for x in indices.split(";")], scope.domains(),
                            [scope.vars[n] for n in inner.split()], scope.parse(pred) if pred else True, "surjective")
    if not len(r):
        return "none"

    def part(mark):
        source = mark.source
        if isinstance(source, sym.IterMapExpr):
            source = sym.normalize_iter_map_to_expr(source)
        return f"{show(source)} [{show(mark.extent)}]"

    return "; ".join(part(p[0]) + ", " + part(p[1]) for p in list(r)[:-1])


def main():
    record = {"simplify": simplify, "bounds": bounds, "under": under, "indexmap": indexmap, "interval": interval, "itermap": itermap, "subspace": subspace}[sys.argv[1]]
    scope = Scope("")
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line.startswith("scope "):
            scope = Scope(line[6:])
        elif "=>" in line and not line.startswith("#"):
            case = line.split("=>")[0].rstrip()
            try:
                line = case + " => " + record(scope, case)
            except Exception as e:  # TVM refuses the expression itself
                line = case + " => error: " + str(e).strip().splitlines()[-1]
        print(line)


main()
