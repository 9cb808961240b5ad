public import Foundation

/// A request with a file as its response.
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
/// The body is written to a temporary file in the destination's directory. The complete file replaces the
/// destination atomically. Until then, an existing file at the destination stays unchanged, even after a
/// failure, a rejection or a cancellation. With coalescing, the body may be in memory first. A retry starts
/// from the beginning, unless ``resumes`` is true. After a success, the outcome hooks run when the file is in
/// place.
///
/// Validators judge only the head. `filterResponse` receives the head without a body, and an added body is
/// ignored. If a check of status or content type rejects the response, the error carries the beginning of the
/// body, up to ``RequestError/bodyLimit``. Without coalescing, ``TransferLimits/bodySize`` applies only if
/// you set a value. For a request of a different type, use
/// ``RequestAgent/download(_:to:resumes:checksum:progress:)``.
public protocol DownloadRequest: Request where Response == DownloadedFile {
  /// The URL of the file, or of its directory; see ``ResponseSerializer/file(to:resumes:checksum:)``.
  var destination: URL { get }

  /// True if the received bytes are kept when a download breaks off, so that a later download can resume;
  /// `false` by default.
  ///
  /// The next attempt or dispatch with the same destination may resume, even in a different process.
  /// Resumption needs a `GET` request without `Range`, and a destination other than a directory. The partial
  /// file and a record lie in the destination's directory, under names that start with `.errand-`.
  ///
  /// Bytes are usually kept for a response with status 200, without a content coding, and with a strong
  /// `ETag`. Without any `ETag`, a `Last-Modified` at least a second older than the response's `Date`
  /// suffices. The next request asks for the bytes from the last kept byte on, with `Range` and `If-Range`
  /// (RFC 9110 sections 14.2 and 13.1.5).
  ///
  /// The kept bytes belong to the URL of the request. Kept with an `ETag` and a length, the bytes also count
  /// for a URL that differs only in the query. Give such URLs different destinations if they are different
  /// files, because a server may reuse a tag.
  ///
  /// A range shorter than requested is an error of kind ``RequestError/Kind/invalidResponse``. The next
  /// request then usually resumes after the received bytes. A failure to write or to move the file is an
  /// error of kind ``RequestError/Kind/file``.
  var resumes: Bool { get }

  /// The checksum verified before the file is put in place; `nil`, the default, for no verification.
  var checksum: FileChecksum? { get }
}

extension DownloadRequest {
  /// A serializer that writes the body to the ``destination``.
  public var responseSerializer: any ResponseSerializer<DownloadedFile> {
    .file(to: destination, resumes: resumes, checksum: checksum)
  }
  /// `false`: a broken download starts from the beginning.
  public var resumes: Bool { false }
  /// `nil`: the file is not verified.
  public var checksum: FileChecksum? { nil }
}

extension RequestMember {
  /// The requirements of ``DownloadRequest`` with a default.
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
  /// The size in bytes, after content decoding.
  public let size: Int64

  /// Creates a value for a test, or for a hook that replaces the server's response.
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

  /// Throws for a setting that makes every download fail.
  @inline(never)
  func check() throws {
    try DownloadTarget.check(destination)
    try checksum?.check()
  }

  /// Writes the body of a complete response to the file.
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
  /// Returns true if the response is written to a file with a checksum.
  package static func isVerified(by request: some Request) -> Bool {
    let serializer = request.responseSerializer as? StandardSerializer<DownloadedFile>
    return serializer?.settings(as: FileResponse.self)?.checksum != nil
  }
}

extension ResponseSerializer where Self == StandardSerializer<DownloadedFile> {
  /// Writes the body to a file.
  ///
  /// - Parameters:
  ///   - destination: The file, which is replaced atomically when the body is complete. Missing directories
  ///     are created. In a directory, the file is named by `Content-Disposition` (RFC 6266 section 4.3), or
  ///     else by the response URL. Directories, leading dots and control characters in the name are removed.
  ///     If the name is taken, a number is added.
  ///   - resumes: True to keep a partial file for the next download; `false` by default. See
  ///     ``DownloadRequest/resumes``.
  ///   - checksum: The checksum verified before the file is put in place; `nil`, the default, for no
  ///     verification.
  public static func file(
    to destination: URL, resumes: Bool = false, checksum: FileChecksum? = nil
  ) -> StandardSerializer<DownloadedFile> {
    StandardSerializer(settings: FileResponse(destination: destination, resumes: resumes, checksum: checksum))
  }
}
