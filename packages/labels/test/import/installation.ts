/** An installation on a separate database: the embedded log, the label view, and files to import. */
import { parseAddress } from '@cupel/domain'
import { readModels } from '@cupel/operation/read-models'
import { showLabels } from '../../src/read-model/queries.js'
import type { Label } from '../../src/read-model/labels.js'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  importLabels,
  labelsMigrations,
  type LabelImportRequest,
  type LabelImportResult,
  type LabelImportSummary,
} from '../../src/index.js'
import { type LabelImportDeps } from '../../src/import/import-request.js'

export interface ImportInstallation extends TestInstallation {
  readonly deps: LabelImportDeps
  /** Writes rows under the header of Cupel's CSV into a file and returns its path. */
  list(name: string, rows: readonly string[]): Promise<string>
  /** Imports like an operator. */
  import(file: string, options?: Partial<LabelImportRequest>): Promise<LabelImportResult>
  /** Like `import`; throws if the import is refused. */
  imported(file: string, options?: Partial<LabelImportRequest>): Promise<LabelImportSummary>
  /** The visible labels of an address, in the order of the log. */
  show(address: string, chain?: string): Promise<Label[]>
}

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

export async function startInstallation(): Promise<ImportInstallation> {
  const base = await openTestInstallation({
    ...{ migrations: [labelsMigrations], readModels, statementTimeoutMs: 0 },
  })
  const deps: LabelImportDeps = { ...base.deps, labelView: 'here' }

  async function run(file: string, options: Partial<LabelImportRequest> = {}): Promise<LabelImportResult> {
    return await importLabels({ file, format: 'csv', importedBy: 'operator:test', ...options }, deps)
  }

  return {
    ...base,
    deps,
    list: (name, rows) => base.file(name, [HEADER, ...rows, ''].join('\n')),
    import: run,
    async imported(file, options) {
      const result = await run(file, options)
      if (result.status === 'refused') throw new Error(`The import was refused: ${result.message}`)
      return result
    },
    async show(address, chain) {
      const parsed = parseAddress(address, chain)
      if (!parsed.ok) throw new Error(`${address} is not an address`)
      return await showLabels(base.database, { lookupKeys: [parsed.lookupKey] })
    },
  }
}
