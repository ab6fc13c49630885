import { existsSync } from 'node:fs'

/** The program without windows takes half the processor time of the whole browser and shows the same pages. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** Debian’s Chromium, or the one that the tester names. */
export const CHROMIUM =
  process.env['CUPEL_TEST_CHROMIUM'] ?? PROGRAMS.find((program) => existsSync(program)) ?? PROGRAMS[0]!
