/** `cupel labels sources`: the lists in force, their age, and the sources that confirm them. */
import { compiledDefaultPolicy, compilePolicyText, judgeLists, type ListStatus } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { listSets, setFacts, type PublishedSet } from '../../read-model/index.js'
import { readActivePolicy } from '@cupel/policy/read-model'
import type { Command } from 'commander'
import { answer, snakeCase, table, type JsonOption, type CliContext, printable } from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'
import { sanctionsListHint } from './sanctions-list-hint.js'

const HELP = `
Status, under the policy in force:
  current      in force, and young enough, or not required to be
  old          required to be fresh, and its date, or the last time a refresh found it at the authority's own address, is too long ago
  incomplete   fewer or more of its labels are visible than were published: import it again; or rows of it could not be
               read: look at them and accept their number
  conflict     computed before another publication of the authority: import it again
  superseded   the authority's later whole list makes it history: it designates nobody
  withdrawn    it has no labels any more
  missing      expected by a refresh plan, and never published

All sets of one authority that are in force designate together. Only a whole list makes a green report possible.`

export function registerSources(labels: Command, context: CliContext): void {
  labels
    .command('sources')
    .summary('list the sets in force: how old they are, and who confirms them')
    .description(
      'List the current sets of labels with their date, their age, and whether all of their labels are here.',
    )
    .option('--json', 'answer in JSON')
    .addHelpText('after', HELP)
    .action(async (options: JsonOption) => {
      const state = await withConnections(context, ({ database }) => listState(database, new Date()))
      const { has_sanctions_list, items } = stateJson(state)
      answer(context, options, { has_sanctions_list, items }, () => textOf(state))
    })
}

interface ListedSet extends PublishedSet {
  readonly status: ListStatus
  readonly isRequired: boolean
  /** Since the later of the list's own date and its last confirmation; null where neither is known. */
  readonly ageHours: number | null
}

export interface ListState {
  readonly sets: readonly ListedSet[]
  readonly hasSanctionsList: boolean
}

/** The sets in force as a decision under the active policy would judge them at `now`. */
export async function listState(database: Queryable, now: Date): Promise<ListState> {
  const [sets, active] = [await listSets(database), await readActivePolicy(database)]
  const policy = active === null ? compiledDefaultPolicy : compilePolicyText(active.document)
  const judged = judgeLists(sets.map(setFacts), now.toISOString(), policy)
  return {
    hasSanctionsList: judged.hasSanctionsList,
    sets: sets.map((set, index) => {
      const { status, isRequired } = judged.labelSets[index]!
      // A list that nothing requires to be fresh, such as last year's own list, is not too old.
      const shown = status === 'old' && !isRequired ? 'current' : status
      return { ...set, status: shown, isRequired, ageHours: ageHours(set, now) }
    }),
  }
}

function ageHours({ asOf, confirmedAt }: PublishedSet, now: Date): number | null {
  const times = [asOf, confirmedAt].filter((time) => time !== null).map((time) => Date.parse(time))
  return times.length === 0 ? null : Math.max(0, Math.floor((now.getTime() - Math.max(...times)) / 3_600_000))
}

const stateJson = ({ sets, hasSanctionsList }: ListState) => ({
  has_sanctions_list: hasSanctionsList,
  items: sets.map(snakeCase),
})

function textOf({ sets, hasSanctionsList }: ListState): string {
  const paragraphs = [
    sets.length === 0 ? 'No labels were imported yet.' : table([HEADING, ...sets.map(row)]),
    ...remarks(sets),
    ...(hasSanctionsList ? [] : [sanctionsListHint()]),
  ]
  return paragraphs.join('\n\n')
}

const HEADING = [
  'STATUS',
  'SOURCE',
  'DATASET',
  'LIST',
  'DATE',
  'AGE',
  'CONFIRMED',
  'LABELS',
  'VISIBLE',
  'ROWS',
  'IMPORTED',
  'BY',
]

function row(set: ListedSet): string[] {
  const { status, source, dataset, authorityOrigin, whole, asOf, total, visible, publishedAt, importedBy } =
    set
  return [
    status,
    source === '' ? '-' : printable(source),
    printable(dataset),
    authorityOrigin === '' ? '-' : `${authorityOrigin}, ${whole ? 'whole' : 'part'}`,
    asOf?.slice(0, 10) ?? '-',
    ageText(set.ageHours),
    minute(set.confirmedAt),
    total.toLocaleString('en-US'),
    visible.toLocaleString('en-US'),
    rowsText(set.rows),
    publishedAt === '' ? 'never' : minute(publishedAt),
    `${printable(importedBy)}${set.refreshConfigured ? ', refreshed on a schedule' : ''}`,
  ]
}

/** All rows of the document, and what became of those that gave no label. */
function rowsText({ read, refused, skipped, unreadable }: PublishedSet['rows']): string {
  const left = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ]
  const total = (read + refused + skipped + unreadable).toLocaleString('en-US')
  return left.length === 0 ? total : `${total} (${left.join(', ')})`
}

const minute = (time: string | null): string =>
  time === null ? '-' : `${time.slice(0, 10)} ${time.slice(11, 16)}`

const ageText = (hours: number | null): string =>
  hours === null ? '-' : hours < 48 ? `${hours} h` : `${Math.floor(hours / 24).toLocaleString('en-US')} d`

function remarks(sets: readonly ListedSet[]): string[] {
  const said: string[] = []
  const inForce = sets.filter(({ status }) => !['missing', 'withdrawn', 'superseded'].includes(status))
  for (const origin of new Set(inForce.map(({ authorityOrigin }) => authorityOrigin))) {
    const own = inForce.filter(({ authorityOrigin }) => origin !== '' && authorityOrigin === origin)
    if (own.length > 1)
      said.push(
        `${origin} has ${own.length} sets in force, which designate together: ${own.map(nameOf).join(', ')}.`,
      )
  }
  for (const set of sets) {
    const { status, replacedBy } = set
    if (status === 'missing') said.push(`${nameOf(set)} never came. No report is green without it.`)
    if (replacedBy !== null) said.push(`${nameOf(set)} was replaced by ${nameOf(replacedBy)}.`)
    const unread = set.rows.unreadable - set.rows.accepted
    if (unread !== 0)
      said.push(
        `${nameOf(set)} has ${unread} ${unread === 1 ? 'row' : 'rows'} that cannot be read: no report is green until you look at ` +
          'each and import the list again with --accept-unreadable.',
      )
    if (status === 'conflict' || (status === 'incomplete' && set.visible !== set.total))
      said.push(
        `${nameOf(set)} is ${status === 'conflict' ? 'in conflict' : 'incomplete'}: no report is green until it is imported again.`,
      )
    if (status === 'old')
      said.push(
        `${nameOf(set)} is too old: no report is green until a later list is imported, or a refresh confirms this one.`,
      )
  }
  return said
}

const nameOf = ({ source, dataset }: { readonly source: string; readonly dataset: string }): string =>
  printable(source === '' ? dataset : `${source}/${dataset}`)
