export {
  answered,
  serveStandIn,
  renderAnswer,
  type StandIn,
  type StandInAnswer,
  type StandInQuestion,
  type StandInServer,
} from './stand-in.js'
export {
  etherscanStandIn,
  evmBlockAtS,
  evmBlockHash,
  evmNodeStandIn,
  evmTransaction,
  type EtherscanQuirks,
  type EvmChain,
  type EvmMovement,
} from './etherscan.js'
export {
  blockbookStandIn,
  esploraStandIn,
  type UtxoChain,
  type UtxoPart,
  type UtxoQuirks,
  type UtxoTransaction,
} from './bitcoin.js'
export { tronGridStandIn, type TronChain, type TronMovement, type TronQuirks } from './trongrid.js'
export { solanaStandIn, type SolanaLedger, type SolanaQuirks, type SolanaTransaction } from './solana.js'
