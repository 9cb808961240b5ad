extension ExchangeReport: Codable {
  /// Writes the account for machines, secrets hidden, without bodies and causes.
  ///
  /// Times are seconds, ``started`` those since 1970; heads are lists of names and values. The same keys come back by
  /// ``init(from:)``.
  public func encode(to encoder: any Encoder) throws {
    try ExchangeRecord(self).encode(to: encoder)
  }

  /// Reads what ``encode(to:)`` wrote: what was hidden stays hidden, and an error has no cause.
  public init(from decoder: any Decoder) throws {
    self = try ExchangeRecord(from: decoder).report
  }
}
