/**
 * How long interactive screens wait for their decision. Each scorer tells it while it decides; the coordinator of bulk jobs reads it and
 * leaves them room. Numbers grow from the start of the scorer, so a lost message costs nothing.
 */
import { randomUUID } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'

/** Time from a late decision to the message: half of the time between two looks of the coordinator. */
const TELL_LATE_AFTER_MS = 125
/** The same while no screen is late: then the window of the coordinator grows, whatever their number is. */
const TELL_AFTER_MS = 1_000
/** A row that is older belongs to a scorer that ended. */
const KEPT_HOURS = 1

/** Interactive screens that were decided, and how many of them waited for longer than the target. */
export interface Dwells {
  readonly screens: number
  readonly lateScreens: number
}

export interface DwellTelling {
  /** An interactive screen was decided `dwellMs` after its request. */
  decided(dwellMs: number): void
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>
}

/**
 * `targetMs`: a screen that waited for longer is late. Nothing is written while nothing is decided. `onError` is called for the first of
 * several failures in a row.
 */
export function tellDwells(
  database: Queryable,
  { targetMs, onError }: { readonly targetMs: number; readonly onError: (error: unknown) => void },
): DwellTelling {
  const process = randomUUID()
  let [screens, lateScreens] = [0, 0]
  let timer: NodeJS.Timeout | null = null
  let isLateTold = true
  let telling: Promise<unknown> = Promise.resolve()
  let isFailing = false
  const tell = async (): Promise<void> => {
    ;[timer, isLateTold] = [null, true]
    try {
      await write(database, process, { screens, lateScreens })
      isFailing = false
    } catch (error) {
      if (!isFailing) onError(error)
      isFailing = true
    }
  }
  return {
    decided(dwellMs) {
      screens += 1
      if (dwellMs > targetMs) {
        lateScreens += 1
        if (isLateTold && timer !== null) {
          clearTimeout(timer)
          timer = null
        }
        isLateTold = false
      }
      timer ??= setTimeout(() => (telling = tell()), isLateTold ? TELL_AFTER_MS : TELL_LATE_AFTER_MS)
    },
    async stop() {
      if (timer !== null) clearTimeout(timer)
      await telling
    },
  }
}

/** Two messages may overtake each other. */
async function write(database: Queryable, process: string, { screens, lateScreens }: Dwells): Promise<void> {
  await database.execute(
    {
      name: 'heartbeats.tell-dwells',
      text: `INSERT INTO heartbeats.dwell AS d (process, screens, late_screens, told_at) VALUES ($1, $2, $3, clock_timestamp())
             ON CONFLICT (process) DO UPDATE SET screens = greatest(d.screens, excluded.screens),
               late_screens = greatest(d.late_screens, excluded.late_screens), told_at = excluded.told_at`,
    },
    [process, screens, lateScreens],
  )
}

export interface DwellReading {
  /** What all scorers told since the last look; nothing at the first one. Rejects with errors of the database. */
  look(): Promise<Dwells>
  /** The next look is a first one. */
  forget(): void
}

export function readDwells(database: Queryable): DwellReading {
  let last: ReadonlyMap<string, Dwells> | null = null
  return {
    async look() {
      const rows = await database.query<Dwells & { readonly process: string }>({
        name: 'heartbeats.read-dwells',
        text: 'SELECT process, screens, late_screens AS "lateScreens" FROM heartbeats.dwell',
      })
      const before = last
      last = new Map(rows.map((row) => [row.process, row]))
      let [screens, lateScreens] = [0, 0]
      if (before !== null)
        for (const row of rows) {
          screens += row.screens - (before.get(row.process)?.screens ?? 0)
          lateScreens += row.lateScreens - (before.get(row.process)?.lateScreens ?? 0)
        }
      return { screens, lateScreens }
    },
    forget() {
      last = null
    },
  }
}

/** Deletes what scorers told that ended. */
export async function sweepDwells(database: Queryable): Promise<void> {
  await database.execute(
    `DELETE FROM heartbeats.dwell WHERE told_at < clock_timestamp() - interval '${KEPT_HOURS} hour'`,
  )
}
