import Errand
import ErrandHARFormat
import Foundation

package enum HARCommand {
  private static let usage = """
    usage: errand-har list FILE
           errand-har check FILE
           errand-har clean FILE [--drop-unanswered] [--output FILE]

    list   prints every exchange, with secrets hidden.
    check  reports visible secrets, missing or broken bodies, exchanges without an answer, and invalid URLs. If check
           reports a problem, the exit code is 1.
    clean  hides secrets, sorts the entries, and removes times and browser-specific fields. --drop-unanswered also
           removes exchanges without an answer, which a replay repeats as failures. Without --output, clean overwrites
           FILE.

    """

  private enum Command {
    case list(String), check(String)
    case clean(String, output: String, dropsUnanswered: Bool)
  }

  private struct UsageError: Error { let problem: String? }

  /// Runs a command; returns the exit code: 0, 1 for problems and unusable files, 64 for invalid arguments.
  package static func run(_ arguments: [String], print: (String) -> Void) -> Int32 {
    do {
      switch try command(arguments) {
      case .list(let path): return try list(entries(of: path), by: print)
      case .check(let path): return try check(entries(of: path), by: print)
      case .clean(let path, let output, let dropsUnanswered):
        return try clean(entries(of: path), to: output, dropsUnanswered: dropsUnanswered, by: print)
      }
    } catch let error as UsageError {
      if let problem = error.problem { print("errand-har: \(problem)".printed) }
      print(usage)
      return 64
    } catch {
      print("\(error)")
      return 1
    }
  }

  private static func command(_ arguments: [String]) throws -> Command {
    guard let name = arguments.first else { throw UsageError(problem: nil) }
    guard ["list", "check", "clean"].contains(name) else {
      throw UsageError(problem: "there is no command \(name)")
    }
    var (files, output, dropsUnanswered) = ([String](), String?.none, false)
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      switch argument {
      case "--output" where name == "clean":
        guard let file = rest.popFirst() else { throw UsageError(problem: "--output needs a file name") }
        output = file
      case "--drop-unanswered" where name == "clean": dropsUnanswered = true
      case _ where argument.hasPrefix("--"): throw UsageError(problem: "\(name) has no option \(argument)")
      default: files.append(argument)
      }
    }
    guard files.count == 1 else { throw UsageError(problem: "\(name) takes one file, not \(files.count)") }
    switch name {
    case "list": return .list(files[0])
    case "check": return .check(files[0])
    default: return .clean(files[0], output: output ?? files[0], dropsUnanswered: dropsUnanswered)
    }
  }

  private static func entries(of path: String) throws -> RecordedEntries {
    try RecordedEntries(reading: URL(fileURLWithPath: path), redaction: .standard)
  }

  private static func list(_ recording: RecordedEntries, by print: (String) -> Void) -> Int32 {
    for (index, entry) in recording.entries.enumerated() {
      let redaction = entry.hidingCredentials
      let exchange = RecordedExchange(entry, number: index + 1, file: recording.file, redaction: redaction)
      let content = entry.response.content
      let size =
        content.isBroken ? "broken base64" : content.bytes.map { "\($0.count) bytes" } ?? "broken base64"
      let type = content.mimeType
      let answer = entry.response.status > 0 ? "\(exchange.status), \(size)" : "no answer"
      print(
        "\(exchange.line), \(answer)\(type.isEmpty ? "" : " of \(redaction.text(type))")".printed)
    }
    return 0
  }

  private static func check(_ recording: RecordedEntries, by print: (String) -> Void) -> Int32 {
    var count = 0
    for (index, entry) in recording.entries.enumerated() {
      let redaction = entry.hidingCredentials
      let exchange = RecordedExchange(entry, number: index + 1, file: recording.file, redaction: redaction)
      for problem in problems(of: entry) {
        count += 1
        print("\(exchange.line): \(redaction.text(problem))".printed)
      }
    }
    switch count {
    case 0:
      print("no problems in \(recording.entries.count) entr\(recording.entries.count == 1 ? "y" : "ies")")
    case 1: print("1 problem")
    default: print("\(count) problems")
    }
    return count == 0 ? 0 : 1
  }

  private static func clean(
    _ recording: RecordedEntries, to path: String, dropsUnanswered: Bool, by print: (String) -> Void
  ) throws -> Int32 {
    let kept = recording.entries.filter { !dropsUnanswered || $0.response.status > 0 }
    let cleaned = kept.map { $0.rewritten(by: $0.hidingAll) }
    try RecordedEntries.write(RecordingJournal.sorted(cleaned), to: URL(fileURLWithPath: path))
    let unanswered = recording.entries.count { $0.response.status <= 0 }
    let note =
      if unanswered == 0 {
        ""
      } else if dropsUnanswered {
        "; without an answer, removed: \(unanswered)"
      } else {
        "; without an answer: \(unanswered) (--drop-unanswered removes such entries)"
      }
    print("\(cleaned.count) \(cleaned.count == 1 ? "entry" : "entries") written to \(path)\(note)".printed)
    return 0
  }

  private static func problems(of entry: HAREntry) -> [String] {
    var problems: [String] = []
    if URL(string: entry.request.url)?.host() == nil { problems.append("the URL is invalid") }
    if entry.request.method.isEmpty { problems.append("there is no method") }
    if entry.response.status <= 0 { problems.append("there is no answer") }
    if let data = entry.request.postData, data.isBroken {
      problems.append("the request's body is not base64")
    }
    let content = entry.response.content
    if content.isBroken { problems.append("the body is not base64") }
    if content.text == nil, content.size > 0 { problems.append("the body was not recorded") }
    let places = entry.placesOfSecrets
    if !places.isEmpty { problems.append("secrets are visible: \(places.joined(separator: ", "))") }
    return problems
  }
}

extension HAREntry {
  func rewritten(by redaction: Redaction) -> HAREntry {
    var copy = self
    (copy.startedDateTime, copy.time, copy.timings, copy.comment) = ("", 0, HARTimings(), nil)
    copy.serverIPAddress = serverIPAddress.map(redaction.text)
    let (url, sent) = (URL(string: request.url), sentRequest)
    let answer = HARExchange(
      request: sent, requestBody: request.postData?.sentBytes ?? Data(),
      head: HTTPResponse(
        status: HTTPResponse.Status(max(response.status, 0)),
        headers: HTTPHeaders(har: response.headers, ofType: response.content.mimeType)),
      body: response.content.bytes ?? Data(),
      summary: TransportSummary(trailers: HTTPHeaders(har: response.trailers ?? [])), isWhole: true,
      times: nil)
    let hiding = redaction.hidingCredentials(of: sent)
    copy.request = rewritten(HARRequest(answer, redaction: hiding), hasURL: url != nil, by: hiding)
    copy.response = rewritten(HARResponse(answer, redaction: hiding), by: hiding)
    return copy
  }

  private var sentRequest: HTTPRequest {
    var sent = HTTPRequest(
      url: URL(string: request.url) ?? URL(fileURLWithPath: "/"), method: HTTPMethod(request.method),
      headers: HTTPHeaders(har: request.headers, ofType: request.postData?.mimeType),
      body: .data(request.postData?.sentBytes ?? Data()))
    sent.trailers = RequestTrailers(HTTPHeaders(har: request.trailers ?? []))
    return sent
  }

  fileprivate var hidingCredentials: Redaction { hidingAll.hidingCredentials(of: sentRequest) }

  private func rewritten(_ new: HARRequest, hasURL: Bool, by redaction: Redaction) -> HARRequest {
    var new = new
    if !hasURL { (new.url, new.queryString) = (redaction.text(request.url), []) }
    (new.method, new.httpVersion) = (redaction.text(request.method), redaction.text(request.httpVersion))
    new.headers = redaction.headers(HTTPHeaders(har: request.headers)).pairs
    if let data = request.postData, var written = new.postData {
      // Errand records only the length of a multipart body; the text of the length stays unchanged.
      if data.isCounted(as: written.mimeType) {
        (written.text, written.encoding) = (data.text, nil)
      } else if data.isBroken, !HARText.isMultipart(written.mimeType) {
        (written.text, written.encoding) = (
          data.content.keptBroken(type: written.mimeType, by: redaction), nil
        )
      }
      written.mimeType = redaction.text(written.mimeType)
      new.postData = written
    }
    // The length of a changed body would reveal the length of the secrets.
    if new.postData?.text == request.postData?.text { new.bodySize = request.bodySize }
    return new
  }

  private func rewritten(_ new: HARResponse, by redaction: Redaction) -> HARResponse {
    var new = new
    new.status = max(response.status, 0)
    new.statusText = redaction.text(response.statusText)
    new.httpVersion = redaction.text(response.httpVersion)
    new.error = response.error.map(redaction.text)
    let content = response.content
    if content.text == nil || content.isBroken {
      new.content = content
      let type = content.mimeType
      if content.isBroken { new.content.text = content.content.keptBroken(type: type, by: redaction) }
      new.content.comment = content.comment.map(redaction.text)
    }
    new.content.mimeType = redaction.text(new.content.mimeType)
    // For the redaction of the body, `rewritten(by:)` may have added a missing `Content-Type`.
    if HTTPHeaders(har: response.headers)["Content-Type"] == nil {
      new.headers.removeAll { $0.name.lowercased() == "content-type" }
    }
    return new
  }

  /// The standard redaction, which also hides JSON Web Tokens found in the URL, the fields and the bodies.
  var hidingAll: Redaction {
    let pairs = [request.headers, request.trailers, response.headers, response.trailers]
    let fields = pairs.compactMap(\.self).joined().map(\.value)
    // Without the NULs, ASCII text in UTF-16 or UTF-32 is readable as ASCII.
    let bodies = [request.postData?.bytes, response.content.bytes].map {
      String(decoding: ($0 ?? Data()).filter { $0 != 0 }, as: UTF8.self)
    }
    return .standard.hiding(secrets: BareTokens.found(in: [request.url] + fields + bodies))
  }

  var placesOfSecrets: [String] {
    let (shown, hidden) = (rewritten(by: .none), rewritten(by: hidingAll))
    var places: [String] = []
    if shown.request.url != hidden.request.url { places.append("the URL") }
    let texts: [(name: String, text: (HAREntry) -> String?)] = [
      ("the method", { $0.request.method }),
      ("the type of the request's body", { $0.request.postData?.mimeType }),
      ("the protocol", { "\($0.request.httpVersion) \($0.response.httpVersion)" }),
      ("the server's address", { $0.serverIPAddress }), ("the status text", { $0.response.statusText }),
      ("the error", { $0.response.error }), ("the type of the body", { $0.response.content.mimeType }),
      ("the comment of the body", { $0.response.content.comment }),
    ]
    places += texts.filter { $0.text(shown) != $0.text(hidden) }.map(\.name)
    places += Self.names(of: shown.request.headers, hidden: hidden.request.headers).map {
      "\($0) of the request"
    }
    if shown.request.postData?.text != hidden.request.postData?.text
      || isFormInTheClear(hidden.request.postData?.mimeType)
    {
      places.append("the request's body")
    }
    places += Self.names(of: shown.response.headers, hidden: hidden.response.headers).map {
      "\($0) of the response"
    }
    places += Self.names(of: shown.request.trailers ?? [], hidden: hidden.request.trailers ?? [])
      .map { "\($0) of the request's trailers" }
    if shown.response.content.text != hidden.response.content.text { places.append("the body") }
    places += Self.names(of: shown.response.trailers ?? [], hidden: hidden.response.trailers ?? [])
      .map { "\($0) of the trailers" }
    return places
  }

  /// Returns true if the entry contains a multipart request body, and not only the length of the body.
  ///
  /// Any part of the body may be a secret.
  private func isFormInTheClear(_ type: String?) -> Bool {
    guard let type, let data = request.postData else { return false }
    return HARText.isMultipart(type) && !data.isCounted(as: type)
  }

  private static func names(of shown: [HARPair], hidden: [HARPair]) -> [String] {
    // A field name may contain a secret too.
    zip(shown, hidden).filter { $0.value != $1.value || $0.name != $1.name }.map(\.1.name)
  }
}

extension HTTPHeaders {
  /// Creates the recorded fields; `type` becomes the `Content-Type` if the field is missing or `type` is
  /// multipart.
  fileprivate init(har pairs: [HARPair], ofType type: String?) {
    self.init(har: pairs)
    guard let type, !type.isEmpty else { return }
    if self["Content-Type"] == nil || HARText.isMultipart(type) { self["Content-Type"] = type }
  }
}

extension HARPostData {
  fileprivate var content: HARText { HARText(text: text, encoding: encoding) }
  fileprivate var isBroken: Bool { content.isBroken }

  fileprivate var sentBytes: Data { isBroken ? Data(text.utf8) : bytes }
}

extension HARContent {
  fileprivate var content: HARText { HARText(text: text ?? "", encoding: encoding) }
  fileprivate var isBroken: Bool { content.isBroken }
}

extension HARText {
  /// True for text marked as base64 that is not valid base64; whitespace is allowed.
  fileprivate var isBroken: Bool {
    guard encoding?.lowercased() == "base64" else { return false }
    return bytes(type: nil) == nil
      || !text.utf8.allSatisfy { Self.isDigit($0) || " \t\r\n=".utf8.contains($0) }
  }

  /// Returns invalid base64 text with secrets hidden.
  ///
  /// A missing character shifts the following digits, so the text is decoded from each of the first four
  /// digits. If a decoded text contains a secret, the whole text is hidden.
  fileprivate func keptBroken(type: String?, by redaction: Redaction) -> String {
    let digits = Data(text.utf8.compactMap(Self.standardDigit))
    let isHarmless = (0..<4).allSatisfy { start in
      let digits = digits.dropFirst(start)
      let readable = Data(base64Encoded: Data(digits.prefix(digits.count / 4 * 4))) ?? Data()
      let shown = [redaction, .none].map { HARText(readable, type: type, redaction: $0).text }
      return shown[0] == shown[1] && Self.hasHarmlessWords(readable, by: redaction)
    }
    return isHarmless ? redaction.body(Data(text.utf8), contentType: type) : Redaction.marker
  }

  private static func hasHarmlessWords(_ bytes: Data, by redaction: Redaction) -> Bool {
    let plain = bytes.filter { $0 != 0 }.map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }
    let text = String(decoding: plain, as: UTF8.self)
    return redaction.text(text) == text
  }

  private static func standardDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: isDigit(byte) ? byte : nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
