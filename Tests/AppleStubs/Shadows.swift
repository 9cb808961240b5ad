// Compiled into each module, where it hides what Glibc declares with another type than Darwin.
let SOCK_STREAM: Int32 = 1
let IPPROTO_TCP: Int32 = 6
let SHUT_WR: Int32 = 1
