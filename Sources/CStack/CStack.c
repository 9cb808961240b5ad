// Makes <pthread.h> declare pthread_getattr_np, which Swift cannot import.
#define _GNU_SOURCE
#include "CStack.h"

#include <stdint.h>

#if defined(__linux__)

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNKNOWN 1

// musl reports only the used part of the first thread's stack, which may grow up to RLIMIT_STACK.
static uintptr_t first_lowest(uintptr_t highest, uintptr_t lowest) {
#if defined(__GLIBC__) || defined(__ANDROID__)
  (void)highest;
  return lowest;
#else
  if (syscall(SYS_gettid) != getpid()) return lowest;
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= highest) return UNKNOWN;
  return highest - limit.rlim_cur;
#endif
}

static uintptr_t find_lowest(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UNKNOWN;
  void *start = NULL;
  size_t size = 0;
  int failed = pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  if (failed != 0 || start == NULL) return UNKNOWN;
  return first_lowest((uintptr_t)start + size, (uintptr_t)start);
}

size_t cstack_room(void) {
  static _Thread_local uintptr_t lowest = 0;
  if (lowest == 0) lowest = find_lowest();
  // A sanitizer may move variables off the stack, but not the frame.
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return lowest == UNKNOWN || here < lowest ? SIZE_MAX : here - lowest;
}

#else

size_t cstack_room(void) { return SIZE_MAX; }

#endif
