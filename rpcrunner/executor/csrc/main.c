/* Start-up and the request loop. Arguments: THREADS CPU... ; the process runs on those
 * processors only, and with one for every thread each thread on its own: left to itself the
 * system puts a woken worker beside its caller and takes many milliseconds to part them,
 * during which a parallel kernel takes twice its time and more. */
#define _GNU_SOURCE
#include "honex.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PAGE_FD = 4 };

jmp_buf abandon;
volatile page *shared;
const hone_rt *runtime;

static const struct { const char *name; command *run; } commands[] = {
	{"time", cmd_time}, {"first", cmd_first}, {"compare", cmd_compare}, {"kernel", cmd_kernel}, {"unkernel", cmd_unkernel},
	{"operand", cmd_operand}, {"copies", cmd_copies}, {"drop", cmd_drop}, {"read", cmd_read}, {"image", cmd_image}, {"unimage", cmd_unimage}, {"pack", cmd_pack},
	{"reference", cmd_reference}, {"peak", cmd_peak}, {"budget", cmd_budget}, {"rlimit", cmd_rlimit},
	{"privileges", cmd_privileges}, {"landlock", cmd_landlock}, {"seccomp", cmd_seccomp},
};

static void serve_one(char **w, int n, int fd) {
	for (size_t i = 0; n > 0 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(commands[i].name, w[0])) return commands[i].run(w, n, fd);
	fail("request", "unknown request %s", n ? w[0] : "(empty)");
}

static void pin(int n, const int32_t *cpus) {
	cpu_set_t set;
	CPU_ZERO(&set);
	for (int i = 0; i < n; i++)
		if (cpus[i] >= 0 && cpus[i] < CPU_SETSIZE) CPU_SET(cpus[i], &set);
	if (n && sched_setaffinity(0, sizeof set, &set)) perror("honex: affinity");
}

struct opening {
	_Atomic int64_t came;
	int64_t all;
};

/* The pool's workers start with every signal blocked; a fault in a kernel must reach the
 * handler on whichever thread it happens. Nobody leaves before everybody came: a thread
 * that is done would take over the part of one that is late, which stayed closed. */
static void open_worker(void *env, int64_t lo, int64_t hi, int32_t worker) {
	(void)worker;
	struct opening *o = env;
	catch_faults_here();
	atomic_fetch_add(&o->came, hi - lo);
	while (atomic_load(&o->came) < o->all) sched_yield();
}

static int start_pool(int threads, int n, const int32_t *cpus) {
	hone_pool *p = hone_pool_create(&(hone_pool_options){.threads = threads, .cpus = n == threads ? cpus : NULL});
	if (!p) return -1;
	runtime = hone_pool_rt(p);
	struct opening o = {.all = threads};
	runtime->parallel(runtime->ctx, open_worker, &o, threads);
	return 0;
}

int main(int argc, char **argv) {
	int threads = argc > 1 ? atoi(argv[1]) : 0;
	if (threads < 1 || threads > 1024) {
		fprintf(stderr, "honex: started by the agent only\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE_FD, 0);
	if (shared == MAP_FAILED) return 2;
	int32_t cpus[CPU_SETSIZE];
	int n_cpus = argc - 2 < CPU_SETSIZE ? argc - 2 : CPU_SETSIZE;
	for (int i = 0; i < n_cpus; i++) cpus[i] = atoi(argv[2 + i]);
	pin(n_cpus, cpus);
	shared->tag = IDLE;
	install_fault_handler();
	open_statm();
	if (start_pool(threads, n_cpus, cpus)) return 2;
	reply("ok honex %d %d", 1, threads);

	char **w;
	int n, fd;
	while (next_request(&w, &n, &fd)) {
		if (!setjmp(abandon)) serve_one(w, n, fd);
		if (fd >= 0) close(fd);
	}
	return 0;
}
