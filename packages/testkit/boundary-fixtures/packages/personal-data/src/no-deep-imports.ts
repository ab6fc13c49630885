import '../../../../../postgres/src/errors.js'
export {}
