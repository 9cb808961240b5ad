public import Foundation

private let bodyCount = Locked(UInt64(0))

extension Parameters {
  /// A file among parameters, such as `.file(url)`.
  ///
  /// A form with a file is sent as multipart (RFC 7578).
  public struct File: ParameterValue, Hashable {
    enum Identity: Hashable {
      case url(URL)
      case data(Data)
      /// A number given to the file, because bodies cannot be compared.
      case body(UInt64)
    }

    let name: String
    let body: RequestBody
    let identity: Identity
    let type: MIMEType
    /// True for a file URL given without `.file(_:)`.
    ///
    /// `FormWriter` and `JSONWriter` refuse such a file.
    private(set) var isBareURL = false

    static func bare(_ url: URL) -> File {
      var file = File(url, name: nil, type: nil)
      file.isBareURL = true
      return file
    }

    fileprivate init(_ url: URL, name: String?, type: MIMEType?) {
      self.name = name ?? url.lastPathComponent
      self.type = type ?? MIMEType(fileExtension: url.pathExtension)
      body = .file(url, contentType: self.type.rawValue)
      identity = .url(url)
    }

    fileprivate init(_ data: Data, name: String, type: MIMEType?) {
      self.name = name
      self.type = type ?? Self.type(of: name)
      body = .data(data, contentType: self.type.rawValue)
      identity = .data(data)
    }

    fileprivate init(_ body: RequestBody, name: String, type: MIMEType?) {
      self.name = name
      self.type = type ?? body.contentType.map(MIMEType.init(_:)) ?? Self.type(of: name)
      self.body = body
      identity = .body(
        bodyCount.withLock { count in
          count += 1
          return count
        })
    }

    /// A file.
    public var parameterNode: Node? { .file(self) }

    func part(named field: String) -> BodyPart {
      var part = BodyPart(name: field, filename: name, body: body)
      part.headers["Content-Type"] = type.rawValue
      return part
    }

    private static func type(of name: String) -> MIMEType {
      MIMEType(fileExtension: name.contains(".") ? String(name.split(separator: ".").last ?? "") : "")
    }

    /// Compares name, type and source.
    ///
    /// A file made from a body is equal only to copies of the file.
    public static func == (a: File, b: File) -> Bool {
      a.name == b.name && a.type == b.type && a.identity == b.identity && a.isBareURL == b.isBareURL
    }

    /// Hashes name, type and source.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(type)
      hasher.combine(identity)
    }
  }
}

extension Parameters.File: PrintedByDescription {
  /// `file`.
  public var description: String { "file" }
}

extension ParameterValue where Self == Parameters.File {
  /// A file on disk.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - name: By default the last path component of the URL.
  ///   - type: By default the type of the URL's extension.
  public static func file(_ url: URL, name: String? = nil, type: MIMEType? = nil) -> Parameters.File {
    Parameters.File(url, name: name, type: type)
  }

  /// Bytes in memory as a file.
  ///
  /// By default, the type follows from the extension of the name.
  public static func file(data: Data, name: String, type: MIMEType? = nil) -> Parameters.File {
    Parameters.File(data, name: name, type: type)
  }

  /// A body as a file, such as `.file(body: .stream(chunks, length: 1_000_000), name: "a.mp4")`.
  public static func file(body: RequestBody, name: String, type: MIMEType? = nil) -> Parameters.File {
    Parameters.File(body, name: name, type: type)
  }
}
