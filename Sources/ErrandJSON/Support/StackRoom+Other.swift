#if !canImport(Darwin) && !os(Linux)
extension StackRoom {
  /// Not known.
  static var bytes: Int { .max }
}
#endif
