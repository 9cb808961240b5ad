#pragma once
// Typed inline wrappers of libcurl's variadic calls come here.
