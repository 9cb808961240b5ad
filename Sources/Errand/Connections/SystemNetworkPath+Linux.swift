#if !canImport(Network)
/// Watches nothing: the system does not tell.
enum SystemPathWatch {
  static func begin(_ changed: @escaping @Sendable (NetworkPathState) -> Void) -> any Sendable { () }
}
#endif
