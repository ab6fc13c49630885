/** The transparency log: a leaf for every event, signed checkpoints, tiles, and proofs valid without the installation (docs/adr/0318). */
export { extendLog, type Extended, type ExtendParts } from './extend-log.js'
export {
  compareTransparency,
  type CompareTransparencyOptions,
  type TransparencyComparison,
} from './compare/compare-transparency.js'
export type { LostRecords } from './compare/compare-records.js'
export type { LeafProblem, LeafProblemKind } from './compare/findings.js'
export { originOf } from './format/checkpoint.js'
export {
  faultOfPolicy,
  NO_WITNESSES,
  parseWitnessKey,
  witnessKeyText,
  type Cosignature,
  type WitnessKey,
  type WitnessPolicy,
} from './format/cosignature.js'
export { isProof } from './format/proof.js'
export type { ReferenceState, SealedReference } from './format/sealed-reference.js'
export { parseTilePath, tilePath, type TileName } from './format/tiles.js'
export { UnprovenReportError, verifyReport, type ProvenReport } from './format/verify-report.js'
export { transparencyMigrations } from './migrations.js'
export { publishFiles } from './publish-files.js'
export { transparencyFolder, type Published } from './published.js'
export { readCheckpoint, readProof, readPublicTile, readReportLeaf, type FoundProof } from './read-log.js'
export {
  MAX_TRANSPARENCY_REST_MS,
  startTransparency,
  type RunningTransparency,
  type TransparencyOptions,
} from './run-transparency.js'
export { TransparencyStoppedError } from './stopped.js'
export {
  forgetWitnesses,
  readCosigning,
  type CosigningState,
  type WitnessState,
} from './witness/cosigned-rows.js'
export { startWitnesses, type RunningWitnesses, type WitnessesOptions } from './witness/run-witnesses.js'
export {
  readWitnessSettings,
  WitnessesFileError,
  type Witness,
  type WitnessSettings,
} from './witness/witness-settings.js'
export { takeBackLeaves, type TakeBackParts, type TakenBack } from './take-back.js'
