export { readAddressFile } from './address-file.js'
export { createProgressBar, progressLine } from './progress-bar.js'
export { registerBulk } from './register.js'
