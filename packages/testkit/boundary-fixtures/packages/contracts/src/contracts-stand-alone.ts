import '../../../../../domain/src/index.js'
export {}
