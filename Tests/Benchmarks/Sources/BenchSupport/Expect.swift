import Foundation

/// Thrown if a server or a client behaves in an unexpected way.
public struct Unexpected: Error {
  /// A description of the unexpected value.
  public let text: String

  /// Creates the error from a description.
  public init(text: String) { self.text = text }
}

/// Throws unless the status is 200.
public func expectOK(_ status: Int) throws {
  if status != 200 { throw Unexpected(text: "status \(status)") }
}

extension Options {
  /// True if the body is a list of people, false if the body is one person.
  public var isList: Bool { path.hasSuffix("people.json") }

  /// Decodes a body for ``Mode/decoded``.
  ///
  /// Throws if the value differs from the server's.
  public func decode<Body>(_ body: Body, _ decoder: some BodyDecoder<Body>) throws {
    if isList {
      try expect(decoder.decode(People.self, from: body))
    } else {
      try expect(decoder.decode(Person.self, from: body))
    }
  }
}

/// A `JSONDecoder` for the client's representation of bytes.
public protocol BodyDecoder<Body> {
  /// The type in which a client delivers a body.
  associatedtype Body
  /// Decodes a value from a body.
  func decode<T: Decodable>(_ type: T.Type, from body: Body) throws -> T
}

extension JSONDecoder: BodyDecoder {}

/// Throws unless the person is the person of the server's document.
public func expect(_ person: Person) throws {
  if person.id != 7 { throw Unexpected(text: "person \(person.id)") }
}

/// Throws unless the list has the length of the server's list.
public func expect(_ list: People) throws {
  if list.people.count != 100 { throw Unexpected(text: "\(list.people.count) people") }
}
