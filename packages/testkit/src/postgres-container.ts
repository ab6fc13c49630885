/** Starts Postgres in a container, on machines with Docker on which the programs of the package registry do not run. */

export interface TestPostgres {
  /** Connection string of the owner, for the database `postgres`. */
  readonly url: string
  stop(): Promise<void>
}

const IMAGE = 'postgres:17.6-trixie'
const PORT = 5432
const OWNER = 'cupel'
const SECRET = 'of-one-test-run'
/** It answers on TCP once its database is complete. */
const PROBE = ['pg_isready', '--host', '127.0.0.1', '--username', OWNER, '--dbname', OWNER]
/** Path in the container. The image reads the password from a file. */
const SECRET_FILE = '/tmp/password'
/** Only a hang takes longer. */
const START_TIMEOUT_MS = 600_000

/**
 * @param settings As `name=value`.
 * @param image Another image with the same settings, if no registry of images is reachable.
 */
export async function startPostgresContainer(
  settings: readonly string[],
  image = IMAGE,
): Promise<TestPostgres> {
  // Imported here because it is large and most machines do not need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  try {
    const postgres = await new GenericContainer(image)
      .withExposedPorts(PORT)
      .withEnvironment({ POSTGRES_USER: OWNER, POSTGRES_DB: OWNER, POSTGRES_PASSWORD_FILE: SECRET_FILE })
      .withCopyContentToContainer([{ content: SECRET, target: SECRET_FILE, mode: 0o444 }])
      .withCommand(['postgres', ...settings.flatMap((setting) => ['-c', setting])])
      .withWaitStrategy(Wait.forSuccessfulCommand(PROBE.join(' ')))
      .withStartupTimeout(START_TIMEOUT_MS)
      .start()
    const place = `${postgres.getHost()}:${postgres.getMappedPort(PORT)}`
    return {
      url: `postgres://${OWNER}:${SECRET}@${place}/postgres`,
      async stop() {
        await postgres.stop()
      },
    }
  } catch (error) {
    throw new Error(`Postgres could not be started in a container (${String(error)}).`, { cause: error })
  }
}
