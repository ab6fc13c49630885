import '../../../../../read-models/src/index.js'
export {}
