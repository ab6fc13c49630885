export { answered, serveStandIn, renderAnswer } from './stand-in.js'
export type { StandIn, StandInAnswer, StandInQuestion, StandInServer } from './stand-in.js'
export { etherscanStandIn, evmBlockAtS, evmBlockHash } from './etherscan.js'
export type { EtherscanQuirks, EvmChain, EvmMovement } from './etherscan.js'
