/** The accounts of the installation and the people who sign in, for operators. */
import type { Page } from '@cupel/console'
import { listAccounts, openAccount } from './show-accounts.js'

export const accountPages: readonly Page[] = [listAccounts, openAccount]
