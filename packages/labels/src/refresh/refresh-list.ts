/**
 * Refreshes one list: fetches it where it changed, imports it through the same importer and guards as an operator's file, and
 * confirms it where it did not. Whatever goes wrong, the set that is published stays, and grows older.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { confirmSets } from '../import/confirm-sets.js'
import { importLabels } from '../import/import-labels.js'
import type { LabelImportDeps } from '../import/import-request.js'
import { fetchList, noValidators, sha256OfFile, type Fetched, type FetchOptions } from './fetch-list.js'
import type { Place, RefreshedList } from './refresh-plan.js'
import type { ListState } from './schedule.js'

export const IMPORTER = 'cupel/label-refresher'
/** A set that was published so lately is fresh by any policy: confirming it again would only fill the log. */
const CONFIRM_AFTER_MS = 3_600_000

export interface RefreshOutcome {
  /** `imported`, `unchanged`, or a word for what went wrong. */
  readonly outcome: string
  /** A sentence; null where nothing is to be said. */
  readonly detail: string | null
  readonly succeeded: boolean
  readonly known: Pick<ListState, 'place' | 'etag' | 'lastModified' | 'sha256'> | null
}

export interface RefreshDeps extends LabelImportDeps {
  readonly signal: AbortSignal
  /** UTC. */
  readonly now: () => Date
}

/** Never rejects for what a source does; rejects where the log or the database cannot be reached. */
export async function refreshList(
  list: RefreshedList,
  state: ListState,
  deps: RefreshDeps,
): Promise<RefreshOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-label-refresh-'))
  try {
    const place = placeText(list.place)
    // What was known of another place, or of a file with a companion, says nothing of this one.
    const isSamePlace = state.place === place && list.companion === undefined
    const validators = isSamePlace && state.sha256 !== null ? state : noValidators
    const options = optionsOf(list, folder, deps)
    const fetched = await fetchList(list.place, { ...options, validators })
    if (fetched.kind === 'unchanged') {
      const confirmed = await confirm(list, state, deps)
      if (confirmed !== null) return confirmed
      // The set was replaced by another file meanwhile: this one has to be read after all.
      return await take(
        list,
        await fetchList(list.place, { ...options, validators: noValidators }),
        options,
        deps,
      )
    }
    return await take(list, fetched, options, deps)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function optionsOf(list: RefreshedList, folder: string, { signal, now }: RefreshDeps): FetchOptions {
  return {
    maxBytes: list.maxBytes,
    timeoutMs: list.timeoutMs,
    notBefore: notBeforeOf(list, now()),
    validators: noValidators,
    folder,
    fileName: `list${extensionOf(list.place)}`,
    signal,
  }
}

function notBeforeOf({ maxAgeMs }: RefreshedList, now: Date): string | undefined {
  return maxAgeMs === undefined ? undefined : new Date(now.getTime() - maxAgeMs).toISOString()
}

/** Null where no set in force came from the file that is unchanged. */
async function confirm(
  list: RefreshedList,
  state: ListState,
  deps: RefreshDeps,
): Promise<RefreshOutcome | null> {
  const now = deps.now()
  const result = await confirmSets(
    {
      source: list.source,
      dataset: list.set,
      sha256: state.sha256!,
      publishedBefore: new Date(now.getTime() - CONFIRM_AFTER_MS).toISOString(),
      notBefore: notBeforeOf(list, now),
      importedBy: IMPORTER,
    },
    deps,
  )
  if (result.status === 'replaced') return null
  if (result.status === 'too-old')
    return { outcome: 'too-old', detail: `${result.message}.`, succeeded: false, known: null }
  return { outcome: 'unchanged', detail: null, succeeded: true, known: state }
}

async function take(
  list: RefreshedList,
  fetched: Fetched,
  options: FetchOptions,
  deps: RefreshDeps,
): Promise<RefreshOutcome> {
  if (fetched.kind === 'unchanged')
    return refused('status', 'It is answered as unchanged, though nothing was known of it.')
  if (fetched.kind === 'failed') return refused(fetched.failure, fetched.detail)
  const companion =
    list.companion === undefined ? null : await fetchList(list.companion, companionOptions(options))
  if (companion !== null && companion.kind !== 'fetched')
    return refused('companion', companion.kind === 'failed' ? companion.detail : 'Its companion is missing.')
  const { source, set, format, category, chain } = list
  const result = await importLabels(
    {
      file: fetched.file,
      format,
      set,
      source,
      category,
      chain,
      companion: companion?.file,
      notBefore: options.notBefore,
      refreshConfigured: true,
      importedBy: IMPORTER,
    },
    deps,
  )
  if (result.status === 'refused') return refused(result.refusal, result.message)
  const { added, changed, retired, refused: rows, sha256 } = result
  const known = { place: placeText(list.place), ...fetched.validators, sha256 }
  const detail = `${added} added, ${changed} changed, ${retired} retired, ${rows.count} rows refused.`
  // A folder may have taken another file in between: then the hash says so, and it is read again.
  const isStill = list.place.kind === 'url' || (await sha256OfFile(fetched.file)) === sha256
  return { outcome: 'imported', detail, succeeded: true, known: isStill ? known : null }
}

const refused = (outcome: string, detail: string): RefreshOutcome => ({
  outcome,
  detail: detail.replace(/[.]?$/, '.'),
  succeeded: false,
  known: null,
})

const companionOptions = (options: FetchOptions): FetchOptions => ({
  ...options,
  fileName: 'companion',
  notBefore: undefined,
})

const placeText = (place: Place): string => (place.kind === 'url' ? place.url : place.path)

/** Formats are told by option; the ending is for whoever looks into the folder. */
function extensionOf(place: Place): string {
  const extension = extname(place.kind === 'url' ? new URL(place.url).pathname : place.path)
  return /^\.[a-z0-9]{1,10}$/i.test(extension) ? extension : ''
}
