/** Debian’s Chromium, or the one that the tester names. */
export const CHROMIUM = process.env['CUPEL_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
