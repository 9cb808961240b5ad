import Foundation

/// A request as a command line of the `curl` tool that sends the same bytes.
struct CurlCommand {
  let request: HTTPRequest
  let redaction: Redaction

  /// The whole command, an option a line, ready to be pasted into a POSIX shell.
  var text: String {
    let (body, input) = self.body
    let lines =
      ["curl \(ShellQuoting.quoted(redaction.url(request.url)))"] + method + urlOptions + headers + body
    return trailers + (input.map { "\($0) | " } ?? "") + lines.joined(separator: " \\\n  ")
  }

  /// Says what the tool leaves out, as a command that does nothing: a comment is none in every shell that one types into.
  private var trailers: String {
    guard !request.trailers.isEmpty else { return "" }
    let text = "the tool sends no trailers: \(request.trailers.text(by: redaction))".onOneLine.printed
    return ": \(ShellQuoting.quoted(text))\n"
  }

  private var method: [String] {
    if request.method == .head, request.body.isEmpty { return ["--head"] }
    let implied: HTTPMethod = hasBody ? .post : .get
    return request.method == implied ? [] : ["--request \(ShellQuoting.quoted(request.method.token))"]
  }

  /// The tool reads brackets and braces in a URL as patterns, and resolves dot segments.
  private var urlOptions: [String] {
    let text = request.url.absoluteString
    var options: [String] = []
    if text.contains(where: { "[]{}".contains($0) }) { options.append("--globoff") }
    if text.contains("/.") { options.append("--path-as-is") }
    return options
  }

  /// The fields, then those that the tool would add by itself, taken away.
  private var headers: [String] {
    let form = self.form
    // The tool makes a boundary of its own.
    let own = redaction.headers(request.headers).fields.filter { form == nil || !$0.isContentType }
    var lines = own.map { field in
      // A field without a value is taken for one to be left out, unless it ends in a semicolon.
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

  /// Methods that mean a body send an empty one, of length 0.
  private var hasBody: Bool {
    !request.body.isEmpty || request.method.meansBody || !request.trailers.isEmpty
  }

  /// The options for the body, and the command that writes it where no argument can hold it.
  private var body: (options: [String], input: String?) {
    if let form { return (form, nil) }
    if let path = request.body.provider?.path {
      return (["--data-binary \(ShellQuoting.quoted("@" + redaction.text(path)))"], nil)
    }
    if request.body.provider != nil { return (["--data-binary @-"], nil) }
    guard hasBody else { return ([], nil) }
    let bytes = request.body.data ?? Data()
    if redaction.hidesNothing, bytes.contains(0) || String(data: bytes, encoding: .utf8) == nil {
      return (["--data-binary @-"], ShellQuoting.printf(bytes))
    }
    let text = redaction.body(bytes, contentType: request.headers["Content-Type"])
    return (["--data-raw \(ShellQuoting.quoted(text))"], nil)
  }

  /// An option for each part of a form; `nil` where the body is none, or one that the tool cannot make.
  private var form: [String]? {
    guard let parts = request.body.provider?.formParts, !parts.isEmpty else { return nil }
    let options = parts.map(option)
    return options.contains(nil) ? nil : options.compactMap(\.self)
  }

  private func option(_ part: BodyPart) -> String? {
    let others = part.headers.fields.filter { !$0.isContentType }
    guard let name = part.name, !name.isEmpty, !name.contains("="), others.count == 1 else { return nil }
    if part.filename == nil, part.contentType == nil, let text = Charset.utf8.decode(part.data),
      part.body.provider == nil, !text.utf8.contains(0)
    {
      let shown = redaction.hides(name, in: .field) ? Redaction.marker : redaction.text(text)
      return "--form-string \(ShellQuoting.quoted("\(name)=\(shown)"))"
    }
    var value = "(\(part.body))"
    if let path = part.body.provider?.path {
      value = "@\(Self.quoted(redaction.text(path)))"
    } else if part.body.provider != nil {
      value = "@-"
    }
    if let filename = part.filename { value += ";filename=\(Self.quoted(redaction.text(filename)))" }
    if let type = part.contentType { value += ";type=\(type)" }
    return "--form \(ShellQuoting.quoted("\(name)=\(value)"))"
  }

  /// As the tool reads a text with semicolons or quotes in it.
  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}

extension HTTPHeaders.Field {
  fileprivate var isContentType: Bool { HTTPHeaders.same(name, "Content-Type") }
}

extension HTTPRequest {
  /// The command line of the `curl` tool that sends this request, to be pasted into a POSIX shell.
  ///
  /// Every text stands in single quotes, so that nothing in it is run; characters that cannot be seen, or that turn the order of text, are
  /// written out between them, by `printf` and their bytes in octal digits. Bytes that are no text are written by `printf` where
  /// nothing is hidden, and otherwise counted: `(1234 bytes)`. A file is named, and a form of parts has an option for each, in which
  /// files in memory are counted. A stream is read from the standard input, which is yours to give. Framing is the tool's own, also
  /// the boundary of a form. The tool has no option for trailers: a command that does nothing names them first.
  ///
  /// - Parameter redaction: hides secrets; ``Redaction/standard`` by default. With ``Redaction/none`` the same bytes are
  ///   sent, and the line gives them away.
  public func curlCommand(redaction: Redaction = .standard) -> String {
    CurlCommand(request: self, redaction: redaction.hidingCredentials(of: self)).text
  }
}

/// Text as a POSIX shell takes it literally (IEEE Std 1003.1, section 2.2.2).
enum ShellQuoting {
  /// In single quotes, between which nothing has a meaning; a quote itself stands outside of them: `'it'\''s'`, and so does what cannot be
  /// seen: `'a'"$(printf '\342\200\256')"'b'`.
  static func quoted(_ text: String) -> String {
    // By scalars: with a combining character behind it a quote is another character of Swift's, and the same of the shell's.
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

  /// The shell leaves line feeds at the end of what a command wrote out, which none of these is.
  private static func append(_ hidden: inout String, to quoted: inout String.UnicodeScalarView) {
    guard !hidden.isEmpty else { return }
    quoted.append(contentsOf: "'\"$(\(printf(Data(hidden.utf8))))\"'".unicodeScalars)
    hidden = ""
  }

  /// A `printf` that writes the bytes, whatever they are.
  static func printf(_ bytes: Data) -> String {
    let escaped = bytes.map { byte in
      ASCII.isAlphanumeric(byte) ? String(Unicode.Scalar(byte)) : "\\" + octal(byte)
    }
    return "printf '\(escaped.joined())'"
  }

  /// Three digits, so that one that follows is not taken for a fourth.
  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
