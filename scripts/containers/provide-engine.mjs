// Provides one container engine per test run. Without one the tests are skipped with the reason; under CI the run fails.
import { NoEngineError, openEngine } from './engine.mjs'

/** Environment variable that tests read. */
const MISSING = 'CUPEL_TEST_ENGINE_MISSING'

export default async function provideEngine() {
  try {
    const { environment, close } = await openEngine()
    Object.assign(process.env, environment)
    return close
  } catch (error) {
    if (!(error instanceof NoEngineError) || process.env.CI === 'true' || process.env.CI === '1') throw error
    console.warn(`\n${error.message} The tests that need an engine are skipped.\n`)
    process.env[MISSING] = error.message
    return async () => undefined
  }
}
