import Foundation

struct CurlCommand {
  let request: HTTPRequest
  let redaction: Redaction

  var text: String {
    let (body, input) = self.body
    let lines =
      ["curl \(ShellQuoting.quoted(redaction.url(request.url)))"] + method + urlOptions + headers + body
    return trailers + (input == nil ? missingInput : "") + (input.map { "\($0) | " } ?? "")
      + lines.joined(separator: " \\\n  ")
  }

  private var trailers: String {
    guard !request.trailers.isEmpty else { return "" }
    return Self.note("curl sends no trailers: \(request.trailers.text(by: redaction))")
  }

  private var missingInput: String {
    guard let parts = request.body.parts else { return "" }
    if form == nil {
      guard request.body.document != nil, let length = request.body.length else { return "" }
      return Self.note("Standard input must be the body of \(length) bytes.")
    }
    guard let part = parts.first(where: Self.isBinary) else { return "" }
    return Self.note(
      "Standard input must be the \(part.data.count) bytes of the part \(redaction.text(part.name ?? "")).")
  }

  /// Returns a note as an argument of the command `:`, because some interactive shells reject comments.
  private static func note(_ text: String) -> String { ": \(ShellQuoting.quoted(text.onOneLine.printed))\n" }

  private var method: [String] {
    if request.method == .head, request.body.isEmpty { return ["--head"] }
    let implied: HTTPMethod = hasBody ? .post : .get
    return request.method == implied ? [] : ["--request \(ShellQuoting.quoted(request.method.token))"]
  }

  private var urlOptions: [String] {
    let text = request.url.absoluteString
    var options: [String] = []
    if text.contains(where: { "[]{}".contains($0) }) { options.append("--globoff") }
    if text.contains("/.") { options.append("--path-as-is") }
    return options
  }

  private var headers: [String] {
    let form = self.form
    // With `--form`, `curl` adds `Content-Type` with a new boundary.
    let own = redaction.headers(request.headers).fields.filter { form == nil || !$0.isContentType }
    var lines = own.map { field in
      // `curl` removes a header without a value, unless a semicolon follows the name.
      field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
    }
    var added = ["User-Agent", "Accept"]
    if hasBody { added += form == nil ? ["Content-Type", "Expect"] : ["Expect"] }
    lines += added.filter { !request.headers.contains($0) }.map { "\($0):" }
    if !request.trailers.isEmpty || form == nil && request.body.provider.map({ $0.length == nil }) == true {
      lines.append("Transfer-Encoding: chunked")
    }
    return lines.map { "--header \(ShellQuoting.quoted($0))" }
  }

  private var hasBody: Bool {
    !request.body.isEmpty || request.method.sendsZeroContentLength || !request.trailers.isEmpty
  }

  private var body: (options: [String], input: String?) {
    if let form {
      let bytes = redaction.hidesNothing ? request.body.parts?.first(where: Self.isBinary)?.data : nil
      return (form, bytes.map(ShellQuoting.printf))
    }
    if let path = request.body.provider?.path {
      return (["--data-binary \(ShellQuoting.quoted("@" + redaction.text(path)))"], nil)
    }
    if request.body.provider != nil {
      let bytes = redaction.hidesNothing ? request.body.document : nil
      return (["--data-binary @-"], bytes.map(ShellQuoting.printf))
    }
    guard hasBody else { return ([], nil) }
    let bytes = request.body.data ?? Data()
    if redaction.hidesNothing, bytes.contains(0) || String(data: bytes, encoding: .utf8) == nil {
      return (["--data-binary @-"], ShellQuoting.printf(bytes))
    }
    let text = redaction.body(bytes, contentType: request.headers["Content-Type"])
    return (["--data-raw \(ShellQuoting.quoted(text))"], nil)
  }

  /// The `--form` options; `nil` if options cannot express the parts.
  private var form: [String]? {
    guard let parts = request.body.provider?.formParts, !parts.isEmpty,
      parts.count(where: Self.readsInput) < 2
    else { return nil }
    let options = parts.map(option)
    return options.contains(nil) ? nil : options.compactMap(\.self)
  }

  private func option(_ part: BodyPart) -> String? {
    let others = part.headers.fields.filter { !$0.isContentType }
    guard let name = part.name, !name.isEmpty, !name.contains("="), others.count == 1 else { return nil }
    let isHidden = redaction.hides(name, in: .field)
    var value = "@-"
    if let path = part.body.provider?.path {
      value = "@\(Self.quoted(redaction.text(path)))"
    } else if !Self.readsInput(part) {
      if part.filename == nil, part.contentType == nil {
        let shown = isHidden ? Redaction.marker : redaction.text(part.text)
        return "--form-string \(ShellQuoting.quoted("\(name)=\(shown)"))"
      }
      value = Self.quoted(
        isHidden ? Redaction.marker : redaction.body(part.data, contentType: part.contentType))
    }
    if let filename = part.filename { value += ";filename=\(Self.quoted(redaction.text(filename)))" }
    if let type = part.contentType { value += ";type=\(type)" }
    return "--form \(ShellQuoting.quoted("\(name)=\(value)"))"
  }

  private static func readsInput(_ part: BodyPart) -> Bool {
    if let provider = part.body.provider { return provider.path == nil }
    return isBinary(part) || part.body.data == nil && !part.body.isEmpty
  }

  private static func isBinary(_ part: BodyPart) -> Bool {
    guard part.body.provider == nil else { return false }
    return part.data.contains(0) || Charset.utf8.decode(part.data) == nil
      || MediaType.isMultipart(part.contentType)
  }

  /// Quotes a value of `--form`, because `curl` ends an unquoted value at a semicolon.
  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}

extension HTTPHeaders.Field {
  fileprivate var isContentType: Bool { HTTPHeaders.same(name, "Content-Type") }
}

extension HTTPRequest {
  /// Returns a command line of the `curl` tool for the request, for a POSIX shell.
  ///
  /// All text of the request is quoted, so the shell executes no part of the text. A file body usually
  /// appears as a path. For some streams and binary parts, you must supply the standard input of the command.
  ///
  /// - Parameter redaction: The rules for hiding secrets.
  public func curlCommand(redaction: Redaction = .standard) -> String {
    CurlCommand(request: self, redaction: redaction.hidingCredentials(of: self)).text
  }
}

/// Quotes text for a POSIX shell (IEEE Std 1003.1, section 2.2.2).
enum ShellQuoting {
  /// Returns text in single quotes: `'it'\''s'`.
  ///
  /// Single quotes and hidden characters of the text are written between two quoted parts.
  static func quoted(_ text: String) -> String {
    // The loop reads scalars, because a quote and a combining mark form a single `Character`.
    var quoted = "'".unicodeScalars
    var hidden = ""
    for scalar in text.unicodeScalars {
      if scalar.isHidden {
        hidden.unicodeScalars.append(scalar)
        continue
      }
      append(&hidden, to: &quoted)
      if scalar == "'" { quoted.append(contentsOf: "'\\''".unicodeScalars) } else { quoted.append(scalar) }
    }
    append(&hidden, to: &quoted)
    quoted.append("'")
    return String(quoted)
  }

  /// Appends hidden characters as `$(printf …)`.
  ///
  /// The shell removes line feeds at the end of `$(…)`, but no hidden character is a line feed.
  private static func append(_ hidden: inout String, to quoted: inout String.UnicodeScalarView) {
    guard !hidden.isEmpty else { return }
    quoted.append(contentsOf: "'\"$(\(printf(Data(hidden.utf8))))\"'".unicodeScalars)
    hidden = ""
  }

  static func printf(_ bytes: Data) -> String {
    let escaped = bytes.map { byte in
      ASCII.isAlphanumeric(byte) ? String(Unicode.Scalar(byte)) : "\\" + octal(byte)
    }
    return "printf '\(escaped.joined())'"
  }

  /// Returns three digits, because a digit may follow the escape.
  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
