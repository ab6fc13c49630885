import '../../../../../projections/src/index.js'
export {}
