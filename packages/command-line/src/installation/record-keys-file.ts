import { join } from 'node:path'

/** The record keys of a local installation. */
/** The keys of personal data of a local installation. */
export const homePersonalDataKeys = (home: string): string => join(home, 'personal-data-keys.json')

export const homeRecordKeys = (home: string): string => join(home, 'record-keys.json')
