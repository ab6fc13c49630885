/** `cupel labels refresh`: refreshes the lists of the refresh plan now, or shows their last refresh. */
import {
  announceLists,
  enterLists,
  listStatuses,
  previewRefreshes,
  readRefreshPlan,
  refreshDue,
  RefreshPlanError,
  type ListStatus,
  type RefreshedList,
  type RefreshRun,
} from '../../index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_CONFIG,
  EXIT_FAILED,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections, type Connections } from '@cupel/command-line/installation'

interface RefreshOptions extends JsonOption {
  readonly plan?: string
  readonly status?: boolean
  readonly dryRun?: boolean
}

const HELP = `
The plan is a JSON file (docs/labels.md):
  {"lists": [{"set": "sdn", "format": "ofac-xml", "url": "https://…/SDN.XML", "hosts": ["…"], "every": "6h"}]}`

export function registerRefresh(labels: Command, context: CliContext): void {
  labels
    .command('refresh [names...]')
    .summary('refresh the lists of the plan now')
    .description(
      `Refresh all lists of the plan (CUPEL_LABEL_REFRESH_FILE) now, or the named ones. A running installation refreshes lists when
they are due. A changed list is imported with the checks of \`labels import\`; an unchanged list is confirmed. After a failure
the published set stays and its age grows. Exits with ${EXIT_FAILED} if a list failed. With --dry-run it exits so too, and records nothing.`,
    )
    .option('--plan <file>', 'a plan other than CUPEL_LABEL_REFRESH_FILE')
    .option('--status', 'show the state of the lists and refresh nothing')
    .option('--dry-run', 'fetch the lists, show what would change, and change nothing')
    .option('--json', 'answer in JSON')
    .addHelpText('after', HELP)
    .action(async (names: readonly string[], options: RefreshOptions) => {
      const lists = chosen(await planOf(context, options), names)
      if (options.status === true) {
        const statuses = await withConnections(context, (connections) => statusesOf(connections, lists))
        return answer(context, options, { items: statuses.map(snakeCase) }, () => statusText(statuses))
      }
      const work = options.dryRun === true ? preview : refresh
      const runs = await withConnections(context, (connections) => work(connections, lists), {
        creates: options.dryRun !== true,
      })
      answer(context, options, { items: runs.map(runJson) }, () => runText(lists, runs))
      if (runs.some(({ succeeded }) => !succeeded)) process.exitCode = EXIT_FAILED
    })
}

async function planOf(context: CliContext, { plan }: RefreshOptions): Promise<readonly RefreshedList[]> {
  const file = plan === undefined ? (await context.config()).CUPEL_LABEL_REFRESH_FILE : context.path(plan)
  if (file === undefined)
    throw new CommandError(
      'There is no refresh plan: set CUPEL_LABEL_REFRESH_FILE or use --plan.',
      EXIT_USAGE,
    )
  try {
    return readRefreshPlan(file)
  } catch (error) {
    if (error instanceof RefreshPlanError)
      throw new CommandError(error.message, EXIT_CONFIG, { cause: error })
    throw error
  }
}

function chosen(lists: readonly RefreshedList[], names: readonly string[]): readonly RefreshedList[] {
  const unknown = names.find((name) => !lists.some((list) => list.name === name))
  if (unknown === undefined) return lists.filter(({ name }) => names.length === 0 || names.includes(name))
  const known = lists.map(({ name }) => name).join(', ')
  throw new CommandError(`The plan has no list ${unknown}; it has ${known}.`, EXIT_NOT_FOUND)
}

async function refresh(
  connections: Connections,
  lists: readonly RefreshedList[],
): Promise<readonly RefreshRun[]> {
  const deps = depsOf(connections, lists)
  await announceLists(deps)
  return await refreshDue(deps, { signal: never(), force: true })
}

const preview = (connections: Connections, lists: readonly RefreshedList[]): Promise<readonly RefreshRun[]> =>
  previewRefreshes(depsOf(connections, lists), never())

const never = (): AbortSignal => new AbortController().signal

const depsOf = (connections: Connections, lists: readonly RefreshedList[]) => ({
  ...connections,
  lists,
  labelView: connections.projectorRuns ? ('elsewhere' as const) : ('here' as const),
})

async function statusesOf(
  { database }: Connections,
  lists: readonly RefreshedList[],
): Promise<readonly ListStatus[]> {
  const names = lists.map(({ name }) => name)
  await enterLists(database, names)
  return await listStatuses(database, names)
}

const runJson = ({ name, outcome, detail, succeeded }: RefreshRun): unknown => ({
  name,
  outcome,
  detail,
  succeeded,
})

function runText(lists: readonly RefreshedList[], runs: readonly RefreshRun[]): string {
  const rows = lists.map(({ name }) => {
    const run = runs.find((one) => one.name === name)
    return run === undefined
      ? [name, 'busy', 'Another process is refreshing it.']
      : [name, run.outcome, run.detail ?? '']
  })
  return table([['LIST', 'OUTCOME', ''], ...rows])
}

function statusText(statuses: readonly ListStatus[]): string {
  return table([
    ['LIST', 'REFRESHED', 'CHANGED', 'LAST OUTCOME', 'FAILURES', 'DUE', ''],
    ...statuses.map(({ name, succeededAt, changedAt, outcome, failures, dueAt, detail, isRunning }) => [
      name,
      minute(succeededAt),
      minute(changedAt),
      isRunning ? 'running' : (outcome ?? '-'),
      String(failures),
      minute(dueAt),
      detail ?? '',
    ]),
  ])
}

const minute = (time: string | null): string =>
  time === null ? 'never' : `${time.slice(0, 10)} ${time.slice(11, 16)}`
