// Nothing to call: the target is there to be compiled.
#pragma once
