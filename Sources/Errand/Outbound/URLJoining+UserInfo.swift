import Foundation

extension URLJoining {
  /// Takes `user:password@` out of an http or https URL.
  ///
  /// So it can become an `Authorization` header and is printed nowhere. Without any, the URL comes back as it is.
  static func userInfo(of url: URL) throws(Refusal) -> (credentials: BasicCredentials?, stripped: URL) {
    let text = url.absoluteString
    guard text.withBytes({ $0.contains(0x40) }) else { return (nil, url) }
    guard let parts = URLParts(absolute: text), let userInfo = parts.userInfo else { return (nil, url) }
    let stripped = String(text[..<userInfo.startIndex]) + text[text.utf8.index(after: userInfo.endIndex)...]
    guard let url = URL(string: stripped) else {
      throw Refusal("the URL \(URLParts.shown(text)) cannot be read", kind: .invalidURL)
    }
    return (try credentials(userInfo, of: text), url)
  }

  private static func credentials(
    _ userInfo: Substring, of text: String
  ) throws(Refusal) -> BasicCredentials? {
    guard !userInfo.isEmpty else { return nil }
    let colon = userInfo.utf8.firstIndex(of: 0x3A) ?? userInfo.endIndex
    let username = String(decoding: PercentEncoding.decode(userInfo[..<colon]), as: UTF8.self)
    let password = String(decoding: PercentEncoding.decode(userInfo[colon...]).dropFirst(), as: UTF8.self)
    guard let credentials = BasicCredentials(username: username, password: password) else {
      throw Refusal(
        "the user name or password in the URL \(URLParts.shown(text)) has a colon or a control character "
          + "that Basic credentials cannot carry", kind: .invalidURL)
    }
    return credentials
  }
}
