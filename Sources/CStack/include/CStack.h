#ifndef CSTACK_H
#define CSTACK_H

#include <stddef.h>

/// Returns the remaining bytes of the calling thread's stack; SIZE_MAX if the end is unknown, or the code runs on a different stack.
///
/// The end is looked up once for each thread. For the first thread of a process, the lookup reads a file.
size_t cstack_room(void);

#endif
