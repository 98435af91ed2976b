package arith

const rulesEQ = `
c1 == x => x == c1
x - c1 == c2 => x == c2 + c1
c1 - x == c2 => x == c1 - c2
x + c1 == c2 => x == c2 - c1
x * y == 0 =>> x == 0 or y == 0
x == x => true
`

const rulesLT = `
# What both sides share.
x + y < x + z => y < z
x + y < z + x => y < z
y + x < x + z => y < z
y + x < z + x => y < z
y - x < z - x => y < z
x - y < x - z => z < y
x < x + z => 0 < z
x < z + x => 0 < z
x < x - z => z < 0
x * c1 < y * c1 => x < y if c1 > 0
x * c1 < y * c1 => y < x if c1 < 0

# A factor divides the constant, rounded so that nothing is lost.
x * c2 < c1 => x < div(c1 - 1, c2) + 1 if c1 > 0 and c2 > 0
x * c2 < c1 => x < div(c1, c2) if c1 <= 0 and c2 > 0
x * c2 < c1 => div(c1 - 1, c2) - 1 < x if c1 > 0 and c2 < 0
x * c2 < c1 => div(c1, c2) < x if c1 <= 0 and c2 < 0
c1 < x * c2 => div(c1 + 1, c2) - 1 < x if c1 < 0 and c2 > 0
c1 < x * c2 => div(c1, c2) < x if c1 >= 0 and c2 > 0
c1 < x * c2 => x < div(c1 + 1, c2) + 1 if c1 < 0 and c2 < 0
c1 < x * c2 => x < div(c1, c2) if c1 >= 0 and c2 < 0

# A divisor multiplies it.
div(x, c1) < c2 => x < c1 * c2 if c1 > 0 and c2 > 0
div(x, c1) < c2 => x < c1 * (c2 - 1) + 1 if c1 > 0 and c2 <= 0
c1 < div(x, c2) => (c1 + 1) * c2 - 1 < x if c1 >= 0 and c2 > 0
c1 < div(x, c2) => c1 * c2 < x if c1 < 0 and c2 > 0
div(x, c1) * c1 < x => 0 < mod(x, c1) if c1 > 0
div(x, c1) * c1 < x + y => 0 < mod(x, c1) + y if c1 > 0
div(x, c1) * c1 < x - y => y < mod(x, c1) if c1 > 0
div(x + c2, c1) * c1 < x => c2 < mod(x + c2, c1) if c1 > 0
div(x + c2, c1) * c1 < x + y => c2 < mod(x + c2, c1) + y if c1 > 0
div(x + c2, c1) * c1 < x - y => y < mod(x + c2, c1) + (0 - c2) if c1 > 0
x // c1 < c2 => x < c1 * c2 if c1 > 0
c1 < x // c2 => (c1 + 1) * c2 - 1 < x if c2 > 0
x // c1 * c1 < x => 0 < x % c1 if c1 > 0
x // c1 * c1 < x + y => 0 < x % c1 + y if c1 > 0
x // c1 * c1 < x - y => y < x % c1 if c1 > 0
(x + c2) // c1 * c1 < x => c2 < (x + c2) % c1 if c1 > 0
(x + c2) // c1 * c1 < x + y => c2 < (x + c2) % c1 + y if c1 > 0
(x + c2) // c1 * c1 < x - y => y < (x + c2) % c1 + (0 - c2) if c1 > 0

# Minima and maxima become conditions.
min(x, y) < z =>> x < z or y < z
max(x, y) < z =>> x < z and y < z
z < min(x, y) =>> z < x and z < y
z < max(x, y) =>> z < x or z < y

# Constants meet on one side, subtractions become additions.
c1 < x + c2 | c1 - x < c2 =>> c1 - c2 < x
c1 < c2 - x | x + c1 < c2 =>> x < c2 - c1
c1 < x - c2 =>> c1 + c2 < x
x - c2 < c1 =>> x < c1 + c2
x < c1 - y =>> x + y < c1
c1 - y < x =>> c1 < x + y
x < c1 + y =>> x - y < c1
c1 + y < x =>> c1 < x - y
@mergeConstants
@commonDivisor
`

const rulesNot = `
not not x => x
not (x <= y) => y < x
not (x >= y) => x < y
not (x < y) => y <= x
not (x > y) => x <= y
not (x == y) => x != y
not (x != y) => x == y
not (x or y) =>> (not x) and (not y)
not (x and y) =>> (not x) or (not y)
`
