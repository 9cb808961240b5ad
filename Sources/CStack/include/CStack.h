#ifndef CSTACK_H
#define CSTACK_H

#include <stddef.h>

/// Returns the number of bytes left on the stack of the calling thread.
///
/// Returns SIZE_MAX if the end of the stack is unknown, as on all systems except Linux. Also
/// returns SIZE_MAX if the current frame is below the end, because the code then runs on a
/// different stack.
///
/// The function finds the end once per thread. For the first thread of a process, the C library may
/// read a file.
size_t cstack_room(void);

#endif
