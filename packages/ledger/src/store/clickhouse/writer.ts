/** Writes the transfers of an import to ClickHouse. Every row is new, and counts once the transaction of Postgres is committed that counts its writing. */
import type { Database, Transaction } from '@cupel/postgres'
import type { Batch } from '../../batch.js'
import { LedgerFileError } from '../../formats/ledger-file-error.js'
import type { KeptTransfer } from '../../formats/ledger-row.js'
import { createIdSet, type KnownIds } from '../../known-ids.js'
import { notedSums } from '../../row-sums.js'
import { restartSegments } from '../postgres-writer.js'
import type { StoredTransfers, StorePlace, TransferWriter } from '../transfer-writer.js'
import type { ClickHouse } from './client.js'
import { countTimed, isNotTold, retiredOrMoved, versionsInRange, versionsWithout } from './ranges.js'
import { beginRun, requireRuns } from './runs.js'
import type { ToldVersion } from './told-lines.js'
import { differs, toldAgain, toldVersion, type Version } from './versions.js'
import { createWriting } from './writing.js'

/** Each insert makes a part of each table, and merging parts costs more than reading a larger batch. */
const BATCH_TRANSFERS = 50_000

export function transferWriterIn(
  database: Database,
  clickHouse: ClickHouse,
  batchTransfers = BATCH_TRANSFERS,
): TransferWriter {
  const { begun, written, write, revise, versionsOf } = createWriting(database, clickHouse)
  return {
    engine: 'clickhouse',
    batchTransfers,
    async restartOthers(transaction, state) {
      await requireRuns(transaction, clickHouse)
      await restartSegments(transaction, state)
      await beginRun(transaction, state, () => newestBegun(clickHouse))
      return await notedSums(transaction)
    },
    async knownIds(state) {
      const { run, runKey, isFirst } = await begun(state)
      await clickHouse.insert('begun', ['run', 'run_key'], `${run}\t${runKey}`)
      return knownIds(isFirst)
    },
    index: () => Promise.resolve(),
    async store(transaction, batch, place) {
      const told = await toldVersions(transaction, batch, place)
      const ids = [...batch.transfers.keys()]
      const known = place.areNew
        ? new Map<string, Version>()
        : await versionsOf(transaction, place.state, ids)
      const { versions, stored } = versionsToWrite(told, known, { batch, place })
      return { ...stored, sums: await write(transaction, place.state, versions) }
    },
    async prove(transaction, { outcomes }, state) {
      const versions: Version[] = []
      for (const version of (await versionsOf(transaction, state, [...outcomes.keys()])).values()) {
        const fact = outcomes.get(version.id) === true ? 'proven' : 'failed'
        if (version[fact] === 0) versions.push({ ...version, [fact]: state.segmentId })
      }
      await revise(transaction, state, versions)
      return versions.length
    },
    async countContradicted(transaction, { outcomes }, state) {
      const failed = [...outcomes].flatMap(([id, succeeded]) => (succeeded ? [] : [id]))
      const known = await versionsOf(transaction, state, failed)
      return [...known.values()].filter(({ proven }) => proven !== 0 && proven !== state.segmentId).length
    },
    async retire(transaction, state, range) {
      let retired = 0
      const before = await written(transaction, state)
      await revise(transaction, state, await versionsWithout(clickHouse, before, { state, range }))
      for await (const versions of versionsInRange(clickHouse, before, { state, range })) {
        const gone = versions
          .filter((one) => isNotTold(one, state, range))
          .map((one) => retiredOrMoved(one, state, range))
        await revise(transaction, state, gone)
        retired += gone.filter((one) => one.retired !== 0).length
      }
      return retired
    },
    // No row is a call without a name: `versionsToWrite` refuses such a file.
    nameCalls: () => Promise.resolve(),
    countTimed: async (transaction, state) =>
      await countTimed(transaction, clickHouse, { state, written: await written(transaction, state) }),
  }
}

async function newestBegun(clickHouse: ClickHouse): Promise<number> {
  const [line] = await clickHouse.rows('SELECT max(run) FROM begun')
  return Number(line![0])
}

/** A chain without rows is filled without a look at them, until an id comes a second time. */
function knownIds(isFirst: boolean): KnownIds {
  let ids = isFirst ? createIdSet() : null
  return {
    areNew(more, findsRows) {
      if (ids !== null && !findsRows && [...more].every(ids.add)) return Promise.resolve(true)
      ids = null
      return Promise.resolve(false)
    },
  }
}

/** As the file tells them, with the numbers of addresses. */
async function toldVersions(
  transaction: Transaction,
  { segmentId, transfers, owners }: Batch,
  { state, numbers: { addresses } }: Pick<StorePlace, 'state' | 'numbers'>,
): Promise<readonly Version[]> {
  const ends: string[] = []
  for (const { from, to } of transfers.values()) ends.push(from, to)
  for (const owner of owners.keys()) ends.push(owner)
  const numbers = await addresses.numbersOf(transaction, state.chain, ends)
  let end = 0
  return [...transfers].map(([id, transfer]) => {
    refuseNameless(transfer)
    end += 2
    return toldVersion(id, transfer, { segmentId, from: numbers[end - 2]!, to: numbers[end - 1]! })
  })
}

function refuseNameless({ kind, txHash }: KeptTransfer): void {
  if (kind !== 'internal' || txHash !== '') return
  throw new LedgerFileError(
    'A ledger on ClickHouse takes no calls without the hash of their transaction, such as traces of geth: import traces with hashes, or use Postgres',
    null,
  )
}

function versionsToWrite(
  told: readonly Version[],
  known: ReadonlyMap<string, Version>,
  { batch: { uncounted }, place: { state } }: { readonly batch: Batch; readonly place: StorePlace },
): { readonly versions: readonly ToldVersion[]; readonly stored: Omit<StoredTransfers, 'sums'> } {
  const versions: ToldVersion[] = []
  let [added, retired] = [0, 0]
  for (const version of told) {
    const earlier = known.get(version.id)
    const counted = uncounted.has(version.id) ? 0 : 1
    if (earlier === undefined) {
      versions.push({ version, revises: false, changes: true })
      added += counted
      continue
    }
    const next = toldAgain(earlier, version, state)
    if ((next ?? earlier).retired !== 0) retired += counted
    const changes = next !== null && differs(next, earlier)
    // Only a file that replaces its range asks what it has told.
    if (next !== null && (changes || state.replaces)) versions.push({ version: next, revises: true, changes })
  }
  return { versions, stored: { added, retired, areAsTold: known.size === 0 } }
}
