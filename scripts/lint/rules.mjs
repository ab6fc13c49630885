// Rules of this project for oxlint, in the form of ESLint's rules.

const rule = (message, visitorOf) => ({
  create: (context) => visitorOf((node) => context.report({ node, message })),
})
const nameOf = (node) => (node.type === 'Identifier' ? node.name : undefined)
const propertyOf = (node) =>
  node.type === 'MemberExpression' && !node.computed ? node.property.name : undefined

const noClock = rule('Time is an argument.', (report) => ({
  NewExpression(node) {
    if (nameOf(node.callee) === 'Date' && node.arguments.length === 0) report(node)
  },
}))

const noTestSwitchedOff = rule(
  'A test that is switched off is a defect; use skipIf with a reason that is printed.',
  (report) => ({
    MemberExpression(node) {
      const isOff = ['only', 'skip', 'todo'].includes(propertyOf(node))
      if (isOff && ['test', 'it', 'describe'].includes(nameOf(node.object))) report(node)
    },
  }),
)

const waitWithUntil = rule(
  'A second is less than a busy machine needs: wait with `until` of @cupel/testkit.',
  (report) => ({
    CallExpression(node) {
      const { callee } = node
      if (!['waitFor', 'waitUntil', 'poll'].includes(propertyOf(callee))) return
      if (['vi', 'expect'].includes(nameOf(callee.object)) && node.arguments.length === 1) report(node)
    },
  }),
)

export default {
  meta: { name: 'cupel' },
  rules: {
    'no-clock': noClock,
    'no-test-switched-off': noTestSwitchedOff,
    'wait-with-until': waitWithUntil,
  },
}
