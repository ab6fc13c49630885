export { createTestDatabase } from './test-database.js'
export type { TestDatabase } from './test-database.js'
export { noteSkip, sharedDataFolder } from './shared-data.js'
export { newKafkaFolder, RECORD_FOLDER } from './kafka-folder.js'
