import Foundation

/// What is thrown when a server or a client did not do its part.
public struct Unexpected: Error {
  /// What was there instead.
  public let text: String

  /// Makes one.
  public init(text: String) { self.text = text }
}

/// Throws unless the status is 200.
public func expectOK(_ status: Int) throws {
  if status != 200 { throw Unexpected(text: "status \(status)") }
}

extension Options {
  /// Whether the body is a list of people, not one person.
  public var isList: Bool { path.hasSuffix("people.json") }

  /// Decodes a body as mode ``Mode/decoded`` says, and throws unless it is what the server sent.
  public func decode<Body>(_ body: Body, _ decoder: some BodyDecoder<Body>) throws {
    if isList {
      try expect(decoder.decode(People.self, from: body))
    } else {
      try expect(decoder.decode(Person.self, from: body))
    }
  }
}

/// A `JSONDecoder`, for the kind of bytes that a client has.
public protocol BodyDecoder<Body> {
  /// Those bytes.
  associatedtype Body
  /// Decodes.
  func decode<T: Decodable>(_ type: T.Type, from body: Body) throws -> T
}

extension JSONDecoder: BodyDecoder {}

/// Throws unless it is who the server sent.
public func expect(_ person: Person) throws {
  if person.id != 7 { throw Unexpected(text: "person \(person.id)") }
}

/// Throws unless they are who the server sent.
public func expect(_ list: People) throws {
  if list.people.count != 100 { throw Unexpected(text: "\(list.people.count) people") }
}
