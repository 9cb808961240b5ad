/// A media type, such as `image/jpeg` (RFC 9110 section 8.3.1).
public struct MIMEType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text of a `Content-Type`.
  public let rawValue: String

  /// Creates a type, without a check.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a type, without a check.
  public init(_ text: String) { rawValue = text }

  /// Creates a type from a literal.
  public init(stringLiteral text: String) { rawValue = text }

  /// Creates the type of a file extension; ``octetStream`` if unknown.
  public init(fileExtension: String) {
    self = Self.ofExtension[fileExtension.lowercased()].map(Self.init(_:)) ?? .octetStream
  }

  /// `application/octet-stream`.
  public static let octetStream = MIMEType("application/octet-stream")
  /// `text/plain; charset=utf-8`.
  public static let text = MIMEType("text/plain; charset=utf-8")
  /// `text/html; charset=utf-8`.
  public static let html = MIMEType("text/html; charset=utf-8")
  /// `text/csv`.
  public static let csv = MIMEType("text/csv")
  /// `application/json`.
  public static let json = MIMEType("application/json")
  /// `application/xml`.
  public static let xml = MIMEType("application/xml")
  /// `application/pdf`.
  public static let pdf = MIMEType("application/pdf")
  /// `application/zip`.
  public static let zip = MIMEType("application/zip")
  /// `application/gzip`.
  public static let gzip = MIMEType("application/gzip")
  /// `image/jpeg`.
  public static let jpeg = MIMEType("image/jpeg")
  /// `image/png`.
  public static let png = MIMEType("image/png")
  /// `image/gif`.
  public static let gif = MIMEType("image/gif")
  /// `image/webp`.
  public static let webp = MIMEType("image/webp")
  /// `image/heic`.
  public static let heic = MIMEType("image/heic")
  /// `image/svg+xml`.
  public static let svg = MIMEType("image/svg+xml")
  /// `audio/mpeg`.
  public static let mp3 = MIMEType("audio/mpeg")
  /// `audio/wav`.
  public static let wav = MIMEType("audio/wav")
  /// `video/mp4`.
  public static let mp4 = MIMEType("video/mp4")
  /// `video/quicktime`.
  public static let mov = MIMEType("video/quicktime")
  /// `multipart/form-data` (RFC 7578).
  public static let formData = MIMEType("multipart/form-data")
  /// `multipart/mixed` (RFC 2046 section 5.1.3).
  public static let mixed = MIMEType("multipart/mixed")
  /// `multipart/related` (RFC 2387).
  public static let related = MIMEType("multipart/related")
  /// `multipart/byteranges` (RFC 9110 section 14.6).
  public static let byteranges = MIMEType("multipart/byteranges")

  private static let ofExtension: [String: String] = [
    "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "html": "text/html", "htm": "text/html",
    "css": "text/css", "csv": "text/csv", "tsv": "text/tab-separated-values", "ics": "text/calendar",
    "vcf": "text/vcard", "js": "text/javascript", "mjs": "text/javascript", "rtf": "application/rtf",
    "xml": "application/xml", "json": "application/json", "jsonl": "application/jsonl",
    "ndjson": "application/x-ndjson", "yaml": "application/yaml", "yml": "application/yaml",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
    "heic": "image/heic", "heif": "image/heif", "avif": "image/avif", "svg": "image/svg+xml",
    "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff", "ico": "image/vnd.microsoft.icon",
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg",
    "opus": "audio/ogg", "flac": "audio/flac", "mp4": "video/mp4", "m4v": "video/mp4",
    "mov": "video/quicktime", "webm": "video/webm", "mpeg": "video/mpeg", "avi": "video/x-msvideo",
    "mkv": "video/matroska",
    "pdf": "application/pdf", "epub": "application/epub+zip", "zip": "application/zip",
    "gz": "application/gzip", "tgz": "application/gzip", "tar": "application/x-tar",
    "7z": "application/x-7z-compressed", "wasm": "application/wasm", "woff": "font/woff",
    "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "doc": "application/msword",
    "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ]
}

extension MIMEType: PrintedByDescription {
  /// The text, escaped for printing.
  public var description: String { rawValue.printed }
}
