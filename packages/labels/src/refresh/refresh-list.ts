/**
 * Refreshes one list. A changed list is imported with the same checks as an operator's file; an unchanged one is confirmed. After any
 * failure the published set stays and its age grows.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { confirmSets } from '../import/confirm-sets.js'
import { importLabels } from '../import/import-labels.js'
import type { LabelImportDeps } from '../import/import-request.js'
import { checkedDigest, statedDigests } from './checksum.js'
import { fetchList, noValidators, sha256OfFile, type Fetched, type FetchOptions } from './fetch-list.js'
import type { Place, RefreshedList } from './refresh-plan.js'
import type { KnownFile, ListState } from './schedule.js'

export const IMPORTER = 'cupel/label-refresher'
/** A set published more recently is fresh under any policy, so confirming it would only add records to the log. */
const CONFIRM_AFTER_MS = 3_600_000

export interface RefreshOutcome {
  /** `imported`, `unchanged`, `would-import`, or a code for the failure. */
  readonly outcome: string
  /** One sentence; null if there are no details. */
  readonly detail: string | null
  readonly succeeded: boolean
  readonly known: KnownFile | null
}

export interface RefreshDeps extends LabelImportDeps {
  readonly signal: AbortSignal
  /** UTC. */
  readonly now: () => Date
}

/** Rejects only if the log or the database is unavailable; a fault of the source is an outcome. */
export async function refreshList(
  list: RefreshedList,
  state: ListState,
  deps: RefreshDeps,
): Promise<RefreshOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-label-refresh-'))
  try {
    const place = placeText(list.place)
    // Validators of another place do not apply, and a list with a companion is always fetched.
    const isSamePlace = state.place === place && list.companion === undefined
    const validators = isSamePlace && state.sha256 !== null ? state : noValidators
    const options = optionsOf(list, folder, deps)
    // The time before the request: a list served later may already be another one.
    const confirmed = { at: deps.now().toISOString(), authorities: list.authorities }
    const fetched = await fetchList(list.place, { ...options, validators })
    if (fetched.kind === 'unchanged' && (await isStillStated(list, state, options))) {
      const outcome = await confirm(list, state, confirmed, deps)
      if (outcome !== null) return outcome
    }
    // Another file replaced the set in the meantime, or the set or the file is in doubt, so this one must be read.
    const whole =
      fetched.kind === 'unchanged'
        ? await fetchList(list.place, { ...options, validators: noValidators })
        : fetched
    return await take(list, whole, { ...options, confirmed }, deps)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A server may answer "unchanged" of a file of which the publisher no longer states the checksum. */
async function isStillStated(
  { checksum }: RefreshedList,
  { statedDigest }: ListState,
  options: FetchOptions,
): Promise<boolean> {
  if (checksum === undefined) return true
  const stated = await statedDigests(checksum, options)
  return statedDigest !== null && 'digests' in stated && stated.digests.has(statedDigest)
}

/** Fetches a list whole and says what its import would change. Nothing is recorded. Rejects as `refreshList`. */
export async function previewList(list: RefreshedList, deps: RefreshDeps): Promise<RefreshOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-label-refresh-'))
  try {
    const options = optionsOf(list, folder, deps)
    const confirmed = { at: deps.now().toISOString(), authorities: list.authorities }
    const fetched = await fetchList(list.place, options)
    return await take(list, fetched, { ...options, confirmed, dryRun: true }, deps)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** When the list was requested, and which authorities own its address. */
type Confirmed = { readonly at: string; readonly authorities: readonly string[] }

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

/** Null if no current set came from the unchanged file. */
async function confirm(
  list: RefreshedList,
  state: ListState,
  confirmed: Confirmed,
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
      confirmed,
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
  options: FetchOptions & { readonly confirmed: Confirmed; readonly dryRun?: boolean },
  deps: RefreshDeps,
): Promise<RefreshOutcome> {
  if (fetched.kind === 'unchanged')
    return refused('status', 'The server answered "unchanged" to a request without validators.')
  if (fetched.kind === 'failed') return refused(fetched.failure, fetched.detail)
  const checked =
    list.checksum === undefined ? null : await checkedDigest(list.checksum, fetched.file, options)
  if (checked !== null && 'fault' in checked) return refused('checksum', checked.fault)
  const companion =
    list.companion === undefined ? null : await fetchList(list.companion, companionOptions(options))
  if (companion !== null && companion.kind !== 'fetched')
    return refused(
      'companion',
      companion.kind === 'failed' ? companion.detail : 'The companion file is missing.',
    )
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
      dryRun: options.dryRun,
      whole: list.whole,
      confirmed: options.confirmed,
      acceptUnreadable: list.acceptUnreadable?.rows,
      reason: list.acceptUnreadable?.reason,
      importedBy: IMPORTER,
    },
    deps,
  )
  if (result.status === 'refused') return refused(result.refusal, result.message)
  const { added, changed, retired, refused: rows, unreadable, sha256, sets, warnings } = result
  if (sets.every(({ historical }) => historical)) return refused('older', warnings.join('. '))
  const statedDigest = checked?.digest ?? null
  const known = { place: placeText(list.place), ...fetched.validators, sha256, statedDigest }
  const detail = `${added} added, ${changed} changed, ${retired} retired, ${rows.count} rows refused, ${unreadable.count} unreadable.`
  // A folder may have received another file in the meantime; the hash shows it, and the next refresh reads that file.
  const isStill = list.place.kind === 'url' || (await sha256OfFile(fetched.file)) === sha256
  return {
    outcome: options.dryRun === true ? 'would-import' : 'imported',
    detail,
    succeeded: true,
    known: isStill ? known : null,
  }
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

/** The plan states the format; the extension only helps people who read the folder. */
function extensionOf(place: Place): string {
  const extension = extname(place.kind === 'url' ? new URL(place.url).pathname : place.path)
  return /^\.[a-z0-9]{1,10}$/i.test(extension) ? extension : ''
}
