export {
  createTestDatabase,
  executeAt,
  migratedTemplate,
  openTestDatabase,
  queryAt,
  type DatabaseTemplate,
  type TestDatabase,
  type OpenTestDatabase,
} from './test-database.js'
export { noteSkip, sharedDataFolder } from './shared-data.js'
export { testKafka, type TestKafkaAccess } from './test-kafka.js'
export { newKafkaFolder, RECORD_FOLDER } from './kafka-folder.js'
export { startTestCluster, type TestBroker, type TestCluster } from './kafka-cluster.js'
export { skewMachineClock } from './machine-clock.js'
export { startEvmNode, type EvmNode } from './evm-node.js'
export {
  startBitcoinChain,
  type BitcoinChain,
  type StandInOutput,
  type StandInPayment,
} from './bitcoin-chain.js'
export {
  startEvmChain,
  type EvmChain,
  type EvmChainOptions,
  type StandInCall,
  type StandInContents,
  type StandInTransaction,
} from './evm-chain.js'
export { startTronChain, type StandInContract, type TronMeddle, type TronNodeChain } from './tron-chain.js'
export {
  IDENTITY_CLIENT,
  IDENTITY_SECRET,
  startIdentityProvider,
  type IdentityProvider,
} from './identity-provider.js'
export { scanFiles, type Scanned } from './raw-scan.js'
export { cosigner, signatureLine, signedText, type Cosigner } from './cosigner.js'
export {
  startTestWitness,
  type SeenCheckpoint,
  type TestWitness,
  type TestWitnessOptions,
  type WitnessAnswer,
} from './test-witness.js'
export { errorOf, openScriptedStore, type ScriptedStore, type StoreFault } from './scripted-store.js'
export { fetchS3Jars, s3Settings, startS3Server, type S3Server } from './s3-server.js'
export { makeCertificate, type CertificateOrder } from './certificates.js'
export { crashAt } from './crash.js'
export { killedAt } from './killed-at.js'
export { programArguments } from './test-program.js'
export { PATIENCE_MS, until } from './until.js'
export {
  assertWithin,
  casesWithin,
  drawnWithin,
  fewestCases,
  isLongRun,
  runSeed,
  type LongSuite,
} from './budget.js'
export { hostileReports, type HostileReport } from './hostile-reports.js'
export { hostileKinds, hostileStrings, numbersOf } from './hostile-strings.js'
export { comparePicture } from './pictures.js'
export { sampleJob, sampleJobs, type SampleJob } from './sample-jobs.js'
export {
  flowReport,
  hostileTexts,
  SAMPLE_ADDRESS,
  sampleCounterparties,
  sampleEvidence,
  sampleExposure,
  sampleExposureEvidence,
  sampleReport,
  sampleReports,
} from './sample-reports.js'
export {
  drawTrace,
  startTraceCollector,
  type CollectedRecord,
  type CollectedSpan,
  type TraceCollector,
} from './trace-collector.js'
export {
  hasPrometheus,
  startPrometheus,
  type Prometheus,
  type QueriedExemplar,
  type QueriedSeries,
  type TimeRange,
} from './prometheus.js'
export { memoryLog, memoryStore, type MemoryLog } from './memory-log/index.js'
