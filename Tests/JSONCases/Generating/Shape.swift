/// What a document looks like that a type reads.
package indirect enum Shape: Sendable {
  case bool, float, decimal, string, date, bytes, url, anything
  /// A number that such a width holds mostly.
  case integer(bits: Int, signed: Bool)
  /// One of these texts, as they stand.
  case verbatim([String])
  case optional(Shape)
  case either([Shape])
  case array(Shape)
  case tuple([Shape])
  case object([Member])
  case dictionary(Names, Shape)
  /// A type that holds itself.
  case later(@Sendable () -> Shape)

  static let int = Shape.integer(bits: 64, signed: true)
  static let small = Shape.integer(bits: 7, signed: false)

  package struct Member: Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool
  }

  /// What the names of a dictionary are like.
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
