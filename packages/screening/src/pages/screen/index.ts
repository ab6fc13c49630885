/** Screening one address. */
import type { Page } from '../../server/page.js'
import { detectChain } from './detect-chain.js'
import { showScreen } from './show-screen.js'
import { submitScreen } from './submit-screen.js'

export const screenPages: readonly Page[] = [showScreen, submitScreen, detectChain]
