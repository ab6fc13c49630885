/** The list below the picture of the flow: every node in words, with its addresses and what can be done with each. */
import { findChain } from '@cupel/domain'
import { en, visibleText, type FlowNode, type FlowPicture } from '../document/index.js'
import { Amount, queryText } from '@cupel/console'

interface FlowPartiesProps {
  readonly picture: FlowPicture
  readonly chain: string
  readonly prefix: string
  /** Where one hop further is shown; null for a reader who cannot screen. */
  readonly expandPath: string | null
}

export function FlowParties({ picture, ...rest }: FlowPartiesProps) {
  const { partiesTitle } = en.flow
  return (
    <details class="flow-parties">
      <summary>{partiesTitle}</summary>
      <ul>
        {picture.nodes
          .filter(({ side }) => side !== 'subject')
          .map((node) => (
            <Party key={node.id} node={node} {...rest} />
          ))}
      </ul>
    </details>
  )
}

type PartyProps = Omit<FlowPartiesProps, 'picture'> & { readonly node: FlowNode }

function Party({ node, chain, prefix, expandPath }: PartyProps) {
  const { side, name, what, value, valueUsd, dates, parties, unnamed, evidence } = node
  // One hop further shows no evidence.
  const transfers = prefix === '' ? evidence : []
  return (
    <li id={prefix + node.id} tabindex={-1}>
      <p>
        <span class="tag">{en.directions[side === 'in' ? 'incoming' : 'outgoing']}</span>{' '}
        <strong dir="auto">{name}</strong>
      </p>
      <p class="quiet" dir="auto">
        {what}
        {value === '' ? null : (
          <>
            {' · '}
            <Amounts full={value} />
          </>
        )}
        {[value === '' ? '' : valueUsd, dates].filter((text) => text !== '').map((text) => ` · ${text}`)}
      </p>
      {parties.length === 0 ? null : (
        <ul class="addresses">
          {parties.map((party) => (
            <li key={party.address}>
              <code data-copy>{visibleText(party.address)}</code>
              {parties.length === 1 ? null : (
                <span class="quiet" dir="auto">
                  {' '}
                  {party.entity === '' ? '' : `${party.entity}, `}
                  <Amounts full={party.value} />
                  {party.valueUsd === '' ? '' : `, ${party.valueUsd}`}
                </span>
              )}{' '}
              <AddressLinks {...{ chain, expandPath, address: party.address }} />
            </li>
          ))}
        </ul>
      )}
      {unnamed === 0 ? null : <p class="quiet">{en.flow.unnamed(unnamed)}</p>}
      {transfers.length === 0 ? null : (
        <p class="address-links no-print">
          {transfers.map((id, index) => (
            <a key={id} href={`#${id}`}>
              {index === 0 ? 'Its transfers' : `Its transfers, part ${index + 1}`}
            </a>
          ))}
        </p>
      )}
    </li>
  )
}

/** Of several assets. */
function Amounts({ full }: { readonly full: string }) {
  return (
    <>
      {full.split(', ').map((amount, index) => (
        <>
          {index === 0 ? '' : ', '}
          <Amount full={amount} />
        </>
      ))}
    </>
  )
}

interface AddressLinksProps {
  readonly address: string
  readonly chain: string
  readonly expandPath: string | null
}

function AddressLinks({ address, chain, expandPath }: AddressLinksProps) {
  const explorer = findChain(chain)?.explorer ?? null
  const text = visibleText(address)
  return (
    <span class="address-links no-print">
      {expandPath === null ? null : (
        <>
          <a href={`/screen${queryText({ address, chain })}`} aria-label={`Screen it: ${text}`}>
            Screen it
          </a>
          <a
            href={`${expandPath}${queryText({ expand: address })}#expanded`}
            aria-label={`One hop further: ${text}`}
          >
            One hop further
          </a>
          <a href={`/history${queryText({ q: address })}`} aria-label={`Its reports: ${text}`}>
            Its reports
          </a>
        </>
      )}
      {explorer === null ? null : (
        <a
          href={explorer.replace('{address}', encodeURIComponent(address))}
          rel="noreferrer noopener"
          aria-label={`Explorer: ${text}`}
        >
          Explorer
        </a>
      )}
    </span>
  )
}
