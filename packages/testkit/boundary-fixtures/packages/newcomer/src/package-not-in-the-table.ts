import '../../../../../contracts/src/index.js'
export {}
