#ifndef CSTACK_H
#define CSTACK_H

#include <stddef.h>

/// How many bytes the calling thread's stack has left; SIZE_MAX where its end is not known, or the code runs on another stack.
///
/// The end is looked up once for each thread: for the first one of a process that means reading a file.
size_t cstack_room(void);

#endif
