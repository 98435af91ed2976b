// The conversation of every program that this package starts. After five calls to
// warm up it says "ready". Then, on standard input: "r N INNER CPU" times N samples
// of INNER calls each, one line of nanoseconds per call for every sample, by the
// thread's processor time where CPU is 1 and by the wall clock otherwise; whatever
// other commands a program knows go to other. Each answer ends with "done".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_ns(clockid_t c) {
  struct timespec t;
  clock_gettime(c, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void time_calls(const char *cmd, void (*run)(void)) {
  int n = 0, inner = 1, cpu = 0;
  sscanf(cmd, "r %d %d %d", &n, &inner, &cpu);
  clockid_t c = cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  while (n-- > 0) {
    double t = clock_ns(c);
    for (int i = 0; i < inner; i++) run();
    printf("%.1f\n", (clock_ns(c) - t) / inner);
  }
}

static void serve(void (*run)(void), void (*other)(const char *cmd)) {
  for (int i = 0; i < 5; i++) run();
  puts("ready");
  fflush(stdout);
  char cmd[4200];
  while (fgets(cmd, sizeof cmd, stdin)) {
    cmd[strcspn(cmd, "\n")] = 0;
    if (cmd[0] == 'r') time_calls(cmd, run);
    else if (other) other(cmd);
    puts("done");
    fflush(stdout);
  }
}
