import '../../../../../event-log/src/index.js'
export {}
