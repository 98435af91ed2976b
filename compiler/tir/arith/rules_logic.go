package arith

const rulesAnd = `
# What excludes each other.
x == y and x != y | x != y and x == y => false
x and not x => false
x <= y and y < x | y < x and x <= y => false
x < c1 and c2 < x | c2 < x and x < c1 => false if c2 + 1 >= c1
x < c1 and c2 <= x | c2 <= x and x < c1 | x <= c1 and c2 < x | c2 < x and x <= c1 => false if c2 >= c1
x <= c1 and c2 <= x | c2 <= x and x <= c1 => false if c2 > c1
x == c1 and x == c2 => x == c1 and c1 == c2
x == c1 and x != c2 | x != c2 and x == c1 => x == c1 and c1 != c2

# A quotient and a remainder give the number.
x // c2 == c1 and x % c2 == c3 | x % c2 == c3 and x // c2 == c1 =>> x == c1 * c2 + c3 if 0 <= c3 and c3 < c2
0 <= x - y * c1 and x - y * c1 < c1 | x - y * c1 < c1 and 0 <= x - y * c1 =>> y == x // c1 if c1 > 0
c1 < x - y * c1 and x - y * c1 <= 0 =>> y == x // c1 if c1 < 0
0 <= x + y * c2 and x + y * c2 < c1 | x + y * c2 < c1 and 0 <= x + y * c2 =>> y == x // c1 if c2 == -c1 and c1 > 0
x < c1 and x % c2 < c3 =>> x < c1 - c2 + c3 and x % c2 < c3 if c1 % c2 == 0 and 0 < c3 and c3 <= c2
x < c1 and x % c2 < c3 =>> x < c1 - c1 % c2 + c3 and x % c2 < c3 if c1 % c2 > c3 and 0 < c3 and c3 <= c2
x <= c1 and x % c2 < c3 =>> x < c1 + 1 - c2 + c3 and x % c2 < c3 if (c1 + 1) % c2 == 0 and 0 < c3 and c3 <= c2
x <= c1 and x % c2 < c3 =>> x < c1 + 1 - c1 % c2 + c3 and x % c2 < c3 if (c1 + 1) % c2 > c3 and 0 < c3 and c3 <= c2
x // c2 == c1 and x % c2 < c3 | x % c2 < c3 and x // c2 == c1 =>> c1 * c2 <= x and x < c1 * c2 + c3 if 0 < c3 and c3 <= c2
x // c2 == c1 and x % c2 <= c3 | x % c2 <= c3 and x // c2 == c1 =>> c1 * c2 <= x and x <= c1 * c2 + c3 if 0 <= c3 and c3 < c2
x // c2 == c1 and c3 <= x % c2 | c3 <= x % c2 and x // c2 == c1 =>> c1 * c2 + c3 <= x and x < (c1 + 1) * c2 if 0 <= c3 and c3 < c2
x // c2 == c1 and c3 < x % c2 | c3 < x % c2 and x // c2 == c1 =>> c1 * c2 + c3 < x and x < (c1 + 1) * c2 if 0 <= c3 and c3 < c2

x and (y and z) =>> (x and y) and z
`

const rulesOr = `
# What leaves nothing out.
x == y or x != y | x != y or x == y => true
x or not x => true
x <= y or y < x | y < x or x <= y => true
x < y or y < x => x != y
x < c1 or c2 < x | c2 < x or x < c1 => true if c2 < c1
x <= c1 or c2 < x | c2 < x or x <= c1 => true if c2 <= c1
x < c1 or c2 <= x | c2 <= x or x < c1 => true if c2 <= c1
x <= c1 or c2 <= x | c2 <= x or x <= c1 => true if c2 <= c1 + 1
x != c1 or x != c2 => x != c1 or c1 != c2
x != c1 or x == c2 | x == c2 or x != c1 => x != c1 or c1 == c2

x < y or x == y | x < y or y == x | x == y or x < y | y == x or x < y =>> x <= y
x or (y or z) =>> (x or y) or z
`
