/** Starts long test files first, so that no worker ends with a long file while others are idle. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take long on two idle cores, the longest first, with a long budget if they have one. The order is a hint: if it is out of
 * date, a run takes somewhat longer. The table of the slowest files at the end of a run shows which files belong here.
 */
export const longest = [
  'services/cli/src/install/lost-database.long.e2e.test.ts',
  'services/cli/src/install/install.e2e.test.ts',
  'packages/system-tests/test/attack.long.e2e.test.ts',
  'packages/system-tests/test/jobs.e2e.test.ts',
  'packages/sdk-python/test/package.contract.test.ts',
  'services/api/test/schemathesis.long.e2e.test.ts',
  'packages/event-log/src/kafka/cluster-faults.long.kafka.test.ts',
  'packages/system-tests/test/cluster-faults/cluster-faults.long.e2e.test.ts',
  'services/cli/src/install/runbooks.long.e2e.test.ts',
  'services/cli/src/install/releases-side-by-side.long.e2e.test.ts',
  'packages/system-tests/test/proofs.long.e2e.test.ts',
  'packages/archive/test/s3-archive.long.int.test.ts',
  'packages/system-tests/test/public-topics.long.e2e.test.ts',
  'packages/report-pdf/test/conformance.int.test.ts',
  'services/cli/src/restore/signed-logs.long.int.test.ts',
  'packages/system-tests/test/faults.long.e2e.test.ts',
  'packages/system-tests/test/kills.e2e.test.ts',
  'services/cli/src/restore/drills.long.int.test.ts',
  'services/cli/src/restore/restore.int.test.ts',
  'packages/sdk-python/test/types.long.contract.test.ts',
  'services/web/test/bulk.long.e2e.test.ts',
  'packages/sdk-typescript/test/product.long.e2e.test.ts',
  'packages/system-tests/test/failpoints.long.e2e.test.ts',
  'packages/sdk-typescript/test/package.contract.test.ts',
  'services/web/test/console.e2e.test.ts',
  'packages/system-tests/test/sanctions-list.long.e2e.test.ts',
  'packages/sdk-python/test/product.long.e2e.test.ts',
  'packages/system-tests/test/bulk-kills.long.e2e.test.ts',
  'services/cli/src/start/start-cluster.long.e2e.test.ts',
  'packages/system-tests/test/webhook-kills.long.e2e.test.ts',
  'services/cli/src/start/start-kafka.long.e2e.test.ts',
  'packages/system-tests/test/rolling-restart.long.e2e.test.ts',
  'services/webhook-dispatcher/test/kills.int.test.ts',
  'packages/ledger/test/poisoning.int.test.ts',
  'services/cli/src/archive/s3.int.test.ts',
  'services/bulk-coordinator/test/kills.int.test.ts',
  'packages/system-tests/test/first-start.e2e.test.ts',
  'packages/domain/test/adversary.unit.test.ts',
  'packages/local-stack/src/postgres.int.test.ts',
  'packages/chain-data/test/providers.contract.test.ts',
  'services/cli/src/start/start.e2e.test.ts',
  'services/cli/src/audit/recompute.int.test.ts',
  'packages/checkpoints/test/tampering.unit.test.ts',
  'packages/domain/test/reference-knowledge.unit.test.ts',
  'packages/domain/test/reference-judgement.unit.test.ts',
  'packages/domain/test/reference-haircut.unit.test.ts',
  'packages/domain/test/reference-fifo-poison.unit.test.ts',
  'services/api/test/idempotency-histories.int.test.ts',
]

/** The listed files in their order, then the others in the order they came in. */
export function longestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rankOf = (file: File): number => {
    const place = longest.indexOf(pathOf(file))
    return place === -1 ? longest.length : place
  }
  return [...files].sort((a, b) => rankOf(a) - rankOf(b))
}

/** Vitest's own order keeps the files of a project together, so that they share workers. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    return longestFirst(await super.sort(files), ({ moduleId }) => relative(root, moduleId))
  }
}
