import Errand
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element of an XML document.
struct XMLElements: Sendable, Equatable {
  var name: String
  var attributes: [String: String] = [:]
  var text = ""
  var children: [XMLElements] = []

  /// The first child of a name.
  subscript(name: String) -> XMLElements? { children.first { $0.name == name } }
}

/// Reads a body as XML; a document with entities of its own, or with more than 100 levels, is refused.
struct XMLResponse {}

extension XMLResponse: ResponseSerializer {
  var accept: String? { "application/xml, text/xml;q=0.9" }

  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> XMLElements {
    // An entity may stand for a file of this machine, or for a billion of others.
    guard response.body.range(of: Data("<!ENTITY".utf8)) == nil else {
      throw Refusal("the XML is refused: it declares entities", kind: .decoding)
    }
    let parser = XMLParser(data: response.body)
    let reader = XMLReader()
    parser.delegate = reader
    let isWhole = parser.parse()
    if reader.isTooDeep {
      throw Refusal("the XML is refused: it has more than 100 levels", kind: .decoding)
    }
    guard isWhole, let root = reader.root else {
      throw Refusal(
        "the body is not XML: line \(parser.lineNumber), column \(parser.columnNumber)", kind: .decoding)
    }
    return root
  }
}

/// Puts the events of a parser together.
private final class XMLReader: NSObject, XMLParserDelegate {
  private(set) var root: XMLElements?
  private(set) var isTooDeep = false
  private var open: [XMLElements] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard open.count < 100 else {
      isTooDeep = true
      return parser.abortParsing()
    }
    open.append(XMLElements(name: name, attributes: attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if !open.isEmpty { open[open.count - 1].text += text }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    if !open.isEmpty { open[open.count - 1].text += String(decoding: block, as: UTF8.self) }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }
}
