import '../../../../../kit/src/service/index.js'
export {}
