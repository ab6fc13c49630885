/** Every page of the console. The server serves this list. */
import type { Page } from '../server/page.js'
import { homePages } from './home/index.js'
import { reportPages } from './report/index.js'
import { signInPages } from './sign-in/index.js'

export const pages: readonly Page[] = [...signInPages, ...homePages, ...reportPages]
