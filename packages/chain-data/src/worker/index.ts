export type { AskedTransfer, Confirmation, Confirmations, Told } from './confirmations.js'
export { type HistoryStage, worstReading } from './history-stage.js'
export { type HistoryConfig, openHistoryStage } from './open-history-stage.js'
