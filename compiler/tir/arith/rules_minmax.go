package arith

const rulesMin = `
min(x, x) => x
@minByBounds

# One side is a constant more than the other.
min(x + c1, x + c2) => x + c1 if c1 < c2
min(x + c1, x + c2) => x + c2 if c1 >= c2
min(x + c1, x) | min(x, x + c1) => x + c1 if c1 < 0
min(x + c1, x) | min(x, x + c1) => x if c1 >= 0
min(c1 - x, c2 - x) => c1 - x if c1 < c2
min(c1 - x, c2 - x) => c2 - x if c1 >= c2

# A number and itself rounded to a multiple.
min(div(x + c1, c2) * c2, x) | min(x, div(x + c1, c2) * c2) | min((x + c1) // c2 * c2, x) | min(x, (x + c1) // c2 * c2) => x if c2 > 0 and c1 + 1 == c2
min(div(x + c1, c2) * c2, max(x, c2)) | min(max(x, c2), div(x + c1, c2) * c2) => max(x, c2) if c2 > 0 and c1 + 1 == c2 and x >= 1
min((x + c1) // c2 * c2, max(x, c2)) | min(max(x, c2), (x + c1) // c2 * c2) => max(x, c2) if c2 > 0 and c1 + 1 == c2 and x >= 1
min(x, x // c2 * c2) | min(x // c2 * c2, x) => x // c2 * c2 if c2 > 0

# Minima and maxima of the same.
min(max(x, y), min(x, y)) | min(max(x, y), min(y, x)) | min(min(x, y), max(x, y)) | min(min(x, y), max(y, x)) | min(min(x, y), x) | min(min(x, y), y) | min(x, min(x, y)) | min(y, min(x, y)) => min(x, y)
min(max(x, y), x) | min(max(y, x), x) | min(x, max(x, y)) | min(x, max(y, x)) => x
min(min(min(x, y), z), y) => min(min(x, y), z)
min(min(min(min(x, y), z), u), y) => min(min(min(x, y), z), u)
min(min(min(min(min(x, y), z), u), v), y) => min(min(min(min(x, y), z), u), v)
min(max(x, y), max(x, z)) | min(max(x, y), max(z, x)) | min(max(y, x), max(x, z)) | min(max(y, x), max(z, x)) => max(min(y, z), x)
min(min(x, y), min(x, z)) | min(min(x, y), min(z, x)) | min(min(y, x), min(x, z)) | min(min(y, x), min(z, x)) => min(min(y, z), x)

# What both sides share comes out.
min(y + x, z + x) | min(y + x, x + z) | min(x + y, x + z) | min(x + y, z + x) => min(y, z) + x
min(y - x, z - x) => min(y, z) - x
min(x - y, x - z) => x - max(y, z)
min(min(x, c1), c2) => min(x, min(c1, c2))
min(div(x, c1), div(y, c1)) => div(min(x, y), c1) if c1 > 0
min(div(x, c1), div(y, c1)) => div(max(x, y), c1) if c1 < 0
min(x // c1, y // c1) => min(x, y) // c1 if c1 > 0
min(x // c1, y // c1) => max(x, y) // c1 if c1 < 0
min(x * c1, y * c1) => min(x, y) * c1 if c1 > 0
min(x * c1, y * c1) => max(x, y) * c1 if c1 < 0
min(x * c1, c2) => min(x, c2 // c1) * c1 if c1 > 0 and c2 % c1 == 0
min(x * c1, c2) => max(x, c2 // c1) * c1 if c1 < 0 and c2 % c1 == 0

# Constants stand last.
min(min(x, c1), y) =>> min(min(x, y), c1)
min(c1 - x, c2) =>> c1 - max(x, c1 - c2) if c2 != 0
`

const rulesMinAny = `
min(select(x, y, z), select(x, u, v)) => select(x, min(y, u), min(z, v))
`

const rulesMax = `
max(x, x) => x
@maxByBounds

# One side is a constant more than the other.
max(x + c1, x + c2) => x + c1 if c1 > c2
max(x + c1, x + c2) => x + c2 if c1 <= c2
max(x + c1, x) | max(x, x + c1) => x + c1 if c1 > 0
max(x + c1, x) | max(x, x + c1) => x if c1 <= 0
max(c1 - x, c2 - x) => c1 - x if c1 > c2
max(c1 - x, c2 - x) => c2 - x if c1 <= c2

# A number and itself rounded to a multiple.
max(div(x + c1, c2) * c2, x) | max(x, div(x + c1, c2) * c2) => div(x + c1, c2) * c2 if c2 > 0 and c1 + 1 == c2
max((x + c1) // c2 * c2, x) | max(x, (x + c1) // c2 * c2) => (x + c1) // c2 * c2 if c2 > 0 and c1 + 1 == c2
max(x // c2 * c2, x) | max(x, x // c2 * c2) => x if c2 > 0

# Minima and maxima of the same.
max(min(x, y), x) | max(min(y, x), x) | max(x, min(x, y)) | max(x, min(y, x)) => x
max(min(x, y), max(x, y)) | max(min(x, y), max(y, x)) | max(max(x, y), min(x, y)) | max(max(x, y), min(y, x)) | max(max(x, y), x) | max(max(x, y), y) | max(x, max(x, y)) | max(y, max(x, y)) => max(x, y)
max(max(max(x, y), z), y) => max(max(x, y), z)
max(max(max(max(x, y), z), u), y) => max(max(max(x, y), z), u)
max(max(max(max(max(x, y), z), u), v), y) => max(max(max(max(x, y), z), u), v)
max(max(x, y), max(x, z)) | max(max(x, y), max(z, x)) | max(max(y, x), max(x, z)) | max(max(y, x), max(z, x)) => max(max(y, z), x)
max(min(x, y), min(x, z)) | max(min(x, y), min(z, x)) | max(min(y, x), min(x, z)) | max(min(y, x), min(z, x)) => min(max(y, z), x)

# What both sides share comes out.
max(y + x, z + x) | max(y + x, x + z) | max(x + y, x + z) | max(x + y, z + x) => max(y, z) + x
max(y - x, z - x) => max(y, z) - x
max(x - y, x - z) => x - min(y, z)
max(max(x, c1), c2) => max(x, max(c1, c2))
max(div(x, c1), div(y, c1)) => div(max(x, y), c1) if c1 > 0
max(div(x, c1), div(y, c1)) => div(min(x, y), c1) if c1 < 0
max(x // c1, y // c1) => max(x, y) // c1 if c1 > 0
max(x // c1, y // c1) => min(x, y) // c1 if c1 < 0
max(x * c1, y * c1) => max(x, y) * c1 if c1 > 0
max(x * c1, y * c1) => min(x, y) * c1 if c1 < 0
max(x * c1, c2) => max(x, c2 // c1) * c1 if c1 > 0 and c2 % c1 == 0
max(x * c1, c2) => min(x, c2 // c1) * c1 if c1 < 0 and c2 % c1 == 0

# Constants stand last.
max(max(x, c1), y) =>> max(max(x, y), c1)
max(c1 - x, c2) =>> c1 - min(x, c1 - c2) if c2 != 0
`

const rulesMaxAny = `
max(select(x, y, z), select(x, u, v)) => select(x, max(y, u), max(z, v))
`
