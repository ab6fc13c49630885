/** GET /transfers: the form for one transfer, and the newest transfers. */
import { amountText, dollarText, en, visibleText } from '@cupel/reports/document'
import {
  page,
  type Page,
  type PageCall,
  type ShownPage,
  Amount,
  Level,
  Moment,
  ScrollTable,
} from '@cupel/console'
import { TransferForm, transferFields, type TransferFormState } from './transfer-form.js'

/** Of the answer of the API, what the list shows. */
interface ListedTransfer {
  readonly transfer_id: string
  readonly recommendation: string
  readonly level: string
  readonly score: number
  readonly chain: string
  readonly direction: string
  readonly amount: string
  /** Null without a price. */
  readonly value_usd: string | null
  readonly asset: { readonly symbol: string | null }
  readonly reference: string | null
  readonly generated_at: string
}

const LISTED = 20

export const showTransfers: Page = {
  method: 'GET',
  path: '/transfers',
  access: 'session',
  handle: async (call) =>
    transfersPage(
      call,
      stateOf((name) => call.query.get(name) ?? '', null),
      await newest(call),
    ),
}

export const stateOf = (read: (name: string) => string, fault: string | null): TransferFormState => ({
  ...(Object.fromEntries(transferFields.map((name) => [name, read(name).trim()])) as Omit<
    TransferFormState,
    'fault'
  >),
  fault,
})

export async function newest({ api }: PageCall): Promise<readonly ListedTransfer[]> {
  const { items } = await api.get<{ items: readonly ListedTransfer[] }>('/v1/transfers', {
    page_size: LISTED,
  })
  return items
}

export function transfersPage(
  call: PageCall,
  state: TransferFormState,
  transfers: readonly ListedTransfer[],
  status = 200,
): ShownPage {
  return page(
    'Screen a transfer',
    <section class="screen">
      <h1>Screen a transfer</h1>
      <p class="quiet">
        Planned or made: the other side is screened, and the policy says whether to allow, review or reject
        the transfer. The report of the other side has the evidence.
      </p>
      <TransferForm call={call} state={state} />
      {transfers.length === 0 ? null : <Transfers transfers={transfers} />}
    </section>,
    { status, section: '/screen' },
  )
}

function Transfers({ transfers }: { readonly transfers: readonly ListedTransfer[] }) {
  return (
    <>
      <h2>Newest transfers</h2>
      <ScrollTable
        caption="Newest transfers"
        class="reports stacked"
        head={['Recommendation', 'Transfer', 'Counterparty', 'Reference', 'Generated']}
      >
        {transfers.map((one) => (
          <tr key={one.transfer_id}>
            <td>{visibleText(one.recommendation)}</td>
            <td>
              <a href={`/reports/${one.transfer_id}`}>
                {visibleText(one.direction)}{' '}
                <Amount full={amountText(`${one.amount} ${one.asset.symbol ?? 'unknown token'}`)} /> on{' '}
                {visibleText(one.chain)}
              </a>
              {one.value_usd === null ? null : `, ${dollarText(one.value_usd, en)}`}
            </td>
            <td data-head="Counterparty">
              <Level level={one.level} score={one.score} />
            </td>
            <td data-head="Reference">{visibleText(one.reference ?? '')}</td>
            <td data-head="Generated">
              <Moment at={one.generated_at} />
            </td>
          </tr>
        ))}
      </ScrollTable>
    </>
  )
}
