/**
 * `ledger`, part `follow`: how many blocks a follower imports in a minute from a stand-in for a node, with blocks of the size of Ethereum's. The
 * stand-in answers in the process of the measurement; follower and Postgres have processes of their own, as in service.
 */
import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { cupel, descendants } from '@cupel/system-tests'
import { startEvmChain, type StandInContents } from '@cupel/testkit'
import type { BenchOptions } from '../options.js'
import { usesOf } from '../processes.js'
import { withSystem } from '../system.js'
import { table, thousands } from '../table.js'
import { cpuOf } from './import-world.js'

const BLOCKS = 600
const SEGMENT_BLOCKS = 100
/** Of one block: Ethereum has about as many. */
const TRANSACTIONS = 200
const TOKENS = 300
const CALLS = 300
const PEOPLE = 20_000
const BLOCK_SECONDS = 12
/** Avalanche is known by its chain id alone, and has no issuance that a node does not tell. */
const CHAIN = { code: 'AVAX', id: 43_114 } as const
const USDC = '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'
const SAMPLE_MS = 200
const MS_PER_TICK = 10
/** The least that the design asks for. */
const WANTED_PER_MINUTE = 300

export interface FollowFigures {
  readonly blocks: number
  readonly transfers: number
  readonly seconds: number
  readonly blocksPerMinute: number
  readonly followerPeakMib: number
  /** Processor seconds. */
  readonly cpu: Readonly<Record<'follower' | 'postgres' | 'standIn', number>>
}

export async function measureFollow(options: BenchOptions): Promise<FollowFigures> {
  return await withSystem(options, 'embedded', async (system) => {
    options.say(`${BLOCKS} blocks`)
    const now = Math.floor(Date.now() / 1_000)
    const chain = await startEvmChain({
      ...{ chainId: CHAIN.id, head: BLOCKS, contents },
      timeOf: (height) => now - (BLOCKS - height) * BLOCK_SECONDS,
    })
    try {
      const postgresBefore = cpuOf(await usesOf(system.pid), 'postgres')
      const ownBefore = process.cpuUsage()
      const since = performance.now()
      const ended = new AbortController()
      const sampled = sampleFollower(ended.signal)
      const { exitCode, stderr } = await cupel(system.home, [
        ...['ledger', 'follow', '--chain', CHAIN.code, '--rpc', chain.url, '--from', '1', '--every', '0'],
        ...['--to', String(BLOCKS), '--confirmations', '0', '--segment', String(SEGMENT_BLOCKS)],
      ])
      const seconds = (performance.now() - since) / 1_000
      const own = process.cpuUsage(ownBefore)
      ended.abort()
      const { peakMib, cpuMs } = await sampled
      if (exitCode !== 0) throw new Error(`The follower ended with code ${exitCode}.\n${stderr}`)
      return {
        ...{ blocks: BLOCKS, transfers: transfersIn(stderr), seconds },
        ...{ blocksPerMinute: (60 * BLOCKS) / seconds, followerPeakMib: peakMib },
        cpu: {
          follower: cpuMs / 1_000,
          postgres: (cpuOf(await usesOf(system.pid), 'postgres') - postgresBefore) / 1_000,
          standIn: (own.user + own.system) / 1_000_000,
        },
      }
    } finally {
      await chain.close()
    }
  })
}

export function renderFollow({
  blocks,
  transfers,
  seconds,
  blocksPerMinute,
  followerPeakMib,
  cpu,
}: FollowFigures): string {
  const all = cpu.follower + cpu.postgres + cpu.standIn
  const share = (one: number): string =>
    `${one.toFixed(1)} s (${Math.round((100 * one) / seconds)} % of a core)`
  return [
    '### A follower',
    `${thousands(blocks)} blocks of ${TRANSACTIONS} transactions, ${TOKENS} token transfers and ${CALLS} calls each, from a stand-in for a node; start and end of the command count. The processes took ${Math.round((100 * all) / (seconds * cpus().length))} % of the cores.`,
    table(
      [
        'blocks a minute',
        'transfers a second',
        'seconds',
        'peak memory',
        'CPU of the follower',
        'of Postgres',
        'of the stand-in',
      ],
      [
        [
          `${thousands(blocksPerMinute)} (wanted: ${WANTED_PER_MINUTE})`,
          ...[thousands(transfers / seconds), seconds.toFixed(1), `${followerPeakMib} MiB`],
          ...[share(cpu.follower), share(cpu.postgres), share(cpu.standIn)],
        ],
      ],
    ),
  ].join('\n\n')
}

/** Always the same for one height. */
function contents(height: number): StandInContents {
  const person = (place: number): string =>
    `0x${((height * 7_919 + place * 104_729) % PEOPLE).toString(16).padStart(40, '1')}`
  const partsOf = (all: number, index: number): number[] =>
    Array.from({ length: all }, (_, one) => one).filter((one) => one % TRANSACTIONS === index)
  return {
    transactions: Array.from({ length: TRANSACTIONS }, (_, index) => ({
      ...{
        from: person(index),
        to: USDC,
        value: index % 2 === 0 ? BigInt(height * TRANSACTIONS + index) : 0n,
      },
      tokens: partsOf(TOKENS, index).map((one) => ({
        ...{ contract: USDC, from: person(one), to: person(one + 1) },
        value: BigInt(height * TOKENS + one + 1),
      })),
      calls: partsOf(CALLS, index).map((one) => ({
        ...{
          type: 'CALL' as const,
          from: USDC,
          to: person(one + 2),
          value: one % 3 === 0 ? BigInt(one + 1) : 0n,
        },
      })),
    })),
  }
}

/** Peak memory and processor time of the follower until it ends; its last moments are not in them. */
async function sampleFollower(signal: AbortSignal): Promise<{ peakMib: number; cpuMs: number }> {
  let [peakKib, cpuMs] = [0, 0]
  while (!signal.aborted) {
    for (const { pid, command } of descendants(process.pid)) {
      if (!command.includes('ledger follow')) continue
      const [status, stat] = await Promise.all(
        ['status', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      )
      peakKib = Math.max(peakKib, Number(/^VmHWM:\s+(\d+)/m.exec(status!)?.[1] ?? 0))
      const fields = stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')
      cpuMs = Math.max(cpuMs, (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK || 0)
    }
    await pause(SAMPLE_MS, null, { signal }).catch(() => null)
  }
  return { peakMib: Math.round(peakKib / 1_024), cpuMs }
}

/** The sum of what each segment says. */
const transfersIn = (notes: string): number =>
  [...notes.matchAll(/: ([\d,]+) transfers of /g)].reduce(
    (sum, [, count]) => sum + Number(count!.replaceAll(',', '')),
    0,
  )
