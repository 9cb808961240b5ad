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
/// Values are hidden too, wherever they stand: in a path, under a harmless name, in a page or an error's text. They are those of
///
/// - each ``Secret`` given to ``hiding(secrets:)``;
/// - each ``Secret`` of a dispatch: in the ``Request/secrets``, ``Request/parameters`` and ``Request/query`` of the request, in a
///   JSON body, and in what the request and the agent's hooks store, as far as they are structs and enums;
/// - what a dispatch has sent under the name of a secret, so that a server that echoes it does not give it away:
///   see ``hidingCredentials(of:)``.
///
/// A value is found as it is, escaped as in URLs, JSON or HTML, in Base64 and in hexadecimal digits. A ``Secret`` of less than
/// four bytes is hidden only where no letter or digit stands beside it. Errors, accessories, and requests and responses of a
/// dispatch know its values; an ``HTTPHeaders`` on its own knows names only. Bytes that are no text are never printed, only
/// counted.
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
  /// The names that are hidden besides.
  private(set) var names: ListedNames
  /// `nil` when there are none.
  private(set) var values: HiddenValues?

  private init(hidesSecretNames: Bool, queryItems: [String]) {
    self.hidesSecretNames = hidesSecretNames
    names = ListedNames(queryItems: queryItems)
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
    redaction.names = names.adding(headers: headers, queryItems: queryItems, fields: fields)
    return redaction
  }

  /// The same, hiding the values of secrets wherever they stand.
  public func hiding(secrets: [Secret]) -> Redaction {
    hiding(values: Set(secrets.compactMap { HiddenValue($0) }))
  }

  func hiding(values more: Set<HiddenValue>) -> Redaction {
    guard !more.isSubset(of: values?.values ?? []) else { return self }
    var redaction = self
    redaction.values = HiddenValues(more.union(values?.values ?? []))
    return redaction
  }

  /// Whether there is nothing to hide.
  var hidesNothing: Bool { hidesNoNames && values == nil }

  /// Whether nothing is hidden for the name it stands under.
  var hidesNoNames: Bool {
    !hidesSecretNames && names.isEmpty
  }
}
