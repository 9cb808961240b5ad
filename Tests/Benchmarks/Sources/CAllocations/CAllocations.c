#include "CAllocations.h"

atomic_bool allocations_counting = false;
atomic_llong allocations_count = 0;

#if defined(__GLIBC__) || defined(__linux__)
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static inline void count(void) {
  if (__builtin_expect(atomic_load_explicit(&allocations_counting, memory_order_relaxed), 0))
    atomic_fetch_add_explicit(&allocations_count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
#endif
