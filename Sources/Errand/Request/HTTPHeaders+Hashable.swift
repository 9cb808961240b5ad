extension HTTPHeaders: Hashable {
  /// Whether both have the same fields in the same order; names in any case.
  public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
    a.fields.count == b.fields.count
      && zip(a.fields, b.fields).allSatisfy { same($0.name, $1.name) && $0.value == $1.value }
  }

  /// Hashes names without their case, and values.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      for byte in field.name.utf8 { hasher.combine(ASCII.lowercased(byte)) }
      hasher.combine(field.value)
    }
  }
}
