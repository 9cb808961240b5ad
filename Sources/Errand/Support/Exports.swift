// `import Errand` also imports `ErrandJSON`, for example `JSONCoding`.
@_exported public import ErrandJSON
