import Foundation

struct PublicSuffixList: @unchecked Sendable {
  private typealias Load = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
  private typealias Contains = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
  private typealias Registered = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?

  // The list is immutable, and libpsl allows concurrent reads.
  private let list: OpaquePointer
  private let contains: Contains
  private let registered: Registered

  static func load() -> PublicSuffixList? {
    guard let library = DynamicLibrary("libpsl.so.5"),
      let load = library.function("psl_latest", as: Load.self),
      let contains = library.function("psl_is_public_suffix", as: Contains.self),
      let registered = library.function("psl_registrable_domain", as: Registered.self),
      let list = load(nil)
    else { return nil }
    return PublicSuffixList(list: list, contains: contains, registered: registered)
  }

  /// Returns true for a public suffix.
  ///
  /// The domain must be in lower case.
  func contains(_ domain: String) -> Bool { contains(list, domain) != 0 }

  func registeredDomain(of host: String) -> String? {
    // libpsl returns a pointer into `text`.
    host.withCString { text in registered(list, text).map { String(cString: $0) } }
  }
}
