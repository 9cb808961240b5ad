public import Foundation

/// A serializer that comes with Errand, made by `.json()`, `.jsonLines()`, `.data`, `.text`, `.none`, `.response`, `.multipart`, `.file(to:)`
/// or ``ResponseSerializer/droppingXSSIPrefix()``.
///
/// Write a type of your own, a ``ResponseSerializer``, for another format.
public struct StandardSerializer<Value: Sendable>: ResponseSerializer {
  // At most three words, so that `any ResponseSerializer` holds a value without an allocation.
  private enum Maker {
    case quick(@Sendable (HTTPResponse) throws -> Value)
    /// Ends early when the dispatch is cancelled.
    case long(@Sendable (HTTPResponse, RequestContext) async throws -> Value)
    /// A format without settings.
    case reader(any BodyReader<Value>.Type)
    case settings(Boxed)
  }

  /// A serializer with settings.
  private final class Boxed: Sendable {
    let base: any ResponseSerializer<Value>
    init(_ base: any ResponseSerializer<Value>) { self.base = base }
  }

  private let maker: Maker

  init(_ make: @escaping @Sendable (HTTPResponse) throws -> Value) { maker = .quick(make) }

  init(_ make: @escaping @Sendable (HTTPResponse, RequestContext) async throws -> Value) {
    maker = .long(make)
  }

  init(reader: any BodyReader<Value>.Type) { maker = .reader(reader) }

  init(settings base: some ResponseSerializer<Value>) { maker = .settings(Boxed(base)) }

  /// `application/json` for `.json()`, `application/x-ndjson, application/jsonl` for `.jsonLines()`, `nil` for the others.
  public var accept: String? {
    switch maker {
    case .quick, .long: nil
    case .reader(let reader): reader.accept
    case .settings(let boxed): boxed.base.accept
    }
  }

  /// Makes the value.
  ///
  /// `.data`, `.none` and `.response` never throw. `.json()` throws a `DecodingError`, also for JSON nested deeper than 512 levels, and a
  /// ``Refusal`` of kind ``RequestError/Kind/decoding`` for an empty body or a key path that leads to nothing. `.jsonLines()`, `.text` and
  /// `.multipart` throw a ``Refusal`` of that kind, and `.file(to:)` one of kind ``RequestError/Kind/file``. `.multipart` and `.file(to:)` throw
  /// `CancellationError` when the dispatch or the task is cancelled meanwhile.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    switch maker {
    case .quick(let make): try make(response)
    case .long(let make): try await make(response, context)
    case .reader(let reader): try reader.value(of: response, context: context)
    case .settings(let boxed): try await boxed.base.serialize(response, context: context)
    }
  }

  /// The settings of `.json()`; `nil` for another serializer.
  package var jsonSettings: (keyPath: String?, decoder: JSONDecoder?)? {
    switch maker {
    case .quick, .long: nil
    case .reader(let reader): reader.accept == JSONBody.mediaType ? (nil, nil) : nil
    case .settings(let boxed): (boxed.base as? any JSONSettings).map { ($0.keyPath, $0.decoder) }
    }
  }

  /// The serializer that has the settings, if the settings are of that type; `nil` for another serializer.
  func settings<Settings: ResponseSerializer>(as type: Settings.Type) -> Settings? {
    guard case .settings(let boxed) = maker else { return nil }
    return boxed.base as? Settings
  }
}

/// Makes a value of a body, without settings.
protocol BodyReader<Value>: SendableMetatype {
  associatedtype Value: Sendable
  static var accept: String? { get }
  static func value(of response: HTTPResponse, context: RequestContext) throws -> Value
}

extension ResponseSerializer where Self == StandardSerializer<Data> {
  /// The bytes of the body, as they came; the default where `Response` is `Data`.
  public static var data: StandardSerializer<Data> { StandardSerializer(\.body) }
}

extension ResponseSerializer where Self == StandardSerializer<Void> {
  /// Nothing, whatever the body says; the default where `Response` is `Void`.
  public static var none: StandardSerializer<Void> { StandardSerializer { _ in } }
}

extension ResponseSerializer where Self == StandardSerializer<HTTPResponse> {
  /// The whole response, head and body; the default where `Response` is ``HTTPResponse``.
  public static var response: StandardSerializer<HTTPResponse> { StandardSerializer { $0 } }
}

extension ResponseSerializer where Self == StandardSerializer<String> {
  /// The body as text; the default where `Response` is `String`.
  ///
  /// The charset is the one the `Content-Type` declares, and UTF-8 where it declares none (a UTF-16 byte order mark is
  /// obeyed). `iso-8859-1` is Latin-1, not windows-1252 as in web browsers. A byte order mark is no part of the text. An
  /// empty body is an empty text.
  public static var text: StandardSerializer<String> {
    StandardSerializer { try StandardSerializer<String>.text(of: $0) }
  }

  /// The body as text in a charset, whatever the `Content-Type` declares: for servers that declare a wrong one.
  ///
  /// A byte order mark is no part of the text.
  ///
  /// - Parameter charset: its name in the IANA registry in any case, such as `"shift_jis"`. One that is not known is a ``Refusal`` of kind
  ///   ``RequestError/Kind/decoding``, and so is a body that is not valid in it.
  public static func text(charset: String) -> StandardSerializer<String> {
    StandardSerializer { try StandardSerializer<String>.text(of: $0, in: charset) }
  }

  /// The body as text as `.text` has it, but in a charset of your choice where the `Content-Type` declares none, or one that is not
  /// known, and no byte order mark tells.
  ///
  /// - Parameter charset: its name in the IANA registry in any case, such as `"windows-1252"`. One that is not known is a ``Refusal`` of kind
  ///   ``RequestError/Kind/decoding`` where it is needed, and so is a body that is not valid in it.
  public static func text(undeclared charset: String) -> StandardSerializer<String> {
    StandardSerializer { try StandardSerializer<String>.text(of: $0, undeclared: charset) }
  }
}

extension StandardSerializer {
  /// - Parameter undeclared: the charset of what declares none that is known; `nil` for UTF-8, and a refusal.
  fileprivate static func text(of response: HTTPResponse, undeclared: String? = nil) throws -> String {
    let declared = MediaType(of: response.headers)?["charset"] ?? ""
    if !declared.isEmpty, undeclared == nil || Charset(declared) != nil {
      return try text(of: response, in: declared)
    }
    let marked = Charset.marked(in: response.body)
    return try text(of: response, in: marked ?? undeclared ?? "utf-8")
  }

  fileprivate static func text(of response: HTTPResponse, in name: String) throws -> String {
    guard let charset = Charset(name) else {
      throw refusal("the charset \(name.debugDescription) is not known")
    }
    return try decode(response, as: charset, named: name.lowercased())
  }

  private static func decode(
    _ response: HTTPResponse, as charset: Charset, named name: String
  ) throws -> String {
    guard let text = charset.decode(response.body) else {
      throw refusal("the body is not valid \(name)")
    }
    return text
  }

  private static func refusal(_ reason: String) -> Refusal {
    var refusal = Refusal(reason, kind: .decoding)
    refusal.advice = .charset
    return refusal
  }
}
