import Foundation

/// Knows under which domains anybody can register one, such as `com` and `co.uk`: no cookie may be for all of these.
///
/// On Linux by libpsl, where it is installed, which reads the list of publicsuffix.org. Elsewhere a domain of one label is taken for one,
/// and no other.
struct PublicSuffixes: Sendable {
  static let system = PublicSuffixes(PublicSuffixList.load())

  private let list: PublicSuffixList?

  init(_ list: PublicSuffixList?) { self.list = list }

  /// Whether there is a list.
  var hasList: Bool { list != nil }

  /// Whether anybody can register a domain below this one.
  func contain(_ domain: String) -> Bool {
    guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
    return list?.contains(domain) ?? false
  }

  /// The registered domain of a host; the host itself where that is not known.
  func site(of host: String) -> String {
    if Origin.isAddress(host) { return host }
    return list?.registeredDomain(of: host) ?? host
  }
}
