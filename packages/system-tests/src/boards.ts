/** The boards of deploy/observability: the queries of their panels, as Grafana sends them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from './installation.js'

export interface Board {
  /** Name of its file, without the ending. */
  readonly name: string
  readonly title: string
  readonly panels: readonly Panel[]
}

export interface Panel {
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig: { readonly defaults: { readonly unit: string } }
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const folder = join(checkout, 'deploy', 'observability', 'boards')

export function readBoards(): Board[] {
  return readdirSync(folder)
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.json$/, ''),
      ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<Board, 'name'>),
    }))
}

/** The query with the interval that Grafana inserts for its variable. */
export const queryOver = (expr: string, interval: string): string =>
  expr.replaceAll('$__rate_interval', interval)
