import Errand
import Foundation

/// Writes events into pages, and begins a new page when one is full; used by one thread at a time.
struct HTMLLogWriter {
  /// A page, and the number of the first dispatch on it; those before it are on the page before.
  private struct Page {
    let first: Int
    let path: String
    var size: Int
  }

  /// Text that is made, and not written yet.
  private struct Piece {
    /// The index of its page.
    let page: Int
    var text: Data
    var events: Int
  }

  /// How much text is made before it is written.
  private static let pieceSize = 1_048_576

  private var folder: HTMLLogFolder
  private let limits: HTMLLogger.Limits
  /// Those that a dispatch may still be written to.
  private var pages: [Page] = []
  /// How many were begun.
  private var pageCount = 0
  /// The largest number that was met.
  private var latest = 0
  private var piece: Piece?
  /// The lost events that no page tells of yet.
  private var untold = 0
  /// Of the events that are being written, how many are lost, and why.
  private var result: (lost: Int, problem: String?) = (0, nil)

  init(folder: HTMLLogFolder, limits: HTMLLogger.Limits) {
    (self.folder, self.limits) = (folder, limits)
  }

  /// How many pages it keeps in mind.
  var keptPages: Int { pages.count }

  /// Writes events in order.
  ///
  /// - Parameters:
  ///   - dropped: how many others were dropped since.
  ///   - oldest: the number of the oldest dispatch that has events to come.
  /// - Returns: how many of them are lost, and why.
  mutating func write(
    _ events: [HTMLLogEntry], dropped: Int, oldest: Int
  ) -> (lost: Int, problem: String?) {
    untold += dropped
    result = (0, nil)
    for event in events { add(event) }
    writePiece()
    if result.problem == nil { tellOfLost() }
    do throws(HTMLLogFolder.Failure) {
      try folder.linkNewestPage()
    } catch {
      if result.problem == nil { lose(0, because: error.problem, at: error.path) }
    }
    // The list of them would grow with the dispatches otherwise.
    while pages.count > 1, pages[1].first <= oldest { pages.removeFirst() }
    return result
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
      // A size that is the largest there is says that the page is gone.
      pages[page].size =
        pages[page].size.addingReportingOverflow(text.count).overflow ? .max : pages[page].size + text.count
    } catch {
      lose(1, because: error.problem, at: error.path)
    }
  }

  /// The page of a dispatch: a new one for one that begins when the last is full.
  private mutating func page(of number: Int) throws(HTMLLogFolder.Failure) -> Int {
    let isNew = number > latest
    latest = max(latest, number)
    if let index = pages.lastIndex(where: { $0.first <= number }) {
      let page = pages[index]
      let isFull =
        number - page.first >= max(limits.exchangesPerPage, 1) || page.size >= max(limits.pageSize, 1)
      // What began on a page ends there, however full it is.
      if !isNew || !isFull { return index }
    }
    writePiece()
    let (path, size) = try folder.begin(page: pageCount + 1)
    link(to: pageCount + 1)
    pageCount += 1
    pages.append(Page(first: pageCount == 1 ? 1 : number, path: path, size: size))
    return pages.count - 1
  }

  /// Says on the page that is full which one follows; where that cannot be written, the one that follows leads back.
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
      // It was removed, perhaps with its folder: what begins next has another.
      if access(path, F_OK) != 0 { pages[piece.page].size = .max }
    }
  }

  private mutating func lose(_ events: Int, because problem: RegularFile.Problem, at path: String) {
    result.lost += events
    untold += events
    result.problem = "The log \(path) \(problem.clause)."
  }

  /// Writes on the newest page how many events are missing.
  private mutating func tellOfLost() {
    guard untold > 0, let page = pages.last else { return }
    do throws(RegularFile.Problem) {
      try HTMLLogFile.append(HTMLLogBlock.text(ofLost: untold), to: page.path)
      untold = 0
    } catch {
      lose(0, because: error, at: page.path)
    }
  }
}
