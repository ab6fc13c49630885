export * from './start-standalone.js'
