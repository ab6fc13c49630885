/**
 * The transparency log: a leaf for every record, signed checkpoints, tiles, and proofs valid without the installation (docs/adr/0318). It is
 * what a changed, shortened or replaced log is compared with.
 */
export { readAcceptedLosses, type Acceptance, type AcceptedLosses } from './accepted-losses.js'
export {
  archiveFault,
  readArchives,
  retireArchive,
  storeArchive,
  storeArchiveBegun,
  storeArchiveFailure,
} from './archives.js'
export { extendLog } from './extend-log.js'
export {
  compareTransparency,
  type CompareTransparencyOptions,
  type TransparencyComparison,
} from './compare/compare-transparency.js'
export { createRunComparison, type ComparedRun, type LeafRun } from './compare/record-check.js'
export type { KeptHead } from './compare/kept-head.js'
export type { LeafProblem, LeafProblemKind } from './compare/findings.js'
export { logKey, openCheckpoint } from './format/checkpoint.js'
export { policyText } from './format/policy.js'
export {
  faultOfPolicy,
  NO_WITNESSES,
  parseWitnessKey,
  type Cosignature,
  type WitnessPolicy,
} from './format/cosignature.js'
export { isProof, type SealedReference } from './format/proof.js'
export { parseTilePath, type TileName } from './format/tiles.js'
export {
  UnprovenReportError,
  verifyReport,
  type ProvenEntry,
  type ProvenReport,
} from './format/verify-report.js'
export { offsetsBeforeKeys } from './keys/offsets-before-keys.js'
export { publishedKeys, publishKeys, unpublishedKeys } from './keys/publish-keys.js'
export { isLogSigned, openRecordSigner } from './keys/record-signer.js'
export {
  CHECKPOINTS_FOLDER,
  evidenceSettings,
  evidenceStores,
  installationKeys,
  openPublishedStore,
  SIGNING_KEYS_FILE,
  signingKeysFile,
  type EvidenceConfig,
  type EvidenceSettings,
  type SigningConfig,
} from './keys/settings.js'
export { transparencyMigrations } from './migrations.js'
export { acceptLoss, acceptShorter, findLoss, type Loss } from './operators/accept-shorter.js'
export { adoptLog, type AdoptedLog } from './operators/adopt-log.js'
export { adoptRestoredLog } from './operators/adopt-restored-log.js'
export { lostRecords } from './operators/lost-records.js'
export { publishFiles } from './publish-files.js'
export { storeOfLog, transparencyFolder } from './published.js'
export { publishedBucket } from './store/published-bucket.js'
export { publishedFolder } from './store/published-folder.js'
export type { PublishedStore } from './store/published-store.js'
export { recordedLeafReader } from './recorded-leaf.js'
export {
  readCheckpoint,
  readProof,
  readPublicTile,
  readReportLeaf,
  type FoundProof,
  type ProvableEntry,
} from './read-log.js'
export { startTransparency, type RunningTransparency } from './run-transparency.js'
export { readStanding, standstillOf } from './standing.js'
export { TransparencyStoppedError } from './transparency-stopped.js'
export { forgetWitnesses, readCosigning, uncosignedOf } from './witness/cosigned-rows.js'
export { startWitnesses, type RunningWitnesses } from './witness/run-witnesses.js'
export { readWitnessSettings, type WitnessSettings } from './witness/witness-settings.js'
export { takeBackLeaves } from './take-back.js'
