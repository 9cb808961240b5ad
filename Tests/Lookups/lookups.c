#include "CLookups.h"

#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
// Guard of both: `lock`.
static int waiting, isReleased;

/// Stands before the system's in programs that link this, and hands all other names on to it.
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  if (name != NULL && strcmp(name, "found.errand.test") == 0) name = "127.0.0.1";
  if (name == NULL || strcmp(name, "held.errand.test") != 0) {
    return ((lookup)dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints, found);
  }
  pthread_mutex_lock(&lock);
  waiting++;
  while (!isReleased) pthread_cond_wait(&released, &lock);
  waiting--;
  pthread_mutex_unlock(&lock);
  return EAI_NONAME;
}

int clookups_waiting(void) {
  pthread_mutex_lock(&lock);
  int count = waiting;
  pthread_mutex_unlock(&lock);
  return count;
}

void clookups_hold(void) {
  pthread_mutex_lock(&lock);
  isReleased = 0;
  pthread_mutex_unlock(&lock);
}

void clookups_release(void) {
  pthread_mutex_lock(&lock);
  isReleased = 1;
  pthread_cond_broadcast(&released);
  pthread_mutex_unlock(&lock);
}
#else
int clookups_waiting(void) { return 0; }
void clookups_hold(void) {}
void clookups_release(void) {}
#endif
