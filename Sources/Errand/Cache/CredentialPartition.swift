import Foundation

/// Whose credentials a request carries, as a part of a ``CacheKey``.
///
/// The name of the authenticator's type and the identity it told; without one, the SHA-256 of the fields and of the items of the query that the authenticator put in;
/// for credentials that other code put in, the SHA-256 of the fields that carry them; and the client as which the transport shows itself to the server. Nothing of them can be read from it.
struct CredentialPartition {
  /// Empty where it carries none.
  let name: String

  /// - Parameter client: the ``Transport/clientIdentity(for:)`` of the transport.
  init(
    _ http: HTTPRequest, signed: IdentifiedRequest?, redaction: Redaction, client: String? = nil
  ) {
    let identity = signed?.identity
    // What it signed is told by its name; what others put in is still there.
    var fields = (identity == nil ? http : signed?.unsigned ?? http).headers.fields
      .filter { redaction.carriesCredentials($0.name) }
    if identity == nil, let signed { fields += signed.added(to: http) }
    var parts: [String] = []
    if let identity, let signed {
      parts.append("\(Self.stable(signed.authenticatorName)) \(CacheKey.digest([Data(identity.name.utf8)]))")
    }
    if !fields.isEmpty {
      parts.append(
        CacheKey.digest(fields.flatMap { [Data($0.name.lowercased().utf8), Data($0.value.utf8)] }))
    }
    let items =
      identity == nil ? signed.map { Self.items(of: http, signed: $0, redaction: redaction) } ?? [] : []
    if !items.isEmpty { parts.append("query " + CacheKey.digest(items.map { Data($0.utf8) })) }
    if let client { parts.append("client " + CacheKey.digest([Data(client.utf8)])) }
    name = parts.joined(separator: " ")
  }

  /// The items of the query that the authenticator put in; and those with the name of a secret, as the URL that a redirect leads to may have them already.
  private static func items(
    of http: HTTPRequest, signed: IdentifiedRequest, redaction: Redaction
  ) -> [Substring] {
    let added = signed.addedItems(to: http)
    let others = IdentifiedRequest.items(of: http.url).filter { item in
      let name = item.prefix { $0 != "=" }
      return redaction.hidesItem(String(name)) && !added.contains(item)
    }
    return added + others
  }

  /// The name of a private type has an address in it, which is another in each process.
  private static func stable(_ name: String) -> String {
    name.utf8.contains(0x24) ? name.replacing(#/\(unknown context at \$[0-9a-f]+\)\./#, with: "") : name
  }
}

extension Redaction {
  /// Whether a query item of that name, as it is sent, may say who asks.
  fileprivate func hidesItem(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      hides(encoded: bytes, in: .queryItem) || Redaction.standard.hides(encoded: bytes, in: .queryItem)
    }
  }

  /// Whether a request field may say who asks.
  fileprivate func carriesCredentials(_ name: String) -> Bool {
    switch name.utf8.count {
    case 6 where HTTPHeaders.same(name, "Cookie"): true
    case 13 where HTTPHeaders.same(name, "Authorization"): true
    // What is printed is one thing, and who may see an answer another.
    default: hidesHeader(name) || Redaction.standard.hidesHeader(name)
    }
  }
}
