import '../../../../src/index.js'
export {}
