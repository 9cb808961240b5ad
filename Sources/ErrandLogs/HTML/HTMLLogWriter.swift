import Errand
import Foundation

/// Writes events to pages; guarded by the queue of the recorder.
struct HTMLLogWriter {
  private struct Page {
    let first: Int
    let path: String
    var size: Int
  }

  private struct Piece {
    let page: Int
    var text: Data
    var events: Int
  }

  /// The size in bytes above which collected text is written.
  private static let pieceSize = 1_048_576

  private var folder: HTMLLogFolder
  private let limits: HTMLLogger.Limits
  /// The pages that may get further events, oldest first; the last page is the newest.
  private var pages: [Page] = []
  private var pageCount = 0
  private var latest = 0
  private var piece: Piece?
  private var unreported = 0
  private var oldestLeft = 0
  private var result: (lost: Int, problem: String?) = (0, nil)

  init(folder: HTMLLogFolder, limits: HTMLLogger.Limits) {
    (self.folder, self.limits) = (folder, limits)
  }

  var keptPages: Int { pages.count }

  /// Writes events.
  ///
  /// `dropped` is the number of events dropped since the last call.
  ///
  /// `oldest` is the number of the oldest dispatch that may have further events, or 0 if unknown.
  mutating func write(
    _ events: [HTMLLogEntry], dropped: Int, oldest: Int
  ) -> (lost: Int, problem: String?) {
    unreported += dropped
    result = (0, nil)
    for (event, left) in zip(events, Self.oldestLeft(after: events, oldest: oldest)) {
      oldestLeft = left
      add(event)
    }
    writePiece()
    if result.problem == nil { tellOfLost() }
    do throws(HTMLLogFolder.Failure) {
      try folder.linkNewestPage()
    } catch {
      if result.problem == nil { lose(0, because: error.problem, at: error.path) }
    }
    // No dispatch of the removed page has further events.
    while pages.count > 1, pages[1].first <= oldest { pages.removeFirst() }
    return result
  }

  private static func oldestLeft(after events: [HTMLLogEntry], oldest: Int) -> [Int] {
    var left = oldest
    return events.reversed().map { event in
      defer { left = min(left, event.number) }
      return left
    }.reversed()
  }

  private mutating func add(_ event: HTMLLogEntry) {
    do throws(HTMLLogFolder.Failure) {
      let page = try page(of: event.number)
      let text = HTMLLogBlock.text(of: event, limits)
      if let piece, piece.page != page || piece.text.count > Self.pieceSize { writePiece() }
      var piece = self.piece.take() ?? Piece(page: page, text: Data(), events: 0)
      piece.text += text
      piece.events += 1
      self.piece = piece
      // For a missing page, the size stays `.max`, so that the next dispatch gets a new page.
      pages[page].size =
        pages[page].size.addingReportingOverflow(text.count).overflow ? .max : pages[page].size + text.count
    } catch {
      lose(1, because: error.problem, at: error.path)
    }
  }

  private mutating func page(of number: Int) throws(HTMLLogFolder.Failure) -> Int {
    let isNew = number > latest
    latest = max(latest, number)
    if let index = pages.lastIndex(where: { $0.first <= number }) {
      let page = pages[index]
      let isFull =
        number - page.first >= max(limits.exchangesPerPage, 1) || page.size >= max(limits.pageSize, 1)
      if !isNew || !isFull { return index }
    }
    writePiece()
    let kept = oldestLeft < number ? pages.last { $0.first <= oldestLeft } ?? pages.first : nil
    let (path, size) = try folder.begin(page: pageCount + 1, keeping: kept?.path)
    link(to: pageCount + 1)
    pageCount += 1
    pages.append(Page(first: pageCount == 1 ? 1 : number, path: path, size: size))
    return pages.count - 1
  }

  /// Appends a link to the next page.
  ///
  /// An error is ignored, because the next page has a link back.
  private func link(to number: Int) {
    guard let last = pages.last else { return }
    try? HTMLLogFile.append(HTMLLogBlock.text(ofNext: number), to: last.path)
  }

  private mutating func writePiece() {
    guard let piece = piece.take() else { return }
    let path = pages[piece.page].path
    do throws(RegularFile.Problem) {
      try HTMLLogFile.append(piece.text, to: path)
    } catch {
      lose(piece.events, because: error, at: path)
      if access(path, F_OK) != 0 { pages[piece.page].size = .max }
    }
  }

  private mutating func lose(_ events: Int, because problem: RegularFile.Problem, at path: String) {
    result.lost += events
    unreported += events
    result.problem = "The log \(path) \(problem.clause)."
  }

  private mutating func tellOfLost() {
    guard unreported > 0, let page = pages.last else { return }
    do throws(RegularFile.Problem) {
      try HTMLLogFile.append(HTMLLogBlock.text(ofLost: unreported), to: page.path)
      unreported = 0
    } catch {
      lose(0, because: error, at: page.path)
    }
  }
}
