extension ExchangeReport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The account as a table, secrets hidden.
  ///
  /// ```
  /// Request 7: GET https://api.example.com/users/7
  /// Success at decode after 1.324 s, 2 attempts.
  ///
  /// #  begun    took     answer                   bytes  connection
  /// 1  0.000 s  0.120 s  503 Service Unavailable  12     new, HTTP/1.1
  ///    connected 0.015 s, first byte 0.118 s, last byte 0.119 s; 210 bytes sent, 180 received
  ///    Failed at validate: status 503 Service Unavailable is not in 200..<300.
  ///    Retry in 1.000 s, as the server's Retry-After asks.
  /// 2  1.120 s  0.204 s  200 OK                   512    reused, HTTP/1.1
  ///    first byte 0.198 s, last byte 0.201 s; 210 bytes sent, 702 received
  /// ```
  ///
  /// `begun` counts from the start of the dispatch, and the times in the lines below from the start of the transfer.
  public var description: String { ReportTable(self).text }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the lines of ``description``.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}

extension AttemptReport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Its row in the table of ``ExchangeReport``, as text, and the lines below it; secrets hidden.
  public var description: String {
    let row = AttemptRow(self)
    return ([row.summary] + row.notes).joined(separator: "\n   ").printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the lines of ``description``.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
