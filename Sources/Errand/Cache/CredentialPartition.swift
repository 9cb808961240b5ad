import Foundation

/// Digests of a request's credentials, for a ``CacheKey``.
///
/// If the authenticator reports no identity, the headers and query items added for authentication count too.
struct CredentialPartition {
  let name: String

  init(
    _ http: HTTPRequest, signed: IdentifiedRequest?, redaction: Redaction, client: String? = nil
  ) {
    let identity = signed?.identity
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

  /// Returns the query items that carry credentials.
  ///
  /// The URL of a redirect may contain secret items that the authenticator did not add.
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

  /// Removes a private type's memory address from the name, because the address differs between processes.
  private static func stable(_ name: String) -> String {
    name.utf8.contains(0x24) ? name.replacing(#/\(unknown context at \$[0-9a-f]+\)\./#, with: "") : name
  }
}

extension Redaction {
  fileprivate func hidesItem(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      hides(encoded: bytes, in: .queryItem) || Redaction.standard.hides(encoded: bytes, in: .queryItem)
    }
  }

  fileprivate func carriesCredentials(_ name: String) -> Bool {
    switch name.utf8.count {
    case 6 where HTTPHeaders.same(name, "Cookie"): true
    case 13 where HTTPHeaders.same(name, "Authorization"): true
    // The standard redaction counts, even if the agent's redaction prints the header.
    default: hidesHeader(name) || Redaction.standard.hidesHeader(name)
    }
  }
}
