public import Foundation

extension Parameters {
  /// A file among parameters, which makes their body a form of parts (RFC 7578); write it `.file(url)`.
  ///
  /// Files come after all other parameters, in their order.
  public struct File: ParameterValue, Hashable {
    /// What two files are compared by.
    private enum Identity: Hashable {
      case url(URL)
      case data(Data)
      case body(ObjectIdentifier)
    }

    /// Makes bodies of no other identity tell apart.
    private final class Token: Sendable {}

    /// As its receiver is told.
    let name: String
    let body: RequestBody
    private let identity: Identity
    private let type: MIMEType
    private let token: Token?
    /// Whether it is a URL alone, of which nobody has said whether its file or its text is meant: it is refused.
    private(set) var isBareURL = false

    /// The URL of a file among parameters.
    static func bare(_ url: URL) -> File {
      var file = File(url, name: nil, type: nil)
      file.isBareURL = true
      return file
    }

    fileprivate init(_ url: URL, name: String?, type: MIMEType?) {
      self.name = name ?? url.lastPathComponent
      self.type = type ?? MIMEType(fileExtension: url.pathExtension)
      body = .file(url, contentType: self.type.rawValue)
      (identity, token) = (.url(url), nil)
    }

    fileprivate init(_ data: Data, name: String, type: MIMEType?) {
      self.name = name
      self.type = type ?? Self.type(of: name)
      body = .data(data, contentType: self.type.rawValue)
      (identity, token) = (.data(data), nil)
    }

    fileprivate init(_ body: RequestBody, name: String, type: MIMEType?) {
      self.name = name
      self.type = type ?? body.contentType.map(MIMEType.init(_:)) ?? Self.type(of: name)
      self.body = body
      let token = Token()
      (identity, self.token) = (.body(ObjectIdentifier(token)), token)
    }

    /// A file.
    public var parameterNode: Node? { .file(self) }

    /// The part that it is sent as.
    func part(named field: String) -> BodyPart {
      var part = BodyPart(name: field, filename: name, body: body)
      part.headers["Content-Type"] = type.rawValue
      return part
    }

    private static func type(of name: String) -> MIMEType {
      MIMEType(fileExtension: name.contains(".") ? String(name.split(separator: ".").last ?? "") : "")
    }

    /// Whether they have the same name, type and URL or bytes; of any other body, whether it is the same one.
    public static func == (a: File, b: File) -> Bool {
      a.name == b.name && a.type == b.type && a.identity == b.identity
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(type)
      hasher.combine(identity)
    }
  }
}

extension Parameters.File: PrintedByDescription {
  /// `file`; neither its name nor its bytes.
  public var description: String { "file" }
}

extension ParameterValue where Self == Parameters.File {
  /// A file on disk, sent in pieces of 64 KiB and never loaded whole; see ``RequestBody/file(_:contentType:)``.
  ///
  /// - Parameters:
  ///   - url: where it is.
  ///   - name: the name its receiver is told; by default that of the URL.
  ///   - type: its media type; by default that of the URL's extension.
  public static func file(_ url: URL, name: String? = nil, type: MIMEType? = nil) -> Parameters.File {
    Parameters.File(url, name: name, type: type)
  }

  /// Bytes in memory as a file.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - name: the name its receiver is told.
  ///   - type: its media type; by default that of the name's extension.
  public static func file(data: Data, name: String, type: MIMEType? = nil) -> Parameters.File {
    Parameters.File(data, name: name, type: type)
  }

  /// Any body as a file, such as a stream: `.file(body: .stream(chunks, length: 1_000_000), name: "a.mp4")`.
  ///
  /// Where its length is known, so is that of the form; where it can be sent twice, so can the form.
  ///
  /// - Parameters:
  ///   - body: the bytes.
  ///   - name: the name its receiver is told.
  ///   - type: its media type; by default that of the body, else that of the name's extension.
  public static func file(body: RequestBody, name: String, type: MIMEType? = nil) -> Parameters.File {
    Parameters.File(body, name: name, type: type)
  }
}
