import Foundation

/// Sends a key in a header field or in a query item.
///
/// Logs of servers and proxies contain URLs, so prefer a header field. A dispatch with the authenticator
/// hides the key in everything printed, under any name. Values printed without the agent, such as a bare
/// ``HTTPRequest``, hide only typical secrets. Printing the authenticator hides the key.
public struct APIKeyAuthenticator: Authenticator {
  /// The place of the key.
  public enum Place: Sendable, Hashable {
    /// The header field with the name, replacing an existing field.
    case header(String)
    /// The query item with the name, replacing existing items.
    case query(String)
  }

  private let key: String
  private let place: Place

  /// Creates an authenticator.
  public init(_ key: String, in place: Place) {
    self.key = key
    self.place = place
  }

  /// Sets the header field or the query item.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    // Otherwise the cache would derive the identity from the added item, and the URL of a redirect may
    // contain the item already.
    context.identify(as: DigestChallenge.Algorithm.sha256.sum("\(place) \(key)"))
    switch place {
    case .header(let name): request.headers[name] = key
    case .query(let name): request.url = try Self.url(request.url, with: name, key: key)
    }
  }

  /// Returns a redaction that hides the key, and any value at its place.
  public func hidingSecrets(in redaction: Redaction) -> Redaction {
    let redaction = redaction.hiding(secrets: [Secret(key)])
    return switch place {
    case .header(let name): redaction.hiding(headers: [name])
    case .query(let name): redaction.hiding(queryItems: [name])
    }
  }

  /// Returns the URL with a single item of the name at the end; other items stay unchanged.
  private static func url(_ url: URL, with name: String, key: String) throws -> URL {
    let (text, item) = (url.absoluteString, PercentEncoding.encode(name))
    let (head, query) = URLParts.splitQuery(of: text)
    let kept = query.split(separator: "&").filter { pair in
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
  /// An empty mirror, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authenticator where Self == APIKeyAuthenticator {
  /// Creates an ``APIKeyAuthenticator``.
  public static func apiKey(_ key: String, in place: APIKeyAuthenticator.Place) -> APIKeyAuthenticator {
    APIKeyAuthenticator(key, in: place)
  }
}
