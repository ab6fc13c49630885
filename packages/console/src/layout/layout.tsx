/** The frame around every page: head, navigation, who is signed in, and the page itself. */
import type { ComponentChildren } from 'preact'
import type { Assets } from '../server/assets.js'
import type { Session } from '../session/session-cookie.js'
import { sectionOf, type NavigationEntry } from './navigation.js'

interface LayoutProps {
  readonly title: string
  readonly session: Session | null
  /** Token of the form that signs out; null where nobody is signed in. */
  readonly csrf: string | null
  readonly section: string
  /** Unread entries of the inbox, as text; null if there are none, or if it is not known. */
  readonly unread: string | null
  readonly assets: Assets
  /** The navigation. */
  readonly entries: readonly NavigationEntry[]
  readonly children: ComponentChildren
}

export function Layout({ title, session, csrf, section, unread, assets, entries, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title} · Cupel</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href={assets.style.path} />
        <link rel="icon" href={assets.icon.path} type="image/svg+xml" />
        <script src={assets.script.path} type="module" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/" aria-label="Cupel, first page">
            <img src={assets.icon.path} alt="" width="22" height="22" />
            Cupel
          </a>
          {session === null ? null : (
            <Navigation {...{ session, unread, entries }} section={sectionOf(section)} />
          )}
          {session === null || csrf === null ? null : <Person session={session} csrf={csrf} />}
        </header>
        {session !== null && !session.livemode ? (
          <aside class="sandbox-strip" aria-label="Sandbox">
            Sandbox: everything here is made up and says nothing about a real address.
          </aside>
        ) : null}
        <main id="main" tabindex={-1}>
          {children}
        </main>
      </body>
    </html>
  )
}

interface NavigationProps extends Pick<LayoutProps, 'section' | 'unread' | 'entries'> {
  readonly session: Session
}

function Navigation({ session, section, unread, entries }: NavigationProps) {
  const shown = entries.filter(({ isFor }) => isFor === undefined || isFor(session))
  const grouped = shown.filter(({ isAdministration }) => isAdministration)
  const current = grouped.find(({ path }) => path === section)
  const itemOf = ({ path, label }: NavigationEntry) => (
    <li key={path}>
      <a href={path} aria-current={path === section ? 'page' : undefined}>
        {label}
        {path === '/inbox' && unread !== null ? (
          <span class="count">
            {' '}
            {unread}
            <span class="for-readers"> unread</span>
          </span>
        ) : null}
      </a>
    </li>
  )
  return (
    <nav class="sections" aria-label="Sections">
      <ul>
        {shown.filter(({ isAdministration }) => !isAdministration).map(itemOf)}
        {grouped.length === 0 ? null : (
          <li>
            <details>
              <summary class={current === undefined ? undefined : 'current'}>
                {current === undefined ? 'Administration' : `Administration: ${current.label}`}
              </summary>
              <ul>{grouped.map(itemOf)}</ul>
            </details>
          </li>
        )}
      </ul>
    </nav>
  )
}

function Person({ session, csrf }: { readonly session: Session; readonly csrf: string }) {
  return (
    <div class="person">
      <span>
        {session.actor === null ? (
          <>
            Key <code>{session.keyId}</code>
          </>
        ) : (
          <bdi class="name" title={session.actor}>
            {session.actor}
          </bdi>
        )}
        <span class="quiet">
          {' '}
          {session.livemode ? 'live' : 'sandbox'}, {session.scope}
        </span>
      </span>
      <form method="post" action="/sign-out">
        <input type="hidden" name="csrf" value={csrf} />
        <button class="plain">Sign out</button>
      </form>
    </div>
  )
}
