import '../../domain-is-pure.js'
export {}
