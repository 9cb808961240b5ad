extension Redaction {
  /// Free text, such as the message of an error, with the secrets in it replaced by ``marker``.
  ///
  /// Hidden are the secrets of URLs as in ``url(_:)``; what follows `Bearer`, `Basic`, `DPoP` and `Negotiate`; the
  /// values of pairs with secret names (`token=…`, `token:…`, `"token": …`, also with escaped quotes); and the rest
  /// of a line after `Authorization:`, `Cookie:`, `Set-Cookie:` and other secret names with a hyphen in them.
  /// `token: …` with a blank is prose, and stays. Known values are hidden wherever they are. It takes time linear in the length of the text.
  public func text(_ text: String) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8))
    return String(decoding: hidesNoNames ? bytes : self.text(bytes: bytes, depth: 0), as: UTF8.self)
  }

  /// Goes by names only.
  func text(bytes: [UInt8], depth: Int) -> [UInt8] {
    bytes.withUnsafeBufferPointer { bytes in
      var redactor = TextRedactor(bytes: bytes, redaction: self, depth: depth)
      return redactor.redact()
    }
  }
}
