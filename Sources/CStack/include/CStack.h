#ifndef CSTACK_H
#define CSTACK_H

#include <stddef.h>

/// Returns the number of bytes left on the stack of the calling thread; SIZE_MAX if unknown.
///
/// The end is unknown on systems other than Linux, and for code that runs on a different stack.
size_t cstack_room(void);

#endif
