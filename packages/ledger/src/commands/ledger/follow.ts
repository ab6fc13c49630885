/** `cupel ledger follow`: imports the confirmed blocks of the operator's own node for as long as it runs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  FollowError,
  follow,
  openNode,
  usualOf,
  type FollowProgress,
  type Traces,
} from '@cupel/chain-data/follow'
import { findChain } from '@cupel/domain'
import type { Follower } from '../../index.js'
import { createMetrics, startHealthServer, type Config } from '@cupel/kit/service'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { withConnections, operator } from '@cupel/command-line/installation'
import { type CliContext, CommandError, EXIT_FAILED, EXIT_USAGE, wholeNumber } from '@cupel/command-line'
import { height } from './arguments.js'

interface FollowCommandOptions {
  readonly chain: string
  readonly rpc?: string
  readonly rpcFile?: string
  readonly from?: number
  readonly to?: number
  readonly confirmations?: number
  readonly segment: number
  readonly every: number
  readonly batch?: number
  readonly inFlight: number
  readonly traces: 'auto' | Traces
  readonly keep?: string
  readonly replace?: boolean
  readonly metricsPort?: number
}

const HELP = `
The node is that of an EVM chain (eth_getBlockByNumber, eth_getBlockReceipts, and trace_block or debug_traceBlockByNumber if it
has them), of BTC, LTC, DOGE, BCH or ZEC (getblock; txindex=1 where the node does not tell what inputs spend), or a full node of TRX.

Every segment declares its heights whole for the kinds that the node gives. Where the follower goes on follows from the ledger, so
it may be killed at any time. One follower works for a chain; others stand by. docs/follow.md has the rest.`

export function registerFollow(ledger: Command, context: CliContext): void {
  ledger
    .command('follow')
    .summary('import the blocks of your own node, and go on as they come')
    .description(
      'Import the confirmed blocks of a node as segments, in order and without a gap, for as long as the command runs.',
    )
    .requiredOption('--chain <code>', 'chain of the node')
    .option('--rpc <url>', 'URL of the node; a user and a password in it are sent as such')
    .option('--rpc-file <path>', 'file with the URL, which other users of the machine then do not see')
    .option('--from <height>', 'first height (default: behind the highest declared one, else 0)', height)
    .option('--to <height>', 'last height (default: follow for ever)', height)
    .option(
      '--confirmations <blocks>',
      'blocks above an imported one (default: as usual on the chain)',
      wholeNumber,
    )
    .option('--segment <blocks>', 'most blocks of a segment', positive, 1_000)
    .option(
      '--every <seconds>',
      'at the end of the chain, longest wait for a whole segment',
      wholeNumber,
      1_800,
    )
    .option(
      '--batch <blocks>',
      'blocks of one message to the node (default: 5, 1 of chains like Bitcoin, 10 of TRX)',
      positive,
    )
    .option('--in-flight <messages>', 'messages to the node at once', positive, 4)
    .addOption(
      new Option(
        '--traces <method>',
        'how to know calls: by a method of EVM nodes, or as a TRON node stored them',
      )
        .choices(['auto', 'trace_block', 'debug_traceBlockByNumber', 'stored', 'none'])
        .default('auto'),
    )
    .option('--keep <folder>', 'keep the file of each segment there')
    .option('--replace', 'import blocks again that a reorganisation replaced')
    .option('--metrics-port <port>', 'serve /metrics, /healthz and /readyz there', wholeNumber)
    .addHelpText('after', HELP)
    .action(async (options: FollowCommandOptions) => run(context, options))
}

async function run(context: CliContext, options: FollowCommandOptions): Promise<void> {
  const chain = findChain(options.chain)?.code
  if (chain === undefined) throw new CommandError('--chain names no known chain.', EXIT_USAGE)
  const url = await urlOf(context, options)
  const ended = new AbortController()
  const end = (): void => ended.abort()
  process.once('SIGTERM', end).once('SIGINT', end)
  try {
    await withConnections(
      context,
      async ({ database, config }) => {
        const usual = usualOf(chain)
        const metrics = await serveMetrics(config, options.metricsPort)
        const node = await openNode({
          ...{ chain, url, signal: ended.signal, inFlight: options.inFlight },
          traces: options.traces === 'auto' ? undefined : options.traces,
        })
        for (const remark of node.remarks) context.note(remark)
        try {
          await follow(
            {
              ...{ node, from: options.from, to: options.to, importedBy: operator() },
              folder: options.keep === undefined ? join(context.home, 'follow') : context.path(options.keep),
              keepsFiles: options.keep !== undefined,
              confirmations: options.confirmations ?? usual.confirmations,
              ...{ segmentBlocks: options.segment, everyS: options.every, inFlight: options.inFlight },
              batchBlocks: options.batch ?? usual.batchBlocks,
              maxHeadAgeS: usual.maxHeadAgeS,
              replaces: options.replace === true,
            },
            {
              ...{ database, signal: ended.signal, note: context.note, onState: metrics.tell },
              onSegment: (segment) => context.note(sentenceOf(chain, segment)),
            },
          )
        } finally {
          await node.close()
          await metrics.close()
        }
      },
      { creates: true, endsOnSignal: true, needsNoPersonalData: true },
    )
  } catch (error) {
    if (ended.signal.aborted) return
    if (error instanceof FollowError)
      throw new CommandError(`The follower of ${chain} stopped: ${error.message}.`, EXIT_FAILED, {
        cause: error,
      })
    throw error
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end)
  }
}

/** The URL may hold a key: no message repeats it. */
async function urlOf(context: CliContext, { rpc, rpcFile }: FollowCommandOptions): Promise<URL> {
  if ((rpc === undefined) === (rpcFile === undefined))
    throw new CommandError('Give either --rpc or --rpc-file.', EXIT_USAGE)
  const text = rpc ?? (await readFile(context.path(rpcFile!), 'utf8').catch(() => '')).trim()
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError('The URL of the node must begin with http or https.', EXIT_USAGE)
  return url
}

const SECONDS_OF = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

function sentenceOf(
  chain: string,
  { summary, from, to, blocksPerMinute, remainingS }: FollowProgress,
): string {
  const unit = SECONDS_OF.find(([, seconds]) => remainingS >= 2 * seconds)
  const rest = unit === undefined ? `${remainingS} s` : `${Math.round(remainingS / unit[1])} ${unit[0]}`
  return (
    `${chain} ${from}–${to}: ${summary.added.toLocaleString('en-US')} transfers of ${summary.covers.join(', ')}, ` +
    `state ${summary.ledgerSeq} of the ledger, sha256 ${summary.sha256}; ${blocksPerMinute.toLocaleString('en-US')} blocks/min, ${rest} left.`
  )
}

interface FollowerMetrics {
  tell(state: Follower): void
  close(): Promise<void>
}

async function serveMetrics(config: Config, port: number | undefined): Promise<FollowerMetrics> {
  if (port === undefined) return { tell: () => undefined, close: async () => undefined }
  const metrics = createMetrics('ledger-follower')
  const gauge = (name: string, help: string) => metrics.gauge(name, help, ['chain'])
  const next = gauge('ledger_follower_next_height', 'First height that is not imported')
  const lagBlocks = gauge('ledger_follower_lag_blocks', 'Blocks of the node that are not imported')
  const lag = gauge('ledger_follower_lag_seconds', 'Age of the last imported block')
  const stopped = gauge('ledger_follower_stopped', '1 while the follower cannot go on')
  let fault: string | null = 'nothing was asked yet'
  const health = await startHealthServer({
    ...{ host: config.CUPEL_METRICS_HOST, port, metrics },
    checks: () => [{ name: 'node', ok: fault === null, ...(fault === null ? {} : { detail: fault }) }],
  })
  return {
    tell(state) {
      const { chain, nextHeight, headHeight, importedAtS } = state
      ;({ fault } = state)
      next.set(nextHeight, { chain })
      stopped.set(fault === null ? 0 : 1, { chain })
      if (headHeight !== null) lagBlocks.set(Math.max(0, headHeight - nextHeight + 1), { chain })
      if (importedAtS !== null) lag.set(Math.max(0, Date.now() / 1_000 - importedAtS), { chain })
    },
    close: () => health.close(),
  }
}

function positive(text: string): number {
  const value = wholeNumber(text)
  if (value === 0) throw new InvalidArgumentError('It must be more than 0.')
  return value
}
