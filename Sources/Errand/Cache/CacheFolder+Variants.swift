import Foundation

/// The files of a single key, grouped in shelves and layouts.
///
/// The files of a ``VariantName/shelf`` have the same version and scope of a fixed lifetime, or no fixed
/// lifetime. Each shelf holds at most ``VariantName/most`` files. The files of a ``VariantName/layout``
/// differ only in header values.
extension CacheFolder {
  /// Returns all responses of a key.
  func responses(for key: CacheKey, _ name: CacheFileName) -> [CachedResponse] {
    Dictionary(grouping: names(of: name), by: CacheFileName.shelf(of:)).values
      .flatMap { bounded($0) }.compactMap { name in
        guard let (stored, response) = read(name), stored == key else { return nil }
        noteUse(name, of: response)
        return response
      }
  }

  /// Returns the candidate responses for a request.
  ///
  /// If a layout on the request's shelf has a single file, the method reads the file. If a layout has several
  /// files, the method reads the head of a file for the header names, then the file of the matching variant.
  func responses(
    for key: CacheKey, named name: CacheFileName, to question: VariantQuestion
  ) -> [CachedResponse] {
    let all = names(of: name)
    let shelf = CacheFileName(name, shelf: question.shelf).text
    let own = bounded(all.filter { $0.hasPrefix(shelf) })
    if !own.isEmpty {
      return Dictionary(grouping: own, by: CacheFileName.layout(of:)).values.compactMap {
        response(in: $0, of: key, after: name, to: question)
      }
    }
    // If the shelf has no file, the heads of up to four files explain the miss.
    return all.prefix(4).compactMap { read($0, extent: .head) }.filter { $0.0 == key }.map(\.1)
  }

  /// Returns the matching response among variants of a single layout, or else any response of the layout.
  private func response(
    in names: [String], of key: CacheKey, after prefix: CacheFileName, to question: VariantQuestion
  ) -> CachedResponse? {
    for name in names {
      guard let (stored, response) = read(name, extent: names.count == 1 ? .whole : .head), stored == key
      else {
        continue
      }
      let wanted =
        names.count == 1 ? name : CacheFileName(prefix, variant: question.variant(like: response)).text
      guard names.contains(wanted) else { return response }
      guard names.count > 1 else {
        noteUse(wanted, of: response)
        return response
      }
      guard let (owner, found) = read(wanted), owner == key else { return response }
      noteUse(wanted, of: found)
      return found
    }
    return nil
  }

  /// Records the use of a file.
  ///
  /// A response without `Vary` competes with no variant, so a use is recorded at most once a minute.
  private func noteUse(_ name: String, of response: CachedResponse) {
    noteUse(name, after: response.selectors.isEmpty ? 60 : 0)
  }

  /// Removes variants beyond the limit from the shelf of a new variant.
  func bound(shelfOf name: String) { _ = bounded(names(of: CacheFileName(shelfOf: name))) }

  /// Returns the files that stay on a shelf, and removes the least recently used files beyond the limit.
  private func bounded(_ names: [String]) -> [String] {
    guard names.count > VariantName.most else { return names }
    let sorted = names.map { (name: $0, used: timeOfUse($0)) }.sorted { $0.used > $1.used }.map(\.name)
    for name in sorted.dropFirst(VariantName.most) { remove(name) }
    return Array(sorted.prefix(VariantName.most))
  }
}
