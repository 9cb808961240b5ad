import Foundation

/// Sends a key in a header field or in an item of the query.
///
/// A key in a URL is written to the logs of servers and proxies; take a header where the server lets you. A dispatch whose
/// authenticator it is hides the value in print, whatever the name; what is printed without the agent, such as a bare
/// ``HTTPRequest``, hides what looks like a secret. Printing hides the key.
public struct APIKeyAuthenticator: Authenticator {
  /// Where the key stands.
  public enum Place: Sendable, Hashable {
    /// In the header field of that name, in place of any that is there.
    case header(String)
    /// In the query item of that name, in place of any that is there.
    case query(String)
  }

  private let key: String
  private let place: Place

  /// Makes an authenticator.
  public init(_ key: String, in place: Place) {
    self.key = key
    self.place = place
  }

  /// Sets the header field or the query item.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    // Told, as the URL that a redirect leads to may have the item already.
    context.identify(as: DigestChallenge.Algorithm.sha256.sum("\(place) \(key)"))
    switch place {
    case .header(let name): request.headers[name] = key
    case .query(let name): request.url = try Self.url(request.url, with: name, key: key)
    }
  }

  /// Hides the key, and what stands at its place.
  public func hidingSecrets(in redaction: Redaction) -> Redaction {
    let redaction = redaction.hiding(secrets: [Secret(key)])
    return switch place {
    case .header(let name): redaction.hiding(headers: [name])
    case .query(let name): redaction.hiding(queryItems: [name])
    }
  }

  /// The URL with one item of that name, at its end; the other items stay byte for byte.
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
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authenticator where Self == APIKeyAuthenticator {
  /// An ``APIKeyAuthenticator``.
  public static func apiKey(_ key: String, in place: APIKeyAuthenticator.Place) -> APIKeyAuthenticator {
    APIKeyAuthenticator(key, in: place)
  }
}
