/**
 * Who may import whom. boundaries.json lists for each package, for each room of a package (`watches/routes` is the folder
 * packages/watches/src/routes) and for each service what it may import (`imports`), and what its tests may import besides (`tests`; every
 * test may import the testkit and its own package). packages/testkit/boundary-fixtures shows that each rule
 * refuses what it should.
 */
const table = require('./boundaries.json')

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const TESTS = '\\.(?:test|contract)\\.ts$|(?<=/)test/'
const FIXTURES = 'packages/testkit/boundary-fixtures/'
const root = `^(?:${FIXTURES})?`

/** Each package and service with its folder; the fixtures inside the testkit are not the testkit. */
const members = Object.entries(table).flatMap(([group, entries]) =>
  Object.entries(entries).map(([name, { imports, tests = [] }]) => ({ name, group, imports, tests })),
)
/** The folder of a room; for a package, what is in none of its rooms. */
function folderOf({ name, group }) {
  const [own, room] = name.split('/')
  if (room !== undefined) return `${group}/${own}/src/${room}/`
  const rooms = members.flatMap((one) => (one.name.startsWith(`${own}/`) ? [one.name.split('/')[1]] : []))
  const others = [
    ...(rooms.length === 0 ? [] : [`src/(?:${rooms.join('|')})/`]),
    ...(own === 'testkit' ? ['boundary-fixtures'] : []),
  ]
  return `${group}/${own}/${others.length === 0 ? '' : `(?!${others.join('|')})`}`
}
/** Of the whole package. */
const packageOf = ({ name, group }) => `^${group}/${name.split('/')[0]}/`
const foldersOf = (names) =>
  names.map((name) => {
    const member = members.find((one) => one.name === name)
    if (member === undefined) throw new Error(`boundaries.json names ${name}, which it does not list`)
    return `^${folderOf(member)}`
  })

function tableRules(member) {
  const { imports, tests } = member
  const own = root + folderOf(member)
  return [
    forbid(
      'import-not-in-the-table',
      'boundaries.json lists what this package may import.',
      { path: own, pathNot: TESTS },
      { path: '^(packages|services)/', pathNot: [own, ...foldersOf(imports)] },
    ),
    forbid(
      'test-import-not-in-the-table',
      'boundaries.json lists what the tests of this package may import.',
      { path: own + '.*(?:' + TESTS + ')' },
      {
        path: '^(packages|services)/',
        pathNot: [own, packageOf(member), ...foldersOf([...imports, ...tests, 'testkit'])],
      },
    ),
    ...(member.name.includes('/') ? [doorOf(member)] : []),
  ]
}

/** The other rooms of its package use a room through its index too. */
const doorOf = (member) =>
  forbid(
    'no-deep-imports',
    'A room is used through what its index gives.',
    { path: packageOf(member), pathNot: [root + folderOf(member), TESTS] },
    { path: `^${folderOf(member)}`, pathNot: ['/index\\.ts$', '\\.json$'] },
  )

module.exports = {
  forbidden: [
    forbid('no-cycles', 'A cycle has no order to read it in.', {}, { circular: true }),
    forbid(
      'no-unresolved',
      'An import that resolves to nothing hides from every other rule.',
      {},
      { couldNotResolve: true },
    ),
    forbid(
      'package-not-in-the-table',
      'Every package and service is listed in boundaries.json.',
      {
        path: root + '(packages|services)/',
        pathNot: members.map(
          ({ group, name }) =>
            root + `${group}/${name.split('/')[0]}/` + (name === 'testkit' ? '(?!boundary-fixtures)' : ''),
        ),
      },
      { path: '.' },
    ),
    ...members.flatMap(tableRules),
    forbid(
      'domain-is-pure',
      'The domain imports no module of Node and only pure libraries.',
      { path: root + 'packages/domain/src', pathNot: TESTS },
      {
        pathNot: [
          '^packages/',
          'node_modules/@noble/',
          'node_modules/@scure/',
          'node_modules/(canonicalize|micro-|cbor)',
        ],
      },
    ),
    forbid(
      'scorers-stand-alone',
      'A scorer is a whole: it imports its own folder, types of the contracts, and @noble/hashes.',
      { path: root + 'packages/domain/src/scorer/(\\d+\\.\\d+\\.\\d+)/', pathNot: TESTS },
      {
        pathNot: [
          root + 'packages/domain/src/scorer/$1/',
          '^packages/contracts/',
          'node_modules/@noble/hashes/',
        ],
      },
    ),
    forbid(
      'scorers-import-types-alone',
      'Values of the contracts change; a scorer has its own.',
      { path: root + 'packages/domain/src/scorer/\\d+\\.\\d+\\.\\d+/', pathNot: TESTS },
      { path: '^packages/contracts/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'only-postgres-imports-pg',
      'One package knows the driver.',
      { path: root + '(packages|services)/', pathNot: [root + 'packages/postgres/'] },
      { path: 'node_modules/(pg|pg-pool|pg-native)/' },
    ),
    forbid(
      'only-the-kafka-adapter-imports-kafka',
      'One folder knows the client; what looks at the platform from outside has its own.',
      {
        path: root + '(packages|services)/',
        pathNot: [root + 'packages/event-log/src/kafka/', root + 'packages/system-tests/'],
      },
      { path: 'node_modules/(kafkajs|@kafkajs)/' },
    ),
    forbid(
      'webhooks-send-through-outbound',
      'What customers name is called through the one client that judges addresses.',
      { path: root + '(services/webhook-dispatcher|packages/webhooks)/src', pathNot: TESTS },
      { path: '^(?:node:)?(https?|http2|net|tls|dns|dgram)$|node_modules/undici/' },
    ),
    forbid(
      'no-deep-imports',
      'A package is used through what its exports give.',
      { path: root + '(packages|services)/([^/]+)/' },
      {
        path: '^(packages|services)/[^/]+/src/',
        pathNot: [
          root + '(packages|services)/$2/',
          '/src/index\\.ts$',
          ...members.flatMap((member) =>
            member.name.includes('/') ? [`^${folderOf(member)}index\\.ts$`] : [],
          ),
          '^packages/event-log/src/(kafka|embedded)/index\\.ts$',
          '^packages/testkit/src/(installation|providers)/index\\.ts$',
          '^packages/local-stack/src/home\\.ts$',
          '^packages/[^/]+/src/[^/]+\\.(json)$',
        ],
      },
    ),
    forbid(
      'tests-are-leaves',
      'Nothing that ships imports a test or the test kit.',
      {
        path: root + '(packages|services)/',
        pathNot: [TESTS, 'packages/(testkit/(?!boundary-fixtures)|system-tests/|bench/)'],
      },
      { path: ['\\.test\\.ts$', '^packages/testkit/'] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['cupel-source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      mainFields: ['main', 'types'],
    },
  },
}
