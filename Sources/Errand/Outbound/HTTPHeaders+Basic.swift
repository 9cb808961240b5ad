extension HTTPHeaders {
  /// Headers with an `Authorization` of the `Basic` scheme (RFC 7617) and nothing else.
  ///
  /// ```swift
  /// var headers: HTTPHeaders { .basic(credentials) }
  /// ```
  public static func basic(_ credentials: BasicCredentials) -> HTTPHeaders {
    ["Authorization": credentials.headerValue]
  }

  /// Replaces every `Authorization` by credentials of the `Basic` scheme (RFC 7617); `nil` removes it.
  public mutating func setBasicCredentials(_ credentials: BasicCredentials?) {
    self["Authorization"] = credentials?.headerValue
  }
}
