import Foundation

/// Domains under which anybody can register a name, such as `com` and `co.uk`.
///
/// No cookie may be for all hosts of a public suffix. On Linux, libpsl reads the list of
/// publicsuffix.org, if installed. Elsewhere only domains with a single label count as public suffixes.
struct PublicSuffixes: Sendable {
  static let system = PublicSuffixes(PublicSuffixList.load())

  private let list: PublicSuffixList?

  init(_ list: PublicSuffixList?) { self.list = list }

  /// True if a list is loaded.
  var hasList: Bool { list != nil }

  /// Returns true if anybody can register a subdomain of the domain.
  func contain(_ domain: String) -> Bool {
    guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
    return list?.contains(domain) ?? false
  }

  /// Returns the registered domain of a host; the host itself if unknown.
  func site(of host: String) -> String {
    if Origin.isAddress(host) { return host }
    return list?.registeredDomain(of: host) ?? host
  }
}
