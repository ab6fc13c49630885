/** A process of the installation. A supervisor restarts it when it ends, unless a fault keeps it down. */
import { setTimeout as pause } from 'node:timers/promises'
import { describeExit, type Child } from '@cupel/local-stack'
import { descendants } from '../../src/process-tree.js'

export interface Member {
  readonly name: string
  /** Null while the process does not run. */
  pid(): number | null
  /** Sends SIGKILL; the process stays down until `start`. */
  kill(): Promise<void>
  /** Sends SIGTERM; the process stays down until `start`. */
  end(): Promise<void>
  freeze(): void
  thaw(): void
  /** From now on the supervisor starts the process whenever it does not run. Resolves when it runs. */
  start(): Promise<void>
  /** Stops the process and its supervisor for good. */
  stop(): Promise<void>
  /** The reason for each end that was not requested. */
  readonly ends: readonly string[]
}

/** The process ids of running members, by name. */
export function pidsOf(members: readonly Member[]): Map<string, number> {
  return new Map(
    members.flatMap((member): [string, number][] => {
      const pid = member.pid()
      return pid === null ? [] : [[member.name, pid]]
    }),
  )
}

const PAUSE_MS = 300
const POLL_MS = 20

/** `start` resolves when the process serves. */
export function superviseMember(name: string, start: () => Promise<Child>): Member {
  const ends: string[] = []
  let child: Child | null = null
  let wanted = false
  let isOver = false
  let isStarting: Promise<void> = Promise.resolve()

  const watch = async (): Promise<void> => {
    while (!isOver) {
      if (!wanted || child !== null) {
        await pause(POLL_MS)
        continue
      }
      isStarting = startOnce()
      await isStarting
    }
  }
  const startOnce = async (): Promise<void> => {
    try {
      const started = await start()
      child = started
      void started.exited.then((exit) => {
        if (child === started) child = null
        if (wanted) ends.push(describeExit(exit, started))
      })
    } catch (error) {
      ends.push(String(error))
      await pause(PAUSE_MS)
    }
  }
  const signal = (name: NodeJS.Signals): void => {
    if (child !== null && child.exit() === null) process.kill(child.pid, name)
  }
  /** Signals the child processes too, such as the sessions of a database. */
  const signalAll = (name: NodeJS.Signals): void => {
    if (child === null) return
    signal(name)
    for (const { pid } of descendants(child.pid)) signalOne(pid, name)
  }
  const down = async (name: NodeJS.Signals): Promise<void> => {
    wanted = false
    await isStarting
    const ending = child
    signal(name)
    await ending?.exited
    child = null
  }
  const watching = watch()
  return {
    name,
    ends,
    pid: () => child?.pid ?? null,
    kill: () => down('SIGKILL'),
    end: () => down('SIGTERM'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async start() {
      wanted = true
      while (child === null && !isOver) await pause(POLL_MS)
    },
    async stop() {
      isOver = true
      signalAll('SIGCONT')
      await down('SIGKILL')
      await watching
    },
  }
}

function signalOne(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
