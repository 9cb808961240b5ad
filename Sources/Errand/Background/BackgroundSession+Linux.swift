#if !canImport(Darwin)
/// The sessions of a system that has none.
enum BackgroundSessions {
  static func make(_ identifier: String, desk: BackgroundDesk) throws -> any BackgroundSession {
    throw RequestError(.unsupported, "this system has no background sessions", stage: .build)
  }
}
#endif
