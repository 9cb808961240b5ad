import Foundation

/// Sends a key in a header or in a query item.
///
/// Prefer a header, because logs of servers often contain URLs.
public struct APIKeyAuthenticator: Authenticator {
  private enum Location {
    case header(String)
    case query(String)
  }

  private let key: String
  private let location: Location

  /// Creates an authenticator with a header.
  public init(_ key: String, header name: String) { (self.key, location) = (key, .header(name)) }

  /// Creates an authenticator with a query item.
  public init(_ key: String, query name: String) { (self.key, location) = (key, .query(name)) }

  /// Sets the header or the query item.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    // Identifies the key for coalescing and the cache. Without a reported identity, Errand finds the key by
    // comparing the signed with the unsigned request. If the URL of a redirect already contains the key, the
    // comparison finds nothing.
    context.identify(as: DigestChallenge.Algorithm.sha256.sum("\(location) \(key)"))
    switch location {
    case .header(let name): request.headers[name] = key
    case .query(let name): request.url = try Self.url(request.url, with: name, key: key)
    }
  }

  /// Returns a redaction that also hides the key.
  public func hidingSecrets(in redaction: Redaction) -> Redaction {
    let redaction = redaction.hiding(secrets: [Secret(key)])
    return switch location {
    case .header(let name): redaction.hiding(headers: [name])
    case .query(let name): redaction.hiding(queryItems: [name])
    }
  }

  private static func url(_ url: URL, with name: String, key: String) throws -> URL {
    let (text, item) = (url.absoluteString, PercentEncoding.encode(name))
    let (head, query) = URLParts.splitQuery(of: text)
    let given = query.isEmpty ? [] : query.split(separator: "&", omittingEmptySubsequences: false)
    let kept = given.filter { pair in
      let own = pair.utf8.prefix { $0 != 0x3D }
      return PercentEncoding.decode(Array(own)[...], plusIsBlank: true) != Array(name.utf8)
    }
    let items = kept.map(String.init) + ["\(item)=\(PercentEncoding.encode(key))"]
    guard let signed = URL(string: "\(head)?\(items.joined(separator: "&"))") else {
      throw Refusal("the URL cannot take the query item \(name)", kind: .invalidURL)
    }
    return signed
  }
}

extension APIKeyAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `API key authenticator (hidden)`.
  public var description: String { "API key authenticator (hidden)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authenticator where Self == APIKeyAuthenticator {
  /// Creates an ``APIKeyAuthenticator`` with a header.
  public static func apiKey(_ key: String, header name: String) -> APIKeyAuthenticator {
    APIKeyAuthenticator(key, header: name)
  }

  /// Creates an ``APIKeyAuthenticator`` with a query item.
  public static func apiKey(_ key: String, query name: String) -> APIKeyAuthenticator {
    APIKeyAuthenticator(key, query: name)
  }
}
