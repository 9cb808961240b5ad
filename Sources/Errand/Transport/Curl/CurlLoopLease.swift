#if os(Linux)
/// Keeps a loop open: the transport and each of its bodies hold one, and the last one gone lets the thread end.
///
/// It never waits for the thread, so it may be released anywhere, also on that thread.
final class CurlLoopLease: Sendable {
  let loop: CurlLoop

  init(_ loop: CurlLoop) { self.loop = loop }

  deinit { loop.close() }
}
#endif
