// Whoever imports Errand has JSONCoding too.
@_exported public import ErrandJSON
