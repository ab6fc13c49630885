export * from './address/index.js'
export * from './labels/index.js'
