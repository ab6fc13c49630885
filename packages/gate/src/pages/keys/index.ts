/** API keys, for people who administer the account. */
import type { Page } from '@cupel/console'
import { createKey, listKeys } from './list-keys.js'
import { changeKey, revokeKey, rotateKey, showKey } from './show-key.js'
import { newKey } from './show-new-key.js'

export const keyPages: readonly Page[] = [
  ...[listKeys, createKey, showKey, newKey],
  ...[changeKey, rotateKey, revokeKey],
]
