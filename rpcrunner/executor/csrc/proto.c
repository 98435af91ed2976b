/* Requests and answers on descriptor 3. */
#define _GNU_SOURCE
#include "honex.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONTROL = 3, MAX_LINE = 1 << 16, MAX_WORDS = 1024 };

extern jmp_buf abandon; /* main.c: back to the request loop */

static char line[MAX_LINE];
static char *word_at[MAX_WORDS];
static char out[MAX_LINE * 4];
static size_t out_len;

/* receive appends to the line; the descriptor that came along is stored in *fd. */
static ssize_t receive(char *buf, size_t n, int *fd) {
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {buf, n};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf, .msg_controllen = sizeof control.buf};
	ssize_t got;
	do got = recvmsg(CONTROL, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	for (struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&m) : NULL; c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
			if (*fd >= 0) close(*fd);
			memcpy(fd, CMSG_DATA(c), sizeof(int));
		}
	if (got > 0 && m.msg_flags & MSG_CTRUNC) { /* an input without its file would be taken for an output */
		fprintf(stderr, "honex: a descriptor was lost: too few files are allowed\n");
		_exit(3);
	}
	return got;
}

int next_request(char ***words, int *count, int *fd) {
	size_t have = 0;
	*fd = -1;
	for (;;) {
		if (have == sizeof line) return 0;
		ssize_t got = receive(line + have, sizeof line - have, fd);
		if (got <= 0) return 0;
		have += (size_t)got;
		if (line[have - 1] == '\n') break; /* one request at a time: its newline is the last byte */
	}
	line[have - 1] = 0;
	int n = 0;
	for (char *save, *w = strtok_r(line, " ", &save); w && n < MAX_WORDS; w = strtok_r(NULL, " ", &save)) word_at[n++] = w;
	*words = word_at;
	*count = n;
	return 1;
}

void reply_raw(const void *p, size_t n) {
	const char *c = p;
	while (n > 0) {
		ssize_t put = send(CONTROL, c, n, MSG_NOSIGNAL);
		if (put < 0 && errno == EINTR) continue;
		if (put <= 0) _exit(3);
		c += put;
		n -= (size_t)put;
	}
}

static void append(const char *fmt, va_list ap) {
	int n = vsnprintf(out + out_len, sizeof out - out_len, fmt, ap);
	if (n > 0) out_len += (size_t)n < sizeof out - out_len ? (size_t)n : sizeof out - out_len - 1;
}

/* reply_more collects a part of the answer; reply ends the line and sends it. */
void reply_more(const char *fmt, ...) {
	va_list ap;
	va_start(ap, fmt);
	append(fmt, ap);
	va_end(ap);
}

void reply(const char *fmt, ...) {
	va_list ap;
	va_start(ap, fmt);
	append(fmt, ap);
	va_end(ap);
	reply_raw(out, out_len);
	reply_raw("\n", 1);
	out_len = 0;
}

_Noreturn void fail(const char *klass, const char *fmt, ...) {
	va_list ap;
	out_len = 0;
	reply_more("err %s ", klass);
	va_start(ap, fmt);
	append(fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < out_len; i++)
		if (out[i] == '\n') out[i] = ' ';
	reply("%s", "");
	longjmp(abandon, 1);
}

long long number(const char *word, long long lo, long long hi) {
	char *end;
	errno = 0;
	long long v = word ? strtoll(word, &end, 10) : 0;
	if (!word || errno || *end || v < lo || v > hi) fail("request", "bad number %s, want %lld to %lld", word ? word : "(none)", lo, hi);
	return v;
}

double real(const char *word) {
	char *end;
	double v = word ? strtod(word, &end) : 0;
	if (!word || *end || !(v >= 0)) fail("request", "bad real %s", word ? word : "(none)");
	return v;
}
