/** The file with the keys of the demo account, for commands that call the API. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** demo-keys.json, readable only by its owner. */
export interface DemoKeys {
  readonly account_id: string
  readonly read_write: string
  readonly read_write_id: string
  readonly read_only: string
  readonly read_only_id: string
  /** Administers this local installation in the console. */
  readonly operator: string
  readonly operator_id: string
}

export const demoKeysFile = (profileFolder: string): string => join(profileFolder, 'demo-keys.json')

/** Null if the file is missing or incomplete. */
export function readDemoKeys(profileFolder: string): DemoKeys | null {
  try {
    return JSON.parse(readFileSync(demoKeysFile(profileFolder), 'utf8')) as DemoKeys
  } catch {
    return null
  }
}
