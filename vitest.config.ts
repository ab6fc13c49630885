import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/test/longest-first.mjs'

/**
 * Three workers keep two cores busy: files that start or kill processes wait for some of their time, and files that run whole systems have
 * ten processes each. With four workers, fourteen processes wanted two cores on a slow machine (CONTRIBUTING.md).
 */
const WORKERS = 3
const POSTGRES = 'packages/testkit/src/global-postgres.ts'
const KAFKA = 'packages/testkit/src/global-kafka.ts'
const NOTE = 'scripts/test/note-shared-time.mjs'
/** For files that share a process. */
const LEAVES_NOTHING = 'scripts/test/leaves-nothing.mjs'
/** CI uses the same generated cases in each run; other runs draw new ones. */
const setupFiles = [
  'scripts/test/note-processor-time.mjs',
  ...(process.env['CUPEL_TEST_LONG_BUDGET_MS'] === undefined ? [] : ['packages/testkit/src/file-budget.ts']),
  ...(process.env['CI'] === 'true' ? ['packages/testkit/src/repeatable-cases.ts'] : []),
]
/** `npm test` leaves out long and full files, CI most of the long ones (scripts/test/long-files.mjs). A file that is named runs as well. */
const leftOut = (process.env['CUPEL_TEST_LEAVE_OUT'] ?? '').split(',').filter((pattern) => pattern !== '')
const exclude = [...configDefaults.exclude, ...leftOut]
/** Only a test that hangs takes so long, even if the processors are busy with something else. */
const HANG_MS = 180_000
const ENGINE = 'scripts/containers/provide-engine.mjs'
/** Tests that start brokers and whole installations. */
const SLOW_HANG_MS = 300_000
/** Tests that build images first. */
const IMAGES_HANG_MS = 1_200_000

/**
 * One project per suffix: the file name shows the needs and the cost of a test. Files without a broker share the modules of their worker,
 * because they change nothing outside of themselves. Each other file gets its own process.
 */
const suffixes = {
  unit: { isolate: false, hangMs: HANG_MS, globalSetup: [] },
  contract: { isolate: false, hangMs: HANG_MS, globalSetup: [] },
  int: { isolate: false, hangMs: HANG_MS, globalSetup: [POSTGRES, NOTE] },
  kafka: { isolate: true, hangMs: SLOW_HANG_MS, globalSetup: [POSTGRES, KAFKA, NOTE] },
  e2e: { isolate: true, hangMs: SLOW_HANG_MS, globalSetup: [POSTGRES, KAFKA, NOTE] },
  containers: { isolate: true, hangMs: IMAGES_HANG_MS, globalSetup: [ENGINE] },
}

const CONDITIONS = ['cupel-source', 'node']
/** Workspace packages are imported as sources, so that no test waits for a build. */
const sources = {
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: { conditions: CONDITIONS } },
  // Vitest runs the global set-up in this environment.
  environments: { __vitest__: { resolve: { conditions: CONDITIONS } } },
}

export default defineConfig({
  test: {
    projects: Object.entries(suffixes).map(([suffix, { hangMs, ...settings }]) => ({
      ...sources,
      test: {
        name: suffix,
        include: [
          `packages/*/{src,test}/**/*.${suffix}.test.ts`,
          `services/*/{src,test}/**/*.${suffix}.test.ts`,
          `scripts/**/*.${suffix}.test.mjs`,
        ],
        exclude,
        testTimeout: hangMs,
        hookTimeout: hangMs,
        pool: 'forks' as const,
        setupFiles: settings.isolate ? setupFiles : [...setupFiles, LEAVES_NOTHING],
        ...settings,
      },
    })),
    maxWorkers: WORKERS,
    // Each kind of tests is a project that would transform the sources anew. A module is known by its content.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest-modules' },
    sequence: { sequencer: LongestFirst },
    passWithNoTests: true,
  },
})
