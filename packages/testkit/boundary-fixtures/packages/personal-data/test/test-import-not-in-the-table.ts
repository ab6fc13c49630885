import '../../../../../webhooks/src/index.js'
export {}
