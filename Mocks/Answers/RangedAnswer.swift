import Errand
import Foundation

struct RangedAnswer {
  let whole: MockAnswer

  func answer(to method: HTTPMethod, requestHeaders: HTTPHeaders) -> MockAnswer {
    guard method == .get, whole.status == 200, hasBody, isCurrent(requestHeaders.values(for: "If-Range")),
      let range = ByteRange(requestHeaders.values(for: "Range"), of: whole.body.length)
    else { return whole }
    switch range {
    case .part(let part): return partial(part)
    case .unsatisfiable: return unsatisfiable
    }
  }

  private var hasBody: Bool {
    switch whole.content {
    case .data, .chunks: true
    case .failure, .steps: false
    }
  }

  private func isCurrent(_ conditions: [String]) -> Bool {
    guard let condition = conditions.first else { return true }
    guard conditions.count == 1 else { return false }
    if condition.hasSuffix("\"") { return condition.hasPrefix("\"") && condition == whole.headers["ETag"] }
    return condition == whole.headers["Last-Modified"] && hasStrongDate
  }

  /// True if `Last-Modified` is at least a second before `Date` (RFC 9110 section 8.8.2.2), or if there is no
  /// valid `Date`.
  private var hasStrongDate: Bool {
    guard let sent = HTTPResponse(headers: whole.headers).serverDate else { return true }
    let modified = HTTPResponse(headers: ["Date": whole.headers["Last-Modified"] ?? ""]).serverDate
    return modified.map { sent.timeIntervalSince($0) >= 1 } ?? false
  }

  private func partial(_ part: Range<Int>) -> MockAnswer {
    var copy = whole
    copy.status = 206
    copy.headers["Content-Length"] = nil
    copy.headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(whole.body.length)"
    switch whole.content {
    case .data(let data): copy.content = .data(data.dropFirst(part.lowerBound).prefix(part.count))
    case .chunks(let chunks, let gap): copy.content = .chunks(Self.cut(chunks, to: part), gap: gap)
    case .failure, .steps: break
    }
    return copy
  }

  private var unsatisfiable: MockAnswer {
    var copy = whole
    copy.status = 416
    copy.headers.fields.removeAll { $0.name.lowercased().hasPrefix("content-") }
    copy.headers["Content-Range"] = "bytes */\(whole.body.length)"
    copy.content = .data(Data())
    return copy
  }

  private static func cut(_ chunks: [Data], to part: Range<Int>) -> [Data] {
    var start = 0
    return chunks.compactMap { chunk in
      defer { start += chunk.count }
      let skipped = max(part.lowerBound - start, 0)
      let bytes = chunk.dropFirst(skipped).prefix(max(part.upperBound - start - skipped, 0))
      return bytes.isEmpty ? nil : bytes
    }
  }
}

/// A single byte range (RFC 9110 section 14.1.2).
private enum ByteRange {
  case part(Range<Int>)
  case unsatisfiable

  /// Parses the `Range` fields of a request; `nil` if the whole body is the answer.
  init?(_ fields: [String], of length: Int) {
    guard fields.count == 1 else { return nil }
    let words = fields[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let ends = words[1].trimmingCharacters(in: [" ", "\t"])
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
      return nil
    }
    switch (first, last) {
    case (nil, nil): return nil
    case (nil, let count?):
      if length == 0, count > 0 { return nil }
      self = count == 0 ? .unsatisfiable : .part(length - min(count, length)..<length)
    case (let first?, let last):
      if let last, last < first { return nil }
      self = first >= length ? .unsatisfiable : .part(first..<min(last ?? .max, length - 1) + 1)
    }
  }

  /// Parses digits; `.some(nil)` for an empty text, `nil` for a text with other characters.
  private static func number(_ digits: Substring) -> Int?? {
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return digits.isEmpty ? .some(nil) : .some(Int(digits) ?? .max)
  }
}
