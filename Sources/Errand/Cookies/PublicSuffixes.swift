import Foundation

/// Domains under which different owners register names, such as `co.uk`.
struct PublicSuffixes: Sendable {
  static let system = PublicSuffixes(PublicSuffixList.load())

  private let list: PublicSuffixList?

  init(_ list: PublicSuffixList?) { self.list = list }

  var hasList: Bool { list != nil }

  func contain(_ domain: String) -> Bool {
    guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
    return list?.contains(domain) ?? false
  }

  /// Returns the registered domain, such as `example.co.uk`; the host itself if no domain is known.
  func site(of host: String) -> String {
    if Origin.isAddress(host) { return host }
    return list?.registeredDomain(of: host) ?? host
  }
}
