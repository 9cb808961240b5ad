extension Redaction {
  /// Where a name stands.
  enum Place {
    case header, queryItem, field
    /// In free text, where nobody knows.
    case text
  }

  /// Whether what stands under the name is hidden.
  ///
  /// A name with parts, such as `user[pin]` or `user.pin`, is judged as a whole and by its parts.
  func hides(_ name: String, in place: Place) -> Bool {
    if isSecret(SecretName(name), in: place) { return true }
    let parts = name.split(whereSeparator: { $0 == "[" || $0 == "]" || $0 == "." })
    return parts.count > 1 && parts.contains { isSecret(SecretName($0), in: place) }
  }

  private func isSecret(_ name: SecretName, in place: Place) -> Bool {
    if hidesSecretNames, name.looksSecret { return true }
    return switch place {
    case .header: headerNames.contains(name)
    case .queryItem: queryItemNames.contains(name)
    case .field: fieldNames.contains(name)
    case .text: headerNames.contains(name) || queryItemNames.contains(name) || fieldNames.contains(name)
    }
  }
}
