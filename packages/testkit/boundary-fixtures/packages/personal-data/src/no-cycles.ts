import './no-cycles-back.js'
export {}
