import '../../../../../../services/scorer/src/index.js'
export {}
