// Lets a test hold the lookup of one name, as a name server that does not answer would. The name `found.errand.test` leads to
// 127.0.0.1.
#pragma once

/// How many wait for the name `held.errand.test`.
int clookups_waiting(void);
/// Holds the lookups that begin from now on; they are held from the start of the program.
void clookups_hold(void);
/// Lets the waiting lookups go, and further lookups until `clookups_hold`: the name is not found.
void clookups_release(void);
