/** The pages behind the links of e-mail. They name neither the recipient nor the account: whoever has the link is not known. */
import { markup, type Html, shell } from '@cupel/gate/http'

export type EmailPage = 'confirm' | 'unsubscribe' | 'confirmed' | 'unsubscribed' | 'ended'

interface Texts {
  readonly title: string
  readonly text: string
  /** Null for a page that only tells. */
  readonly button: string | null
}

const pages: Readonly<Record<EmailPage, Texts>> = {
  confirm: {
    title: 'Confirm this e-mail address',
    text: 'Cupel will send messages about watched cryptocurrency addresses to this e-mail address. Each has a link that ends them.',
    button: 'Confirm',
  },
  unsubscribe: {
    title: 'Stop these messages',
    text: 'Cupel will send nothing more to this e-mail address for this account.',
    button: 'Stop the messages',
  },
  confirmed: {
    title: 'The address is confirmed',
    text: 'Messages arrive from now on. You can close this page.',
    button: null,
  },
  unsubscribed: {
    title: 'The messages have stopped',
    text: 'Nothing more is sent to this e-mail address for this account, unless you confirm it again. You can close this page.',
    button: null,
  },
  ended: {
    title: 'This address gets no messages',
    text: 'The messages to this e-mail address were stopped after this link was made. The account can ask you to confirm again.',
    button: null,
  },
}

/** A whole HTML document. Its form goes to the address of the page. */
export function renderEmailPage(shown: EmailPage): string {
  const { title, text, button } = pages[shown]
  const form: Html =
    button === null ? markup`` : markup`<form method="post"><button>${button}</button></form>`
  const content = markup`<h1>${title}</h1>
    <p>${text}</p>
    ${form}`
  return shell({ title, nav: markup`<b>Cupel</b>`, content })
}
