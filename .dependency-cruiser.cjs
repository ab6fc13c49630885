/** Who may import whom (ARCHITECTURE.md, "Layers"). packages/testkit/boundary-fixtures shows that each rule bites. */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const TESTS = '\\.test\\.ts$|/test/'
const root = '^(?:packages/testkit/boundary-fixtures/)?'

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
      'domain-is-pure',
      'The domain depends on contracts and on pure libraries only.',
      { path: root + 'packages/domain/src', pathNot: TESTS },
      {
        pathNot: [
          'packages/domain/src',
          'packages/contracts/src',
          'node_modules/@noble/',
          'node_modules/@scure/',
          'node_modules/(canonicalize|micro-|cbor)',
        ],
      },
    ),
    forbid(
      'contracts-stand-alone',
      'Contracts depend on nothing of ours.',
      { path: root + 'packages/contracts/src', pathNot: TESTS },
      { path: '^(packages|services)/', pathNot: 'packages/contracts/src' },
    ),
    forbid(
      'postgres-below-the-log',
      'postgres ← event-log ← projections ← read-models, never the other way.',
      { path: root + 'packages/postgres/src', pathNot: TESTS },
      { path: '^packages/(event-log|projections|read-models|access)/' },
    ),
    forbid(
      'log-below-projections',
      'postgres ← event-log ← projections ← read-models, never the other way.',
      { path: root + 'packages/event-log/src', pathNot: TESTS },
      { path: '^packages/(projections|read-models|access)/' },
    ),
    forbid(
      'projections-below-read-models',
      'postgres ← event-log ← projections ← read-models, never the other way.',
      { path: root + 'packages/projections/src', pathNot: TESTS },
      { path: '^packages/(read-models|access)/' },
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
        pathNot: [
          root + 'packages/event-log/src/kafka/',
          root + 'packages/system-tests/',
          root + 'packages/bench/src/bare-echo/',
        ],
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
      'only-services-use-the-service-kit',
      'Libraries take logger and metrics as arguments.',
      {
        path: root + 'packages/',
        pathNot: [root + 'packages/service-kit/', root + 'packages/testkit/(?!boundary-fixtures)', TESTS],
      },
      { path: '^packages/service-kit/' },
    ),
    forbid(
      'services-know-no-services',
      'Only standalone and cli compose services.',
      { path: root + 'services/([^/]+)/', pathNot: [root + 'services/(standalone|cli)/'] },
      { path: '^services/([^/]+)/', pathNot: '^(?:packages/testkit/boundary-fixtures/)?services/$1/' },
    ),
    forbid(
      'packages-know-no-services',
      'Dependencies point from services to packages.',
      { path: root + 'packages/', pathNot: root + 'packages/system-tests/' },
      { path: '^services/' },
    ),
    forbid(
      'system-tests-are-black-box',
      'They speak HTTP and Kafka and start processes; they import no service and no store.',
      { path: root + 'packages/system-tests/' },
      {
        path: '^(services|packages/(domain|postgres|event-log|projections|read-models|access|service-kit))/',
      },
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
          '^packages/event-log/src/(kafka|embedded)/index\\.ts$',
          '^packages/testkit/src/installation/index\\.ts$',
          '^packages/[^/]+/src/[^/]+\\.(json)$',
        ],
      },
    ),
    forbid(
      'tests-are-leaves',
      'Nothing that ships imports a test or the test kit.',
      {
        path: root + '(packages|services)/',
        pathNot: [
          TESTS,
          'packages/(testkit/(?!boundary-fixtures)|system-tests/|bench/)',
          '\\.contract\\.ts$',
        ],
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
      extensions: ['.ts', '.js', '.mjs', '.json'],
      mainFields: ['main', 'types'],
    },
  },
}
