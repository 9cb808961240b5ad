/// The shape of the documents of a type.
package indirect enum Shape: Sendable {
  case bool, float, decimal, string, date, bytes, url, anything
  /// A number that mostly fits into the width.
  case integer(bits: Int, signed: Bool)
  /// A random text of the list, written verbatim.
  case verbatim([String])
  case optional(Shape)
  case either([Shape])
  case array(Shape)
  case tuple([Shape])
  case object([Member])
  case dictionary(Names, Shape)
  /// The shape of a recursive type.
  case later(@Sendable () -> Shape)

  static let int = Shape.integer(bits: 64, signed: true)
  static let small = Shape.integer(bits: 7, signed: false)

  package struct Member: Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool
  }

  /// The kind of names in a dictionary.
  package enum Names: Sendable { case words, integers, colors }
}

extension Shape.Member {
  static func needs(_ name: String, _ shape: Shape) -> Self {
    .init(name: name, shape: shape, isRequired: true)
  }
  static func may(_ name: String, _ shape: Shape) -> Self {
    .init(name: name, shape: shape, isRequired: false)
  }
}
