import { defineConfig } from 'vitest/config'

/** One project per suffix: the file name says what a test needs and costs. */
const suffixes = {
  unit: {},
  contract: {},
  int: { globalSetup: ['packages/testkit/src/global-postgres.ts'] },
  kafka: { globalSetup: ['packages/testkit/src/global-postgres.ts', 'packages/testkit/src/global-kafka.ts'] },
  e2e: { globalSetup: ['packages/testkit/src/global-postgres.ts', 'packages/testkit/src/global-kafka.ts'] },
}
const slow = new Set(['kafka', 'e2e'])
/** Only what hangs takes so long, also where the processors are busy with something else. */
const hangMs = (suffix: string): number => (slow.has(suffix) ? 300_000 : 180_000)

const CONDITIONS = ['cupel-source', 'node']
/** Workspace packages are imported as sources, so that no test waits for a build. */
const sources = {
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: { conditions: CONDITIONS } },
  // Where vitest runs the global set-up.
  environments: { __vitest__: { resolve: { conditions: CONDITIONS } } },
}

export default defineConfig({
  test: {
    projects: Object.entries(suffixes).map(([suffix, extra]) => ({
      ...sources,
      test: {
        name: suffix,
        include: [
          `packages/*/{src,test}/**/*.${suffix}.test.ts`,
          `services/*/{src,test}/**/*.${suffix}.test.ts`,
          `scripts/**/*.${suffix}.test.mjs`,
        ],
        testTimeout: hangMs(suffix),
        hookTimeout: hangMs(suffix),
        pool: 'forks' as const,
        fileParallelism: !slow.has(suffix),
        ...extra,
      },
    })),
    maxWorkers: 2,
    passWithNoTests: true,
  },
})
