extension String {
  /// The text for people: control characters are written out, as `\u{1B}`, so that what a server sent steers no terminal; and so
  /// are those that nobody sees, such as U+202E, which turns the order of what follows.
  ///
  /// Line feeds and tabs stay, and so do the joiners and variation selectors that letters and emoji are made with.
  package var printed: String {
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
  /// Whether it is written out: a control character (C0, DEL, C1), one of the direction of text, or one without a shape.
  fileprivate var isHidden: Bool {
    switch value {
    case 0x09, 0x0A, 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300: false
    case 0..<0xA0: true
    // Zero-width joiners, and variation selectors.
    case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false
    // Separators of lines and paragraphs, and the anchors of interlinear notes.
    case 0x2028, 0x2029, 0xFFF9...0xFFFB: true
    default: properties.isBidiControl || properties.isDefaultIgnorableCodePoint
    }
  }
}
