// The Chromium of scripts: Debian's, or the one that CUPEL_TEST_CHROMIUM names. The program without windows takes half the processor time.
import { existsSync } from 'node:fs'

export const CHROMIUM =
  process.env.CUPEL_TEST_CHROMIUM ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((program) => existsSync(program)) ??
  'chromium'
