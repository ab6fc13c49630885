import tseslint from 'typescript-eslint'

const FILE_LINES = 400
const FUNCTION_LINES = 70

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/generated/**',
      '.cache/**',
      '.cupel/**',
      '**/boundary-fixtures/**',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: [] }, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // The tool that reads these files needs CommonJS.
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-lines': ['error', { max: FILE_LINES, skipBlankLines: false, skipComments: false }],
      'prefer-const': 'error',
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'services/*/src/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts', '**/*.contract.ts'],
    rules: { 'max-lines-per-function': ['error', FUNCTION_LINES] },
  },
  {
    files: [
      'scripts/**',
      'examples/**',
      'packages/bench/**',
      'services/cli/**',
      'packages/testkit/src/global-*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // The domain only decides. It reads no clock, draws no random numbers and accesses nothing outside itself.
    files: ['packages/domain/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'The domain is pure: pass it as an argument.' }] },
      ],
      'no-restricted-globals': [
        'error',
        'process',
        'setTimeout',
        'setInterval',
        'fetch',
        'crypto',
        'performance',
        'Buffer',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is an argument.' },
        { object: 'Math', property: 'random', message: 'Randomness is an argument.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Time is an argument.',
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[property.name=/^(only|skip|todo)$/][object.name=/^(test|it|describe)$/]',
          message: 'A test that is switched off is a defect; use skipIf with a reason that is printed.',
        },
        {
          selector:
            'CallExpression[callee.property.name=/^(waitFor|waitUntil|poll)$/][callee.object.name=/^(vi|expect)$/][arguments.length=1]',
          message: 'A second is less than a busy machine needs: wait with `until` of @cupel/testkit.',
        },
      ],
    },
  },
)
