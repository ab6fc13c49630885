// A test runs every command of the pages that operators start with, or this file names the command with the reason why not.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { productVersion } from '../version.mjs'
import { commandsBelow, commandsOf, follow } from './page.mjs'

const OPERATED = 'services/cli/test/install/runbooks.long.e2e.test.ts'
const SIDE_BY_SIDE = 'services/cli/test/install/releases-side-by-side.long.e2e.test.ts'

/** The test that follows each section of a page. */
const FOLLOWED = {
  'docs/containers.md': {
    'From a clone to the first report': 'scripts/containers/compose.containers.test.mjs',
    'Stop and start': 'scripts/containers/compose.containers.test.mjs',
    Build: 'scripts/containers/images.containers.test.mjs',
  },
  'docs/kubernetes.md': {
    'From a file of values to the first report': 'scripts/kubernetes/run-chart.containers.test.mjs',
    Upgrade: 'scripts/kubernetes/run-chart.containers.test.mjs',
  },
  'docs/runbooks/add-partitions.md': { Steps: 'services/cli/test/install/install.full.e2e.test.ts' },
  'docs/runbooks/fail-over-postgres.md': {
    'The replica has every commit': OPERATED,
    'The replica may lack commits': OPERATED,
  },
  'docs/runbooks/install.md': {
    '1. Write down where everything is': OPERATED,
    '3. Install': OPERATED,
    '5. Examine it': OPERATED,
  },
  'docs/runbooks/move-to-another-cluster.md': { 'Move to another cluster': OPERATED },
  'docs/runbooks/record-keys.md': { 'Exchange the key': OPERATED },
  'docs/runbooks/restore-a-backup.md': {
    Restore: 'services/cli/test/install/lost-database.long.e2e.test.ts',
  },
  'docs/runbooks/rotate-credentials.md': {
    'The password of the database': SIDE_BY_SIDE,
    'Signing keys': SIDE_BY_SIDE,
  },
  'docs/runbooks/upgrade-and-roll-back.md': { Upgrade: SIDE_BY_SIDE, 'Roll back': SIDE_BY_SIDE },
}
/** Commands that no test runs, because they need the public registry of images, an earlier release, or settings that only a reader has. */
const NOT_FOLLOWED = {
  'docs/containers.md': {
    Upgrade: ['docker compose build', 'docker compose stop', 'docker compose up --detach --wait'],
    'Pin the base by its digest': [
      "docker buildx imagetools inspect node:24.22.3-trixie-slim --format '{{.Manifest.Digest}}'",
      'docker buildx build --build-arg NODE_IMAGE=node:24.22.3-trixie-slim@sha256:… --target api .',
    ],
    Run: [
      `docker run --read-only --cap-drop ALL --security-opt no-new-privileges:true --env-file services.env cupel/api:${productVersion()}`,
    ],
  },
  // The stand-in for the cluster has one user for all; chart-walls.containers.test.mjs renders the chart with the file.
  'docs/kubernetes.md': {
    'Users of their own': [
      'kubectl create secret generic cupel-database-urls --from-file database-urls',
      'for file in database-urls/*; do kubectl create secret generic cupel-database-${file##*/} --from-file database-url=$file; done',
      'for file in kafka-passwords/*; do kubectl create secret generic cupel-kafka-${file##*/} --from-file kafka-password=$file; done',
      'helm upgrade cupel deploy/helm/cupel --values values.yaml --values deploy/helm/users.yaml --wait',
    ],
  },
  'docs/runbooks/install.md': {
    // services/cli/test/secured-installation.ts makes a user and gives all rights as these commands do. The loop calls Kafka's own tool.
    '2. Make users at the brokers, and give them their rights': [
      'kafka-configs.sh --bootstrap-server k1.example:9093 --command-config admin.properties \\\n  --alter --entity-type users --entity-name cupel-scorer --add-config-file cupel-scorer.properties',
      'npm run --silent cupel -- install --apply-acls --dry-run    # names each right that is missing',
      'npm run --silent cupel -- install --apply-acls',
      'npm run --silent cupel -- install --print-acls > rights',
      'while read -r line; do kafka-acls.sh --bootstrap-server k1.example:9093 --command-config admin.properties $line; done < rights',
    ],
    // systemd is no process of a test. Its own program verifies the unit, and install.full.e2e.test.ts starts each service as the unit says.
    '4. Start the services': [
      'useradd --system --home-dir /var/lib/cupel cupel',
      'cp deploy/systemd/cupel@.service /etc/systemd/system/',
      'systemctl enable --now cupel@projector cupel@scorer cupel@bulk-coordinator cupel@webhook-dispatcher cupel@api',
    ],
  },
}

test.each(Object.keys(FOLLOWED))(
  'every command of %s is followed by a test, or named as one that is not',
  (page) => {
    const notFollowed = NOT_FOLLOWED[page] ?? {}
    const sections = new Set(commandsOf(page).map(({ section }) => section))
    expect([...sections].sort()).toEqual([...Object.keys(FOLLOWED[page]), ...Object.keys(notFollowed)].sort())
    for (const [section, commands] of Object.entries(notFollowed))
      expect(commandsBelow(page, section)).toEqual(commands)
    for (const [section, file] of Object.entries(FOLLOWED[page]))
      expect(readFileSync(join(root, file), 'utf8'), file).toContain(`'${section}'`)
  },
)

test('a page without the section is refused, so that its test changes with it', () => {
  expect(() => commandsBelow('docs/containers.md', 'No such section')).toThrow(/No such section/)
})

test('a backslash continues a command', () => {
  const commands = commandsBelow('docs/kubernetes.md', 'From a file of values to the first report')
  expect(commands.some((command) => /^curl [^]*\\\n {2}-d /.test(command))).toBe(true)
})

test('a block within a step of a list is read without its indentation', () => {
  expect(commandsBelow('docs/runbooks/restore-a-backup.md', 'Restore')[0]).toBe('cupel upgrade')
})

test('a reader fills in what was printed, and nothing else', async () => {
  const said = { make: 'acc_0f', key: 'acc_77 cpl_live_a1_b2', use: '' }
  const seen = []
  const run = async (command) => {
    seen.push(command)
    return said[command.split(' ')[0]]
  }
  const { filledIn } = await follow(['make', 'key acc_…', 'use acc_… cpl_live_…'], run)
  expect(seen).toEqual(['make', 'key acc_0f', 'use acc_0f cpl_live_a1_b2'])
  expect(filledIn.get('cpl_live_…')).toBe('cpl_live_a1_b2')
  await expect(follow(['use acc_…'], run)).rejects.toThrow(/what to fill in/)
})
