/** Screening one address. */
import type { Page } from '@cupel/console'
import { detectChain } from './detect-chain.js'
import { showScreen } from './show-screen.js'
import { submitScreen } from './submit-screen.js'

export const screenPages: readonly Page[] = [showScreen, submitScreen, detectChain]
