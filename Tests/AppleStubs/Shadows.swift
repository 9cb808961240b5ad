// Compiled into each module. Hides declarations of Glibc whose type differs on Darwin.
let SOCK_STREAM: Int32 = 1
let IPPROTO_TCP: Int32 = 6
let SHUT_WR: Int32 = 1
