import '../../../../../../node_modules/.pnpm/node_modules/pg/lib/index.js'
export {}
