// Counts the calls of malloc and its kin of a whole process; linking it is enough, glibc only.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

/// Counts while it is true.
extern atomic_bool allocations_counting;

/// Allocations so far; a reallocation is one.
extern atomic_llong allocations_count;
