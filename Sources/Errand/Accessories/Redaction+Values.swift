extension Redaction {
  /// The text with each known value replaced by ``marker``, whatever the names in it.
  func hidingValues(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    values?.hide(in: bytes, isCut: isCut) ?? bytes
  }

  func hidingValues(_ text: String) -> String {
    guard let values else { return text }
    return String(decoding: values.hide(in: Array(text.utf8)), as: UTF8.self)
  }

  /// The same, also hiding what `request` has in fields that this hides by their names.
  ///
  /// They are the credentials of `Authorization` and its like, with the password within `Basic`; the values of cookies and other
  /// secret headers; and those of secret query items, form fields and JSON members. Values of less than eight bytes are hidden
  /// where no letter or digit stands beside them, those of less than four not at all, as they may be anybody's. The secrets of
  /// the dispatch that sent the request are hidden too. Use it to print what belongs to a request but is not of its dispatch.
  public func hidingCredentials(of request: HTTPRequest) -> Redaction {
    guard !hidesNothing else { return self }
    let known = request.link.dispatched?.redaction.values?.values ?? []
    return hiding(values: CredentialFinder.values(in: request, by: self).union(known))
  }

  /// The same, also hiding each ``Secret`` that is found in a request, and what its own authenticator hides.
  func hidingSecrets(of request: some Request) -> Redaction {
    guard !hidesNothing else { return self }
    let redaction = hiding(secrets: SecretFinder.secrets(of: request))
    guard case .own(let authenticator) = request.authentication.storage else { return redaction }
    return authenticator.hidingSecrets(in: redaction)
  }
}
