public import Foundation

/// A request that downloads the response body to a file.
///
/// ```swift
/// struct GetExport: DownloadRequest {
///   var year: Int
///   var path: String { "exports/\(year)" }
///   var destination: URL { .documentsDirectory.appending(path: "export-\(year).csv") }
/// }
///
/// let file = try await agent.send(GetExport(year: 2026))
/// ```
///
/// The complete file is put in place atomically. Validators see only the response head, not the body.
///
/// To download the response to any other request, use
/// ``RequestAgent/download(_:to:resumes:checksum:progress:)``.
public protocol DownloadRequest: Request where Response == DownloadedFile {
  /// The URL of the file, or of a directory for the file; see
  /// ``ResponseSerializer/file(to:resumes:checksum:)``.
  var destination: URL { get }

  /// True if a later download can continue an interrupted download; `false` by default.
  ///
  /// Resumption needs a `GET` request without `Range`, a destination that is not a directory, and a strong
  /// validator in the response (RFC 9110 sections 13.1.5 and 14.2). The partial file lies next to the
  /// destination, as `.errand-…`.
  ///
  /// Use a different destination for each file, because Errand may treat URLs that differ only in the query
  /// as the same file.
  var resumes: Bool { get }

  /// The expected checksum of the file; `nil`, the default: no verification.
  var checksum: FileChecksum? { get }
}

extension DownloadRequest {
  /// A serializer that writes the body to the ``destination``.
  public var responseSerializer: any ResponseSerializer<DownloadedFile> {
    .file(to: destination, resumes: resumes, checksum: checksum)
  }
  /// `false`.
  public var resumes: Bool { false }
  /// `nil`.
  public var checksum: FileChecksum? { nil }
}

extension RequestMember {
  static let downloads = [
    RequestMember(
      "resumes", type: "Bool", member: { ($0 as? any DownloadRequest)?.resumes ?? false },
      aliases: ["resume", "resumable", "isresumable", "resumeable", "continues"]
    ) { resumes, _ in !resumes },
    RequestMember(
      "checksum", type: "FileChecksum?", member: { ($0 as? any DownloadRequest)?.checksum },
      aliases: ["filechecksum", "digest", "hash", "sha256", "sha512"], lookalikes: [.text, .bytes]
    ) { checksum, _ in checksum == nil },
  ].map { $0.required(by: "DownloadRequest") }
}

/// A downloaded file.
public struct DownloadedFile: Sendable, Hashable {
  /// The URL of the file.
  public let url: URL
  /// The size of the file in bytes.
  public let size: Int64

  /// Creates a value for a test or a hook.
  public init(url: URL, size: Int64) {
    self.url = url
    self.size = size
  }
}

extension DownloadedFile: CustomStringConvertible {
  /// Path and size, such as `/tmp/a.csv, 120 bytes`.
  public var description: String { "\(url.path), \(size) bytes" }
}

struct FileResponse: ResponseSerializer {
  let destination: URL
  let resumes: Bool
  let checksum: FileChecksum?

  @inline(never)
  func check() throws {
    try DownloadTarget.check(destination)
    try checksum?.check()
  }

  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> DownloadedFile {
    try checksum?.check()
    let file = try PartialFile(for: destination, head: response)
    try await file.begin(response, checksum: checksum) {
      try await WorkSteps.pause(unless: context.dispatched.cancellation)
    }
    try file.write(response.body)
    return try file.place()
  }
}

extension DownloadedFile {
  package static func isVerified(by request: some Request) -> Bool {
    let serializer = request.responseSerializer as? StandardSerializer<DownloadedFile>
    return serializer?.settings(as: FileResponse.self)?.checksum != nil
  }
}

extension ResponseSerializer where Self == StandardSerializer<DownloadedFile> {
  /// Writes the body to a file.
  ///
  /// - Parameters:
  ///   - destination: The file, or a directory. An existing file is replaced. In a directory, the file name
  ///     comes from `Content-Disposition` (RFC 6266 section 4.3) or the response URL, and is otherwise
  ///     `download`. If the name is taken, a number is added.
  ///   - resumes: See ``DownloadRequest/resumes``.
  ///   - checksum: See ``DownloadRequest/checksum``.
  public static func file(
    to destination: URL, resumes: Bool = false, checksum: FileChecksum? = nil
  ) -> StandardSerializer<DownloadedFile> {
    StandardSerializer(settings: FileResponse(destination: destination, resumes: resumes, checksum: checksum))
  }
}
