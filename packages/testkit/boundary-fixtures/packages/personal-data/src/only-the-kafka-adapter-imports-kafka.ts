import '../../../../../event-log/node_modules/kafkajs/index.js'
export {}
