import './no-cycles.js'
export {}
