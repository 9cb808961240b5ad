// Lets a test hold the lookup of one name, as a name server that does not answer would.
#pragma once

/// How many wait for the name `held.errand.test`.
int clookups_waiting(void);
/// Lets them go, and all that come: the name is not found.
void clookups_release(void);
