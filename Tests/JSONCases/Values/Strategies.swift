import Foundation

struct Dates: CaseValue, Shaped {
  var at: Date, date: Date?, list: [Date], maybe: [Date?]?, byName: [String: Date]?,
    byNumber: [Int: Date]?,
    nested: [String: [Date]]?
  var period: ClosedRange<Date>?

  static let shape = Shape.object([
    .needs("at", .date), .may("date", .date), .needs("list", .array(.date)),
    .may("maybe", .array(.optional(.date))),
    .may("byName", .dictionary(.words, .date)), .may("byNumber", .dictionary(.integers, .date)),
    .may("nested", .dictionary(.words, .array(.date))), .may("period", .tuple([.date, .date])),
  ])

  func write(to trace: inout Trace) {
    trace.add(at, date, list, maybe, byName, byNumber, nested, period)
  }
}

struct Bytes: CaseValue, Shaped {
  var all: Data, maybe: Data?, list: [Data]?, byName: [String: Data]?

  static let shape = Shape.object([
    .needs("all", .bytes), .may("maybe", .bytes), .may("list", .array(.bytes)),
    .may("byName", .dictionary(.words, .bytes)),
  ])

  func write(to trace: inout Trace) { trace.add(all, maybe, list, byName) }
}

struct Links: CaseValue, Shaped {
  var link: URL, maybe: URL?, list: [URL]?, byName: [String: URL]?

  static let shape = Shape.object([
    .needs("link", .url), .may("maybe", .url), .may("list", .array(.url)),
    .may("byName", .dictionary(.words, .url)),
  ])

  func write(to trace: inout Trace) { trace.add(link, maybe, list, byName) }
}

struct Money: CaseValue, Shaped {
  var amount: Decimal, maybe: Decimal?, list: [Decimal]?, byName: [String: Decimal?]?

  static let shape = Shape.object([
    .needs("amount", .decimal), .may("maybe", .decimal), .may("list", .array(.decimal)),
    .may("byName", .dictionary(.words, .optional(.decimal))),
  ])

  func write(to trace: inout Trace) { trace.add(amount, maybe, list, byName) }
}

/// The types above and further types in one type.
struct Everything: CaseValue, Shaped {
  var dates: Dates?, bytes: Bytes?, links: Links?, money: Money?, person: Person?,
    payload: Payload?,
    drawing: Drawing?
  var dog: Dog?, wrapped: Wrapped?, anything: Anything?, dictionaries: Dictionaries?, probe: Probe?

  static let shape = Shape.object([
    .may("dates", Dates.shape), .may("bytes", Bytes.shape), .may("links", Links.shape),
    .may("money", Money.shape),
    .may("person", Person.shape), .may("payload", Payload.shape), .may("drawing", Drawing.shape),
    .may("dog", Dog.shape),
    .may("wrapped", Wrapped.shape), .may("anything", .anything),
    .may("dictionaries", Dictionaries.shape),
    .may("probe", Probe.shape),
  ])

  func write(to trace: inout Trace) {
    trace.add(
      dates, bytes, links, money, person, payload, drawing, dog, wrapped, anything, dictionaries,
      probe)
  }
}
