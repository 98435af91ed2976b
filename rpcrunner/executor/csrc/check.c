/* Comparison of an output with the expected one, element by element. */
#include "honex.h"

#include <math.h>
#include <string.h>

static double half_value(uint16_t h) {
	int exp = h >> 10 & 31, frac = h & 1023;
	double v = exp == 31 ? (frac ? NAN : INFINITY) : exp ? ldexp(frac + 1024, exp - 25) : ldexp(frac, -24);
	return h & 0x8000 ? -v : v;
}

static double value_at(dtype t, const char *p, size_t i) {
	switch (t) {
	case F32: return ((const float *)p)[i];
	case F64: return ((const double *)p)[i];
	case F16: return half_value(((const uint16_t *)p)[i]);
	case I64: return (double)((const int64_t *)p)[i];
	case I32: return ((const int32_t *)p)[i];
	case I8: return ((const int8_t *)p)[i];
	default: return ((const uint8_t *)p)[i];
	}
}

typedef struct verdict {
	double max_err, got, want;
	size_t bad, first;
} verdict;

/* A missing number where one is expected, or the reverse, is an infinite error. */
static double distance(double a, double b) {
	if (a == b || (isnan(a) && isnan(b))) return 0;
	double d = fabs(a - b);
	return isnan(d) ? INFINITY : d;
}

static verdict compare(dtype t, const char *a, const char *b, size_t n, int exact, double rtol, double atol) {
	verdict v = {0};
	size_t size = (size_t)dtype_size[t];
	for (size_t i = 0; i < n; i++) {
		if (!memcmp(a + i * size, b + i * size, size)) continue;
		double x = value_at(t, a, i), y = value_at(t, b, i), d = distance(x, y);
		if (d > v.max_err) v.max_err = d;
		int integer_differs = exact && t == I64; /* beyond 2^53 a double hides it */
		if (d <= (exact ? 0 : atol + rtol * fabs(y)) && !integer_differs) continue;
		if (!v.bad++) v.first = i, v.got = x, v.want = y;
	}
	return v;
}

/* compare EXACT RTOL ATOL OUT EXPECTED */
void cmd_compare(char **w, int n, int fd) {
	(void)fd;
	if (n != 6) fail("request", "%d words, want 6", n);
	int exact = (int)number(w[1], 0, 1);
	double rtol = real(w[2]), atol = real(w[3]);
	const operand *o = operand_at(w[4]), *e = operand_at(w[5]);
	if (o->bytes != e->bytes || o->type != e->type) fail("request", "operands of different shapes");
	verdict v = compare(o->type, o->first.data, e->first.data, o->bytes / (size_t)dtype_size[o->type], exact, rtol, atol);
	/* fabs drops the sign that printf shows of a NaN */
	if (isnan(v.got)) v.got = fabs(v.got);
	if (isnan(v.want)) v.want = fabs(v.want);
	reply("ok %.17g %zu %zu %.9g %.9g", v.max_err, v.bad, v.first, v.got, v.want);
}
