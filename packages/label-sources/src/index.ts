export * from './label-source.js'
export { labelFormats } from './formats.js'
export { CSV_HEADER } from './csv.js'
