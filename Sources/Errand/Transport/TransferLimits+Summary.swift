extension TransferLimits {
  /// The limits that differ from the defaults, in words.
  var summary: String {
    let standard = TransferLimits()
    guard self != standard else { return "the standard ones" }
    var parts: [String] = []
    func add<Value: Equatable>(
      _ name: String, _ member: KeyPath<TransferLimits, Value?>, _ text: (Value) -> String
    ) {
      guard self[keyPath: member] != standard[keyPath: member] else { return }
      parts.append("\(name) \(self[keyPath: member].map(text) ?? "off")")
    }
    add("headSize", \.headSize) { "\($0)" }
    add("headerCount", \.headerCount) { "\($0)" }
    add("informationalCount", \.informationalCount) { "\($0)" }
    add("bodySize", \.bodySize) { "\($0)" }
    add("decodedSize", \.decodedSize) { "\($0)" }
    add("decodedRatio", \.decodedRatio) { "\($0)" }
    if decodedRatioGrace != standard.decodedRatioGrace {
      parts.append("decodedRatioGrace \(decodedRatioGrace)")
    }
    add("connectTimeout", \.connectTimeout, \.secondsText)
    add("firstByteTimeout", \.firstByteTimeout, \.secondsText)
    add("minimumThroughput", \.minimumThroughput) { "\($0.bytes) per \($0.window.secondsText)" }
    add("attemptTimeout", \.attemptTimeout, \.secondsText)
    return parts.joined(separator: ", ")
  }
}
