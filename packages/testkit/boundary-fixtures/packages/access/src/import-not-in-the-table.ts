import '../../../../../service-kit/src/index.js'
export {}
