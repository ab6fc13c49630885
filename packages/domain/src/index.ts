export * from './address/index.js'
