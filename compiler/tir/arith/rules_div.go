package arith

const rulesFloorDiv = `
x // c1 // c2 => x // (c1 * c2) if c1 > 0 and c2 > 0
(x // c1 + c2) // c3 => (x + c1 * c2) // (c1 * c3) if c1 > 0 and c3 > 0
@divMultiple
x // x => 1
(x * c1) // x | (c1 * x) // x => c1
(x % 2 + 1) // 2 => x % 2

# A multiple of the divisor leaves minima, maxima and sums.
min(x * c1, y) // c2 => min(x * (c1 // c2), y // c2) if c2 > 0 and c1 % c2 == 0
max(x * c1, y) // c2 => max(x * (c1 // c2), y // c2) if c2 > 0 and c1 % c2 == 0
min(y, x * c1) // c2 => min(y // c2, x * (c1 // c2)) if c2 > 0 and c1 % c2 == 0
max(y, x * c1) // c2 => max(y // c2, x * (c1 // c2)) if c2 > 0 and c1 % c2 == 0
(x * c1 + y + z) // c2 => x * (c1 // c2) + (y + z) // c2 if c2 > 0 and c1 % c2 == 0
(x * c1 + y + z) // c2 => x // (c2 // c1) if c1 > 0 and c2 > 0 and c2 % c1 == 0 and (y + z) // c1 == 0
(x * c1 - y + z) // c2 | (x * c1 + z - y) // c2 => x * (c1 // c2) + (z - y) // c2 if c2 > 0 and c1 % c2 == 0
(y + x * c1 + z) // c2 => x * (c1 // c2) + (y + z) // c2 if c2 > 0 and c1 % c2 == 0
(x + c1) // c2 => x // c2 + c1 // c2 if c2 > 0 and c1 % c2 == 0
(x + c1) // c2 => c1 // c2 if c1 > 0 and c2 > 0 and x >= -(c1 % c2) and x < c2 - c1 % c2

# Divisors that are no constants.
(x * c1) // (x * c2) => c1 // c2 if c2 > 0
(x + y) // x | (y + x) // x => y // x + 1 if x >= 0
((x + y) + z) // x | ((y + x) + z) // x | (y + (z + x)) // x | (y + (x + z)) // x => (y + z) // x + 1 if x >= 0
(x * y) // y | (y * x) // y => x if y >= 0
(x * z + y) // z | (z * x + y) // z => x + y // z if z >= 0
(y + x * z) // z | (y + z * x) // z => y // z + x if z >= 0
(x * z * c1 + y) // (z * c1) => x + y // (z * c1) if z * c1 >= 0
(x - x % c1) // c1 => x // c1 if c1 != 0
`

const rulesFloorMod = `
(x * c1) % c2 => (x * (c1 % c2)) % c2 if c2 != 0
(x * c1 + y) % c2 => x % (c2 // c1) * c1 + y if c1 > 0 and c2 > 0 and c2 % c1 == 0 and y // c1 == 0
(x * c1 + y) % c2 => (x * (c1 % c2) + y) % c2 if c2 > 0 and c1 % c2 == 0
(x + c1) % c2 => (x + c1 % c2) % c2 if c2 > 0 and c1 >= c2
(x + c1) % c2 => (x + c1 % c2) % c2 if c2 > 0 and c1 < 0
(x + y * c1) % c2 => (x + y * (c1 % c2)) % c2 if c2 > 0 and c1 % c2 == 0
(x * c1) % (x * c2) => x * (c1 % c2) if c2 != 0
(x * y) % y | (y * x) % y => 0
(x + z % y) % y | (z % y + x) % y => 0 if (x + z) % y == 0
(x - x % z) % y => 0 if y - z == 0
(x - x % z) % y => 0 if y + z == 0
(x % z - x) % y => 0 if y - z == 0
(x % z - x) % y => 0 if y + z == 0
(x * z * c1 + y) % (z * c1) => y % (z * c1) if z * c1 >= 0
@modWithin
`

const rulesTruncDiv = `
div(div(x, c1), c2) => div(x, c1 * c2) if c1 > 0 and c2 > 0
div(div(x, c1) + c2, c3) => div(x + c1 * c2, c1 * c3) if c1 > 0 and c2 >= 0 and c3 > 0 and x >= 0
div(x * c1, c2) => x * div(c1, c2) if c1 > 0 and c2 > 0 and c1 % c2 == 0
div(x * c1, c2) => div(x, div(c2, c1)) if c1 > 0 and c2 > 0 and c2 % c1 == 0
div(x, x) => 1
div(x * c1, x) | div(c1 * x, x) => c1

# A multiple of the divisor leaves minima, maxima and sums that are not negative.
div(x * c1 + y, c2) => x * div(c1, c2) + div(y, c2) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y >= 0
div(min(x * c1, y), c2) => min(x * div(c1, c2), div(y, c2)) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y >= 0
div(max(x * c1, y), c2) => max(x * div(c1, c2), div(y, c2)) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y >= 0
div(y + x * c1, c2) => div(y, c2) + x * div(c1, c2) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y >= 0
div(min(y, x * c1), c2) => min(div(y, c2), x * div(c1, c2)) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y >= 0
div(max(y, x * c1), c2) => max(div(y, c2), x * div(c1, c2)) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y >= 0
div(x * c1 + y + z, c2) => x * div(c1, c2) + div(y + z, c2) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y + z >= 0
div(x * c1 - y + z, c2) => x * div(c1, c2) + div(z - y, c2) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and z - y >= 0
div(x * c1 + y - z, c2) => x * div(c1, c2) + div(y - z, c2) if c1 >= 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y - z >= 0
div(y + x * c1 + z, c2) => x * div(c1, c2) + div(y + z, c2) if c1 > 0 and c2 > 0 and c1 % c2 == 0 and x >= 0 and y + z >= 0
div(x + c1, c2) => div(x, c2) + div(c1, c2) if c1 > 0 and c2 > 0 and c1 % c2 == 0 and x >= 0

# Divisors that are no constants.
div(x + y, x) | div(y + x, x) => div(y, x) + 1 if x >= 0 and y >= 0
div((x + y) + z, x) | div((y + x) + z, x) | div(y + (z + x), x) | div(y + (x + z), x) => div(y + z, x) + 1 if x >= 0 and y + z >= 0
div(x * y, y) | div(y * x, y) => x if x >= 0 and y >= 0
div(x * z + y, z) | div(z * x + y, z) => x + div(y, z) if x >= 0 and y >= 0 and z >= 0
div(y + x * z, z) | div(y + z * x, z) => div(y, z) + x if x >= 0 and y >= 0 and z >= 0
`

const rulesTruncMod = `
mod(x * c1, c2) => 0 if c2 != 0 and c1 % c2 == 0
mod(x * c1 + y, c2) => mod(y, c2) if c2 > 0 and c1 % c2 == 0 and x * c1 >= 0 and y >= 0
mod(x + c1, c2) => mod(x, c2) if c2 > 0 and c1 >= 0 and c1 % c2 == 0 and x >= 0
mod(x + y * c1, c2) => mod(x, c2) if c2 > 0 and c1 % c2 == 0 and x >= 0 and y * c1 >= 0
mod(x, c1) =>> mod(x, 0 - c1) if c1 < 0
@truncModWithin
`
