/// Writes the account of a dispatch as a table.
struct ReportTable {
  private let report: ExchangeReport

  init(_ report: ExchangeReport) {
    self.report = report
  }

  var text: String {
    var lines = [heading, ending]
    if report.turnWait.isShown { lines.append("Waited \(report.turnWait.seconds) for its turn.") }
    if !report.attempts.isEmpty { lines += [""] + table }
    return lines.joined(separator: "\n").printed
  }

  private var heading: String {
    guard let first = report.attempts.first, let request = first.request else {
      return "Request \(report.id)"
    }
    let url = report.link.redaction(reporting: request).url(first.redirects.first?.from ?? request.url)
    // Whoever was redirected may have begun with another method.
    return "Request \(report.id): \(first.redirects.isEmpty ? "\(request.method) " : "")\(url)"
  }

  private var ending: String {
    let result =
      switch report.outcome {
      case .success: "Success"
      case .failure: "Failure"
      case .cancelled: "Cancelled"
      }
    let count = report.attempts.count
    return "\(result) at \(report.lastStage) after \(report.elapsed.seconds),"
      + " \(count) attempt\(count == 1 ? "" : "s")."
  }

  private var table: [String] {
    let rows = report.attempts.map(AttemptRow.init)
    let cells = [AttemptRow.titles] + rows.map(\.cells)
    let widths = AttemptRow.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    let margin = String(repeating: " ", count: widths[0] + 2)
    let notes = [[]] + rows.map { $0.notes.map { margin + $0 } }
    return zip(cells, notes).flatMap { [Self.line($0, widths)] + $1 }
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
    var line = padded.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}
