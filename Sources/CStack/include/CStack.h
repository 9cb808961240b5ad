#ifndef CSTACK_H
#define CSTACK_H

#include <stddef.h>

/// Returns the number of bytes left on the stack of the calling thread.
///
/// SIZE_MAX if the end of the stack is unknown, as on all systems except Linux, or if the current frame is
/// below the end, as on another stack. The end is determined once per thread; for the first thread of a
/// process, the C library may read a file.
size_t cstack_room(void);

#endif
