import Foundation

/// The links of a response (RFC 8288 section 3), read as its appendix B says: what is broken is passed over.
struct LinkHeader {
  struct Link {
    let target: String
    /// In lower case.
    let relations: [String]
    let anchor: String?
  }

  let links: [Link]

  init(_ headers: HTTPHeaders) {
    links = headers.values(for: "Link").flatMap { value in
      var scanner = LinkScanner(value)
      var links: [Link] = []
      while let link = scanner.link() { links.append(link) }
      return links
    }
  }

  /// The target of the first link of a relation that is of the resource at `url`.
  func target(of relation: String, from url: URL) -> String? {
    let relation = relation.lowercased()
    return links.first { $0.relations.contains(relation) && $0.isLink(of: url) }?.target
  }
}

extension LinkHeader.Link {
  /// Whether its context is the resource at `url`, not a part of it or another one (RFC 8288 section 3.2).
  fileprivate func isLink(of url: URL) -> Bool {
    guard let anchor else { return true }
    guard !anchor.utf8.contains(0x23), let base = URLParts(absolute: url.absoluteString) else { return false }
    guard let context = base.resolve(anchor), let own = base.resolve("") else { return false }
    return context == own
  }
}
