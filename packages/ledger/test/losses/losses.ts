/** What happens to files on their way, and to the stages of a screening. Each loss can be noticed. */
import type { ChainFact, LabelSetState } from '@cupel/contracts'
import { filesAs, textOf, type WorldFile } from './files.js'
import { unlisted, type Choose, type Move, type World } from './world.js'

/** Everything that a screening reads. */
export interface Knowledge {
  readonly files: readonly WorldFile[]
  readonly ledger: 'examined' | 'late' | 'failed'
  readonly node: 'honest' | 'none' | 'late' | 'failed' | Partial<ChainFact>
  readonly labelSets: readonly LabelSetState[]
  readonly labelView: 'current' | 'lagging'
}

/** Changes what is known; `null` if it does not apply. */
type Loss = (known: Knowledge, choose: Choose, world: World) => Knowledge | null

const places = Array.from({ length: 97 }, (_, at) => at)

function onFile(change: (file: WorldFile, choose: Choose) => WorldFile | readonly WorldFile[] | null): Loss {
  return (known, choose) => {
    const at = choose(places) % known.files.length
    const changed = change(known.files[at]!, choose)
    if (changed === null) return null
    return { ...known, files: known.files.flatMap((file, index) => (index === at ? changed : file)) }
  }
}

const onFiles =
  (change: (file: WorldFile, choose: Choose) => WorldFile): Loss =>
  (known, choose) => ({ ...known, files: known.files.map((file) => change(file, choose)) })

/** Replaces fields of one row, or one column of every row. */
function onField(
  words: readonly string[],
  { wholeColumn = false, columns }: { wholeColumn?: boolean; columns?: readonly string[] } = {},
): Loss {
  return onFile((file, choose) => {
    const named = columns === undefined ? file.columns : file.columns.filter((name) => columns.includes(name))
    if (file.rows.length === 0 || named.length === 0) return null
    const column = file.columns.indexOf(named[choose(places) % named.length]!)
    const row = choose(places) % file.rows.length
    const word = choose(words)
    const rows = file.rows.map((fields, at) =>
      wholeColumn || at === row ? fields.map((field, index) => (index === column ? word : field)) : fields,
    )
    return { ...file, rows }
  })
}

const garbage = [
  '',
  'nan',
  '???',
  '-1',
  '0x',
  'unknown',
  '1e',
  'approx. 5',
  '\u{200b}',
  '#REF!',
  '12.5.2026',
] as const
const vocabulary = [
  ...['status', 'receipt_status', 'success', 'kind', 'trace_type', 'action_type'],
  ...['call_type', 'action_call_type', 'error', 'is_coinbase'],
]
const unknownWords = ['ok', 'yes', 'airdrop', 'extcall', 'pending', '2', 'None'] as const

const errorPages = [
  '<html><body>502 Bad Gateway</body></html>',
  '{"error":"rate limit exceeded"}\n',
  'error,message\n429,too many requests\n',
  '',
  '\n',
  'Not Found',
] as const

/** Cuts the text within a row, before its last separator, so that the row shows that something is missing. */
function cut(file: WorldFile, choose: Choose): WorldFile | null {
  if (file.rows.length === 0 || file.text !== undefined) return null
  const lines = textOf({ ...file, lineEnd: '\n' })
    .split('\n')
    .slice(0, -1)
  const at = lines.length - 1 - (choose(places) % file.rows.length)
  const line = lines[at]!
  const most = file.asJson ? line.length - 1 : line.lastIndexOf(',')
  const rest = line.slice(0, 1 + (choose(places) % most))
  return { ...file, text: [...lines.slice(0, at), rest].join('\n') }
}

/** Names a member of a JSON line twice. */
function twice(file: WorldFile, choose: Choose): WorldFile | null {
  if (file.rows.length === 0 || file.text !== undefined || !file.asJson) return null
  const lines = textOf(file).split(file.lineEnd)
  const at = choose(places) % file.rows.length
  const again = choose(['"outputs":[]', '"inputs":[]', '"is_coinbase":"true"', '"hash":""'])
  return { ...file, text: lines.with(at, `${lines[at]!.slice(0, -1)},${again}}`).join(file.lineEnd) }
}

/** Loses a part of a list in a transaction with spent outputs, or the value of a part. */
function partOfList(file: WorldFile, choose: Choose): WorldFile | null {
  const column = file.columns.indexOf(choose(['inputs', 'outputs']))
  if (column < 0 || file.rows.length === 0 || file.text !== undefined) return null
  const at = choose(places) % file.rows.length
  const list = (file.rows[at]![column] || '[]').replace(/^[^[].*/, '[]')
  const parts = JSON.parse(list) as readonly { readonly value: number }[]
  if (parts.length === 0) return null
  const part = choose(places) % parts.length
  const lost = choose([
    parts.toSpliced(part, 1),
    parts.with(part, { ...parts[part]!, value: Math.floor(parts[part]!.value / 1_000) }),
    [],
  ])
  return { ...file, rows: file.rows.with(at, file.rows[at]!.with(column, JSON.stringify(lost))) }
}

/** Shifts the unit of an amount: the amount beside it has another one. */
function otherUnit(file: WorldFile, choose: Choose): WorldFile | null {
  const column = file.columns.indexOf('amount_raw')
  const at = choose(places) % (file.rows.length || 1)
  const raw = file.rows[at]?.[column] ?? ''
  if (raw.length < 12 || file.rows[at]![file.columns.indexOf('amount')] === '') return null
  return { ...file, rows: file.rows.with(at, file.rows[at]!.with(column, raw.slice(0, choose([1, 3, -3])))) }
}

/** Another row follows: the last one could also be one that a source never sent. */
function blankRow(file: WorldFile, choose: Choose): WorldFile | null {
  if (file.rows.length < 2 || file.text !== undefined) return null
  const at = choose(places) % (file.rows.length - 1)
  const lines = textOf(file).split(file.lineEnd)
  return { ...file, text: lines.with(at + (file.asJson ? 0 : 1), '').join(file.lineEnd) }
}

function cutRow(file: WorldFile, choose: Choose): WorldFile | null {
  if (file.rows.length === 0 || file.asJson) return null
  const at = choose(places) % file.rows.length
  const left = 1 + (choose(places) % (file.columns.length - 1))
  return { ...file, rows: file.rows.map((row, index) => (index === at ? row.slice(0, left) : row)) }
}

const withoutColumn = (file: WorldFile, at: number): WorldFile => ({
  ...file,
  columns: file.columns.toSpliced(at, 1),
  rows: file.rows.map((row) => row.toSpliced(at, 1)),
})

const onSet =
  (change: (set: LabelSetState) => LabelSetState | readonly LabelSetState[]): Loss =>
  (known) => ({
    ...known,
    labelSets: known.labelSets.flatMap((set) => (set.authorityOrigin === '' ? set : change(set))),
  })

/** Losses that keep every fact: the level and the score are the same. */
export const rewritings: Readonly<Record<string, Loss>> = {
  'ends lines with CR LF': onFiles((file) => ({ ...file, lineEnd: '\r\n' })),
  'ends lines with CR': onFiles((file) => ({ ...file, lineEnd: '\r' })),
  'turns the columns': onFiles((file, choose) => {
    const turn = choose(places) % file.columns.length
    const turned = <T>(list: readonly T[]): readonly T[] => [...list.slice(turn), ...list.slice(0, turn)]
    return { ...file, columns: turned(file.columns), rows: file.rows.map(turned) }
  }),
  'writes the rows backwards': onFiles((file) => ({ ...file, rows: file.rows.toReversed() })),
  'tells a file twice': onFile((file) => [file, { ...file, name: `${file.name} again`, lineEnd: '\r\n' }]),
  'splits a file': onFile((file, choose) => {
    const at = choose(places) % (file.rows.length + 1)
    // A file of a declared range holds all of it, so only a part without a range may be added.
    const part = { ...file, name: `${file.name} part`, covers: null, rows: file.rows.slice(0, at) }
    return at === 0 ? null : [part, file]
  }),
  'writes hashes in upper case': onFiles((file) => ({
    ...file,
    rows: file.rows.map((row) =>
      row.map((field, at) =>
        /hash$/.test(file.columns[at]!) ? field.toUpperCase().replace('0X', '0x') : field,
      ),
    ),
  })),
  'writes status in another word': onFiles((file) => ({
    ...file,
    rows: file.rows.map((row) =>
      row.map((field, at) =>
        /status$/.test(file.columns[at]!) ? (field === '1' ? '1.0' : field === '0' ? 'False' : field) : field,
      ),
    ),
  })),
}

/** What strangers send. Value that came in besides lowers the share of all other value. */
export const additions: Readonly<Record<string, Loss>> = {
  'receives dust of strangers': addMoves((world, choose) =>
    Array.from({ length: choose([1, 40]) }, (_, at) => strangersMove(world, at, 1n)),
  ),
  'receives a token that no table knows': addMoves((world) =>
    world.chain === 'BTC' ? [] : [{ ...strangersMove(world, 99, 900n), kind: 'token', asset: unlisted }],
  ),
}

/** Told by an export without a range, in the layout of transfers. */
function addMoves(movesOf: (world: World, choose: Choose) => readonly Move[]): Loss {
  return (known, choose, world) => {
    const moves = movesOf(world, choose)
    if (moves.length === 0) return null
    const [file] = filesAs({ ...world, moves }, 'csv')
    return { ...known, files: [...known.files, { ...file!, name: 'more', covers: null }] }
  }
}

/** A tenth of the dust per unit. */
function strangersMove({ moves }: World, at: number, units: bigint): Move {
  const [first] = moves
  return {
    ...{ ...first!, from: 'passer-by', to: 'wallet', succeeded: true, block: first!.block + at },
    ...{ hash: first!.hash.slice(0, -5) + String(10_000 + at), amount: (units * first!.asset.dust) / 10n },
  }
}

export const losses: Readonly<Record<string, Loss>> = {
  ...rewritings,
  ...additions,
  'garbles a field': onField(garbage),
  'empties an address': onField([''], {
    columns: ['from_address', 'to_address', 'action_from', 'action_to'],
  }),
  'garbles a column': onField(garbage, { wholeColumn: true }),
  'writes an unknown word': onField(unknownWords, { columns: vocabulary }),
  'writes an unknown word in every row': onField(unknownWords, { columns: vocabulary, wholeColumn: true }),
  'cuts a row': onFile(cutRow),
  'names a member twice': onFile(twice),
  'loses a part of a list': onFile(partOfList),
  'shifts the unit of an amount': onFile(otherUnit),
  'states whole coins': onField(['12.0', '50.00000000', '3e2'], {
    columns: ['value', 'amount_raw', 'value_string', 'action_value'],
  }),
  'repeats a column': onFile((file, choose) => {
    const at = choose(places) % file.columns.length
    const again = <T>(list: readonly T[], value: T): readonly T[] => [...list, value]
    return {
      ...file,
      columns: again(file.columns, file.columns[at]!),
      rows: file.rows.map((row) => again(row, choose(['0', row[(at + 1) % row.length]!]))),
      asJson: false,
    }
  }),
  'calls a payment issued': onField(['reward', 'genesis', 'true'], {
    columns: ['trace_type', 'action_type', 'is_coinbase'],
  }),
  'leaves a row blank': onFile(blankRow),
  'cuts a file': onFile(cut),
  'sends an error page': onFile((file, choose) => ({ ...file, text: choose(errorPages) })),
  'sends no file': onFile(() => []),
  'drops a column': onFile((file, choose) => withoutColumn(file, choose(places) % file.columns.length)),
  'renames a column': onFile((file, choose) => {
    const at = choose(places) % file.columns.length
    return {
      ...file,
      columns: file.columns.with(at, choose(['Amount (USD)', '', 'column', 'VALUE', 'état'])),
    }
  }),
  'tells the files in another order': (known) => ({ ...known, files: known.files.toReversed() }),
  'tells every movement in another format too': (known, choose, world) => {
    const other = filesAs(
      world,
      world.chain === 'ETH' ? choose(['csv', 'geth', 'etl', 'cryo']) : choose(['csv', 'bitcoin-etl']),
    )
    const again = other.map((file): WorldFile => ({ ...file, name: `${file.name} too` }))
    return {
      ...known,
      files: choose([true, false]) ? [...known.files, ...again] : [...again, ...known.files],
    }
  },
  'tells every movement of coins by another word for it': (known, choose, world) => {
    const word = world.chain === 'ETH' ? choose(['trace', 'native']) : 'native'
    const moves = world.moves.filter(({ kind }) => kind !== 'token')
    const [file] = filesAs({ ...world, moves }, 'csv')
    const rows = file!.rows.map((row) => row.with(file!.columns.indexOf('kind'), word))
    return { ...known, files: [...known.files, { ...file!, name: 'words', covers: null, rows }] }
  },
  'tells every movement again without block and index': (known, _choose, world) => {
    const [file] = filesAs(world, 'csv')
    const holes = ['block_number', 'log_index', 'transaction_index', 'block_time']
    const rows = file!.rows.map((row) =>
      row.map((field, at) => (holes.includes(file!.columns[at]!) ? '' : field)),
    )
    return { ...known, files: [...known.files, { ...file!, name: 'export', covers: null, rows }] }
  },
  'delays the ledger': (known) => ({ ...known, ledger: 'late' }),
  'fails the ledger': (known) => ({ ...known, ledger: 'failed' }),
  'delays the node': (known) => ({ ...known, node: 'late' }),
  'fails the node': (known) => ({ ...known, node: 'failed' }),
  'has no node': (known) => ({ ...known, node: 'none' }),
  'has a node that lies': (known, choose) => ({
    ...known,
    node: choose([
      { balanceBaseUnits: '0', txCount: 0 },
      { balanceBaseUnits: null, txCount: null, txCountKind: null },
      { balanceBaseUnits: '999999999999999999999999' },
      { txCount: 77 },
      { isContract: true },
    ]),
  }),
  'lags behind the log': (known) => ({ ...known, labelView: 'lagging' }),
  'drops the list': onSet(() => []),
  'ages the list': onSet((set) => ({ ...set, asOf: '2019-03-01', confirmedAt: null })),
  'computes the list from an older state': onSet((set) => ({ ...set, staleBase: true })),
  'loads an older list after the one in force': onSet((set) => [
    set,
    {
      ...{
        ...set,
        dataset: 'older',
        labelSetSeq: set.labelSetSeq + 1,
        // Before any date of the list in force.
        asOf: '2018-10-01',
        total: 8,
        visible: 8,
      },
      versionOf: [`${set.source}/${set.dataset}`],
    },
  ]),
  'drops the date of the list': onSet((set) => ({ ...set, asOf: null, confirmedAt: null })),
  'loses rows of the list': onSet((set) => ({ ...set, visible: set.visible - 1 })),
  'cannot read a row of the list': onSet((set) => ({ ...set, rows: { ...set.rows, unreadable: 1 } })),
  'takes the list for a part': onSet((set) => ({ ...set, whole: false })),
}
