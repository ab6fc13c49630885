/** The demo: made-up addresses with a money path. */
import type { Page } from '@cupel/console'
import { changeDemo } from './change-demo.js'

export const demoPages: readonly Page[] = [changeDemo]
