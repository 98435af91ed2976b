/* Limits and confinement, applied at the agent's word before any image is mapped, and the
 * handler that tells how a kernel died. */
#define _GNU_SOURCE
#include "honex.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct { const char *name; int which; } limits[] = {
	{"as", RLIMIT_AS}, {"cpu", RLIMIT_CPU}, {"nproc", RLIMIT_NPROC}, {"fsize", RLIMIT_FSIZE},
	{"core", RLIMIT_CORE}, {"nofile", RLIMIT_NOFILE}, {"memlock", RLIMIT_MEMLOCK},
};

/* rlimit NAME VALUE: soft and hard. */
void cmd_rlimit(char **w, int n, int fd) {
	(void)fd;
	if (n != 3) fail("request", "rlimit wants a name and a value");
	rlim_t v = (rlim_t)number(w[2], 0, 1ll << 62);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (!strcmp(limits[i].name, w[1])) {
			struct rlimit l = {v, v};
			if (setrlimit(limits[i].which, &l)) fail("system", "%s: %s", w[1], strerror(errno));
			return reply("ok");
		}
	fail("request", "no limit %s", w[1]);
}

static int statm = -1;

void open_statm(void) { statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

static size_t address_space(void) {
	char text[128] = "";
	if (statm < 0 || pread(statm, text, sizeof text - 1, 0) <= 0) return 0;
	return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* budget BYTES SECONDS: soft limits relative to what is in use now: memory beyond the
 * operands already there, and processor time. BYTES 0 lifts the memory limit. */
void cmd_budget(char **w, int n, int fd) {
	(void)fd;
	if (n != 3) fail("request", "budget wants bytes and seconds");
	size_t more = (size_t)number(w[1], 0, 1ll << 40), now = address_space();
	struct rlimit l;
	struct rusage u;
	getrlimit(RLIMIT_AS, &l);
	if (more && !now) fail("system", "the size of this process is unknown");
	l.rlim_cur = more && now + more < l.rlim_max ? now + more : l.rlim_max;
	if (setrlimit(RLIMIT_AS, &l)) fail("system", "as: %s", strerror(errno));
	getrusage(RUSAGE_SELF, &u);
	getrlimit(RLIMIT_CPU, &l);
	rlim_t cpu = (rlim_t)u.ru_utime.tv_sec + (rlim_t)u.ru_stime.tv_sec + 2 + (rlim_t)number(w[2], 1, 1 << 20);
	l.rlim_cur = cpu < l.rlim_max ? cpu : l.rlim_max;
	if (setrlimit(RLIMIT_CPU, &l)) fail("system", "cpu: %s", strerror(errno));
	reply("ok");
}

/* privileges: none to gain, none to keep. */
void cmd_privileges(char **w, int n, int fd) {
	(void)w, (void)n, (void)fd;
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("system", "no_new_privs: %s", strerror(errno));
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) fail("system", "dumpable: %s", strerror(errno));
	if (syscall(SYS_capset, &h, none)) fail("system", "capabilities: %s", strerror(errno));
	reply("ok");
}

/* landlock, with the rule set the agent made. */
void cmd_landlock(char **w, int n, int fd) {
	(void)w, (void)n;
#ifdef SYS_landlock_restrict_self
	if (fd < 0) fail("request", "no rule set came along");
	if (syscall(SYS_landlock_restrict_self, fd, 0)) fail("system", "landlock: %s", strerror(errno));
	reply("ok");
#else
	(void)fd;
	fail("system", "landlock: built without it");
#endif
}

/* seccomp, with a file holding the filter's instructions; all threads take it on. */
void cmd_seccomp(char **w, int n, int fd) {
	(void)w, (void)n;
	static struct sock_filter code[4096];
	ssize_t got = fd < 0 ? -1 : pread(fd, code, sizeof code, 0);
	if (got <= 0 || got % (ssize_t)sizeof *code) fail("request", "no filter came along");
	struct sock_fprog prog = {(unsigned short)((size_t)got / sizeof *code), code};
	long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog);
	if (rc) fail("system", "seccomp: %s", rc > 0 ? "a thread refuses the filter" : strerror(errno));
	reply("ok");
}

/* The handler notes the signal and whether a guard page was hit, and lets it kill. */
static void on_fault(int sig, siginfo_t *info, void *context) {
	(void)context;
	shared->signal = sig;
	if (sig == SIGSEGV || sig == SIGBUS) {
		shared->addr = (uint64_t)info->si_addr;
		shared->guard = is_guard(info->si_addr);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU};

/* A thread needs its own stack for the handler: the kernel may have used up the other. */
void catch_faults_here(void) {
	enum { SIZE = 1 << 16 };
	void *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t alt = {.ss_sp = stack, .ss_size = SIZE};
	if (stack != MAP_FAILED) sigaltstack(&alt, NULL);
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaddset(&set, faults[i]);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void install_fault_handler(void) {
	struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &a, NULL);
	catch_faults_here();
}
