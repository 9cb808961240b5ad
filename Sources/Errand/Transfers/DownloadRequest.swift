public import Foundation

/// A request whose answer becomes a file.
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
/// It goes the whole line: hooks, authenticator, validators, retry, mocks. The body is written as it comes into a file beside the
/// destination, never through memory, and put in place in one step when all of it is there; until then, and where the dispatch
/// fails, is refused or is cancelled, the file that stood there before stays as it was. A retry begins the file anew. The hooks of the
/// outcome run when it is in place: what one of them refuses stays there.
///
/// Validators judge the head only, and `filterResponse` gets it without a body; a body it adds is not used. The body of a refused answer is in
/// the error, up to ``RequestError/bodyLimit``. ``TransferLimits/bodySize`` holds where you set it; by default a file has no limit. To
/// download what another request asks for, use ``RequestAgent/download(_:to:resumes:checksum:progress:)``.
public protocol DownloadRequest: Request where Response == DownloadedFile {
  /// Where the file is to be, or the directory that is to have it; see ``ResponseSerializer/file(to:resumes:checksum:)``.
  var destination: URL { get }

  /// Whether bytes that have come are kept when a download breaks off, for the next attempt or dispatch with the same destination, also of another
  /// process, to go on with; `false` by default.
  ///
  /// They are beside the destination, in a file whose name begins with `.errand-`. Another one is the record of what they are: the validator
  /// they came with, which is a strong `ETag`, else a `Last-Modified` of a second before the answer or more; the length of the whole, where it
  /// is known; and a sum of the URL, which is not written down itself. The next request asks for the rest with `Range` and `If-Range` (RFC 9110
  /// sections 14.2 and 13.1.5), so that a file that has changed meanwhile is sent whole. It goes on only where the server has such a validator
  /// and does not code the bytes; without, each attempt begins anew. The method has to be `GET` and the destination no directory.
  ///
  /// A destination has one such part. A request whose URL differs in nothing but its query goes on with it where the `ETag` is the same: the
  /// query of a signed URL is another one each time. With a date alone the whole URL has to be the same. Any other URL begins anew, and its
  /// bytes take the place of those that were kept when its answer comes, so that nothing is left of URLs that nobody asks for again. Give files
  /// that are told apart by their query destinations of their own, as a server may have one tag for two of them.
  ///
  /// What is put in place is as long as the server has said, by the `Content-Length` of the first answer or by `Content-Range`; where neither
  /// has said it, a range is refused. A range that is shorter than what was asked for is an error of kind
  /// ``RequestError/Kind/invalidResponse``, and the next request goes on behind it. What cannot be written or put in place is one of kind
  /// ``RequestError/Kind/file``, and what came is kept too.
  var resumes: Bool { get }

  /// What the file is compared with before it is put in place; `nil`, for nothing, by default.
  var checksum: FileChecksum? { get }
}

extension DownloadRequest {
  /// The file at the ``destination``.
  public var responseSerializer: any ResponseSerializer<DownloadedFile> {
    .file(to: destination, resumes: resumes, checksum: checksum)
  }
  /// `false`.
  public var resumes: Bool { false }
  /// `nil`.
  public var checksum: FileChecksum? { nil }
}

extension RequestMember {
  /// What ``DownloadRequest`` has with a default.
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

/// A file that was downloaded.
public struct DownloadedFile: Sendable, Hashable {
  /// Where it is.
  public let url: URL
  /// How many bytes it has, after content decoding.
  public let size: Int64

  /// Makes one, for a test or a hook that answers in place of a server.
  public init(url: URL, size: Int64) {
    self.url = url
    self.size = size
  }
}

extension DownloadedFile: CustomStringConvertible {
  /// Its path and size: `/tmp/a.csv, 120 bytes`.
  public var description: String { "\(url.path), \(size) bytes" }
}

/// Writes the body into a file.
struct FileResponse: ResponseSerializer {
  /// Where the file is to be, or the directory that is to have it.
  let destination: URL
  /// Whether a download that breaks off is gone on with; see ``DownloadRequest/resumes``.
  let resumes: Bool
  /// What the file is compared with; `nil` for nothing.
  let checksum: FileChecksum?

  /// Throws where it cannot be done whatever the server says.
  @inline(never)
  func check() throws {
    try DownloadTarget.check(destination)
    try checksum?.check()
  }

  /// Writes the bytes of a response that is there as a whole, such as one made by hand.
  ///
  /// An agent does not call it: it writes the body while it comes.
  ///
  /// - Throws: a ``Refusal`` of kind ``RequestError/Kind/file`` where the file cannot be written, or of kind
  /// ``RequestError/Kind/invalidResponse`` where it has another checksum.
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

extension ResponseSerializer where Self == StandardSerializer<DownloadedFile> {
  /// Writes the body into a file, as it comes.
  ///
  /// - Parameters:
  ///   - destination: the file, which is replaced in one step when the body is there; directories above it are made. Where it is a
  ///   directory, or ends in a slash, the file gets the name that `Content-Disposition` gives (RFC 6266 section 4.3), or the last part of
  ///   the URL that answered, without what could lead elsewhere, hide it or mislead; where that name is taken, a number is put behind it, so
  ///   that no server replaces a file of yours.
  ///   - resumes: whether a download that breaks off is gone on with; `false` by default. See ``DownloadRequest/resumes``.
  ///   - checksum: what the file is compared with before it is put in place; `nil`, the default, for nothing.
  public static func file(
    to destination: URL, resumes: Bool = false, checksum: FileChecksum? = nil
  ) -> StandardSerializer<DownloadedFile> {
    StandardSerializer(settings: FileResponse(destination: destination, resumes: resumes, checksum: checksum))
  }
}
