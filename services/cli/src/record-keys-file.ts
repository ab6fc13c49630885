import { join } from 'node:path'

/** The record keys of a local installation. */
export const homeRecordKeys = (home: string): string => join(home, 'record-keys.json')
