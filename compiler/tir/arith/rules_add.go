package arith

const rulesAdd = `
# What cancels.
(x - y) + y => x
x + (y - x) => y
(x - y) + (y - z) => x - z
(x - y) + (z - x) => z - y

# A summand moves into a minimum or maximum where it cancels.
min(x, y - z) + z => min(x + z, y)
min(x - z, y) + z => min(x, y + z)
max(x, y - z) + z => max(x + z, y)
max(x - z, y) + z => max(x, y + z)
min(x, y + z * c1) + z * c2 => min(x + z * c2, y) if c1 == -c2
max(x, y + z * c1) + z * c2 => max(x + z * c2, y) if c1 == -c2
min(y + z * c1, x) + z * c2 => min(x + z * c2, y) if c1 == -c2
max(y + z * c1, x) + z * c2 => max(x + z * c2, y) if c1 == -c2
max(x, y) + min(x, y) | min(x, y) + max(x, y) | max(x, y) + min(y, x) | min(x, y) + max(y, x) => x + y
min(x, y + c1) + c2 => min(x + c2, y) if c1 == -c2
min(x + c1, y) + c2 => min(x, y + c2) if c1 == -c2
max(x, y + c1) + c2 => max(x + c2, y) if c1 == -c2
max(x + c1, y) + c2 => max(x, y + c2) if c1 == -c2

# Constants and common factors.
(x + c1) + c2 => x + (c1 + c2)
x + x => x * 2
x * y + x | y * x + x | x + y * x | x + x * y => (y + 1) * x
x * y + x * z | y * x + x * z | x * y + z * x | y * x + z * x => (y + z) * x

# Quotients and remainders of the same.
div(x, c1) * c1 + mod(x, c1) => x
x // y * y + x % y | y * (x // y) + x % y | x % y + x // y * y | x % y + y * (x // y) => x
(x % c2 + c1) // c2 + x // c2 => (x + c1) // c2 if c2 > 0
x // 2 + x % 2 =>> (x + 1) // 2
(x + c1) % 2 + x % 2 | x % 2 + (x + c1) % 2 => 1 if c1 % 2 == 1

# The constant stands last, minima and maxima first, quotients before remainders.
x + (c1 - y) | (c1 - y) + x =>> (x - y) + c1
(x + c1) + y | x + (c1 + y) | x + (y + c1) =>> (x + y) + c1
x + max(y, z) =>> max(y, z) + x
x + min(y, z) =>> min(y, z) + x
mod(y, c1) + x * c1 =>> x * c1 + mod(y, c1)
y % c1 + x * c1 =>> x * c1 + y % c1
`

const rulesAddAny = `
select(x, y, z) + select(x, u, v) => select(x, y + u, z + v)
`

const rulesSub = `
# What cancels.
(x + y) - y | (y + x) - y => x
x - (y + x) | x - (x + y) => 0 - y
min(x, y) - y | x - max(y, x) => min(x - y, 0)
x - max(x, y) | min(y, x) - y => min(0, x - y)
max(x, y) - y | x - min(y, x) => max(x - y, 0)
x - min(x, y) | max(y, x) - y => max(0, x - y)

# Common factors and constants.
x - x => 0
x * y - x | y * x - x => (y - 1) * x
x - y * x | x - x * y => (1 - y) * x
x * y - x * z | y * x - x * z | x * y - z * x | y * x - z * x => (y - z) * x
(x + c1) - c2 => x + (c1 - c2)
(c1 - x) - (c2 - y) => (y - x) + (c1 - c2)

# What cancels among four.
(x + y) - (x + z) | (x + y) - (z + x) | (y + x) - (z + x) | (y + x) - (x + z) => y - z
min(x + y, z) - x | min(y + x, z) - x => min(y, z - x)
min(z, x + y) - x | min(z, y + x) - x => min(z - x, y)
max(x + y, z) - x | max(y + x, z) - x => max(y, z - x)
max(z, x + y) - x | max(z, y + x) - x => max(z - x, y)
x - min(x + y, z) | x - min(y + x, z) => max(0 - y, x - z)
x - min(z, x + y) | x - min(z, y + x) => max(x - z, 0 - y)
x - max(x + y, z) | x - max(y + x, z) => min(0 - y, x - z)
x - max(z, x + y) | x - max(z, y + x) => min(x - z, 0 - y)
min(x, y) - min(y, x) => 0
max(x, y) - max(y, x) => 0
min(x, y) - min(z, u) | min(x, y) - min(u, z) => x - z if (x - z) - (y - u) == 0
max(x, y) - max(z, u) | max(x, y) - max(u, z) => x - z if (x - z) - (y - u) == 0

# A number less its truncated quotient is a remainder.
x - div(x, c1) * c1 => mod(x, c1) if c1 != 0
div(x, c1) * c1 - x => 0 - mod(x, c1) if c1 != 0
x - div(x + y, c1) * c1 => mod(x + y, c1) - y if c1 != 0
div(x + y, c1) * c1 - x => y - mod(x + y, c1) if c1 != 0
x - div(x - y, c1) * c1 => mod(x - y, c1) + y if c1 != 0
div(x - y, c1) * c1 - x => 0 - mod(x - y, c1) - y if c1 != 0
x * c2 - div(x, c1) * c3 => mod(x, c1) * c2 if c1 != 0 and c3 == c1 * c2
div(x, c1) * c3 - x * c2 => 0 - mod(x, c1) * c2 if c1 != 0 and c3 == c1 * c2
x * c2 - div(x + y, c1) * c3 => (mod(x + y, c1) - y) * c2 if c1 != 0 and c3 == c1 * c2
div(x + y, c1) * c3 - x * c2 => (y - mod(x + y, c1)) * c2 if c1 != 0 and c3 == c1 * c2
x * c2 - div(x - y, c1) * c3 => (mod(x - y, c1) + y) * c2 if c1 != 0 and c3 == c1 * c2
div(x - y, c1) * c3 - x * c2 => (0 - mod(x - y, c1) - y) * c2 if c1 != 0 and c3 == c1 * c2
div(x + c1, c3) - div(x + c2, c3) => div(mod(x + c2 % c3, c3) + (c1 - c2), c3) if c1 >= c2 and c3 > 0 and x >= -c2 and x >= -(c2 % c3)
div(x + c1, c3) - div(x, c3) => div(mod(x, c3) + c1, c3) if c1 >= 0 and c3 > 0 and x >= 0

# The same, rounded down.
x - x // c1 * c1 => x % c1 if c1 != 0
x // c1 * c1 - x => 0 - x % c1 if c1 != 0
x - (x + y) // c1 * c1 => (x + y) % c1 - y if c1 != 0
(x + y) // c1 * c1 - x => y - (x + y) % c1 if c1 != 0
x - (x - y) // c1 * c1 => (x - y) % c1 + y if c1 != 0
(x - y) // c1 * c1 - x => 0 - (x - y) % c1 - y if c1 != 0
(x + c1) // 2 - (x + c2) // 2 =>> x % 2 * (c1 % 2 - c2 % 2) + (c1 // 2 - c2 // 2)
x // 2 - (x + c2) // 2 =>> x % 2 * (0 - c2 % 2) - c2 // 2
(x + c1) // 2 - x // 2 =>> x % 2 * (c1 % 2) + c1 // 2
x * c2 - x // c1 * c3 => x % c1 * c2 if c1 != 0 and c3 == c1 * c2
x // c1 * c3 - x * c2 => 0 - x % c1 * c2 if c1 != 0 and c3 == c1 * c2
x * c2 - (x + y) // c1 * c3 => ((x + y) % c1 - y) * c2 if c1 != 0 and c3 == c1 * c2
(x + y) // c1 * c3 - x * c2 => (y - (x + y) % c1) * c2 if c1 != 0 and c3 == c1 * c2
x * c2 - (x - y) // c1 * c3 => ((x - y) % c1 + y) * c2 if c1 != 0 and c3 == c1 * c2
(x - y) // c1 * c3 - x * c2 => (0 - (x - y) % c1 - y) * c2 if c1 != 0 and c3 == c1 * c2
(x + 1) // 2 - x % 2 =>> x // 2
(x + c1) // c3 - (x + c2) // c3 => ((x + c2 % c3) % c3 + (c1 - c2)) // c3 if c3 > 0
(x + c1) // c3 - x // c3 => (x % c3 + c1) // c3 if c3 > 0

# Constants are added and stand last, negative factors likewise.
x - c1 => x + (0 - c1)
(x + c1) - y =>> (x - y) + c1
x - (y + c1) =>> (x - y) + (0 - c1)
x - (y - z) =>> (x + z) - y
x - y * c1 =>> x + y * (0 - c1)
`

const rulesSubAny = `
@cancelPure
select(x, y, z) - select(x, u, v) => select(x, y - u, z - v)
select(x, y, z) - z => select(x, y - z, 0)
select(x, y, z) - y => select(x, 0, z - y)
`

const rulesSubPure = `
x - x => 0
(x + y) - y => x
(x + y) - x => y
x - (y + x) | x - (x + y) => 0 - y
`

const rulesMul = `
(x + c1) * c2 => x * c2 + c1 * c2
(x * c1) * c2 => x * (c1 * c2)
min(x, y) * max(x, y) | max(x, y) * min(x, y) => x * y
(x - x % c2) // c1 * c1 => x - x % c2 if c1 == -c2
x * (c1 * y) =>> (x * y) * c1
c1 * x =>> x * c1
(x - y) * c1 =>> (y - x) * (0 - c1) if c1 < 0
`
