import Foundation

/// The list of libpsl, which is loaded once and stays; Linux has the library.
struct PublicSuffixList: @unchecked Sendable {
  private typealias Load = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
  private typealias Contains = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
  private typealias Registered = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?

  // Read only, by functions that any thread may call.
  private let list: OpaquePointer
  private let contains: Contains
  private let registered: Registered

  /// `nil` where the library or its list is missing.
  static func load() -> PublicSuffixList? {
    guard let library = DynamicLibrary("libpsl.so.5"),
      let load = library.function("psl_latest", as: Load.self),
      let contains = library.function("psl_is_public_suffix", as: Contains.self),
      let registered = library.function("psl_registrable_domain", as: Registered.self),
      let list = load(nil)
    else { return nil }
    return PublicSuffixList(list: list, contains: contains, registered: registered)
  }

  /// Whether a domain, in small letters, is on the list.
  func contains(_ domain: String) -> Bool { contains(list, domain) != 0 }

  /// `nil` of a domain that is on the list itself.
  func registeredDomain(of host: String) -> String? {
    // Points into the text it is given.
    host.withCString { text in registered(list, text).map { String(cString: $0) } }
  }
}
