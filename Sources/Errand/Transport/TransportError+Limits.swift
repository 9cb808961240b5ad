extension TransportError {
  /// More than a limit that counts allows; `what` is a clause that ends with `than`.
  static func exceeded(_ what: String, _ limit: String, _ value: Int, _ unit: String = "") -> TransportError {
    TransportError(.limitExceeded, "\(what) limits.\(limit), \(value)\(unit.isEmpty ? "" : " " + unit)")
  }

  /// The end of a clause, where the process may open no socket.
  static let outOfDescriptors = "the process has no file descriptors left"

  /// The body of the response grew past `limit` bytes.
  static func bodyTooLong(_ limit: Int) -> TransportError {
    exceeded("the body is longer than", "bodySize", limit, "bytes")
  }
}
