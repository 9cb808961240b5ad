extension String {
  /// The text for people: control characters are written out, as `\u{1B}`, so that what a server sent steers no terminal.
  ///
  /// Line feeds and tabs stay.
  var printed: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isHidden {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character (C0, DEL, C1) that is written out.
  fileprivate var isHidden: Bool {
    value < 0x20 ? self != "\n" && self != "\t" : (0x7F...0x9F).contains(value)
  }
}
