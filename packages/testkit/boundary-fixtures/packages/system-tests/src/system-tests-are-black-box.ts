import '../../../../../postgres/src/index.js'
export {}
