/** Set-up of each test file: suites in long and full files may have more time than the others (scripts/test/plan.mjs). */
import { expect } from 'vitest'

const BUDGET = 'CUPEL_TEST_BUDGET_MS'
/** The budget of ordinary files, kept because files share their process. */
const ORDINARY = 'CUPEL_TEST_ORDINARY_BUDGET_MS'

const isLong = /\.(?:long|full)\.\w+\.test\.\w+$/.test(expect.getState().testPath ?? '')
const ordinary = (process.env[ORDINARY] ??= process.env[BUDGET] ?? '')
process.env[BUDGET] = (isLong ? process.env['CUPEL_TEST_LONG_BUDGET_MS'] : undefined) ?? ordinary
