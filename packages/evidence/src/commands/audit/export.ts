/** `cupel audit export`: the audit log of every account, or of one, as newline-delimited JSON for other systems. */
import type { DomainEvent } from '@cupel/contracts'
import { missingFront, type EventLog } from '@cupel/event-log'
import type { Command } from 'commander'
import {
  snakeCase,
  type JsonOption,
  type CliContext,
  EXIT_FAILED,
  drained,
  momentOf,
} from '@cupel/command-line'
import { withConnections, type Connections } from '@cupel/command-line/installation'
import { readAuditEvents } from './audit-events.js'
import { auditedPlaces } from './audit-log.js'

interface ExportOptions extends JsonOption {
  readonly account?: string
  readonly since?: string
  readonly until?: string
}

/** Lines written at a time. */
const LINES_PER_WRITE = 500

export function registerExport(audit: Command, context: CliContext): void {
  audit
    .command('export')
    .summary('write the audit log as lines of JSON')
    .description(
      `Writes one line of JSON per event to standard output, oldest first: every call with a key, refused ones included,
calls without a known key (in full up to 20 a minute per client, then counted), and what operators did with accounts, keys,
policies, label sets and ledgers, with who and why. It is read from the log and ends where the log ended when it began.
Where a topic lacks its first records, it says so and ends with ${EXIT_FAILED}. With --account, only what concerns that account. The API shows an account its own part under GET /v1/audit-log.`,
    )
    .option('--account <id>', 'of this account only')
    .option('--since <date>', 'from this moment on (RFC 3339)')
    .option('--until <date>', 'before this moment (RFC 3339)')
    .option('--json', 'lines of JSON, as without it')
    .action(async (options: ExportOptions) => {
      const range = {
        accountId: options.account,
        since: momentOf('--since', options.since),
        until: momentOf('--until', options.until),
      }
      await withConnections(context, async (connections) => {
        await noteMissingFront(context, connections.log)
        let lines: string[] = []
        for await (const event of readAuditEvents(connections, range)) {
          lines.push(lineOf(event))
          if (lines.length < LINES_PER_WRITE) continue
          await write(context, connections, lines)
          lines = []
        }
        if (lines.length > 0) await write(context, connections, lines)
      })
    })
}

/** An export that lacks the oldest events must not look complete. */
async function noteMissingFront(context: CliContext, log: EventLog): Promise<void> {
  const topics = new Set((await auditedPlaces(log)).map(({ topic }) => topic))
  const missing = await missingFront(log, [...topics])
  if (missing === null) return
  context.note(`INCOMPLETE: ${missing}`)
  process.exitCode = EXIT_FAILED
}

function lineOf({ type, data, envelope }: DomainEvent): string {
  return JSON.stringify({ at: envelope.time, event_id: envelope.id, type, data }, spelled)
}

/** Names inside the data, as the API spells them. */
function spelled(_name: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? snakeCase(value) : value
}

async function write(
  context: CliContext,
  { personalData }: Connections,
  lines: readonly string[],
): Promise<void> {
  context.print(await personalData.openJson(lines.join('\n')))
  await drained()
}
