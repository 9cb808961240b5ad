public import Foundation

/// A response serializer that Errand provides.
public struct StandardSerializer<Value: Sendable>: ResponseSerializer {
  // At most three machine words, so that `any ResponseSerializer` needs no allocation.
  private enum Maker {
    case quick(@Sendable (HTTPResponse) throws -> Value)
    /// May end early if the dispatch is cancelled.
    case long(@Sendable (HTTPResponse, RequestContext) async throws -> Value)
    case reader(any BodyReader<Value>.Type)
    case settings(Boxed)
  }

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

  /// The value of `Accept`, such as `application/json` for `.json()`; `nil`: none.
  public var accept: String? {
    switch maker {
    case .quick, .long: nil
    case .reader(let reader): reader.accept
    case .settings(let boxed): boxed.base.accept
    }
  }

  /// Decodes the response; errors are usually `DecodingError` or ``Refusal``.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    switch maker {
    case .quick(let make): try make(response)
    case .long(let make): try await make(response, context)
    case .reader(let reader): try reader.value(of: response, context: context)
    case .settings(let boxed): try await boxed.base.serialize(response, context: context)
    }
  }

  package var jsonSettings: (keyPath: String?, decoder: JSONDecoder?)? {
    switch maker {
    case .quick, .long: nil
    case .reader(let reader): reader.accept == JSONBody.mediaType ? (nil, nil) : nil
    case .settings(let boxed): (boxed.base as? any JSONSettings).map { ($0.keyPath, $0.decoder) }
    }
  }

  func settings<Settings: ResponseSerializer>(as type: Settings.Type) -> Settings? {
    guard case .settings(let boxed) = maker else { return nil }
    return boxed.base as? Settings
  }
}

protocol BodyReader<Value>: SendableMetatype {
  associatedtype Value: Sendable
  static var accept: String? { get }
  static func value(of response: HTTPResponse, context: RequestContext) throws -> Value
}

extension ResponseSerializer where Self == StandardSerializer<Data> {
  /// The bytes of the body; the default if `Response` is `Data`.
  public static var data: StandardSerializer<Data> { StandardSerializer(\.body) }
}

extension ResponseSerializer where Self == StandardSerializer<Void> {
  /// No value, for any body; the default if `Response` is `Void`.
  public static var none: StandardSerializer<Void> { StandardSerializer { _ in } }
}

extension ResponseSerializer where Self == StandardSerializer<HTTPResponse> {
  /// The whole response with head and body; the default if `Response` is ``HTTPResponse``.
  public static var response: StandardSerializer<HTTPResponse> { StandardSerializer { $0 } }
}

extension ResponseSerializer where Self == StandardSerializer<String> {
  /// The body as text; the default if `Response` is `String`.
  ///
  /// The charset comes from the `Content-Type` or the byte order mark, by default UTF-8. `iso-8859-1` is
  /// Latin-1, not windows-1252.
  public static var text: StandardSerializer<String> {
    StandardSerializer { try StandardSerializer<String>.text(of: $0) }
  }

  /// Decodes the body as text in a given charset.
  ///
  /// - Parameter charset: The IANA name, such as `"shift_jis"`. An unknown name throws a ``Refusal``.
  public static func text(charset: String) -> StandardSerializer<String> {
    StandardSerializer { try StandardSerializer<String>.text(of: $0, in: charset) }
  }

  /// Decodes the body as text, in `charset` if the response has neither a known charset nor a byte order mark.
  ///
  /// - Parameter charset: The IANA name, such as `"windows-1252"`.
  public static func text(undeclared charset: String) -> StandardSerializer<String> {
    StandardSerializer { try StandardSerializer<String>.text(of: $0, undeclared: charset) }
  }
}

extension StandardSerializer {
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
