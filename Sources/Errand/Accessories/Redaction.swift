/// What is hidden in everything Errand prints: logs, errors, descriptions and recordings.
///
/// ``standard`` is on by default. It hides `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`, the
/// user info of URLs, and every header, query item, form field and JSON member whose name looks like a secret's:
/// in any case and whatever is between its letters, the name contains `apikey`, `accesskey`, `privatekey`,
/// `authkey`, `token`, `secret`, `password`, `passwd`, `passphrase`, `credential`, `signature`, `session`,
/// `sessid` or `authorization`, ends in `auth`, or is `cookie`, `jwt`, `pwd` or `pass`. So `token_count` is hidden
/// too: rather one name too many. The query items `key` and `sig` are hidden as well.
///
/// ```swift
/// configuration.redaction = .standard.hiding(headers: ["X-Internal"], fields: ["pin"])
/// ```
///
/// A secret that stands under a harmless name, in a path, in the text of a page or in bytes that are no text is not
/// found; bytes that are no text are therefore never printed, only counted.
public struct Redaction: Sendable, Hashable {
  /// Hides what is listed above; the default of every agent.
  public static let standard = Redaction(hidesSecretNames: true, queryItems: ["key", "sig"])

  /// Hides nothing.
  ///
  /// Dangerous: whoever reads the logs has the credentials of your users. For debugging on your own machine.
  public static let none = Redaction(hidesSecretNames: false, queryItems: [])

  /// What stands in the place of a secret: `<redacted>`.
  public static let marker = "<redacted>"

  /// Whether names that look like a secret's are hidden, and user info and credentials in text.
  let hidesSecretNames: Bool
  private(set) var headerNames: Set<SecretName> = []
  private(set) var queryItemNames: Set<SecretName> = []
  private(set) var fieldNames: Set<SecretName> = []

  private init(hidesSecretNames: Bool, queryItems: [String]) {
    self.hidesSecretNames = hidesSecretNames
    queryItemNames = Set(queryItems.map(SecretName.init))
  }

  /// The same, hiding the values of more names; a name counts in any case and with or without `-` and `_`.
  ///
  /// - Parameters:
  ///   - headers: names of header fields.
  ///   - queryItems: names of query items of URLs.
  ///   - fields: names of form fields and JSON members, at any depth.
  public func hiding(
    headers: [String] = [], queryItems: [String] = [], fields: [String] = []
  ) -> Redaction {
    var redaction = self
    redaction.headerNames.formUnion(headers.map(SecretName.init))
    redaction.queryItemNames.formUnion(queryItems.map(SecretName.init))
    redaction.fieldNames.formUnion(fields.map(SecretName.init))
    return redaction
  }

  /// Whether there is nothing to hide.
  var hidesNothing: Bool {
    !hidesSecretNames && headerNames.isEmpty && queryItemNames.isEmpty && fieldNames.isEmpty
  }
}
